//! Which squares pieces attack, and the lines between squares. All tables are built at compile time.
//!
//! ```
//! use duchamp_chess::{Bitboard, Square, attacks};
//!
//! let occupied = Bitboard::from(Square::A3);
//! assert_eq!(attacks::rook(Square::A1, occupied).count(), 9); // a2, a3 and the rest of the first rank
//! assert_eq!(attacks::between(Square::A1, Square::D4).count(), 2);
//! ```

mod magic;
mod tables;

pub use magic::{bishop, rook};
pub use tables::{between, bishop_rays, king, knight, line, pawn, rook_rays};

use super::{Bitboard, Color, Role, Square};

/// The squares a queen attacks, the first piece on each line included.
#[must_use]
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// The squares that a piece of `color` attacks; `color` matters for pawns only.
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
