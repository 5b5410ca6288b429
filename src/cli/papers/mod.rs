//! `duchamp papers ...`: the tables of the papers that the solver comes from, beside ours.

mod printed;
mod replay;
mod thompson;
mod wu_beal;

use super::Failure;
use super::tb::Dir;
use clap::{Args, Subcommand};
use duchamp_base::Control;
use duchamp_chess_tables::{GenerateOptions, Generator, Material, Prober};

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
        Paper::WuBeal(arguments) => wu_beal::run(arguments),
    }
}

/// Makes tables that are missing, with all they depend on.
fn make(
    tables: &Prober,
    materials: &[Material],
    memory: Option<u64>,
    control: &Control,
) -> Result<(), Failure> {
    let options = GenerateOptions {
        memory,
        ..GenerateOptions::default()
    };
    let mut last = None;
    let made = Generator::new(tables.store()).run(materials, &options, control, &mut |progress| {
        if last != Some(progress.done) {
            last = Some(progress.done);
            let (done, total) = (progress.done, progress.total);
            log::info!("{}: {done} of {total} tables", progress.key);
        }
    });
    made.map(|_| ()).map_err(Failure::failed)
}
