//! Tablebase probes inside the tree, through [`Oracle`](duchamp_chess::Oracle).
//!
//! The tables ignore the halfmove clock. A draw is always exact. A win or loss is exact right after a capture or pawn
//! move (halfmove clock 0), and otherwise only if the mate comes before the 50-move rule draws. Other positions are
//! searched, and become exact at their next capture or pawn move.
//!
//! The WDL probe comes first; the DTM probe only where the window reaches into the range of mate scores, so that of two
//! won moves the search finds the faster.
//!
//! Tables of results ([`ResultTables`](super::ResultTables)) are probed where these tables do not know the position, and
//! only with halfmove clock 0, where what they say of the 50-move rule holds. A win is a lower bound and a loss an upper
//! bound, which cut off the node or narrow its window; they never stand for a mate that the search may still find.

use super::exact::{in_time, score_of};
use super::node::Node;
use super::params::MAX_PLY;
use super::proof_bounds::ScoreBounds;
use super::tt::{Entry, TtBound};
use super::worker::Worker;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::Position;
use duchamp_eval::Score;

/// Result probes are stored in the transposition table with so many plies more than the node has left.
const EXTRA_DEPTH: i32 = 6;

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
    ) -> Option<Score> {
        let wdl = self.shared.oracle.wdl(position)?;
        self.count_tbhit();
        let fifty_move_rule = self.shared.fifty_move_rule;
        let won = match wdl {
            Wdl::Draw => return Some(Score::DRAW),
            // Cursed win and blessed loss: drawn by the 50-move rule with best play.
            Wdl::CursedWin if fifty_move_rule => return Some(Score(Score::DRAW.0 + 1)),
            Wdl::BlessedLoss if fifty_move_rule => return Some(Score(Score::DRAW.0 - 1)),
            Wdl::Win | Wdl::CursedWin => true,
            Wdl::Loss | Wdl::BlessedLoss => false,
        };
        // A bound: a lower one of a win, an upper one of a loss.
        let (bound, decides) = if won {
            let least = Score::table_win_in(Plies(ply as u16));
            (least, least >= beta)
        } else {
            let most = Score::table_loss_in(Plies(ply as u16));
            (most, most <= alpha)
        };
        let fresh = position.halfmove_clock() == 0 || !fifty_move_rule;
        if fresh && decides {
            return Some(bound);
        }
        match self.shared.oracle.dtm(position) {
            Some(value) => {
                let plies = value.plies().unwrap_or_default();
                in_time(position, plies, fifty_move_rule).then(|| score_of(value, ply))
            }
            None => fresh.then_some(bound),
        }
    }

    /// Whether the position may be probed in the tables of results, at a node with `depth` plies left.
    #[inline]
    pub(super) fn may_probe_results(&self, position: &Position, depth: i32) -> bool {
        let shared = self.shared;
        let men = position.occupied().count();
        men <= shared.results_men
            && position.halfmove_clock() == 0
            && (men < shared.results_men || depth >= shared.results_depth)
            && !position.has_castling_rights()
    }

    /// The bounds of the node by the tables of results, in its window; `Err` is the score of a cutoff.
    pub(super) fn probe_results(&mut self, node: &mut Node<'_>) -> Result<ScoreBounds, Score> {
        let Some(wdl) = self.shared.results.wdl(node.position) else {
            return Ok(ScoreBounds::NONE);
        };
        self.count_tbhit();
        let bounds = bounds_of(wdl, node.ply, self.shared.fifty_move_rule);
        match bounds.narrow(node.alpha, node.beta) {
            Ok((alpha, beta)) => {
                (node.alpha, node.beta) = (alpha, beta);
                Ok(bounds)
            }
            Err(score) => {
                let bound = match (bounds.lower == score, bounds.upper == score) {
                    (true, true) => TtBound::Exact,
                    (true, false) => TtBound::Lower,
                    _ => TtBound::Upper,
                };
                let entry = Entry {
                    mv: None,
                    score,
                    eval: None,
                    depth: (node.depth + EXTRA_DEPTH).min(MAX_PLY as i32 - 1),
                    bound,
                    pv: node.tt_pv,
                };
                self.shared.tt.store(node.position.key(), node.ply, entry);
                Err(score)
            }
        }
    }
}

/// A result as bounds of a score `ply` plies from the root. The 50-move rule makes draws of cursed wins and blessed losses,
/// with a slight lean.
fn bounds_of(wdl: Wdl, ply: usize, fifty_move_rule: bool) -> ScoreBounds {
    let ply = Plies(ply as u16);
    let exact = |score| ScoreBounds {
        lower: score,
        upper: score,
    };
    match wdl {
        Wdl::Draw => exact(Score::DRAW),
        Wdl::CursedWin if fifty_move_rule => exact(Score::DRAW + 1),
        Wdl::BlessedLoss if fifty_move_rule => exact(Score::DRAW - 1),
        Wdl::Win | Wdl::CursedWin => ScoreBounds {
            lower: Score::table_win_in(ply),
            ..ScoreBounds::NONE
        },
        Wdl::Loss | Wdl::BlessedLoss => ScoreBounds {
            upper: Score::table_loss_in(ply),
            ..ScoreBounds::NONE
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_bound_scores_and_leave_room_for_mates() {
        let win = bounds_of(Wdl::Win, 4, true);
        assert_eq!(win.lower, Score::table_win_in(Plies(4)));
        assert_eq!(
            win.clamp(Score::mate_in(Plies(9))),
            Score::mate_in(Plies(9))
        );
        assert_eq!(
            win.narrow(Score(-30), Score(30)),
            Err(Score::table_win_in(Plies(4)))
        );
        let mates = (Score::TABLE_WIN, Score::INFINITE);
        assert_eq!(win.narrow(mates.0, mates.1), Ok(mates));
        let loss = bounds_of(Wdl::Loss, 4, true);
        assert_eq!(loss.upper, -win.lower);
        let cursed = bounds_of(Wdl::CursedWin, 4, true);
        assert_eq!((cursed.lower, cursed.upper), (Score(1), Score(1)));
        assert_eq!(bounds_of(Wdl::CursedWin, 4, false), win);
        assert_eq!(bounds_of(Wdl::BlessedLoss, 4, false), loss);
        let drawn = bounds_of(Wdl::Draw, 4, true);
        assert_eq!(drawn.narrow(Score(-30), Score(30)), Err(Score::DRAW));
    }
}
