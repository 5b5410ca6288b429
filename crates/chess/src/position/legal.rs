//! Questions about single moves: legal or not, what they capture, whether they give check.

use super::super::castling::castling_targets;
use super::super::{Bitboard, Color, Move, MoveKind, Rank, Role, Square, attacks};
use super::{Position, keys};

impl Position {
    /// Whether any 16 bits, such as a move from the hash table, are a legal move here.
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        let us = self.turn;
        let (from, to) = (mv.from(), mv.to());
        if !self.board.color(us).has(from) {
            return false;
        }
        let Some(role) = self.board.role_at(from) else {
            return false;
        };
        if mv.kind() != MoveKind::Promotion && mv.has_promotion_bits() {
            return false;
        }
        match mv.kind() {
            MoveKind::Normal => self.reaches(role, from, to) && self.is_safe(role, from, to),
            MoveKind::Promotion => {
                role == Role::Pawn
                    && is_last_rank(to)
                    && self.pawn_reaches(from, to)
                    && self.is_safe(role, from, to)
            }
            MoveKind::EnPassant => {
                role == Role::Pawn
                    && self.ep == Some(to)
                    && attacks::pawn(us, from).has(to)
                    && self.is_ep_legal(from, to)
            }
            MoveKind::Castling => {
                role == Role::King
                    && self.castling.of(us).has(to)
                    && self.checkers.is_empty()
                    && self.can_castle(from, to)
            }
        }
    }

    /// Whether a piece gets there without regard to checks; not by promotion, en passant, castling.
    fn reaches(&self, role: Role, from: Square, to: Square) -> bool {
        if role == Role::Pawn {
            return !is_last_rank(to) && self.pawn_reaches(from, to);
        }
        (attacks::of(role, self.turn, from, self.occupied()) - self.board.color(self.turn)).has(to)
    }

    /// Pushes and captures of a pawn, to any rank.
    fn pawn_reaches(&self, from: Square, to: Square) -> bool {
        let (us, occupied) = (self.turn, self.occupied());
        if attacks::pawn(us, from).has(to) {
            return self.board.color(!us).has(to);
        }
        let (step, start): (i8, _) = match us {
            Color::White => (1, Rank::R2),
            Color::Black => (-1, Rank::R7),
        };
        let Some(one) = from.offset(0, step) else {
            return false;
        };
        if occupied.has(one) {
            return false;
        }
        to == one || from.rank() == start && one.offset(0, step) == Some(to) && !occupied.has(to)
    }

    /// Whether a piece that gets there leaves its king out of check.
    fn is_safe(&self, role: Role, from: Square, to: Square) -> bool {
        let king = self.king(self.turn);
        if role == Role::King {
            let occupied = self.occupied() - from.into();
            return (self.attackers_to(to, occupied) & self.board.color(!self.turn)).is_empty();
        }
        if self.pinned.has(from) && !attacks::line(king, from).has(to) {
            return false;
        }
        match self.checkers.first() {
            None => true,
            Some(_) if self.checkers.many() => false,
            Some(checker) => checker == to || attacks::between(king, checker).has(to),
        }
    }

    /// Whether the pawn on `from` may capture en passant on `to`: two pieces leave one line at once,
    /// so the king's safety is looked at afresh.
    pub(crate) fn is_ep_legal(&self, from: Square, to: Square) -> bool {
        let us = self.turn;
        let captured = Bitboard::from(Square::at(to.file(), from.rank()));
        let occupied = (self.occupied() ^ from.into() ^ captured) | to.into();
        let enemies = self.board.color(!us) - captured;
        (self.attackers_to(self.king(us), occupied) & enemies).is_empty()
    }

    /// Whether the king may castle with the rook, a right and no check given.
    pub(crate) fn can_castle(&self, king: Square, rook: Square) -> bool {
        let us = self.turn;
        let (king_to, rook_to) = castling_targets(us, king, rook);
        let path = attacks::between(king, king_to) | king_to.into();
        let empty =
            path | attacks::between(king, rook) | attacks::between(rook, rook_to) | rook_to.into();
        let others = self.occupied() - (Bitboard::from(king) | rook.into());
        if (empty & others).any() {
            return false;
        }
        let enemies = self.board.color(!us);
        // The rook still stands while the king passes, and has moved when the king arrives.
        let passing = others | rook.into();
        let arrived = others | rook_to.into();
        let safe = |square, occupied| (self.attackers_to(square, occupied) & enemies).is_empty();
        path.into_iter().all(|square| safe(square, passing)) && safe(king_to, arrived)
    }

    /// The kind of piece that moves; for castling the king.
    #[must_use]
    #[inline]
    pub fn moved_role(&self, mv: Move) -> Role {
        self.board.role_at(mv.from()).unwrap_or(Role::Pawn)
    }

    /// The kind of piece that a move captures, en passant included.
    #[must_use]
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<Role> {
        match mv.kind() {
            MoveKind::EnPassant => Some(Role::Pawn),
            MoveKind::Castling => None,
            _ => self.board.role_at(mv.to()),
        }
    }

    /// Whether a move captures, en passant included.
    #[must_use]
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.captured(mv).is_some()
    }

    /// Whether a move captures or promotes: the moves of [`Position::captures`].
    #[must_use]
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        mv.kind() == MoveKind::Promotion || self.is_capture(mv)
    }

    /// By role, the squares from which a piece of the side to move would attack the enemy king as the board stands; a
    /// king nowhere.
    #[must_use]
    #[inline]
    pub fn check_squares(&self) -> [Bitboard; 6] {
        let (us, king) = (self.turn, self.king(!self.turn));
        let bishop = attacks::bishop(king, self.occupied());
        let rook = attacks::rook(king, self.occupied());
        let (pawn, knight) = (attacks::pawn(!us, king), attacks::knight(king));
        [pawn, knight, bishop, rook, bishop | rook, Bitboard::EMPTY]
    }

    /// Whether a legal move gives check.
    #[must_use]
    pub fn gives_check(&self, mv: Move) -> bool {
        let us = self.turn;
        let king = self.king(!us);
        let (from, to) = (mv.from(), mv.to());
        let mut occupied = (self.occupied() - from.into()) | to.into();
        let mut aligned = attacks::line(king, from).any();
        match mv.kind() {
            MoveKind::Normal | MoveKind::Promotion => {
                let role = mv.promotion().unwrap_or_else(|| self.moved_role(mv));
                if attacks::of(role, us, to, occupied).has(king) {
                    return true;
                }
            }
            MoveKind::EnPassant => {
                if attacks::pawn(us, to).has(king) {
                    return true;
                }
                occupied = occupied - Square::at(to.file(), from.rank()).into();
                aligned = true;
            }
            MoveKind::Castling => {
                let (king_to, rook_to) = castling_targets(us, from, to);
                occupied = (occupied - to.into()) | king_to.into() | rook_to.into();
                return attacks::rook(rook_to, occupied).has(king);
            }
        }
        if !aligned {
            return false;
        }
        let own = self.board.color(us) - from.into();
        (attacks::bishop(king, occupied) & self.board.diagonal_sliders() & own
            | attacks::rook(king, occupied) & self.board.straight_sliders() & own)
            .any()
    }

    /// Nearly the key after a move, for prefetching: castling rights, en passant and the rook of
    /// castling are left out.
    #[must_use]
    #[inline]
    pub fn key_after(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let mut key = self.keys.all ^ keys::NUMBERS.black_to_move;
        if let Some(captured) = self.board.at(to) {
            key ^= keys::piece_key(captured, to);
        }
        if let Some(piece) = self.board.at(from) {
            key ^= keys::piece_key(piece, from) ^ keys::piece_key(piece, to);
        }
        key
    }
}

#[inline]
fn is_last_rank(square: Square) -> bool {
    matches!(square.rank(), Rank::R1 | Rank::R8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    #[test]
    fn moves_to_check_squares_give_check() {
        let mut checks = 0;
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/8/8/1QN5/3B4/7R/6K1 w - - 0 1",
            "8/q7/2b5/1n5r/8/3k1p2/6P1/4K3 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect("a position");
            let squares = position.check_squares();
            for mv in position.legal_moves() {
                let role = position.moved_role(mv);
                let direct = squares[role.index()].has(mv.to());
                // No other piece of these positions is uncovered by a move.
                if mv.kind() == MoveKind::Normal && role != Role::King {
                    assert_eq!(direct, position.gives_check(mv), "{mv:?} in {fen}");
                    checks += usize::from(direct);
                }
            }
        }
        assert!(checks > 8, "{checks}");
    }
}
