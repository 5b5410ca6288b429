//! Networks: fast paths against plain ones, symmetry, and plain truths of chess.

#[path = "../common/mod.rs"]
mod common;

mod network;
mod truths;
