//! The hand-crafted evaluation and networks: symmetry, and fast paths against plain ones.

#[path = "../common/mod.rs"]
mod common;

mod hce;
mod network;
