//! The program `duchamp`: the UCI protocol and the subcommands. All else is in the libraries below `crates/`.

pub mod cli;
pub mod uci;
