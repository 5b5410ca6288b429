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

/// [`perft`] by first move, in the order of generation ("divide"), each counted when the iterator comes to it. `depth`, in
/// plies, counts the first move; with 0 all counts are 0. Ends early when `is_stopped` returns true; it is called several
/// times a second.
///
/// ```
/// use duchamp_chess::{Position, perft_by_move};
/// let start = Position::start();
/// let counts = perft_by_move(&start, 2, || false);
/// assert!(counts.map(|(_, nodes)| nodes).eq([20; 20]));
/// ```
pub fn perft_by_move(
    position: &Position,
    depth: u32,
    is_stopped: impl Fn() -> bool,
) -> impl Iterator<Item = (Move, u64)> {
    let position = *position;
    let moves = position.legal_moves().into_iter();
    moves.map_while(move |mv| {
        let nodes = match depth {
            0 => Some(0),
            _ => perft_until(&position.play(mv), depth - 1, &is_stopped),
        };
        Some((mv, nodes?))
    })
}

/// [`perft`]; `None` once `is_stopped` returns true.
fn perft_until(position: &Position, depth: u32, is_stopped: &impl Fn() -> bool) -> Option<u64> {
    /// So many plies are counted without a question.
    const AT_ONCE: u32 = 4;
    if depth <= AT_ONCE {
        return (!is_stopped()).then(|| perft(position, depth));
    }
    let moves = position.legal_moves().into_iter();
    moves
        .map(|mv| perft_until(&position.play(mv), depth - 1, is_stopped))
        .sum()
}
