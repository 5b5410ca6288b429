//! Proved bounds inside the tree, from [`Proofs`](duchamp_chess::Proofs).
//!
//! Where the bounds meet or lie outside the window, the node is cut off; else the window shrinks to them. An upper bound
//! of a draw holds with any halfmove clock. A win counts only if its next capture, pawn move or mate comes before the
//! 50-move rule draws. (Repetitions of earlier positions are found by the search, as with tables.)

use super::exact::proved_in_time;
use super::worker::Worker;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Position, Proven};
use duchamp_eval::Score;

/// Depth from which a short proof of an unknown pawn structure is tried.
const GLANCE_DEPTH: i32 = 4;
/// Nodes for each such attempt, which takes as long as some hundred of them.
const NODES_A_GLANCE: u64 = 2000;

/// Bounds on a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScoreBounds {
    pub(super) lower: Score,
    pub(super) upper: Score,
}

impl ScoreBounds {
    pub(super) const NONE: ScoreBounds = ScoreBounds {
        lower: Score(-Score::INFINITE.0),
        upper: Score::INFINITE,
    };

    /// Proved bounds as scores `ply` plies from the root.
    fn of(proven: Proven, position: &Position, ply: usize, fifty_move_rule: bool) -> ScoreBounds {
        let ply = Plies(ply as u16);
        let sure = proved_in_time(position, proven.plies, fifty_move_rule);
        let mut bounds = ScoreBounds::NONE;
        if proven.most <= Wdl::Draw {
            bounds.upper = Score::DRAW;
        }
        if proven.least >= Wdl::Draw {
            bounds.lower = Score::DRAW;
        }
        if proven.least == Wdl::Win && sure {
            bounds.lower = Score::table_win_in(ply);
        }
        if proven.most == Wdl::Loss && sure {
            bounds.upper = Score::table_loss_in(ply);
        }
        bounds
    }

    /// The score clamped to the bounds.
    #[inline]
    pub(super) fn clamp(self, score: Score) -> Score {
        score.max(self.lower).min(self.upper)
    }

    /// The window shrunk to the bounds; `Err` is the score if the window becomes empty.
    #[inline]
    pub(super) fn narrow(self, alpha: Score, beta: Score) -> Result<(Score, Score), Score> {
        if self.lower >= beta || self.lower == self.upper {
            return Err(self.lower);
        }
        if self.upper <= alpha {
            return Err(self.upper);
        }
        Ok((alpha.max(self.lower), beta.min(self.upper)))
    }
}

impl Worker<'_> {
    /// Whether proofs cover the position and tables do not.
    #[inline]
    pub(super) fn may_prove(&self, position: &Position) -> bool {
        self.shared.proofs.covers(position) && !self.may_probe_tables(position)
    }

    /// The proved bounds of a position that proofs cover; where nothing is known, a short proof is tried at depth
    /// [`GLANCE_DEPTH`] or more.
    pub(super) fn proven(&mut self, position: &Position, ply: usize, depth: i32) -> ScoreBounds {
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
            return ScoreBounds::NONE;
        }
        self.count_tbhit();
        ScoreBounds::of(proven, position, ply, self.shared.fifty_move_rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(proven: Proven, halfmoves: &str) -> ScoreBounds {
        let fen = format!("8/8/1p1k4/p1pP4/P1P2K2/1P6/8/8 w - - {halfmoves} 80");
        let position = Position::from_fen(&fen).expect("a position");
        ScoreBounds::of(proven, &position, 3, true)
    }

    /// Under the 50-move rule a win needs its plies, a draw needs none.
    #[test]
    fn a_high_halfmove_clock_affects_wins_only() {
        let win = Proven::exactly(Wdl::Win, Plies(21));
        let sure = bounds(win, "79");
        assert_eq!(sure.lower, Score::table_win_in(Plies(3)));
        // A win that comes too late still proves at least a draw.
        assert_eq!(bounds(win, "80").lower, Score::DRAW);
        assert_eq!(bounds(win.turned(), "80").upper, Score::DRAW);
        assert_eq!(
            bounds(win.turned(), "79").upper,
            Score::table_loss_in(Plies(3))
        );
        // With a fresh clock, too: a proof does not know the rule.
        let long = Proven::exactly(Wdl::Win, Plies(101));
        assert_eq!(bounds(long, "0").lower, Score::DRAW);
        assert_eq!(bounds(long.turned(), "0").upper, Score::DRAW);
        let held = Proven {
            most: Wdl::Draw,
            ..Proven::NOTHING
        };
        assert_eq!(bounds(held, "99").upper, Score::DRAW);
    }

    #[test]
    fn windows_shrink_to_what_is_proved() {
        let held = ScoreBounds {
            upper: Score::DRAW,
            ..ScoreBounds::NONE
        };
        assert_eq!(held.narrow(Score(5), Score(6)), Err(Score::DRAW));
        assert_eq!(
            held.narrow(Score(-9), Score(30)),
            Ok((Score(-9), Score::DRAW))
        );
        assert_eq!(held.clamp(Score(40)), Score::DRAW);
        let drawn = ScoreBounds {
            lower: Score::DRAW,
            upper: Score::DRAW,
        };
        assert_eq!(drawn.narrow(Score(-30), Score(30)), Err(Score::DRAW));
        assert_eq!(
            ScoreBounds::NONE.narrow(Score(1), Score(2)),
            Ok((Score(1), Score(2)))
        );
    }
}
