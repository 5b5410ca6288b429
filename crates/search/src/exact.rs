//! Exact values as scores, under the 50-move rule, and as mating lines.

use duchamp_base::{Plies, Value};
use duchamp_chess::{Move, Oracle, Position, within_fifty_moves};
use duchamp_eval::Score;

/// Whether a win or loss in so many plies comes before the 50-move rule draws.
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

/// The oracle's best line from a position to the mate; `None` if a position on the way is not in its tables.
pub(super) fn mating_line(oracle: &dyn Oracle, position: &Position) -> Option<Vec<Move>> {
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
