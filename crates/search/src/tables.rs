//! Exact values from an [`Oracle`] inside the tree.
//!
//! An oracle's values ignore the 50-move counter. A draw needs no care. A win or loss is taken as it
//! is right after a capture or pawn move (counter 0); with a higher counter only if the mate, played
//! out by the table, comes before the counter runs out. What is left is searched like any other
//! position, and becomes exact at its next capture or pawn move.
//!
//! The fast question (win, draw or loss) is asked first; the distance only where the window reaches
//! into the range of mate scores, so that comparing two known wins finds the shorter one.

use super::table::Limit;
use super::worker::Worker;
use duchamp_base::{Plies, Value, Wdl};
use duchamp_chess::{Oracle, Position, within_fifty_moves};
use duchamp_eval::Score;

/// A score that an oracle proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Proof {
    pub(super) score: Score,
    pub(super) limit: Limit,
}

/// Whether a win or loss in so many plies is not spoilt by the 50-move rule.
#[inline]
pub(super) fn in_time(position: &Position, plies: Plies, fifty_move_rule: bool) -> bool {
    let clock = position.halfmove_clock();
    !fifty_move_rule || clock == 0 || within_fifty_moves(plies, clock)
}

/// A value as a score `ply` plies from the root.
#[inline]
pub(super) fn score_of(value: Value, ply: usize) -> Score {
    let at = |plies: Plies| Plies(plies.0 + ply as u16);
    match value {
        Value::Win(plies) => Score::mate_in(at(plies)),
        Value::Draw => Score::DRAW,
        Value::Loss(plies) => Score::mated_in(at(plies)),
    }
}

impl Worker<'_> {
    /// Whether the oracle may know the position.
    #[inline]
    pub(super) fn may_ask(&self, position: &Position) -> bool {
        position.occupied().count() <= self.shared.oracle_men && !position.has_castling_rights()
    }

    /// What the oracle proves about the position, as far as it matters between `alpha` and `beta`.
    pub(super) fn ask(
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
                limit: Limit::Exact,
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
                limit: Limit::Lower,
            },
            Wdl::Loss | Wdl::BlessedLoss => Proof {
                score: Score::table_loss_in(Plies(ply as u16)),
                limit: Limit::Upper,
            },
        };
        let fresh = position.halfmove_clock() == 0 || !self.shared.fifty_move_rule;
        let decides = match bound.limit {
            Limit::Lower => bound.score >= beta,
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
                    limit: Limit::Exact,
                })
            }
            None => fresh.then_some(bound),
        }
    }
}

/// Follows the oracle's best moves from a position to the mate; `None` if it does not know one of
/// the positions on the way.
pub(super) fn mating_line(
    oracle: &dyn Oracle,
    position: &Position,
) -> Option<Vec<duchamp_chess::Move>> {
    let mut line = Vec::new();
    let mut position = *position;
    let mut left = oracle.dtm(&position)?.plies()?.0;
    while left > 0 {
        let next = position.legal_moves().into_iter().find(|&mv| {
            let child = position.play(mv);
            match oracle.dtm(&child) {
                Some(value @ (Value::Win(plies) | Value::Loss(plies))) => {
                    // The loser moves into the opponent's win, the winner into a loss.
                    plies.0 + 1 == left && matches!(value, Value::Win(_)) == (left % 2 == 0)
                }
                _ => child.is_checkmate() && left == 1,
            }
        })?;
        position = position.play(next);
        line.push(next);
        left -= 1;
    }
    Some(line)
}
