//! Positions: legal and playable, with keys, checkers and pins kept up to date.
//!
//! Copy-make: [`Position::play`] copies 200 bytes and changes the copy. The copy takes 2 of the 13 ns
//! of a move (perf, walking over all moves, 2026-11-21), so undoing moves could win little.

mod build;
mod cycles;
mod keys;
mod legal;
mod play;
mod put;
mod see;
mod state;
mod unplay;
mod validate;

pub use build::{Faults, PositionError};
pub use see::VALUES as SEE_VALUES;
pub use state::Position;
