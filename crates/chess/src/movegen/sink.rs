//! Where generated moves go.

use super::super::{Bitboard, Move, Role, Square};
use arrayvec::ArrayVec;

/// Receives legal moves as sets of targets. Sets may be empty.
pub trait Sink {
    /// A king or piece goes from a square to any of `targets`.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Pawns arrive on all of `targets`, each from the square whose index is less by `step` (8: one rank up).
    fn pawns(&mut self, targets: Bitboard, step: i8);
    /// The same, with promotion.
    fn promotions(&mut self, targets: Bitboard, step: i8);
    /// A pawn captures en passant.
    fn en_passant(&mut self, from: Square, to: Square);
    /// The king on `king` castles with the rook on `rook`.
    fn castling(&mut self, king: Square, rook: Square);
}

/// Counts moves.
pub(crate) struct Counter(pub(crate) u64);

impl Sink for Counter {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }
    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8) {
        self.0 += u64::from(targets.count());
    }
    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i8) {
        self.0 += 4 * u64::from(targets.count());
    }
    #[inline]
    fn en_passant(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }
    #[inline]
    fn castling(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }
}

/// Legal moves in a list. No legal position has more than 218; an artificial one that did would
/// lose those above 256.
pub type MoveList = ArrayVec<Move, 256>;

impl Sink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            append(self, Move::normal(from, to));
        }
    }
    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8) {
        for to in targets {
            append(self, Move::normal(origin(to, step), to));
        }
    }
    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i8) {
        for to in targets {
            for role in Role::PROMOTIONS {
                append(self, Move::promote(origin(to, step), to, role));
            }
        }
    }
    #[inline]
    fn en_passant(&mut self, from: Square, to: Square) {
        append(self, Move::en_passant(from, to));
    }
    #[inline]
    fn castling(&mut self, king: Square, rook: Square) {
        append(self, Move::castle(king, rook));
    }
}

#[inline]
fn append(moves: &mut MoveList, mv: Move) {
    // Full lists are out of reach in legal positions; see `MoveList`.
    _ = moves.try_push(mv);
}

/// Where a pawn that arrives on `to` comes from.
#[inline]
fn origin(to: Square, step: i8) -> Square {
    Square::wrapping((to.index() as i32 - i32::from(step)) as usize)
}
