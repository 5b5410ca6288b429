//! The reasons for which solving stops without a result.

use duchamp_base::Cancelled;

/// Why a slice was not solved.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A distance does not fit into a [`Cell`](super::Cell).
    #[error("a distance is longer than the table can say")]
    TooLong,
    /// A scratch file cannot be written or read, as on a full disk.
    #[error("scratch file: {0}")]
    Scratch(#[from] std::io::Error),
}
