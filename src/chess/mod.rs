//! Chess: squares, bitboards, attacks, positions, moves and un-moves, notation, and the
//! [`Oracle`] trait through which search asks for exact values.
//!
//! May import `base` only.

mod bitboard;
mod color;
mod moves;
// mod oracle; (added with Position)
mod piece;
mod square;

pub use bitboard::Bitboard;
pub use color::{ByColor, Color};
pub use moves::{Move, MoveKind};

pub use piece::{Piece, Role};
pub use square::{File, Rank, Square};
