//! `duchamp tb generate SPEC...`

use super::Failure;
use super::columns::{Columns, Side};
use super::crew;
use super::tb_input::{self, Dir};
use super::tb_words;
use clap::ValueEnum;
use duchamp_base::{Control, human};
use duchamp_chess_tables::{
    GenerateError, GenerateOptions, Generator, Material, Metric, Prober, Progress, Step, Summary,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// How many of the tables being solved the progress bar names.
const SHOWN: usize = 3;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables: materials such as KRPvKR or KQPKQ, a number of men, or all4
    #[arg(required = true)]
    specs: Vec<String>,
    /// What the distances count; wins, draws and losses are always made
    #[arg(long, value_enum, value_delimiter = ',', default_value = "dtm")]
    metric: Vec<Metrics>,
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
    /// Make the tables named and no others: what they need must be there, made with --keep-subs
    #[arg(long)]
    only: bool,
    /// Make tables again that are there
    #[arg(long)]
    force: bool,
}

/// What distances the files of a table tell.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Metrics {
    /// Plies to mate
    Dtm,
    /// Plies to mate, or to a capture or promotion that keeps the result
    Dtc,
    /// Plies to mate, capture or pawn move, with the 50-move rule
    Dtz,
    /// All metrics
    All,
}

/// The distances that a list of names asks for.
pub(super) fn distances(names: &[Metrics]) -> Vec<Metric> {
    let asked = |metric: &Metric| {
        names.iter().any(|name| match name {
            Metrics::Dtm => *metric == Metric::Dtm,
            Metrics::Dtc => *metric == Metric::Dtc,
            Metrics::Dtz => *metric == Metric::Dtz,
            Metrics::All => true,
        })
    };
    Metric::DISTANCES.into_iter().filter(asked).collect()
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let metrics = distances(&arguments.metric);
    let tables = arguments.dir.open();
    let materials = tb_input::materials(&arguments.specs, &tables)?;
    let control = crew::control(arguments.threads);
    let options = GenerateOptions {
        force: arguments.force,
        memory: arguments.memory,
        scratch: arguments.scratch.clone(),
        metrics,
        keep_subs: arguments.keep_subs,
        only: arguments.only,
    };
    print_summary(&make(&tables, &materials, &options, &control)?)
}

/// Makes tables while a bar on the terminal tells how far it is.
pub(super) fn make(
    tables: &Prober,
    materials: &[Material],
    options: &GenerateOptions,
    control: &Control,
) -> Result<Summary, Failure> {
    let mut display = Display::new();
    let result = Generator::new(tables.store()).run(materials, options, control, &mut |progress| {
        display.show(progress);
    });
    display.bar.finish_and_clear();
    result.map_err(|error| match error {
        GenerateError::Memory { .. } => Failure::bad_input(error),
        _ => Failure::failed(error),
    })
}

/// What the bar shows beside itself: tables done, those being solved, the time left.
struct Display {
    bar: ProgressBar,
    solving: Vec<Material>,
}

/// A bar of 1000 steps on the terminal; hidden if there is none.
pub(super) fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{percent:>3} % {wide_bar} {msg}");
    ProgressBar::new(1000).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Display {
    fn new() -> Display {
        Display {
            bar: bar(),
            solving: Vec::new(),
        }
    }

    fn show(&mut self, progress: &Progress) {
        let material = progress.key;
        let mut waiting = String::new();
        match &progress.step {
            Step::Solving if self.solving.contains(&material) => {}
            Step::Solving => self.solving.push(material),
            Step::Waiting(holder) => {
                self.solving.retain(|other| *other != material);
                waiting = format!(", waiting for {material} ({holder})");
            }
            Step::Solved | Step::Ready => self.solving.retain(|other| *other != material),
        }
        let names: Vec<String> = self
            .solving
            .iter()
            .take(SHOWN)
            .map(Material::name)
            .collect();
        let more = match self.solving.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let left = progress.left.map_or(String::new(), |left| {
            format!(", {} left", human::span(left))
        });
        self.bar.set_position((progress.share * 1000.0) as u64);
        self.bar.set_message(format!(
            "{} of {} tables, {}{more}{waiting}{left}",
            progress.done,
            progress.total,
            names.join(" "),
        ));
    }
}

fn print_summary(summary: &Summary) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let mut columns = Columns::new([
        ("table", Side::Left),
        ("wdl", Side::Right),
        ("dtm", Side::Right),
        ("dtc", Side::Right),
        ("dtz", Side::Right),
        ("longest win", Side::Right),
        ("solving", Side::Right),
        ("encoding", Side::Right),
    ]);
    let size = |bytes: u64| match bytes {
        0 => String::new(),
        bytes => human::size(bytes),
    };
    let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
    for made in &summary.made {
        let longest = tb_words::longest_win(&made.counts);
        columns.row([
            made.key.name(),
            size(made.wdl_bytes),
            size(made.dtm_bytes),
            size(made.dtc_bytes),
            size(made.dtz_bytes),
            longest.map_or("none".to_owned(), |plies| format!("{plies} plies")),
            seconds(made.solving),
            seconds(made.encoding),
        ]);
    }
    if !summary.made.is_empty() {
        columns.write(&mut out)?;
    }
    let sizes = summary.made.iter();
    let bytes: u64 = sizes
        .map(|made| made.wdl_bytes + made.dtm_bytes + made.dtc_bytes + made.dtz_bytes)
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
