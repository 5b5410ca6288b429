//! Selects an evaluation: the built-in one, the hand-crafted one, or that of a network file.

use super::classical::Classical;
use super::evaluator::EvaluatorFactory;
use super::network::{LoadError, Network, NetworkEvaluator};
use super::residual::ResidualEvaluator;
use std::path::Path;
use std::sync::Arc;

/// The built-in evaluation: the embedded network if there is one, else the hand-crafted evaluation.
#[must_use]
pub fn built_in() -> EvaluatorFactory {
    match Network::embedded() {
        Some(network) => by_network(network),
        None => hce(),
    }
}

/// The name of the hand-crafted evaluation, where a network file may be named.
pub const HCE: &str = "hce";

/// The name that earlier versions gave to [`HCE`]; still read.
const OLD_HCE: &str = "by-hand";

/// The evaluation of a name: [`HCE`], the network of that file, or the built-in one if the name is empty.
///
/// # Errors
/// If the file cannot be read, or is no network.
pub fn by_name(name: &Path) -> Result<EvaluatorFactory, LoadError> {
    if name.as_os_str().is_empty() {
        Ok(built_in())
    } else if [HCE, OLD_HCE].iter().any(|hce| name == Path::new(hce)) {
        Ok(hce())
    } else {
        Ok(by_network(Arc::new(Network::load(name)?)))
    }
}

/// The hand-crafted evaluation.
#[must_use]
pub fn hce() -> EvaluatorFactory {
    Arc::new(|| Box::new(Classical::new()))
}

/// The evaluation by a network, which the threads share. A residual network corrects the hand-crafted evaluation.
#[must_use]
pub fn by_network(network: Arc<Network>) -> EvaluatorFactory {
    if network.shape().residual {
        return Arc::new(move || Box::new(ResidualEvaluator::new(Arc::clone(&network))));
    }
    Arc::new(move || Box::new(NetworkEvaluator::new(Arc::clone(&network))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Score;
    use duchamp_chess::Position;

    #[test]
    fn the_hand_crafted_evaluation_has_two_names() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1").expect("a position");
        let value = |factory: EvaluatorFactory| -> Score {
            let mut evaluator = factory();
            evaluator.reset(&position);
            evaluator.evaluate(&position)
        };
        for name in ["hce", "by-hand"] {
            let named = by_name(Path::new(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(value(named), value(hce()), "{name}");
        }
        assert!(by_name(Path::new("no-such-file")).is_err());
    }
}
