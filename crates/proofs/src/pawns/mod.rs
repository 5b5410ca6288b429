//! Pawn endings: corresponding squares, exact bounds by proof.
//!
//! May import `base` and `chess`.

mod bounds;
mod budget;
mod corresponding;
mod duel;
mod exits;
mod flood;
mod flooding;
mod guard;
mod kings;
mod leaf;
mod line;
mod pair;
mod plan;
mod prices;
mod promoted;
mod proofs;
mod prover;
mod queen;
mod rows;
mod scene;
mod spots;
mod trial;
mod value;
mod views;

pub use budget::{Budget, ProverHandle, Spent};
pub use corresponding::Correspondence;
pub use plan::{Guide, PlanEnd, PlanMove, Unplanned, WinPlan};
pub use proofs::PawnProofs;
pub use prover::{Prover, WinStatus};
pub use value::{Turn, apart, in_turns};
