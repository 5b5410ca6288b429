//! `duchamp tb ...`: generating, probing, verifying and listing endgame tables.

use super::{
    Failure, tb_export, tb_generate, tb_line, tb_list, tb_longest, tb_plan, tb_probe, tb_stats,
    tb_verify, tb_zugzwangs,
};
use clap::{Args, Subcommand};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Generate tables with all they depend on
    Generate(tb_generate::Arguments),
    /// Write tables in a format that other programs read: Syzygy
    Export(tb_export::Arguments),
    /// Print the value of a position and of each of its moves
    Probe(tb_probe::Arguments),
    /// Print a best line to the end
    Line(tb_line::Arguments),
    /// Count won, drawn and lost positions, the longest distances and mutual zugzwangs of tables
    Stats(tb_stats::Arguments),
    /// List all mutual zugzwangs of a table
    Zugzwangs(tb_zugzwangs::Arguments),
    /// List all positions of a table with the longest win, or with a win of a given length
    Longest(tb_longest::Arguments),
    /// Verify tables against the moves of their positions, by code that shares only the numbering of positions with the solver
    Verify(tb_verify::Arguments),
    /// Print a workflow of independent jobs, one a table, for other machines; or what tables will cost
    Plan(tb_plan::Arguments),
    /// List the tables that are present
    List(tb_list::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Generate(arguments) => tb_generate::run(arguments),
        Command::Export(arguments) => tb_export::run(arguments),
        Command::Probe(arguments) => tb_probe::run(arguments),
        Command::Line(arguments) => tb_line::run(arguments),
        Command::Stats(arguments) => tb_stats::run(arguments),
        Command::Zugzwangs(arguments) => tb_zugzwangs::run(arguments),
        Command::Longest(arguments) => tb_longest::run(arguments),
        Command::Verify(arguments) => tb_verify::run(arguments),
        Command::Plan(arguments) => tb_plan::run(arguments),
        Command::List(arguments) => tb_list::run(arguments),
    }
}
