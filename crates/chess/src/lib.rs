//! Chess for engines and endgame tables: positions, legal moves, un-moves, and the usual notations.
//!
//! The crate implements the rules of ordinary chess and of Chess960. It reads and writes FEN (also X-FEN and
//! Shredder-FEN), SAN, UCI moves and EPD, and writes PGN. It un-moves: it generates the moves that can have led to a
//! position. It does not evaluate or search, and it does not read PGN.
//!
//! # Main types
//!
//! - [`Square`], [`File`], [`Rank`], [`Color`], [`Role`], [`Piece`], and [`Bitboard`], a set of squares.
//! - [`Board`] < [`Setup`] < [`Position`]: a placement of pieces; anything that a FEN can say; a legal position that
//!   can be played on. [`Position::from_setup`] checks a setup and names its [`Faults`].
//! - [`Move`], 16 bits, and [`MoveList`]. Castling is stored as king takes own rook, in ordinary chess too.
//! - [`UnMove`]: a move to be taken back, with what it captured; from [`unmoves`].
//! - [`Game`]: positions in a row, for repetition and the 50-move rule; [`Pgn`] writes it.
//! - [`Epd`]: a line of a test suite.
//! - [`Oracle`] and [`Proofs`]: the traits through which a search gets exact values and proved bounds, without
//!   depending on who answers.
//! - [`attacks`]: which squares pieces attack. [`movegen`]: generation into a sink of your own. [`perft`]: its count.
//!
//! # Example
//!
//! ```
//! use duchamp_chess::Position;
//!
//! let mut position = Position::start();
//! for san in ["f3", "e5", "g4"] {
//!     let mv = position.parse_san(san)?;
//!     position = position.play(mv);
//! }
//! assert_eq!(position.legal_moves().len(), 30);
//!
//! let mate = position.parse_uci("d8h4")?;
//! assert_eq!(position.san(mate), "Qh4#");
//! assert!(position.play(mate).is_checkmate());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When not to use it
//!
//! - For chess variants other than Chess960: the rules are fixed in the code.
//! - To read PGN files or opening books.
//! - Without the standard library: FEN and PGN allocate.

pub mod attacks;
mod bitboard;
mod board;
mod castling;
mod chess960;
mod color;
mod epd;
mod fen;
mod fifty;
mod game;
pub mod movegen;
mod moves;
mod oracle;
mod perft;
mod pgn;
mod piece;
mod position;
mod proofs;
mod san;
mod setup;
mod square;
mod uci;
mod unmove;

pub use bitboard::{Bitboard, Squares};
pub use board::{Board, BoardError};
pub use castling::{Castling, back_rank};
pub use color::{ByColor, Color};
pub use epd::{Epd, EpdError, Operation};
pub use fen::FenError;
pub use fifty::{FIFTY_MOVES, within_fifty_moves};
pub use game::{DrawReason, Game, Outcome};
pub use movegen::MoveList;
pub use moves::{Move, MoveKind, UnMove};
pub use oracle::{NoOracle, Oracle};
pub use perft::{perft, perft_by_move};
pub use pgn::Pgn;
pub use piece::{Piece, Role};
pub use position::{Faults, Position, PositionError, SEE_VALUES};
pub use proofs::{Account, AnyOf, Attempt, Effort, NoProofs, Proofs, Proven};
pub use san::SanError;
pub use setup::Setup;
pub use square::{File, ParseSquareError, Rank, Square};
pub use uci::UciMoveError;
pub use unmove::{for_each as for_each_unmove, retro_perft, unmoves};

pub use duchamp_base::{Plies, Value, Wdl};

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
