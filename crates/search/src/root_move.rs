//! A root move with its score and principal variation.

use super::info::Bound;
use duchamp_chess::Move;
use duchamp_eval::Score;

/// A root move with its score and principal variation.
#[derive(Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// In the iteration under way; `-INFINITE` if it was not better than others.
    pub(super) score: Score,
    pub(super) bound: Bound,
    /// The average score over iterations.
    pub(super) average: Option<Score>,
    /// The last iteration in which it was better than all before it; 0: none.
    pub(super) best_at: i32,
    pub(super) seldepth: usize,
    /// Nodes searched below it in this search (its effort).
    pub(super) nodes: u64,
    /// Its principal variation, itself first.
    pub(super) pv: Vec<Move>,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -Score::INFINITE,
            bound: Bound::Exact,
            average: None,
            best_at: 0,
            seldepth: 0,
            nodes: 0,
            pv: vec![mv],
        }
    }
}

impl Clone for RootMove {
    fn clone(&self) -> RootMove {
        RootMove {
            pv: self.pv.clone(),
            ..*self
        }
    }

    /// In the memory that is there: each iteration copies all of them.
    fn clone_from(&mut self, other: &RootMove) {
        let mut pv = std::mem::take(&mut self.pv);
        pv.clone_from(&other.pv);
        *self = RootMove { pv, ..*other };
    }
}
