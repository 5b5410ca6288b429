//! The trainer: from self-play games to a network.
//!
//! | file | holds |
//! |---|---|
//! | `shape` | the sizes of a network and where its parameters lie in one flat list |
//! | `floats` | rows of floats that are whole cache lines, and flat lists of them |
//! | `packed` | a training position in 32 bytes, and its features |
//! | `data` | training data and validation set |
//! | `neighbours` | off-game positions, labelled by another evaluation |
//! | `lambda_return` | what a position learns from those after it |
//! | `rescale` | labels on the scale of an evaluation |
//! | `order` | the order of an epoch: a shuffle without memory |
//! | `kernel`, `upper`, `vector` | forward and backward pass over a tile of hidden units; the layers above them; the widest vectors of the processor |
//! | `shard` | a part of a batch with its own gradient |
//! | `adamw` | the optimizer step |
//! | `settings` | hyperparameters |
//! | `trainer` | epochs, learning rates, losses |
//! | `checkpoint` | the trainer in a file |
//! | `export` | quantisation |
//! | `begin` | a network to begin with instead of random numbers |
//!
//! The same data, settings and seed give the same network, bit for bit, whatever the number of threads and the
//! processor: batches are cut into a fixed number of shards whose gradients are added in a fixed order, sums of
//! products are never fused, and exponentials come from `libm` instead of the system.
//!
//! May import `base`, `chess`, `eval`, `selfplay` and `adam`.

mod adamw;
mod begin;
mod checkpoint;
mod data;
mod export;
mod floats;
mod kernel;
mod lambda_return;
mod neighbours;
mod order;
mod packed;
mod rescale;
mod settings;
mod shape;
mod shard;
#[cfg(test)]
mod tests;
mod trainer;
mod upper;
mod vector;

pub use begin::OtherShape;
pub use checkpoint::{CHECKPOINT_LABEL, CheckpointError, unfinished};
pub use data::{Data, DataStats, Loader, ValidationLoss, ValidationSet};
pub use lambda_return::LambdaReturn;
pub use neighbours::Neighbours;
pub use packed::Packed;
pub use rescale::LabelRatios;
pub use settings::{BadSetting, TrainSettings};
pub use shape::{Shape, ShapeError};
pub use trainer::{Epoch, EpochEnd, Trainer};
