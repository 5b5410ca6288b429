//! From the engine's games against itself to a network.
//!
//! - [`selfplay`]: the games, and the files that hold them.
//! - [`train`]: the trainer.
//! - [`adam`]: the steps of whatever follows a gradient.

pub mod adam;
pub mod selfplay;
pub mod train;
