//! Pawn endings: corresponding squares, exact bounds by proof.
//!
//! May import `base` and `chess`.

mod bounds;
mod corresponding;
mod exits;
mod guard;
mod kings;
mod leaf;
mod line;
mod promoted;
mod proofs;
mod prover;
mod queen;
mod rows;
mod scene;

pub use corresponding::Correspondence;
pub use proofs::PawnProofs;
pub use prover::{Budget, Prover, Verdict};
