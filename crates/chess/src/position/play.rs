//! Playing a move: copy, then change the copy.

use super::super::castling::{back_rank, castling_targets};
use super::super::{Bitboard, Color, Move, MoveKind, Piece, Rank, Role, Square, attacks};
use super::{Position, keys};

impl Position {
    /// The position after a legal move.
    ///
    /// The position after an illegal move is nonsense. Debug builds panic, release builds do not. Check a move of
    /// unknown origin with [`Position::is_legal`].
    ///
    /// ```
    /// use duchamp_chess::{Move, Position, Square};
    ///
    /// let position = Position::start().play(Move::normal(Square::E2, Square::E4));
    /// assert_eq!(position.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    /// ```
    #[must_use]
    #[inline]
    pub fn play(&self, mv: Move) -> Position {
        let mut next = *self;
        next.advance(mv);
        next
    }

    /// The position after the side to move passes (a null move). The side must not be in check.
    #[must_use]
    #[inline]
    pub fn play_null(&self) -> Position {
        debug_assert!(!self.in_check());
        let mut next = *self;
        next.advance_null();
        next
    }

    /// [`Position::play_null`] in place.
    #[inline]
    pub fn advance_null(&mut self) {
        self.clear_ep();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.pass_turn();
    }

    /// [`Position::play`] in place.
    ///
    /// Hot loops copy and then call this: a returned position is copied once more, and reading back
    /// what has just been written stalls the processor (14 against 20 ns a move, 2026-11-21).
    #[inline(never)]
    pub fn advance(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv:?} is not legal in {}", self.fen());
        let us = self.turn;
        let (from, to) = (mv.from(), mv.to());
        let Some(role) = self.board.role_at(from) else {
            return;
        };
        let piece = Piece { color: us, role };
        self.clear_ep();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        let mut double_step = false;
        match mv.kind() {
            MoveKind::Normal => {
                self.capture(us, to);
                self.shift(piece, from, to);
                if role == Role::Pawn {
                    self.halfmove_clock = 0;
                    double_step = from.index() ^ to.index() == 16;
                }
            }
            MoveKind::Promotion => {
                self.capture(us, to);
                self.promote(piece, from, mv.promotion().unwrap_or(Role::Queen), to);
                self.halfmove_clock = 0;
            }
            MoveKind::EnPassant => {
                self.capture(us, Square::at(to.file(), from.rank()));
                self.shift(piece, from, to);
            }
            MoveKind::Castling => {
                let (king_to, rook_to) = castling_targets(us, from, to);
                let rook = Piece {
                    color: us,
                    role: Role::Rook,
                };
                self.remove(piece, from);
                self.remove(rook, to);
                self.add(piece, king_to);
                self.add(rook, rook_to);
            }
        }
        self.lose_castling(role, from, to);
        self.pass_turn();
        if double_step {
            self.offer_ep(Square::wrapping((from.index() + to.index()) / 2));
        }
    }

    /// Removes what `us` captures on a square, if anything.
    #[inline]
    fn capture(&mut self, us: Color, square: Square) {
        if let Some(role) = self.board.role_at(square) {
            self.remove(Piece { color: !us, role }, square);
            self.halfmove_clock = 0;
        }
    }

    #[inline]
    pub(super) fn clear_ep(&mut self) {
        if let Some(ep) = self.ep.take() {
            self.keys.all ^= keys::en_passant(ep.file());
        }
    }

    /// Rights end when the king moves or anything moves from or to the rook's square.
    #[inline]
    fn lose_castling(&mut self, role: Role, from: Square, to: Square) {
        let rights = self.castling.rooks();
        if rights.is_empty() {
            return;
        }
        let mut touched = Bitboard::from(from) | to.into();
        if role == Role::King {
            touched |= Bitboard::rank(back_rank(self.turn));
        }
        for rook in rights & touched {
            let color = if rook.rank() == Rank::R1 {
                Color::White
            } else {
                Color::Black
            };
            self.keys.all ^= keys::castling(color, rook);
        }
        self.castling.0 = rights - touched;
    }

    /// The other side is to move.
    #[inline]
    fn pass_turn(&mut self) {
        self.fullmoves = self.fullmoves.saturating_add(self.turn.index() as u16);
        self.turn = !self.turn;
        self.keys.all ^= keys::NUMBERS.black_to_move;
        self.find_checkers();
    }

    /// After a double step over `square`: notes it if the side to move can capture there.
    #[inline]
    pub(super) fn offer_ep(&mut self, square: Square) {
        let us = self.turn;
        let pawns = attacks::pawn(!us, square) & self.board.of(us, Role::Pawn);
        if pawns.into_iter().any(|from| self.is_ep_legal(from, square)) {
            self.ep = Some(square);
            self.keys.all ^= keys::en_passant(square.file());
        }
    }

    /// Finds who gives check and who is pinned.
    #[inline]
    pub(super) fn find_checkers(&mut self) {
        let us = self.turn;
        let king = self.king(us);
        let own = self.board.color(us);
        let enemies = self.board.color(!us);
        let occupied = own | enemies;
        let mut checkers = attacks::knight(king) & self.board.role(Role::Knight)
            | attacks::pawn(us, king) & self.board.role(Role::Pawn);
        checkers &= enemies;
        let mut pinned = Bitboard::EMPTY;
        let aligned = attacks::bishop_rays(king) & self.board.diagonal_sliders()
            | attacks::rook_rays(king) & self.board.straight_sliders();
        for slider in aligned & enemies {
            let blockers = attacks::between(king, slider) & occupied;
            if blockers.is_empty() {
                checkers |= slider.into();
            } else if !blockers.many() {
                pinned |= blockers & own;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned;
    }
}
