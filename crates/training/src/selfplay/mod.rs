//! Self-play: data generation, the game file format, matches with pentanomial statistics and SPRT, SPSA.
//!
//! May import `base`, `chess`, `eval` and `search`. Tables are seen only as [`duchamp_chess::Oracle`].
//! `docs/TRAINING.md` describes the files.

mod adjudication;
mod duel;
mod elo;
mod endings;
mod file;
mod filter;
mod off_game;
mod openings;
mod play;
mod record;
mod rescore;
mod short_search;
mod spsa;
mod visited;

pub use duel::GamePairs;
pub use elo::{MIN_PAIRS, MIN_UNEVEN, Pentanomial, elo, expected_score};
pub use endings::TableSearch;
pub use file::{Block, Blocks, FileError, GameWriter, MAX_GENERATOR, read_blocks};
use filter::random_walk;
pub use filter::{Filter, Rejection, is_quiet, quiet_walk};
pub use off_game::OffGameSampler;
pub use openings::{OpeningSettings, Openings, Unplayed};
pub use play::{DatagenSettings, Player};
pub use record::{GameRecord, NO_SCORE, OffGamePosition, RecordError, ScoredMove, Termination};
pub use rescore::Rescorer;
pub use spsa::{Spsa, Trial};
