//! Why a subcommand ended without its answer.

/// Why a subcommand ended without its answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The input makes no sense: exit code 2.
    #[error("{0}")]
    BadInput(String),
    /// The input is right but the answer is a failure: exit code 1.
    #[error("{0}")]
    Failed(String),
}

impl Failure {
    /// Bad input, told by an error's text.
    pub fn bad_input(error: impl std::fmt::Display) -> Failure {
        Failure::BadInput(error.to_string())
    }

    /// A failure, told by an error's text.
    pub fn failed(error: impl std::fmt::Display) -> Failure {
        Failure::Failed(error.to_string())
    }
}

/// Writing to a closed pipe ends a subcommand quietly with code 1, like any failure to write.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Failed(error.to_string())
    }
}
