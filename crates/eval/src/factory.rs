//! Which evaluation a search gets: the built-in one, the hand-crafted one, or that of a network file.

use super::classical::Classical;
use super::corrected::Corrected;
use super::evaluator::MakeEvaluator;
use super::network::{LoadError, Network, NetworkEvaluator};
use std::path::Path;
use std::sync::Arc;

/// The built-in evaluation: the embedded network if there is one, else the hand-crafted evaluation.
#[must_use]
pub fn built_in() -> MakeEvaluator {
    match Network::embedded() {
        Some(network) => by_network(network),
        None => by_hand(),
    }
}

/// The name of the hand-crafted evaluation, where a file of a network may be named.
pub const HCE: &str = "hce";

/// The former name of the hand-crafted evaluation, still read.
pub const BY_HAND: &str = "by-hand";

/// The evaluation of a name: the network of that file, [`HCE`], or the built-in one if the name is empty.
///
/// # Errors
/// If the file cannot be read, or is no network.
pub fn by_name(name: &Path) -> Result<MakeEvaluator, LoadError> {
    if name.as_os_str().is_empty() {
        Ok(built_in())
    } else if [HCE, BY_HAND].map(Path::new).contains(&name) {
        Ok(by_hand())
    } else {
        Ok(by_network(Arc::new(Network::load(name)?)))
    }
}

/// The hand-crafted evaluation.
#[must_use]
pub fn by_hand() -> MakeEvaluator {
    Arc::new(|| Box::new(Classical::new()))
}

/// The evaluation by a network, which the threads share. A residual network corrects the hand-crafted evaluation.
#[must_use]
pub fn by_network(network: Arc<Network>) -> MakeEvaluator {
    if network.shape().residual {
        return Arc::new(move || Box::new(Corrected::new(Arc::clone(&network))));
    }
    Arc::new(move || Box::new(NetworkEvaluator::new(Arc::clone(&network))))
}
