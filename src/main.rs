//! The `duchamp` binary: UCI without arguments, else a subcommand.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Messages go to stderr; stdout belongs to the protocol or to a command's answer.
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    duchamp::cli::run().unwrap_or_else(duchamp::uci::run)
}
