//! Xiangqi (Chinese chess): squares, bitboards, attacks, positions, moves and un-moves, notation, perft.
//!
//! - [`Square`], [`Bitboard`], [`Color`], [`Role`], [`Piece`]: the vocabulary. Red stands at the bottom on ranks 0 to 4; files are
//!   `a` to `i` from Red's left.
//! - [`Board`]: which piece stands where, legal or not. [`zone`]: where a piece may stand.
//! - [`Position`]: legal and playable; generates legal moves ([`Position::legal_moves`]) and plays them ([`Position::play`]).
//! - [`attacks`]: where each kind of piece goes, and whence it comes: for a horse, whose leg is beside its start, these differ.
//! - [`unmoves`], [`quiet_unmoves`]: moves taken back from a position whose past is unknown.
//! - FEN: [`Position::from_fen`], [`Position::fen`], in three alphabets ([`Letters`]).
//! - Moves: coordinates with ranks from 0 or from 1 ([`Move::uci`], [`Position::parse_move`], [`RankBase`]), ICCS
//!   ([`Move::iccs`]), and the notation of the World Xiangqi Federation ([`Position::wxf`], [`Position::parse_wxf`]).
//! - [`perft`]: counts move sequences.
//!
//! A side without a legal move has lost, in check or not. A move that lets the kings face each other on an open file is illegal.
//! Repetition rules, which differ between federations, are not part of this crate.
//!
//! ```
//! use duchamp_xiangqi::Position;
//!
//! // The chariot gives check along the rank; no square of the palace is safe.
//! let position = Position::from_fen("3k4R/R8/9/9/9/9/9/9/9/4K4 b")?;
//! assert!(position.in_check() && !position.has_legal_move());
//! # Ok::<(), duchamp_xiangqi::FenError>(())
//! ```

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
