//! Exact values from an [`Oracle`](duchamp_chess::Oracle) inside the tree.
//!
//! An oracle's values ignore the 50-move counter. A draw needs no care. A win or loss is taken as it
//! is right after a capture or pawn move (counter 0); with a higher counter only if the mate, played
//! out by the table, comes before the counter runs out. What is left is searched like any other
//! position, and becomes exact at its next capture or pawn move.
//!
//! The fast question (win, draw or loss) is asked first; the distance only where the window reaches
//! into the range of mate scores, so that comparing two known wins finds the shorter one.

use super::exact::{in_time, score_of};
use super::tt::TtBound;
use super::worker::Worker;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::Position;
use duchamp_eval::Score;

/// A score that an oracle proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Proof {
    pub(super) score: Score,
    pub(super) bound: TtBound,
}

impl Worker<'_> {
    /// Whether the oracle may know the position.
    #[inline]
    pub(super) fn may_probe_tables(&self, position: &Position) -> bool {
        position.occupied().count() <= self.shared.oracle_men && !position.has_castling_rights()
    }

    /// What the oracle proves about the position, as far as it matters between `alpha` and `beta`.
    pub(super) fn probe_tables(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: Score,
        beta: Score,
    ) -> Option<Proof> {
        let wdl = self.shared.oracle.wdl(position)?;
        self.count_tbhit();
        let exact = |score| {
            Some(Proof {
                score,
                bound: TtBound::Exact,
            })
        };
        let spoils = self.shared.fifty_move_rule;
        let bound = match wdl {
            Wdl::Draw => return exact(Score::DRAW),
            // Drawn by the 50-move rule, but only if the opponent finds the way.
            Wdl::CursedWin if spoils => return exact(Score(Score::DRAW.0 + 1)),
            Wdl::BlessedLoss if spoils => return exact(Score(Score::DRAW.0 - 1)),
            Wdl::Win | Wdl::CursedWin => Proof {
                score: Score::table_win_in(Plies(ply as u16)),
                bound: TtBound::Lower,
            },
            Wdl::Loss | Wdl::BlessedLoss => Proof {
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
                in_time(position, plies, self.shared.fifty_move_rule).then(|| Proof {
                    score: score_of(value, ply),
                    bound: TtBound::Exact,
                })
            }
            None => fresh.then_some(bound),
        }
    }
}
