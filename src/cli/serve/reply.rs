//! What a handler answers, before it is HTTP.

use serde::Serialize;
use tokio::sync::mpsc::Receiver;

/// An answer.
pub(super) enum Reply {
    /// A whole body.
    Whole {
        /// The HTTP status.
        status: u16,
        /// The media type.
        media: &'static str,
        /// The body.
        body: Body,
    },
    /// Server-sent events, as they come; the sender ends them.
    Events(Receiver<String>),
}

/// The bytes of a body.
pub(super) enum Body {
    /// Part of the program.
    Static(&'static [u8]),
    /// Made for this answer.
    Owned(Vec<u8>),
}

/// Why there is no answer: a status and one sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    /// The HTTP status.
    pub(super) status: u16,
    /// A sentence without a line end.
    pub(super) text: String,
}

impl Refusal {
    /// With an HTTP status.
    pub(super) fn new(status: u16, text: impl ToString) -> Refusal {
        Refusal {
            status,
            text: text.to_string(),
        }
    }

    /// The request makes no sense.
    pub(super) fn bad(text: impl ToString) -> Refusal {
        Refusal::new(400, text)
    }

    /// There is nothing of that name.
    pub(super) fn missing(text: impl ToString) -> Refusal {
        Refusal::new(404, text)
    }

    /// Something that should work did not.
    pub(super) fn failed(text: impl ToString) -> Refusal {
        Refusal::new(500, text)
    }
}

/// What handlers return.
pub(super) type Answer = Result<Reply, Refusal>;

/// A JSON answer.
pub(super) fn json(value: &impl Serialize) -> Answer {
    let body = serde_json::to_vec(value).map_err(Refusal::failed)?;
    Ok(Reply::json(body))
}

impl Reply {
    /// JSON that is written already.
    pub(super) fn json(body: Vec<u8>) -> Reply {
        Reply::Whole {
            status: 200,
            media: "application/json",
            body: Body::Owned(body),
        }
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Reply {
        Reply::Whole {
            status: refusal.status,
            media: "text/plain; charset=utf-8",
            body: Body::Owned(refusal.text.into_bytes()),
        }
    }
}
