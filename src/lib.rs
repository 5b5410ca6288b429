//! The program `duchamp`: the UCI protocol and the subcommands. All else is in the libraries below `crates/`.

pub mod cli;
mod closed_pipe;
mod lines;
pub mod uci;
