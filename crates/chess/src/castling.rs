//! Castling rights, for ordinary chess and Chess960 alike.

use super::{Bitboard, Color, File, Rank, Square};

/// Which rooks may still castle, as the set of their squares on the two back ranks.
///
/// Whether such a rook castles short or long follows from the side of the king it stands on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Castling(pub(super) Bitboard);

impl Castling {
    /// No rights.
    pub const NONE: Castling = Castling(Bitboard::EMPTY);

    /// The rights of the rooks on these squares; squares off the back ranks are ignored.
    #[must_use]
    #[inline]
    pub fn new(rooks: Bitboard) -> Castling {
        Castling(rooks & (Bitboard::rank(Rank::R1) | Bitboard::rank(Rank::R8)))
    }

    /// The rooks of both sides that may castle.
    #[must_use]
    #[inline]
    pub const fn rooks(self) -> Bitboard {
        self.0
    }

    /// The rooks of one side that may castle.
    #[must_use]
    #[inline]
    pub fn of(self, color: Color) -> Bitboard {
        self.0 & Bitboard::rank(back_rank(color))
    }

    /// Whether nobody may castle.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The rook that castles short (`short`: towards file h) or long with the king on `king`.
    #[must_use]
    #[inline]
    pub fn rook(self, color: Color, king: Square, short: bool) -> Option<Square> {
        self.of(color)
            .into_iter()
            .find(|&rook| (rook > king) == short)
    }
}

/// The rank where a side's pieces start.
#[must_use]
#[inline]
pub const fn back_rank(color: Color) -> Rank {
    match color {
        Color::White => Rank::R1,
        Color::Black => Rank::R8,
    }
}

/// Where king and rook go when the king on `king` castles with the rook on `rook`.
#[must_use]
#[inline]
pub(crate) fn castling_targets(us: Color, king: Square, rook: Square) -> (Square, Square) {
    let rank = back_rank(us);
    if rook > king {
        (Square::at(File::G, rank), Square::at(File::F, rank))
    } else {
        (Square::at(File::C, rank), Square::at(File::D, rank))
    }
}
