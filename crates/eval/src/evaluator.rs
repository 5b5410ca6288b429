//! What search asks of an evaluation.

use super::Score;
use duchamp_chess::{Move, Position};
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
