//! Proved bounds inside the tree, from [`Proofs`](duchamp_chess::Proofs).
//!
//! Where the bounds meet or leave the window, the node is done; else the window shrinks to them. "At most a draw" needs
//! no care: it holds with any counter. A win counts only if its next capture, pawn move or mate comes before the
//! counter runs out. (Against a position that was on the board twice before, nothing helps: as with tables, search finds
//! that out move by move.)

use super::exact::in_time;
use super::worker::Worker;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Position, Proven};
use duchamp_eval::Score;

/// Plies left from which on a structure that nothing is known of is looked at.
const GLANCE_DEPTH: i32 = 4;
/// Nodes for each such look, which takes as long as some hundred of them.
const NODES_A_GLANCE: u64 = 2000;

/// Bounds on a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Limits {
    pub(super) least: Score,
    pub(super) most: Score,
}

impl Limits {
    const NONE: Limits = Limits {
        least: Score(-Score::INFINITE.0),
        most: Score::INFINITE,
    };

    /// What is proved, as scores `ply` plies from the root.
    fn of(proven: Proven, position: &Position, ply: usize, fifty_move_rule: bool) -> Limits {
        let ply = Plies(ply as u16);
        let sure = in_time(position, proven.plies, fifty_move_rule);
        let mut limits = Limits::NONE;
        if proven.most <= Wdl::Draw {
            limits.most = Score::DRAW;
        }
        if proven.least >= Wdl::Draw {
            limits.least = Score::DRAW;
        }
        if proven.least == Wdl::Win && sure {
            limits.least = Score::table_win_in(ply);
        }
        if proven.most == Wdl::Loss && sure {
            limits.most = Score::table_loss_in(ply);
        }
        limits
    }

    /// A score brought between the bounds.
    #[inline]
    pub(super) fn clamp(self, score: Score) -> Score {
        score.max(self.least).min(self.most)
    }

    /// A window with the bounds taken into account; `Err` is the score if nothing is left of it.
    #[inline]
    pub(super) fn narrow(self, alpha: Score, beta: Score) -> Result<(Score, Score), Score> {
        if self.least >= beta || self.least == self.most {
            return Err(self.least);
        }
        if self.most <= alpha {
            return Err(self.most);
        }
        Ok((alpha.max(self.least), beta.min(self.most)))
    }
}

impl Worker<'_> {
    /// Whether something may be proved about a position.
    #[inline]
    pub(super) fn may_prove(&self, position: &Position) -> bool {
        self.shared.proofs.covers(position) && !self.may_ask(position)
    }

    /// What is proved about a position that proofs cover; with plies left to search a look is taken at what nothing is
    /// known of.
    pub(super) fn proven(&mut self, position: &Position, ply: usize, depth: i32) -> Limits {
        let mut proven = self.shared.proofs.known(position);
        if proven == Proven::NOTHING
            && depth >= GLANCE_DEPTH
            && self.glances * NODES_A_GLANCE <= self.nodes
        {
            self.glances += 1;
            self.shared.proofs.glance(position);
            proven = self.shared.proofs.known(position);
        }
        if proven == Proven::NOTHING {
            return Limits::NONE;
        }
        self.count_tbhit();
        Limits::of(proven, position, ply, self.shared.fifty_move_rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(proven: Proven, halfmoves: &str) -> Limits {
        let fen = format!("8/8/1p1k4/p1pP4/P1P2K2/1P6/8/8 w - - {halfmoves} 80");
        let position = Position::from_fen(&fen).expect("a position");
        Limits::of(proven, &position, 3, true)
    }

    /// The caveats of the 50-move rule: a win needs its plies, a hold needs nothing.
    #[test]
    fn a_high_counter_spoils_wins_only() {
        let win = Proven::exactly(Wdl::Win, Plies(21));
        let sure = limits(win, "79");
        assert_eq!(sure.least, Score::table_win_in(Plies(3)));
        // What is left of a late win is that it cannot be lost.
        assert_eq!(limits(win, "80").least, Score::DRAW);
        assert_eq!(limits(win.turned(), "80").most, Score::DRAW);
        assert_eq!(
            limits(win.turned(), "79").most,
            Score::table_loss_in(Plies(3))
        );
        let held = Proven {
            most: Wdl::Draw,
            ..Proven::NOTHING
        };
        assert_eq!(limits(held, "99").most, Score::DRAW);
    }

    #[test]
    fn windows_shrink_to_what_is_proved() {
        let held = Limits {
            most: Score::DRAW,
            ..Limits::NONE
        };
        assert_eq!(held.narrow(Score(5), Score(6)), Err(Score::DRAW));
        assert_eq!(
            held.narrow(Score(-9), Score(30)),
            Ok((Score(-9), Score::DRAW))
        );
        assert_eq!(held.clamp(Score(40)), Score::DRAW);
        let drawn = Limits {
            least: Score::DRAW,
            most: Score::DRAW,
        };
        assert_eq!(drawn.narrow(Score(-30), Score(30)), Err(Score::DRAW));
        assert_eq!(
            Limits::NONE.narrow(Score(1), Score(2)),
            Ok((Score(1), Score(2)))
        );
    }
}
