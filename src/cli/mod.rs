//! The subcommands, one file each. Without a subcommand the program speaks UCI.
//!
//! Results go to stdout, progress and messages to stderr. Exit code 0: done; 1: the answer is a failure;
//! 2: bad input, told in one line.

mod bench;
mod columns;
mod crew;
mod datagen;
mod datagen_asides;
mod datagen_endings;
mod datagen_files;
mod duel;
mod failure;
mod freeze;
mod freeze_auto;
mod freeze_solve;
mod freeze_svg;
mod freeze_walk;
mod men_svg;
mod net;
mod papers;
mod pawns;
mod pawns_range;
mod pawns_suite;
mod pawns_svg;
mod pawns_system;
mod perft;
mod snakefile;
mod spsa;
mod svg;
mod tb;
mod tb_generate;
mod tb_input;
mod tb_job;
mod tb_line;
mod tb_list;
mod tb_plan;
mod tb_plot;
mod tb_probe;
mod tb_stats;
mod tb_verify;
mod tb_words;
mod train;
mod train_plot;
mod tune;

use clap::{Parser, Subcommand};
pub use failure::Failure;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "duchamp",
    version,
    about = "A UCI chess engine that makes its own endgame tables."
)]
#[command(
    after_help = "Without a command it speaks UCI on stdin and stdout, as chess GUIs expect."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Search fixed positions with one thread; the node count is the signature of search and evaluation
    Bench(bench::Arguments),
    /// Count the positions that a number of plies can lead to, for each move and in all
    Perft(perft::Arguments),
    /// Play games against itself, for training; count, join and print such games
    Datagen(datagen::Arguments),
    /// Teach a network by such games
    Train(train::Arguments),
    /// Fit the weights of the hand-crafted evaluation to such games
    Tune(tune::Arguments),
    /// Play two evaluations, or two settings of the search, against each other
    Duel(duel::Arguments),
    /// Tune the numbers of the search by games against itself
    Spsa(spsa::Arguments),
    /// Endgame tables: make, ask, check, list
    Tb(tb::Arguments),
    /// What can be proved about a pawn ending: value, moves, corresponding squares
    Pawns(pawns::Arguments),
    /// Prove a position with many men from rules that say where they may go
    Freeze(freeze::Arguments),
    /// Tables of published papers beside ours
    Papers(papers::Arguments),
}

/// Runs the subcommand that the program's arguments ask for; `None` if they ask for none.
///
/// Arguments that make no sense end the process with code 2, `--help` and `--version` with 0.
#[must_use]
pub fn run() -> Option<ExitCode> {
    let result = match Cli::parse().command? {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Datagen(arguments) => datagen::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Duel(arguments) => duel::run(&arguments),
        Command::Spsa(arguments) => spsa::run(&arguments),
        Command::Tb(arguments) => tb::run(&arguments),
        Command::Pawns(arguments) => pawns::run(&arguments),
        Command::Freeze(arguments) => freeze::run(&arguments),
        Command::Papers(arguments) => papers::run(&arguments),
    };
    Some(match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("duchamp: {failure}");
            ExitCode::from(if matches!(failure, Failure::BadInput(_)) {
                2
            } else {
                1
            })
        }
    })
}
