//! Selects an evaluation: the built-in network, that of a file, or one that counts material.

use super::evaluator::EvaluatorFactory;
use super::network::{LoadError, Network, NetworkEvaluator};
use std::path::Path;
use std::sync::Arc;

/// The name of the evaluation by [`material`], where a network file may be named.
pub const MATERIAL: &str = "material";

/// The names that earlier versions gave to their hand-crafted evaluation.
const GONE: [&str; 2] = ["hce", "by-hand"];

/// Why there is no evaluation of a name.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    /// The file cannot be read, or is no network.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A name of the hand-crafted evaluation.
    #[error("there is no hand-crafted evaluation any more; name a network file, or {MATERIAL}")]
    HandCrafted,
}

/// The evaluation by the embedded network.
#[must_use]
pub fn built_in() -> EvaluatorFactory {
    by_network(Network::embedded())
}

/// The evaluation by [`Network::material`], which knows nothing but what pieces are worth, roughly.
#[must_use]
pub fn material() -> EvaluatorFactory {
    by_network(Arc::new(Network::material()))
}

/// The evaluation of a name: [`MATERIAL`], the network of that file, or the built-in one if the name is empty.
///
/// # Errors
/// If the file cannot be read, or is no network, or if it is the name of the hand-crafted evaluation of earlier versions
/// (and there is no such file).
pub fn by_name(name: &Path) -> Result<EvaluatorFactory, EvaluationError> {
    if name.as_os_str().is_empty() {
        Ok(built_in())
    } else if name == Path::new(MATERIAL) {
        Ok(material())
    } else if GONE.iter().any(|gone| name == Path::new(gone)) && !name.exists() {
        Err(EvaluationError::HandCrafted)
    } else {
        Ok(by_network(Arc::new(Network::load(name)?)))
    }
}

/// The evaluation by a network, which the threads share.
#[must_use]
pub fn by_network(network: Arc<Network>) -> EvaluatorFactory {
    Arc::new(move || Box::new(NetworkEvaluator::new(Arc::clone(&network))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Score;
    use duchamp_chess::Position;

    #[test]
    fn names_select_evaluations() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1").expect("a position");
        let value = |factory: EvaluatorFactory| -> Score {
            let mut evaluator = factory();
            evaluator.reset(&position);
            evaluator.evaluate(&position)
        };
        let named = |name: &str| by_name(Path::new(name)).map(value);
        assert_eq!(named("").expect("embedded"), value(built_in()));
        assert_eq!(named("material").expect("made"), value(material()));
        assert_ne!(value(material()), value(built_in()));
        for name in ["hce", "by-hand"] {
            let told = named(name).expect_err("it is gone").to_string();
            assert!(
                told.contains("no hand-crafted evaluation any more"),
                "{told}"
            );
        }
        let told = named("no-such-file").expect_err("no file").to_string();
        assert!(told.starts_with("no-such-file: "), "{told}");
    }
}
