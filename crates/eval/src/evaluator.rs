//! The evaluator trait of the search.

use super::score::Score;
use duchamp_chess::{Move, Position, Square};
use std::sync::Arc;

/// A static evaluation that follows the moves of a search, for one thread.
///
/// Search calls [`reset`](Evaluator::reset) at the root, [`push`](Evaluator::push) and
/// [`pop`](Evaluator::pop) around every move, and [`evaluate`](Evaluator::evaluate) with the position
/// reached, so that a network can update its accumulators incrementally.
pub trait Evaluator: Send {
    /// A new root.
    fn reset(&mut self, position: &Position);

    /// `mv` (`None`: a null move) leads from `before` to `after`.
    fn push(&mut self, before: &Position, mv: Option<Move>, after: &Position);

    /// The last move is taken back.
    fn pop(&mut self);

    /// The value for the side to move in centipawns, within ± [`Score::MAX_EVAL`].
    ///
    /// In check the value means nothing, but the call does no harm.
    fn evaluate(&mut self, position: &Position) -> Score;

    /// The value with what the pieces add to it, for people; [`reset`](Evaluator::reset) to this position comes before.
    fn explain(&mut self, position: &Position) -> Explanation {
        Explanation {
            pieces: Vec::new(),
            score: self.evaluate(position),
        }
    }
}

/// A static evaluation with what the pieces add to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// What each piece but the kings is worth to its side, in centipawns; empty if the evaluator does not know.
    pub pieces: Vec<(Square, Score)>,
    /// What [`Evaluator::evaluate`] returns.
    pub score: Score,
}

/// Creates an evaluator; the search calls it once for each thread.
pub type EvaluatorFactory = Arc<dyn Fn() -> Box<dyn Evaluator> + Send + Sync>;
