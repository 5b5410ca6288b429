//! The network: (768 * K -> N) for either side, or 9 * 768 * K with threats, SCReLU, -> one output bucket by the number of pieces.
//!
//! [`Network`] holds the parameters, and [`Network::value`] defines their meaning; [`Inputs`] numbers the
//! features, for the trainer too. `docs/EVALUATION.md` describes the rest.

mod evaluator;
mod features;
mod format;
mod kernels;
mod limits;
mod synthetic;
mod weights;

pub use evaluator::NetworkEvaluator;
pub use features::{
    FEATURES, Inputs, MAX_KING_BUCKETS, Perspective, PieceFeature, STANDINGS, Threats,
    output_bucket,
};
pub use format::LoadError;
pub use kernels::uses_avx2;
pub use limits::{MAX_HIDDEN, MAX_LABEL, MAX_OUTPUTS, MAX_SCALE, MAX_WEIGHT, NetworkError};
pub use weights::{Architecture, Network, Parameters, QA, QB};
