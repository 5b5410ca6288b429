//! The evaluator trait of the search.

use super::breakdown::Breakdown;
use super::score::Score;
use duchamp_chess::{Move, Position, Square};
use std::sync::Arc;

/// A static evaluation that follows the moves of a search, for one thread.
///
/// Search calls [`reset`](Evaluator::reset) at the root, [`push`](Evaluator::push) and
/// [`pop`](Evaluator::pop) around every move, and [`evaluate`](Evaluator::evaluate) with the position
/// reached. An evaluation that keeps no state may ignore all but the last; a network updates its
/// accumulators incrementally.
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

    /// The value with its parts, for people; [`reset`](Evaluator::reset) to this position comes before.
    fn explain(&mut self, position: &Position) -> Explanation {
        Explanation {
            hce: None,
            network: None,
            pieces: Vec::new(),
            score: self.evaluate(position),
        }
    }
}

/// A static evaluation with its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The hand-crafted part, if there is one.
    pub hce: Option<Breakdown>,
    /// The network's part for the side to move, in centipawns.
    pub network: Option<Score>,
    /// What each piece but the kings is worth to its side by the network, in centipawns; empty without one.
    pub pieces: Vec<(Square, Score)>,
    /// What [`Evaluator::evaluate`] returns.
    pub score: Score,
}

/// Creates an evaluator; the search calls it once for each thread.
pub type EvaluatorFactory = Arc<dyn Fn() -> Box<dyn Evaluator> + Send + Sync>;
