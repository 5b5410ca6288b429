//! Which evaluation a subcommand uses.

use super::Failure;
use duchamp_eval::EvaluatorFactory;
use std::path::{Path, PathBuf};

/// The option that selects it.
#[derive(clap::Args)]
pub(super) struct Net {
    /// Evaluate by the network of this file, or count material only if the name is `material`
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
}

impl Net {
    /// A factory of evaluators, and a short name of the evaluation.
    pub(super) fn open(&self) -> Result<(EvaluatorFactory, String), Failure> {
        open(self.net.as_deref())
    }
}

/// The evaluation of a file; the built-in one if there is none.
pub(super) fn open(file: Option<&Path>) -> Result<(EvaluatorFactory, String), Failure> {
    match file {
        None => Ok((duchamp_eval::built_in(), "built-in".to_owned())),
        Some(path) => {
            let make = duchamp_eval::by_name(path).map_err(Failure::bad_input)?;
            let name = path.file_stem().unwrap_or(path.as_os_str());
            let name: String = name.to_string_lossy().chars().take(16).collect();
            Ok((make, name))
        }
    }
}
