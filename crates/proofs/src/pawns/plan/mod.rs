//! How a proved win is won: the winner's moves, and the replies at which the other side's choice matters.
//!
//! `distances.rs` counts the plies to the decision inside and across pawn structures, `guide.rs` reads off them what each
//! move is worth and which one the winner plays, `tree.rs` draws up the tree.

mod distances;
mod guide;
mod refute;
mod tree;
mod types;

pub use guide::Guide;
pub use types::{PlanEnd, PlanMove, Unplanned, WinPlan};
