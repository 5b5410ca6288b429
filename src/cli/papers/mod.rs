//! `duchamp papers ...`: the tables of the papers that the solver comes from, beside ours.

mod printed;
mod replay;
mod thompson;

use super::Failure;
use super::tb::Dir;
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
}

/// Where tables are, and what making them may use.
#[derive(Args)]
struct Making {
    #[command(flatten)]
    dir: Dir,
    /// Threads [default: one a core]
    #[arg(long)]
    threads: Option<usize>,
    /// The most memory for tables, in MiB
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.paper {
        Paper::Thompson1986(arguments) => thompson::run(arguments),
    }
}
