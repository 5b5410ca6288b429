//! The command line: answers, files, exit codes, one line for each error.

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod closed_pipe;
mod datagen;
mod duel;
mod freeze;
mod genfens;
mod help;
mod lists;
mod pawns;
mod progress;
mod refusals;
mod syzygy;
mod tables;
mod train;
mod xiangqi;
