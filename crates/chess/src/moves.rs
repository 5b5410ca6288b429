//! Moves, packed into 16 bits.

use super::{Role, Square};
use std::fmt;

/// What is special about a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum MoveKind {
    /// Nothing: a piece goes from a square to a square and may capture.
    Normal = 0,
    /// A pawn promotes (see [`Move::promotion`]).
    Promotion = 1,
    /// A pawn captures en passant; `to` is the square it goes to.
    EnPassant = 2,
    /// Castling, written king takes own rook: `to` is the rook's square, in ordinary chess too.
    Castling = 3,
}

/// A move: from, to, kind and promotion role in 16 bits. It is legal or not only in a [`Position`](crate::Position),
/// which also reads and writes it as text: [`Position::parse_uci`](crate::Position::parse_uci),
/// [`Position::parse_san`](crate::Position::parse_san).
///
/// ```
/// use duchamp_chess::{Move, MoveKind, Role, Square};
///
/// let mv = Move::promote(Square::E7, Square::E8, Role::Queen);
/// assert_eq!((mv.from(), mv.to(), mv.promotion()), (Square::E7, Square::E8, Some(Role::Queen)));
/// // Castling is king takes own rook.
/// assert_eq!(Move::castle(Square::E1, Square::H1).kind(), MoveKind::Castling);
/// assert_eq!(Move::from_bits(mv.bits()), Some(mv));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(std::num::NonZeroU16);

impl Move {
    const fn pack(from: Square, to: Square, kind: MoveKind, promotion: u16) -> Move {
        let bits = from as u16 | (to as u16) << 6 | (kind as u16) << 12 | promotion << 14;
        match std::num::NonZeroU16::new(bits) {
            Some(bits) => Move(bits),
            None => panic!("a move leaves its square"),
        }
    }

    /// An ordinary move or capture.
    ///
    /// # Panics
    /// If both squares are a1.
    #[must_use]
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Move {
        Move::pack(from, to, MoveKind::Normal, 0)
    }

    /// A promotion, capturing or not. `role` is one of [`Role::PROMOTIONS`].
    #[must_use]
    #[inline]
    pub const fn promote(from: Square, to: Square, role: Role) -> Move {
        Move::pack(from, to, MoveKind::Promotion, (role as u16 - 1) & 3)
    }

    /// An en-passant capture.
    #[must_use]
    #[inline]
    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move::pack(from, to, MoveKind::EnPassant, 0)
    }

    /// Castling of the king on `king` with the rook on `rook`.
    #[must_use]
    #[inline]
    pub const fn castle(king: Square, rook: Square) -> Move {
        Move::pack(king, rook, MoveKind::Castling, 0)
    }

    /// Where the piece comes from.
    #[must_use]
    #[inline]
    pub const fn from(self) -> Square {
        Square::wrapping(self.0.get() as usize)
    }

    /// Where the piece goes to; for castling, the rook's square.
    #[must_use]
    #[inline]
    pub const fn to(self) -> Square {
        Square::wrapping(self.0.get() as usize >> 6)
    }

    /// What is special about it.
    #[must_use]
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match self.0.get() >> 12 & 3 {
            0 => MoveKind::Normal,
            1 => MoveKind::Promotion,
            2 => MoveKind::EnPassant,
            _ => MoveKind::Castling,
        }
    }

    /// What the pawn becomes, if it promotes.
    #[must_use]
    #[inline]
    pub const fn promotion(self) -> Option<Role> {
        match self.kind() {
            MoveKind::Promotion => Some(Role::ALL[(self.0.get() >> 14) as usize + 1]),
            _ => None,
        }
    }

    /// Whether the two bits of the promotion role are in use; in a move that does not promote they
    /// are a sign of damage.
    #[inline]
    pub(super) const fn has_promotion_bits(self) -> bool {
        self.0.get() >> 14 != 0
    }

    /// The 16 bits, never 0: for hash tables.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// The move of 16 bits; `None` for 0. Any other bits give some move, perhaps an impossible one.
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        match std::num::NonZeroU16::new(bits) {
            Some(bits) => Some(Move(bits)),
            None => None,
        }
    }
}

/// King takes rook for castling; see `Position::uci` for what a GUI expects.
impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(role) => write!(f, "{}", role.upper().to_ascii_lowercase()),
            None => Ok(()),
        }
    }
}

/// A move to be taken back from a position whose past is unknown, with what it captured.
///
/// # Definition
/// Let `Q` be a position. An [`UnMove`] of `Q` names a legal position `P` and a legal move of `P`
/// that leads to `Q` (clocks aside), where
/// - `P` has the same castling rights as `Q`. So castling is not taken back, and kings and rooks
///   with a right do not move. A position without rights gets the predecessors without rights,
///   which is what endgame solvers want;
/// - `P` has an en-passant square if the move is an en-passant capture, and else none. That `P`
///   might also have had a right that was not used says nothing new about `Q`;
/// - `P` has no fault in the sense of [`Position::from_setup`](crate::Position::from_setup): the side that is not to
///   move is not in check, no more than two pieces give check, no side gets more pieces than it can have.
///
/// If `Q` has an en-passant square, the only un-move is that double step. If it has none, a double
/// step that would have left one is no un-move.
///
/// The clocks of `P`: the halfmove clock is one less if the move neither captures nor moves a pawn
/// (but never below 0), else 0; the move number is one less if Black has moved (but never below 1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UnMove {
    /// The move, as it was played from the earlier position.
    pub mv: Move,
    /// What it captured; a pawn if it was an en-passant capture.
    pub captured: Option<Role>,
}
