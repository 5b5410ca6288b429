//! The command line: answers, files, exit codes, one line for each error.

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod datagen;
mod duel;
mod freeze;
mod pawns;
mod tables;
mod train;
