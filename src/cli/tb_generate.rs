//! `duchamp tb generate SPEC...`

use super::Failure;
use super::columns::{Columns, Side};
use super::crew::{self, Watch};
use super::progress::ProgressArguments;
use super::tb_forecast::Forecast;
use super::tb_input::{self, Dir};
use super::tb_words;
use clap::ValueEnum;
use duchamp_base::{Control, human};
use duchamp_chess_tables::{
    GenerateError, GenerateOptions, Generator, Material, Metric, Prober, Progress, Step, Summary,
};
use std::io::Write;
use std::time::Duration;

/// How many of the tables being solved are named at most.
const SHOWN: usize = 3;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables: materials such as KRPvKR or KQPKQ, 4 for all 4-man tables, all4 for all of 3 and 4 men
    #[arg(required = true)]
    specs: Vec<String>,
    /// What the distances count; wins, draws and losses are always stored
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
    /// Keep what larger tables need of each table (MATERIAL.sub), so that another process need not
    /// solve it again
    #[arg(long)]
    keep_subs: bool,
    /// Generate the tables named and no others: what they need must be present, from a run with
    /// --keep-subs
    #[arg(long)]
    only: bool,
    /// Generate tables again that are present
    #[arg(long)]
    force: bool,
    /// Print which tables would be generated and which are present, with time, memory and disk; write
    /// nothing
    #[arg(long)]
    dry_run: bool,
    /// With --dry-run: print one JSON object
    #[arg(long, requires = "dry_run")]
    json: bool,
    #[command(flatten)]
    progress: ProgressArguments,
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
    let options = GenerateOptions {
        force: arguments.force,
        memory: arguments.memory,
        scratch: arguments.scratch.clone(),
        metrics,
        keep_subs: arguments.keep_subs,
        only: arguments.only,
    };
    let threads = crew::control(arguments.threads).threads();
    let forecast = Forecast::new(&tables, &materials, &options, threads);
    if arguments.dry_run {
        let mut out = std::io::stdout().lock();
        if arguments.json {
            writeln!(out, "{}", forecast.json())?;
        } else {
            forecast.write(&mut out)?;
        }
        return Ok(());
    }
    forecast.check_disk()?;
    let watch = Watch::new(arguments.threads)?;
    let progress = &arguments.progress;
    print_summary(&generate(
        &tables,
        &materials,
        &options,
        &watch.control,
        progress,
    )?)
}

/// Generates tables and shows how far it is; an interrupt says what is kept and how to go on.
pub(super) fn generate(
    tables: &Prober,
    materials: &[Material],
    options: &GenerateOptions,
    control: &Control,
    progress: &ProgressArguments,
) -> Result<Summary, Failure> {
    let display = progress.start("tb generate", "tables");
    let mut solving = Solving::default();
    let mut ready = 0;
    let result = Generator::new(tables.store()).run(materials, options, control, &mut |news| {
        ready = news.done;
        solving.note(news);
        display.update(|report| {
            report.done = news.done as u64;
            report.total = Some(news.total as u64);
            report.share = Some(news.share);
            report.left = news.left;
            report.text = solving.in_words();
        });
    });
    match result {
        Ok(summary) => {
            display.finish();
            Ok(summary)
        }
        Err(error) => {
            drop(display);
            Err(failed(error, ready, tables))
        }
    }
}

fn failed(error: GenerateError, ready: usize, tables: &Prober) -> Failure {
    match error {
        GenerateError::Cancelled(_) => crew::stopped_with(&format!(
            "generation stopped: the {} finished so far {} kept in {}, unfinished ones start anew",
            if ready == 1 {
                "table".to_owned()
            } else {
                format!("{ready} tables")
            },
            if ready == 1 { "is" } else { "are" },
            tables.store().dir().display()
        )),
        GenerateError::Memory { .. } => Failure::bad_input(error),
        _ => Failure::failed(error),
    }
}

/// The tables at work, for people.
#[derive(Default)]
struct Solving {
    tables: Vec<Material>,
    waiting: Option<String>,
}

impl Solving {
    fn note(&mut self, news: &Progress) {
        let material = news.key;
        self.waiting = None;
        match &news.step {
            Step::Solving if self.tables.contains(&material) => {}
            Step::Solving => self.tables.push(material),
            Step::Waiting(holder) => {
                self.tables.retain(|other| *other != material);
                self.waiting = Some(format!("waiting for {material} ({holder})"));
            }
            Step::Solved | Step::Ready => self.tables.retain(|other| *other != material),
        }
    }

    /// What is being done: never empty.
    fn in_words(&self) -> String {
        let names: Vec<String> = self.tables.iter().take(SHOWN).map(Material::name).collect();
        let more = match self.tables.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        match (&self.waiting, names.is_empty()) {
            (None, true) => "writing files".to_owned(),
            (None, false) => format!("solving {}{more}", names.join(" ")),
            (Some(waiting), true) => waiting.clone(),
            (Some(waiting), false) => format!("solving {}{more}, {waiting}", names.join(" ")),
        }
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
    writeln!(out, "{}", in_words(summary, bytes))?;
    Ok(())
}

/// The result of a run in a line.
fn in_words(summary: &Summary, bytes: u64) -> String {
    let count = summary.made.len();
    let shared = match summary.shared {
        0 => String::new(),
        shared => format!("; {shared} generated by other processes"),
    };
    format!(
        "Generated {count} {}; {} already present{shared} ({}, {})",
        if count == 1 { "table" } else { "tables" },
        summary.found,
        human::size(bytes),
        human::span(summary.elapsed),
    )
}
