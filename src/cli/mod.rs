//! The subcommands, one file each. Without a subcommand the program speaks UCI.
//!
//! Results go to stdout, progress and messages to stderr. Exit code 0: done; 1: the answer is a failure;
//! 2: bad input. Each error is one line. If nobody reads stdout any more, a command ends without a message.

mod bench;
mod columns;
mod completions;
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
mod help;
mod man;
mod men_svg;
mod net;
mod papers;
mod pawns;
mod pawns_range;
mod pawns_suite;
mod pawns_svg;
mod pawns_system;
mod perft;
mod progress;
mod snakefile;
mod spsa;
mod svg;
mod tb;
mod tb_clock;
mod tb_forecast;
mod tb_generate;
mod tb_input;
mod tb_job;
mod tb_line;
mod tb_list;
mod tb_lists;
mod tb_longest;
mod tb_missing;
mod tb_plan;
mod tb_plot;
mod tb_probe;
mod tb_stats;
mod tb_values;
mod tb_verify;
mod tb_words;
mod tb_zugzwangs;
mod train;
mod train_plot;
mod tune;

use clap::{FromArgMatches, Parser, Subcommand};
pub use failure::Failure;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "duchamp",
    version,
    long_version = help::version(),
    about = "A UCI chess engine that generates its own endgame tables.",
    after_help = "Without a command it speaks UCI on stdin and stdout, as chess GUIs expect."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

// What `--help` shows of each is a line of `help::GROUPS`.
#[derive(Subcommand)]
enum Command {
    /// Search fixed positions with one thread; print the node count and the speed
    Bench(bench::Arguments),
    /// Count the leaf nodes of the move tree, for each move and in all
    Perft(perft::Arguments),
    /// Generate self-play games for training; count, merge and print them
    Datagen(datagen::Arguments),
    /// Train a network (NNUE) on such games
    Train(train::Arguments),
    /// Tune the weights of the hand-crafted evaluation on such games
    Tune(tune::Arguments),
    /// Play matches between two evaluations or two sets of search parameters
    Duel(duel::Arguments),
    /// Tune the parameters of the search by SPSA
    Spsa(spsa::Arguments),
    /// Generate, probe, verify and list endgame tables
    Tb(tb::Arguments),
    /// Prove the value of a pawn ending; find key and corresponding squares
    Pawns(pawns::Arguments),
    /// Prove a position of many pieces, given constraints on piece movement
    Freeze(freeze::Arguments),
    /// Compare the tables with those of published papers
    Papers(papers::Arguments),
    /// Print a script that completes commands and options in a shell
    Completions(completions::Arguments),
    /// Print the manual page of a command, or write all pages
    Man(man::Arguments),
}

/// Runs the subcommand that the program's arguments name; `None` if they name none.
///
/// Bad arguments end the process with code 2, `--help` and `--version` with 0.
#[must_use]
pub fn run() -> Option<ExitCode> {
    let matches = help::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let Some(command) = cli.command else {
        if std::io::stdin().is_terminal() {
            say(
                "Duchamp speaks UCI: type `help`, or `quit` and then `duchamp --help` for its commands.",
            );
        }
        return None;
    };
    let result = match command {
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
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    };
    Some(match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::ClosedPipe) {
                say(&format!("duchamp: {failure}"));
            }
            failure.exit_code()
        }
    })
}

/// Writes a line to stderr; unlike `eprintln!` without a panic if nobody reads it.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
