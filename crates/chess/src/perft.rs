//! Perft: counting the leaves of the tree of legal moves, to check and to time move generation.

use super::movegen::{Counter, Which, generate};
use super::{Move, Position};

/// The number of move sequences of `depth` plies. The last ply is counted, not played.
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

/// [`perft`] by first move, in the order of generation; `depth` counts from `position`.
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
