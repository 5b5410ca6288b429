//! `duchamp tb generate SPEC...`

use super::Failure;
use super::tb::{self, Dir};
use crate::tablebase::{GenerateError, GenerateOptions, Progress, Step, Summary};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables: materials such as KRPvKR or KQPKQ, a number of men, or all4
    #[arg(required = true)]
    specs: Vec<String>,
    /// What distances count
    #[arg(long, value_enum, default_value = "all")]
    metric: Metrics,
    #[command(flatten)]
    dir: Dir,
    /// Threads [default: one a core]
    #[arg(long)]
    threads: Option<usize>,
    /// The most memory for the whole program, in MiB [default: 3072]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// A folder on a disk for what does not fit into memory [default: that of the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<std::path::PathBuf>,
    /// Keep what larger tables need of each table made, so that another process need not solve it
    /// again (MATERIAL.sub)
    #[arg(long)]
    keep_subs: bool,
    /// Make tables again that are there
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Metrics {
    /// Plies to mate
    Dtm,
    /// All metrics
    All,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    // Every table holds its one metric, so either name asks for the same.
    let (Metrics::Dtm | Metrics::All) = arguments.metric;
    let tables = arguments.dir.open();
    let materials = tb::materials(&arguments.specs, &tables)?;
    let control = tb::control(arguments.threads);
    let options = GenerateOptions {
        force: arguments.force,
        memory: arguments.memory,
        scratch: arguments.scratch.clone(),
        keep_subs: arguments.keep_subs,
    };
    let bar = progress_bar();
    let result = tables.generate(&materials, &options, &control, &mut |progress| {
        show(&bar, progress)
    });
    bar.finish_and_clear();
    let summary = result.map_err(|error| match error {
        GenerateError::Memory { .. } => Failure::bad_input(error),
        _ => Failure::failed(error),
    })?;
    print_summary(&summary)?;
    Ok(())
}

fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3}% {msg}");
    ProgressBar::new(1000).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show(bar: &ProgressBar, progress: &Progress) {
    let left = progress.left.map_or(String::new(), |left| {
        format!(", {:.0} s left", left.as_secs_f64().ceil())
    });
    let what = match &progress.step {
        Step::Solving => "solving",
        Step::Solved => "solved",
        Step::Ready => "ready",
        Step::Waiting(holder) => {
            bar.set_message(format!("waiting for {} ({holder})", progress.material));
            return;
        }
    };
    bar.set_position((progress.share * 1000.0) as u64);
    bar.set_message(format!(
        "{}/{} {} {what}{left}",
        progress.done, progress.total, progress.material
    ));
}

fn print_summary(summary: &Summary) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if !summary.made.is_empty() {
        writeln!(
            out,
            "table      WDL bytes  DTM bytes  longest mate  solving s  encoding s"
        )?;
    }
    for made in &summary.made {
        let longest = super::tb::longest_mate(&made.counts);
        writeln!(
            out,
            "{:9} {:10} {:10} {:7} plies {:10.3} {:11.3}",
            made.material.name(),
            made.wdl_bytes,
            made.dtm_bytes,
            longest,
            made.solving.as_secs_f64(),
            made.encoding.as_secs_f64()
        )?;
    }
    let bytes: u64 = summary
        .made
        .iter()
        .map(|made| made.wdl_bytes + made.dtm_bytes)
        .sum();
    writeln!(
        out,
        "{} made ({bytes} bytes), {} by other processes, {} there already, {:.3} s",
        summary.made.len(),
        summary.shared,
        summary.found,
        summary.elapsed.as_secs_f64()
    )?;
    Ok(())
}
