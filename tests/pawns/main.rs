//! Proofs of pawn endings against tables, against a slow reference solver, and against each other.

#[path = "../common/mod.rs"]
mod common;

mod endings;
mod fuzz;
mod plan;
mod proofs;
mod races;
mod reference;
mod tables;
