//! `duchamp bench [DEPTH] [--net FILE]`.

use super::Failure;
use super::net::Net;
use duchamp_engine as engine;
use duchamp_search::SearchControl;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Depth of each search, in plies
    #[arg(default_value_t = engine::BENCH_DEPTH, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    #[command(flatten)]
    net: Net,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (evaluator, _) = arguments.net.open()?;
    let mut out = std::io::stdout().lock();
    let (mut written, control) = (Ok(()), SearchControl::new());
    let mut step = |step: engine::BenchStep| {
        written = writeln!(
            out,
            "{:2}/{} {:>9} nodes  {}",
            step.number, step.total, step.nodes, step.fen
        );
        if written.is_err() {
            control.stop();
        }
    };
    let result = engine::bench(arguments.depth, evaluator, &control, &mut step);
    written?;
    writeln!(out, "{} nodes {} nps", result.nodes, result.nps())?;
    Ok(())
}
