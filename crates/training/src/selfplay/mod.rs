//! Games of the engine against itself: playing them, and the compact files that hold them.
//!
//! May import `base`, `chess`, `eval` and `search`. Tables are seen only as [`duchamp_chess::Oracle`].
//! `docs/TRAINING.md` describes the files.

mod adjudication;
mod asides;
mod duel;
mod endings;
mod file;
mod filter;
mod odds;
mod openings;
mod play;
mod record;
mod short_search;
mod spsa;

pub use asides::Strayer;
pub use duel::Duel;
pub use endings::Prover;
pub use file::{Block, Blocks, FileError, MAX_MAKER, Writer, read_blocks};
use filter::random_walk;
pub use filter::{Fault, Filter, is_quiet, quiet_walk};
pub use odds::{MIN_PAIRS, Pairs, elo, expected};
pub use play::{Player, Settings};
pub use record::{Aside, Ending, GameRecord, NO_SCORE, Ply, RecordError};
pub use spsa::{Spsa, Trial};
