//! `duchamp bench [DEPTH] [--net FILE]`.

use super::Failure;
use crate::engine;
use crate::eval::{self, network::Network};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Depth of each search in plies
    #[arg(default_value_t = engine::BENCH_DEPTH, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// Evaluate by the network of this file
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let evaluator = match &arguments.net {
        Some(path) => eval::by_network(Arc::new(Network::load(path).map_err(Failure::bad_input)?)),
        None => eval::built_in(),
    };
    let mut out = std::io::stdout().lock();
    let result = engine::bench(arguments.depth, evaluator, &mut |step| {
        let _ = writeln!(
            out,
            "{:2}/{} {:>9} nodes  {}",
            step.number, step.total, step.nodes, step.fen
        );
        true
    });
    writeln!(out, "{} nodes {} nps", result.nodes, result.nps())?;
    Ok(())
}
