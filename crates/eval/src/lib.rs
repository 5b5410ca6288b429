//! Static evaluation of chess positions: a value without a search.
//!
//! The evaluation is a small network ([`network`]) behind a trait, [`Evaluator`], that follows the moves of a search. Networks are
//! trained by the crate `duchamp-training`. This crate does not search, and its values are not exact: [`Score`] keeps evaluations
//! apart from proved wins and mates.
//!
//! # Main types
//!
//! - [`Evaluator`]: follows the moves of a search and evaluates its positions. [`built_in`], [`material`], [`by_name`] and
//!   [`by_network`] each return an [`EvaluatorFactory`], which creates an evaluator for each thread.
//! - [`Score`]: centipawns, table wins and mates in one number that alpha-beta can compare.
//! - [`Explanation`]: an evaluation with what each piece adds to it, for people.
//!
//! # Example
//!
//! ```
//! use duchamp_chess::Position;
//! use duchamp_eval::material;
//!
//! let mut evaluator = material()();
//! let position = Position::from_fen("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1")?;
//! evaluator.reset(&position);
//! assert!(evaluator.evaluate(&position).0 > 300); // centipawns, for the side to move
//! # Ok::<(), duchamp_chess::FenError>(())
//! ```

mod evaluator;
mod factory;
pub mod network;
mod score;

pub use evaluator::{Evaluator, EvaluatorFactory, Explanation};
pub use factory::{EvaluationError, MATERIAL, built_in, by_name, by_network, material};
pub use score::Score;
