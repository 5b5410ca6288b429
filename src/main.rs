//! The `duchamp` binary: UCI without arguments, else a subcommand.

fn main() {}
