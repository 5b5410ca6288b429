//! `duchamp papers ...`: the tables of the papers that the solver comes from, beside ours.

mod needed;
mod printed;
mod replay;
mod thompson;
mod wu_beal;
mod wu_beal_chess;
mod wu_beal_line;
mod wu_beal_rows;

use super::Failure;
use clap::{Args, Subcommand};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Subcommand)]
enum Paper {
    /// K. Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9(3), 1986
    Thompson1986(thompson::Arguments),
    /// R. Wu and D. F. Beal, "A Memory Efficient Retrograde Algorithm and Its Application to Chinese Chess
    /// Endgames", 2002
    WuBeal(wu_beal::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.paper {
        Paper::Thompson1986(arguments) => thompson::run(arguments),
        Paper::WuBeal(arguments) => wu_beal::run(arguments),
    }
}
