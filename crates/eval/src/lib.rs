//! Static evaluation of chess positions: a value without a search.
//!
//! There are two evaluations behind one trait, [`Evaluator`]: the hand-crafted one ([`Classical`]), and a small network
//! ([`network`]), either by itself or as a correction of the hand-crafted evaluation ([`ResidualEvaluator`]). Networks are trained
//! by the crate `duchamp-training`. This crate does not search, and its values are not exact: [`Score`] keeps evaluations
//! apart from proved wins and mates.
//!
//! # Main types
//!
//! - [`Evaluator`]: follows the moves of a search and evaluates its positions. [`built_in`], [`hce`], [`by_name`] and
//!   [`by_network`] each return an [`EvaluatorFactory`], which creates an evaluator for each thread.
//! - [`Score`]: centipawns, table wins and mates in one number that alpha-beta can compare.
//! - [`Explanation`], [`Breakdown`]: the parts of an evaluation, for people.
//! - [`Trace`]: the hand-crafted evaluation term by term; [`terms`] lists the terms, [`WEIGHTS`] their values.
//!
//! # Example
//!
//! ```
//! use duchamp_chess::Position;
//! use duchamp_eval::hce;
//!
//! let mut evaluator = hce()();
//! let position = Position::from_fen("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1")?;
//! evaluator.reset(&position);
//! assert!(evaluator.evaluate(&position).0 > 300); // centipawns, for the side to move
//! # Ok::<(), duchamp_chess::FenError>(())
//! ```

mod breakdown;
mod classical;
mod evaluator;
mod factory;
mod mix;
pub mod network;
mod residual;
mod score;
mod tapered;
pub mod terms;
mod trace;
mod weights;

pub use breakdown::{Breakdown, BreakdownRow};
pub use classical::{Classical, DANGER_LINEAR, DANGER_SQUARE, FULL_PHASE, FULL_SCALE};
pub use evaluator::{Evaluator, EvaluatorFactory, Explanation};
pub use factory::{HCE, built_in, by_name, by_network, hce};
pub use mix::Mix;
pub use residual::ResidualEvaluator;
pub use score::Score;
pub use tapered::TaperedScore;
pub use trace::{NoTrace, Trace, Tracer};
pub use weights::WEIGHTS;
