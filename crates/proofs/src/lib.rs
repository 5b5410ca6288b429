//! Proofs about chess positions: exact bounds that search may use in place of an evaluation.
//!
//! - [`pawns`]: pawn endings by corresponding squares and an exact prover.
//! - [`freezer`]: restricted positions, solved whole.
//!
//! Tables are asked as a `&dyn Oracle` only.

pub mod freezer;
pub mod pawns;
