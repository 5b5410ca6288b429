//! Why a subcommand ended without its answer.

use crate::closed_pipe::CLOSED_PIPE;
use duchamp_training::selfplay::FileError;
use std::io::Write;
use std::process::ExitCode;

/// Why a subcommand ended without its answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The input makes no sense: exit code 2.
    #[error("{0}")]
    BadInput(String),
    /// The input is right but the answer is a failure: exit code 1.
    #[error("{0}")]
    Failed(String),
    /// The reader of the output is gone, as in `| head`: no message, the exit code of a closed pipe.
    #[error("the output is closed")]
    ClosedPipe,
}

impl Failure {
    /// Bad input; the message is an error's text.
    pub fn bad_input(error: impl std::fmt::Display) -> Failure {
        Failure::BadInput(error.to_string())
    }

    /// A failure; the message is an error's text.
    pub fn failed(error: impl std::fmt::Display) -> Failure {
        Failure::Failed(error.to_string())
    }

    /// The exit code of the program.
    pub(super) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::BadInput(_) => 2,
            Failure::Failed(_) => 1,
            Failure::ClosedPipe => CLOSED_PIPE,
        })
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::failed(error)
    }
}

/// Writes a line to stderr; unlike `eprintln!` without a panic if nobody reads it.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
