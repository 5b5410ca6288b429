//! Why a verification stops early.

use std::io;

use crate::format::{FormatError, Metric};
use crate::probe::ProbeError;
use duchamp_base::Cancelled;

/// Why a verification stopped early. Errors in values do not stop it; [`Verified::errors`](crate::Verified::errors) counts them.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError<K> {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A table is missing, or one that its moves lead to.
    #[error("table {0} is missing")]
    Missing(K),
    /// A table has no distances of the metric, or one that its moves lead to.
    #[error("the file {0}.{name} is missing", name = .1.name())]
    MissingMetric(K, Metric),
    /// The whole table would need too much memory: verify a sample.
    #[error("table {0} is too large to look at all of it: name a sample")]
    TooLarge(K),
    /// A file cannot be read.
    #[error("table {key}: {source}")]
    Damaged {
        /// The table.
        key: K,
        /// What was found.
        source: FormatError,
    },
    /// A position cannot be probed.
    #[error(transparent)]
    Probe(#[from] ProbeError<K>),
    /// No room for what later tables need.
    #[error("the folder for scratch files: {0}")]
    Scratch(io::Error),
}
