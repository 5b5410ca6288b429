//! Training: self-play data generation and the network trainer.
//!
//! - [`selfplay`]: self-play games and their files, match statistics, SPSA.
//! - [`train`]: the trainer.
//! - [`adam`]: the Adam optimizer.

pub mod adam;
pub mod selfplay;
pub mod train;
