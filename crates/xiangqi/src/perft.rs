//! Perft: counting the leaves of the tree of legal moves, to check and to time move generation.

use super::{Move, Position};

/// The number of sequences of legal moves that are `depth` plies long. The last ply is counted, not played.
///
/// ```
/// use duchamp_xiangqi::{Position, perft};
/// assert_eq!(perft(&Position::start(), 3), 79_666);
/// ```
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves().into(),
        _ => {
            let moves = position.legal_moves();
            let next = moves.iter().map(|&mv| position.play(mv));
            next.map(|next| perft(&next, depth - 1)).sum()
        }
    }
}

/// [`perft`] by first move, in the order of generation ("divide"), each counted when the iterator comes to it. `depth`, in
/// plies, counts the first move; with 0 all counts are 0.
pub fn perft_by_move(position: &Position, depth: u32) -> impl Iterator<Item = (Move, u64)> {
    let count = move |mv| match depth {
        0 => 0,
        _ => perft(&position.play(mv), depth - 1),
    };
    let moves = position.legal_moves();
    moves.into_iter().map(move |mv| (mv, count(mv)))
}
