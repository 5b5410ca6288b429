//! Perft: counting the leaves of the tree of legal moves, to check and to time move generation.

use super::movegen::{Counter, Which, generate};
use super::{Move, Position};

/// The number of sequences of legal moves that are `depth` plies long. The last ply is counted, not played.
///
/// ```
/// use duchamp_chess::{Position, perft};
/// assert_eq!(perft(&Position::start(), 4), 197_281);
/// ```
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => {
            let mut count = Counter(0);
            generate(position, Which::All, &mut count);
            count.0
        }
        _ => {
            let mut count = 0;
            for mv in position.legal_moves() {
                let mut next = *position;
                next.advance(mv);
                count += perft(&next, depth - 1);
            }
            count
        }
    }
}

/// [`perft`] by first move, in the order of generation ("divide"). `depth`, in plies, counts the first move; with 0 all
/// counts are 0.
#[must_use]
pub fn perft_by_move(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let count = |mv| {
        if depth == 0 {
            0
        } else {
            perft(&position.play(mv), depth - 1)
        }
    };
    position
        .legal_moves()
        .into_iter()
        .map(|mv| (mv, count(mv)))
        .collect()
}
