//! What search asks of an evaluation, and which one it gets.

use super::network::{LoadError, Network, NetworkEvaluator};
use super::{Classical, Corrected, Score};
use duchamp_chess::{Move, Position};
use std::path::Path;
use std::sync::Arc;

/// A static evaluation that follows the moves of a search.
///
/// Search calls [`reset`](Evaluator::reset) at the root, [`push`](Evaluator::push) and
/// [`pop`](Evaluator::pop) around every move, and [`evaluate`](Evaluator::evaluate) with the position
/// reached. An evaluation that keeps no state may ignore all but the last; a network keeps its
/// first layer in step.
pub trait Evaluator: Send {
    /// A new root.
    fn reset(&mut self, position: &Position);

    /// `mv` (`None`: a pass) leads from `before` to `after`.
    fn push(&mut self, before: &Position, mv: Option<Move>, after: &Position);

    /// The last move is taken back.
    fn pop(&mut self);

    /// The value as the side to move sees it; within ± [`Score::MAX_EVAL`].
    ///
    /// Meaningless, though harmless, in check.
    fn evaluate(&mut self, position: &Position) -> Score;
}

/// Makes an evaluator for a thread.
pub type MakeEvaluator = Arc<dyn Fn() -> Box<dyn Evaluator> + Send + Sync>;

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
