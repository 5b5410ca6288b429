//! Tablebase probes inside the tree, through [`Oracle`](duchamp_chess::Oracle).
//!
//! The tables ignore the halfmove clock. A draw is always exact. A win or loss is exact right after a capture or pawn
//! move (halfmove clock 0), and otherwise only if the mate comes before the 50-move rule draws. Other positions are
//! searched, and become exact at their next capture or pawn move.
//!
//! The WDL probe comes first; the DTM probe only where the window reaches into the range of mate scores, so that of two
//! won moves the search finds the faster.

use super::exact::{in_time, score_of};
use super::tt::TtBound;
use super::worker::Worker;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::Position;
use duchamp_eval::Score;

/// A score from the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TbScore {
    pub(super) score: Score,
    pub(super) bound: TtBound,
}

impl Worker<'_> {
    /// Whether the position may be in the tables: few enough pieces and no castling rights.
    #[inline]
    pub(super) fn may_probe_tables(&self, position: &Position) -> bool {
        position.occupied().count() <= self.shared.oracle_men && !position.has_castling_rights()
    }

    /// The score of the position by the tables; a DTM probe only if the WDL probe does not decide the window.
    pub(super) fn probe_tables(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: Score,
        beta: Score,
    ) -> Option<TbScore> {
        let wdl = self.shared.oracle.wdl(position)?;
        self.count_tbhit();
        let exact = |score| {
            Some(TbScore {
                score,
                bound: TtBound::Exact,
            })
        };
        let fifty_move_rule = self.shared.fifty_move_rule;
        let bound = match wdl {
            Wdl::Draw => return exact(Score::DRAW),
            // Cursed win and blessed loss: drawn by the 50-move rule with best play.
            Wdl::CursedWin if fifty_move_rule => return exact(Score(Score::DRAW.0 + 1)),
            Wdl::BlessedLoss if fifty_move_rule => return exact(Score(Score::DRAW.0 - 1)),
            Wdl::Win | Wdl::CursedWin => TbScore {
                score: Score::table_win_in(Plies(ply as u16)),
                bound: TtBound::Lower,
            },
            Wdl::Loss | Wdl::BlessedLoss => TbScore {
                score: Score::table_loss_in(Plies(ply as u16)),
                bound: TtBound::Upper,
            },
        };
        let fresh = position.halfmove_clock() == 0 || !self.shared.fifty_move_rule;
        let decides = match bound.bound {
            TtBound::Lower => bound.score >= beta,
            _ => bound.score <= alpha,
        };
        if fresh && decides {
            return Some(bound);
        }
        match self.shared.oracle.dtm(position) {
            Some(value) => {
                let plies = value.plies().unwrap_or_default();
                in_time(position, plies, self.shared.fifty_move_rule).then(|| TbScore {
                    score: score_of(value, ply),
                    bound: TtBound::Exact,
                })
            }
            None => fresh.then_some(bound),
        }
    }
}
