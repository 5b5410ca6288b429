//! Chess: squares, bitboards, attacks, positions, moves and un-moves, notation, and the
//! [`Oracle`] trait through which search asks for exact values.
//!
//! May import `base` only.

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
pub use moves::{Move, MoveKind};
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
pub use unmove::{UnMove, for_each as for_each_unmove, retro_perft, unmoves};
