//! Exact values as scores, under the 50-move rule, and as mating lines.

use super::params::MAX_PLY;
use duchamp_base::{Plies, Value};
use duchamp_chess::{Move, Oracle, Position, within_fifty_moves};
use duchamp_eval::Score;

/// The longest mate that scores reach from anywhere in the tree. (The longest that is known, of seven men, takes 1,097.)
const LONGEST_MATE: Plies = Plies((Score::REACH - MAX_PLY as i32 - 1) as u16);

/// Whether a win or loss of the tables in so many plies comes before the 50-move rule draws. With a fresh clock their results
/// have the rule in them.
#[inline]
pub(super) fn in_time(position: &Position, plies: Plies, fifty_move_rule: bool) -> bool {
    let clock = position.halfmove_clock();
    !fifty_move_rule || clock == 0 || within_fifty_moves(plies, clock)
}

/// Whether a proved win or loss, whose plies are those to the next zeroing move or mate, comes before the 50-move rule draws:
/// proofs do not know the rule.
#[inline]
pub(super) fn proved_in_time(position: &Position, plies: Plies, fifty_move_rule: bool) -> bool {
    !fifty_move_rule || within_fifty_moves(plies, position.halfmove_clock())
}

/// A value as a score `ply` plies from the root. Scores do not reach mates that no table of chess has; such a value, of a
/// wrong table, is told as a win or loss alone.
#[inline]
pub(super) fn score_of(value: Value, ply: usize) -> Score {
    let at = |plies: Plies| Plies(plies.0 + ply as u16);
    let far = |plies: Plies| plies > LONGEST_MATE;
    match value {
        Value::Win(plies) if far(plies) => Score::table_win_in(Plies(ply as u16)),
        Value::Loss(plies) if far(plies) => Score::table_loss_in(Plies(ply as u16)),
        Value::Win(plies) => Score::mate_in(at(plies)),
        Value::Draw => Score::DRAW,
        Value::Loss(plies) => Score::mated_in(at(plies)),
    }
}

/// The oracle's best line from a position to the mate; `None` if a position on the way is not in its tables. It ends sooner once
/// `is_late`: each ply asks for the distance of every move, some of them from blocks that have to be decoded.
pub(super) fn mating_line(
    oracle: &dyn Oracle,
    position: &Position,
    is_late: impl Fn() -> bool,
) -> Option<Vec<Move>> {
    let mut line = Vec::new();
    let mut position = *position;
    let mut left = oracle.dtm(&position)?.plies()?.0;
    while left > 0 && !is_late() {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths that no table of chess has are no mates, and no score leaves the range.
    #[test]
    fn lengths_beyond_the_scores_are_wins_and_losses_alone() {
        let longest = LONGEST_MATE;
        assert!(score_of(Value::Win(longest), MAX_PLY).is_mate());
        for plies in [longest.0 + 1, 64_002, u16::MAX].map(Plies) {
            let (win, loss) = (Value::Win(plies), Value::Loss(plies));
            assert_eq!(score_of(win, 3), Score::table_win_in(Plies(3)));
            assert_eq!(score_of(loss, 3), -score_of(win, 3));
        }
    }
}
