//! Static evaluation: how good a position looks without searching it.
//!
//! May import `base` and `chess` only; never sees `search`.

mod classical;
mod evaluator;
pub mod network;
mod pair;
mod score;
pub mod terms;
mod trace;
mod weights;

pub use classical::{Classical, DANGER_LINEAR, DANGER_SQUARE, FULL_PHASE, Mix};
pub use evaluator::{Evaluator, MakeEvaluator, built_in, by_network};
pub use pair::Pair;
pub use score::Score;
pub use trace::{NoTrace, Trace, Tracer};
pub use weights::WEIGHTS;
