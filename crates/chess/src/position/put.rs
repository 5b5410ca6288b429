//! The only place where a position's pieces move: board and keys stay in step here.

use super::super::{Piece, Role, Square};
use super::Position;

impl Position {
    /// A piece appears on an empty square.
    #[inline]
    pub(super) fn add(&mut self, piece: Piece, square: Square) {
        self.board.add(piece, square);
        self.keys.toggle(piece, square);
        self.keys.count_up(piece);
    }

    /// A piece disappears from the square where it stands.
    #[inline]
    pub(super) fn remove(&mut self, piece: Piece, square: Square) {
        self.board.remove(piece, square);
        self.keys.toggle(piece, square);
        self.keys.count_down(piece);
    }

    /// A piece goes from its square to an empty one.
    #[inline]
    pub(super) fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        self.board.shift(piece, from, to);
        self.keys.shift(piece, from, to);
    }

    /// A pawn on `from` becomes a `role` on the empty square `to`.
    #[inline]
    pub(super) fn promote(&mut self, pawn: Piece, from: Square, role: Role, to: Square) {
        self.remove(pawn, from);
        self.add(
            Piece {
                color: pawn.color,
                role,
            },
            to,
        );
    }
}
