//! The evaluation by hand and networks: symmetry, and fast paths against plain ones.

#[path = "../common/mod.rs"]
mod common;

mod hce;
mod network;
