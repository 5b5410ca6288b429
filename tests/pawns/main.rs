//! Proofs of pawn endings against tables, against a slow judge, and against each other.

#[path = "../common/mod.rs"]
mod common;

mod endings;
mod fuzz;
mod judge;
mod proofs;
mod races;
mod tables;
