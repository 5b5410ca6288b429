//! Static evaluation: how good a position looks without searching it.
//!
//! May import `base` and `chess` only; never sees `search`.

mod choice;
mod classical;
mod corrected;
mod evaluator;
pub mod network;
mod pair;
mod score;
pub mod terms;
mod trace;
mod weights;

pub use choice::{BY_HAND, built_in, by_hand, by_name, by_network};
pub use classical::{Classical, DANGER_LINEAR, DANGER_SQUARE, FULL_PHASE, Mix};
pub use corrected::Corrected;
pub use evaluator::{Evaluator, MakeEvaluator};
pub use pair::Pair;
pub use score::Score;
pub use trace::{NoTrace, Trace, Tracer};
pub use weights::WEIGHTS;
