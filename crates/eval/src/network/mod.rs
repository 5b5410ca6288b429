//! The network: (768 * K -> N) for either side, or 9 * 768 * K with threats, SCReLU, -> one output bucket by the number of
//! pieces, or in a layered network -> 16 -> 32 -> 1 for each bucket.
//!
//! [`Network`] holds the parameters, and [`Network::value`] defines their meaning; [`Inputs`] numbers the
//! features, for the trainer too. `docs/EVALUATION.md` describes the rest.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod evaluator;
mod features;
mod format;
mod kernels;
mod layers;
mod limits;
mod portable;
mod synthetic;
mod weights;

pub use evaluator::NetworkEvaluator;
pub use features::{
    FEATURES, Inputs, MAX_KING_BUCKETS, Perspective, PieceFeature, STANDINGS, Threats,
    output_bucket,
};
pub use format::{LoadError, NETWORK_LABEL};
pub use kernels::vectors;
pub use layers::{SECOND, SECOND_UNIT, THIRD, UPPER, Upper};
pub use limits::{
    MAX_HIDDEN, MAX_LABEL, MAX_OUTPUTS, MAX_SCALE, MAX_UPPER, MAX_WEIGHT, NetworkError,
};
pub use weights::{Architecture, Head, Network, Parameters, QA, QB, QB_SECOND};
