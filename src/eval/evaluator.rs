//! What search asks of an evaluation, and which one it gets.

use super::network::{Network, NetworkEvaluator};
use super::{Classical, Score};
use crate::chess::{Move, Position};
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
        None => Arc::new(|| Box::new(Classical::new())),
    }
}

/// The evaluation by a network, which the threads share.
#[must_use]
pub fn by_network(network: Arc<Network>) -> MakeEvaluator {
    Arc::new(move || Box::new(NetworkEvaluator::new(Arc::clone(&network))))
}
