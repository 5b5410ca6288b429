//! Why the rules of a restricted position were refused.

use std::io;

use duchamp_base::Cancelled;
use duchamp_proofs::freezer::{FreezeError, RuleError};

use super::table_request::RequestError;

/// Why a file of rules was refused, or could not be solved.
#[derive(Debug, thiserror::Error)]
pub enum FreezerError {
    /// The file holds no rules.
    #[error("{path}: {error}")]
    File {
        /// The file as it was named.
        path: String,
        /// What is wrong with it.
        #[source]
        error: RulesFileError,
    },
    /// The rules cannot be solved.
    #[error(transparent)]
    Rules(#[from] FreezeError),
    /// A table that the rules ask for may not be generated.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The system gives no thread.
    #[error(transparent)]
    Thread(#[from] io::Error),
    /// The system gives no threads to solve with.
    #[error(transparent)]
    Pool(#[from] rayon::ThreadPoolBuildError),
    /// Other rules, or none, came in between.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Why a file holds no rules.
#[derive(Debug, thiserror::Error)]
pub enum RulesFileError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The rules cannot be read.
    #[error(transparent)]
    Rules(#[from] RuleError),
}
