//! The 50-move rule: a game without capture or pawn move for 50 moves of each side is drawn.

use duchamp_base::Plies;

/// Plies without capture or pawn move after which the game is drawn, unless the last of them mates.
pub const FIFTY_MOVES: u16 = 100;

/// Whether a mate, capture or pawn move in so many plies comes in time for the 50-move rule: the last ply that counts
/// is the one that brings the halfmove clock to [`FIFTY_MOVES`].
#[must_use]
#[inline]
pub const fn within_fifty_moves(plies: Plies, halfmove_clock: u16) -> bool {
    halfmove_clock.saturating_add(plies.0) <= FIFTY_MOVES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hundredth_ply_is_in_time() {
        assert!(within_fifty_moves(Plies(100), 0) && !within_fifty_moves(Plies(101), 0));
        assert!(within_fifty_moves(Plies(1), 99) && !within_fifty_moves(Plies(1), 100));
        assert!(!within_fifty_moves(Plies(1), u16::MAX));
    }
}
