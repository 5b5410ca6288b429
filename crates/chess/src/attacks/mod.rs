//! Which squares men attack, and the lines between squares. All tables are built at compile time.

mod magic;
mod tables;

pub use magic::{bishop, rook};
pub use tables::{between, bishop_rays, king, knight, line, pawn, rook_rays};

use super::{Bitboard, Color, Role, Square};

/// The squares a queen attacks, the first man on each line included.
#[must_use]
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// The squares that a man of `color` attacks; `color` matters for pawns only.
#[must_use]
#[inline]
pub fn of(role: Role, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => pawn(color, square),
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => queen(square, occupied),
        Role::King => king(square),
    }
}

/// The squares that a set of pawns attacks.
#[must_use]
#[inline]
pub fn pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = match color {
        Color::White => pawns.up(),
        Color::Black => pawns.down(),
    };
    ahead.east() | ahead.west()
}
