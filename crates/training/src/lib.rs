//! From the engine's games against itself to a network.
//!
//! - [`selfplay`]: the games, and the files that hold them.
//! - [`train`]: the trainer.

pub mod selfplay;
pub mod train;
