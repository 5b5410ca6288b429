//! Moves by the difference that they make to a key: whether a position of the path can be reached again is tested
//! at every node, so without making moves (van Kervinck, "The Design and Implementation of the Rookie 2.0 Chess
//! Playing Program", 2012).

use super::super::{Bitboard, Color, Move, Piece, Role, Square, attacks};
use super::{Position, keys};
use std::sync::LazyLock;

/// More than twice as many as there are moves, so that few share a slot.
const SLOTS: usize = 8192;

/// The difference that a move makes, and its squares.
type ToAndFro = (u64, [Square; 2]);

/// Every move to and fro of a king or piece on an empty board, once for both directions.
static MOVES: LazyLock<Vec<Option<ToAndFro>>> = LazyLock::new(|| {
    let mut slots = vec![None; SLOTS];
    for color in Color::ALL {
        for role in Role::ALL.into_iter().filter(|&role| role != Role::Pawn) {
            for a in Square::ALL {
                let piece = Piece { color, role };
                for b in attacks::of(role, color, a, Bitboard::EMPTY) {
                    if a < b {
                        let difference = keys::piece_key(piece, a)
                            ^ keys::piece_key(piece, b)
                            ^ keys::NUMBERS.black_to_move;
                        *free_slot(&mut slots, difference) = Some((difference, [a, b]));
                    }
                }
            }
        }
    }
    slots
});

fn free_slot<T>(slots: &mut [Option<T>], key: u64) -> &mut Option<T> {
    let mut at = key as usize % SLOTS;
    while slots[at].is_some() {
        at = (at + 1) % SLOTS;
    }
    &mut slots[at]
}

impl Position {
    /// Whether a move leads to a position of `path`: the keys of the positions before this one, in order, since the
    /// last capture, pawn move or pass.
    #[must_use]
    #[inline]
    pub fn can_repeat(&self, path: &[u64]) -> bool {
        let turn = keys::NUMBERS.black_to_move;
        let length = path.len();
        if length < 3 {
            return false;
        }
        // What the opponent's moves since then have changed.
        let mut theirs = self.key() ^ path[length - 1] ^ turn;
        for plies in (3..=length).step_by(2) {
            let at = length - plies;
            theirs ^= path[at + 1] ^ path[at] ^ turn;
            if theirs == 0 && self.move_to(path[at]).is_some() {
                return true;
            }
        }
        false
    }

    /// The legal move of a king or piece that leads from here to the position with this key, if the two differ by
    /// such a move alone; castling is none.
    fn move_to(&self, key: u64) -> Option<Move> {
        let difference = self.key() ^ key;
        let mut at = difference as usize % SLOTS;
        let [a, b] = loop {
            let (known, squares) = MOVES[at]?;
            if known == difference {
                break squares;
            }
            at = (at + 1) % SLOTS;
        };
        let mv = if self.color(self.turn()).has(a) {
            Move::normal(a, b)
        } else {
            Move::normal(b, a)
        };
        self.is_legal(mv).then_some(mv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_moves_to_and_fro_are_known() {
        // Kings 210, queens 728, rooks 448, bishops 280, knights 168 pairs of squares, for both sides.
        assert_eq!(
            MOVES.iter().flatten().count(),
            2 * (210 + 728 + 448 + 280 + 168)
        );
    }

    /// Walks all paths of quiet moves and tests each end; how often the answer was yes.
    fn walk(position: &Position, path: &mut Vec<u64>, plies: usize) -> usize {
        let slow = position
            .legal_moves()
            .into_iter()
            .any(|mv| path.contains(&position.play(mv).key()));
        assert_eq!(
            position.can_repeat(path),
            slow,
            "{} after {path:?}",
            position.fen()
        );
        let mut found = usize::from(slow);
        if plies > 0 {
            for mv in position.legal_moves() {
                let next = position.play(mv);
                if next.halfmove_clock() > 0 {
                    path.push(position.key());
                    found += walk(&next, path, plies - 1);
                    path.pop();
                }
            }
        }
        found
    }

    #[test]
    fn repetitions_are_seen_before_they_are_played() {
        for (fen, plies) in [
            ("8/8/8/3k4/8/8/7P/KN6 w - - 0 1", 5),
            ("k7/p1p5/P1P5/8/8/8/1P5p/1K5B w - - 3 1", 6),
        ] {
            let position = Position::from_fen(fen).expect("a position");
            assert!(walk(&position, &mut Vec::new(), plies) > 100);
        }
    }

    #[test]
    fn finds_the_moves_that_can_be_taken_back() {
        let mut found = 0;
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect("a position");
            for mv in position.legal_moves() {
                let after = position.play(mv);
                let way = (!position.is_noisy(mv) && after.halfmove_clock() > 0).then_some(mv);
                assert_eq!(position.move_to(after.key()), way, "{mv:?} in {fen}");
                found += usize::from(way.is_some());
            }
            assert_eq!(position.move_to(position.key()), None);
        }
        assert!(found > 30);
    }
}
