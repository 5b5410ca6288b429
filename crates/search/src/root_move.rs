//! A move at the root with what is known about it.

use super::info::Bound;
use duchamp_chess::Move;
use duchamp_eval::Score;

/// A move at the root with what is known about it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// In the iteration under way; `-INFINITE` if it was not better than others.
    pub(super) score: Score,
    pub(super) bound: Bound,
    /// Smoothed over iterations.
    pub(super) average: Option<Score>,
    pub(super) seldepth: usize,
    /// Nodes spent below it in this search.
    pub(super) nodes: u64,
    /// The line that begins with it.
    pub(super) pv: Vec<Move>,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -Score::INFINITE,
            bound: Bound::Exact,
            average: None,
            seldepth: 0,
            nodes: 0,
            pv: vec![mv],
        }
    }
}
