//! Xiangqi (Chinese chess): squares, bitboards, attacks, positions, legal moves, FEN, perft.
//!
//! - [`Square`], [`Bitboard`], [`Color`], [`Role`], [`Piece`]: the vocabulary. Red stands at the bottom on ranks 0 to 4; files are
//!   `a` to `i` from Red's left.
//! - [`Board`]: which piece stands where, legal or not.
//! - [`Position`]: legal and playable; reads and writes FEN, generates legal moves, plays them.
//! - [`attacks`]: where each kind of piece goes; [`zone`]: where it may stand.
//! - [`perft`]: counts move sequences.
//!
//! Repetition rules are not part of this crate: a game goes on for as long as there are legal moves, and a side without one has
//! lost, in check or not.

pub mod attacks;
mod bitboard;
mod board;
mod color;
mod coordinates;
mod error;
mod fen;
mod movegen;
mod moves;
mod perft;
mod piece;
mod position;
mod square;
mod unmove;
mod wxf;
mod zones;

pub use bitboard::{Bitboard, Squares};
pub use board::Board;
pub use color::Color;
pub use coordinates::{CoordinateError, RankBase};
pub use error::PositionError;
pub use fen::FenError;
pub use movegen::Moves;
pub use moves::Move;
pub use perft::{perft, perft_by_move};
pub use piece::{Letters, Piece, Role};
pub use position::Position;
pub use square::Square;
pub use unmove::{UnMove, quiet_unmoves, retro_perft, unmoves};
pub use wxf::WxfError;
pub use zones::zone;

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
