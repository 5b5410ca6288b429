//! The network: (768 * K -> N) for either side, squared and clipped, -> one output by the number of men.
//!
//! [`Network`] holds the numbers and says by [`Network::value`] what they mean; [`Inputs`] numbers the
//! features, for the trainer too. `docs/EVALUATION.md` tells the rest.

mod evaluator;
mod features;
mod format;
mod kernels;
mod limits;
mod made_up;
mod weights;

pub use evaluator::NetworkEvaluator;
pub use features::{FEATURES, Inputs, MAX_KING_BUCKETS, View, output_bucket};
pub use format::LoadError;
pub use limits::{MAX_HIDDEN, MAX_LABEL, MAX_OUTPUTS, MAX_SCALE, MAX_WEIGHT, NetworkError};
pub use weights::{Network, Parameters, QA, QB, Shape};
