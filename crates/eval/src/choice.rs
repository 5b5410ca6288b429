//! Which evaluation a search gets.

use super::network::{LoadError, Network, NetworkEvaluator};
use super::{Classical, Corrected, MakeEvaluator};
use std::path::Path;
use std::sync::Arc;

/// The evaluation of this program: by its own network if one is embedded, else the hand-crafted one.
#[must_use]
pub fn built_in() -> MakeEvaluator {
    match Network::embedded() {
        Some(network) => by_network(network),
        None => by_hand(),
    }
}

/// The name of the hand-crafted evaluation, where a file of a network may be named.
pub const BY_HAND: &str = "by-hand";

/// The evaluation that is asked for: by the network of a file, [`BY_HAND`], or the built-in one if the name is empty.
///
/// # Errors
/// If the file cannot be used.
pub fn by_name(name: &Path) -> Result<MakeEvaluator, LoadError> {
    if name.as_os_str().is_empty() {
        Ok(built_in())
    } else if name == Path::new(BY_HAND) {
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

/// The evaluation by a network, which the threads share; a residual one corrects the hand-crafted evaluation.
#[must_use]
pub fn by_network(network: Arc<Network>) -> MakeEvaluator {
    if network.shape().residual {
        return Arc::new(move || Box::new(Corrected::new(Arc::clone(&network))));
    }
    Arc::new(move || Box::new(NetworkEvaluator::new(Arc::clone(&network))))
}
