//! Taking a move back: the other half of `play.rs`.

use super::super::{MoveKind, Piece, Role, Square, UnMove};
use super::{Position, keys};

impl Position {
    /// The position before an un-move of this one, as [`unmoves`](crate::unmoves) generates them.
    ///
    /// Any other un-move gives a nonsensical position, but no panic.
    #[must_use]
    #[inline]
    pub fn unplay(&self, unmove: UnMove) -> Position {
        let mut before = *self;
        before.unmake(unmove);
        before
    }

    fn unmake(&mut self, unmove: UnMove) {
        let (mv, mover) = (unmove.mv, !self.turn);
        let (from, to) = (mv.from(), mv.to());
        let Some(role) = self.board.role_at(to) else {
            return;
        };
        let piece = Piece { color: mover, role };
        let pawn = Piece {
            color: mover,
            role: Role::Pawn,
        };
        self.clear_ep();
        self.turn = mover;
        self.keys.all ^= keys::NUMBERS.black_to_move;
        self.fullmoves = self.fullmoves.saturating_sub(mover.index() as u16).max(1);
        let zeroing =
            role == Role::Pawn || mv.kind() == MoveKind::Promotion || unmove.captured.is_some();
        self.halfmove_clock = if zeroing {
            0
        } else {
            self.halfmove_clock.saturating_sub(1)
        };
        let mut captured_on = to;
        match mv.kind() {
            MoveKind::Promotion => {
                self.remove(piece, to);
                self.add(pawn, from);
            }
            MoveKind::Normal => self.shift(piece, to, from),
            MoveKind::EnPassant => {
                self.shift(piece, to, from);
                captured_on = Square::at(to.file(), from.rank());
            }
            // Castling is never taken back.
            MoveKind::Castling => {}
        }
        if let Some(role) = unmove.captured {
            self.add(
                Piece {
                    color: !mover,
                    role,
                },
                captured_on,
            );
        }
        self.find_checkers();
        if mv.kind() == MoveKind::EnPassant {
            self.offer_ep(to);
        }
    }
}
