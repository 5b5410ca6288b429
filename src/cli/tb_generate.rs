//! `duchamp tb generate SPEC...`

use super::Failure;
use super::columns::{Columns, Side};
use super::crew::{self, Watch};
use super::progress::ProgressArguments;
use super::tb_counts;
use super::tb_forecast::Forecast;
use super::tb_game::{TableGame, distances_of, names};
use super::tb_input::{self, Dir, GameOption, in_game};
use super::tb_words;
use clap::ValueEnum;
use duchamp_base::{Control, human};
use duchamp_tablebase::{
    Counted, GenerateError, GenerateOptions, Metric, Progress, SolvedSample, Step, Store, Summary,
    TableKey,
};
use std::io::Write;
use std::time::Duration;

/// How many of the tables being solved are named at most.
const SHOWN: usize = 3;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables: materials such as KRPvKR or KQPKQ, of xiangqi cp-aaee or KRPvKAABB; 4 for all 4-man
    /// tables, all4 for all of 3 and 4 men
    #[arg(required = true)]
    specs: Vec<String>,
    /// What the distances count; wins, draws and losses are always stored [default: dtm; xiangqi: dtc]
    #[arg(long, value_enum, value_delimiter = ',')]
    metric: Vec<Metrics>,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    dir: Dir,
    /// Threads [default: one a core]
    #[arg(long, value_parser = crew::threads)]
    threads: Option<usize>,
    /// The most memory for the whole program, in MiB
    #[arg(long, value_name = "MIB", default_value_t = GenerateOptions::DEFAULT_MEMORY)]
    memory: u64,
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
    /// Solve the tables named to mate, print their counts and longest wins, and write no files
    #[arg(long, conflicts_with_all = ["keep_subs", "force"])]
    no_files: bool,
    /// With --no-files: verify about N random positions of each side to move of each table by their moves
    #[arg(long, value_name = "N", requires = "no_files", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// With --dry-run: print one JSON object; with --no-files: one a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// What distances the files of a table tell.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Metrics {
    /// Plies to mate
    Dtm,
    /// Plies to mate, or to a capture or promotion that keeps the result; in xiangqi the winner's only
    Dtc,
    /// Plies to mate, capture or pawn move, with the 50-move rule; chess only
    Dtz,
    /// All metrics
    All,
}

/// The distances that a list of names asks for; the game's usual ones if there are no names.
///
/// # Errors
/// When the game has no such distances.
pub(super) fn distances<G: TableGame>(names: &[Metrics]) -> Result<Vec<Metric>, Failure> {
    if names.is_empty() {
        return Ok(vec![G::METRIC]);
    }
    if names.contains(&Metrics::All) {
        return Ok(distances_of::<G>());
    }
    let asked = |metric: &Metric| {
        names.iter().any(|name| match name {
            Metrics::Dtm => *metric == Metric::Dtm,
            Metrics::Dtc => *metric == Metric::Dtc,
            Metrics::Dtz => *metric == Metric::Dtz,
            Metrics::All => true,
        })
    };
    let asked: Vec<Metric> = Metric::DISTANCES.into_iter().filter(asked).collect();
    tb_input::check_metrics::<G>(&asked)?;
    Ok(asked)
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    in_game!(
        arguments.game.of_specs(&arguments.specs)?,
        run_in(arguments)
    )
}

fn run_in<G: TableGame>(arguments: &Arguments) -> Result<(), Failure> {
    let metrics = distances::<G>(&arguments.metric)?;
    if arguments.no_files && metrics != [Metric::Dtm] {
        return Err(Failure::BadInput(
            "--no-files counts plies to mate in chess tables, no other distances".to_owned(),
        ));
    }
    if arguments.json && !arguments.dry_run && !arguments.no_files {
        let text = "--json goes with --dry-run or --no-files: a generation prints a table";
        return Err(Failure::BadInput(text.to_owned()));
    }
    let store = arguments.dir.store::<G>()?;
    let materials = tb_input::materials(&arguments.specs, &store)?;
    let options = GenerateOptions {
        force: arguments.force,
        memory: Some(arguments.memory),
        scratch: arguments.scratch.clone(),
        metrics,
        keep_subs: arguments.keep_subs,
        only: arguments.only,
        count_only: arguments.no_files,
        ..GenerateOptions::default()
    };
    let threads = crew::control(arguments.threads).threads();
    let forecast = Forecast::new(&store, &materials, &options, threads);
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
    let sample = arguments.sample;
    let sample = sample.map(|count| SolvedSample::<G>::new(&store, count));
    if arguments.no_files {
        tb_counts::begin(arguments.json)?;
    }
    // A closed pipe shows in the exit code only, at the end.
    let printed = std::cell::RefCell::new(Ok(()));
    let print = |key, counted: &Counted| {
        if let Err(error) = tb_counts::print::<G>(key, counted, arguments.json) {
            *printed.borrow_mut() = Err(error);
        }
    };
    let summary = watched(
        "tb generate",
        &store,
        arguments.memory,
        &arguments.progress,
        arguments.no_files.then_some(&print),
        &mut |each| {
            let inspector = sample.as_ref().map(|sample| sample as _);
            G::generate(
                &store,
                &materials,
                &options,
                inspector,
                &watch.control,
                each,
            )
        },
    )?;
    printed.into_inner()?;
    match arguments.no_files {
        true => tb_counts::finish(&summary, arguments.json),
        false => print_summary::<G>(&summary),
    }
}

/// Generates tables and shows how far it is; an interrupt says what is kept and how to go on.
pub(super) fn generate<G: TableGame>(
    store: &Store<G>,
    materials: &[G::Key],
    options: &GenerateOptions,
    control: &Control,
    progress: &ProgressArguments,
) -> Result<Summary<G::Key>, Failure> {
    let memory = options.memory.unwrap_or(GenerateOptions::DEFAULT_MEMORY);
    watched("tb generate", store, memory, progress, None, &mut |each| {
        G::generate(store, materials, options, None, control, each)
    })
}

/// A generation that reports to a function.
pub(super) type Run<'r, K> =
    dyn FnMut(&mut dyn FnMut(&Progress<K>)) -> Result<Summary<K>, GenerateError<K>> + 'r;

/// Who prints what a table without files holds.
pub(super) type Print<'p, K> = dyn Fn(K, &Counted) + 'p;

/// Shows how far a generation is, in a folder with so many MiB; an interrupt says what is kept and how to go on. Tables
/// without files are printed as they are counted.
pub(super) fn watched<G: TableGame>(
    name: &'static str,
    store: &Store<G>,
    memory: u64,
    progress: &ProgressArguments,
    print: Option<&Print<'_, G::Key>>,
    run: &mut Run<'_, G::Key>,
) -> Result<Summary<G::Key>, Failure> {
    let display = progress.start(name, "tables");
    let mut solving = Solving::new();
    let mut ready = 0;
    let result = run(&mut |news| {
        ready = news.done;
        solving.note(news);
        if let (Step::Counted(counted), Some(print)) = (&news.step, print) {
            display.suspend(|| print(news.key, counted));
        }
        display.update(|report| {
            report.done = news.done as u64;
            report.total = Some(news.total as u64);
            report.share = Some(news.share);
            report.left = Some(news.left);
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
            Err(match (error, print) {
                (GenerateError::Cancelled(_), Some(_)) => crew::stopped_with(&format!(
                    "stopped: tables that were counted are printed; values that larger tables need are kept in {}",
                    store.dir().display()
                )),
                (error, _) => failed(error, ready, store, memory),
            })
        }
    }
}

fn failed<G: TableGame>(
    error: GenerateError<G::Key>,
    ready: usize,
    store: &Store<G>,
    memory: u64,
) -> Failure {
    match error {
        GenerateError::Cancelled(_) => crew::stopped_with(&format!(
            "generation stopped: the {} finished so far {} kept in {}, unfinished ones start anew",
            if ready == 1 {
                "table".to_owned()
            } else {
                tb_words::tables(ready)
            },
            if ready == 1 { "is" } else { "are" },
            store.dir().display()
        )),
        GenerateError::Memory { needed, .. } if needed > memory => {
            Failure::bad_input(format!("{error}: give --memory {needed}"))
        }
        GenerateError::Memory { .. } => {
            Failure::failed(format!("{error} by the system (see `ulimit -v`)"))
        }
        _ => Failure::failed(error),
    }
}

/// The tables at work, for people.
pub(super) struct Solving<K> {
    tables: Vec<K>,
    waiting: Option<String>,
    /// The last table that was solved, until it is ready.
    solved: Option<K>,
}

impl<K: TableKey> Solving<K> {
    pub(super) fn new() -> Solving<K> {
        Solving {
            tables: Vec::new(),
            waiting: None,
            solved: None,
        }
    }

    pub(super) fn note(&mut self, news: &Progress<K>) {
        let material = news.key;
        self.waiting = None;
        match &news.step {
            Step::Solving if self.tables.contains(&material) => {}
            Step::Solving => self.tables.push(material),
            Step::Waiting(holder) => {
                self.tables.retain(|other| *other != material);
                self.waiting = Some(format!("waiting for {material} ({holder})"));
            }
            Step::Solved => {
                self.tables.retain(|other| *other != material);
                self.solved = Some(material);
            }
            Step::Counted(_) | Step::Ready => {
                self.tables.retain(|other| *other != material);
                self.solved = self.solved.filter(|other| *other != material);
            }
        }
    }

    /// What is being done: never empty.
    pub(super) fn in_words(&self) -> String {
        let names = names(&self.tables[..self.tables.len().min(SHOWN)]);
        let more = match self.tables.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        match (&self.waiting, names.is_empty()) {
            (None, true) => match self.solved {
                Some(solved) => format!("{solved} solved, finishing it"),
                None => "finishing".to_owned(),
            },
            (None, false) => format!("solving {}{more}", names.join(" ")),
            (Some(waiting), true) => waiting.clone(),
            (Some(waiting), false) => format!("solving {}{more}, {waiting}", names.join(" ")),
        }
    }
}

fn print_summary<G: TableGame>(summary: &Summary<G::Key>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let files: Vec<Metric> = Metric::ALL
        .into_iter()
        .filter(|metric| G::METRICS.contains(metric))
        .collect();
    let mut heads = vec![("table", Side::Left)];
    heads.extend(files.iter().map(|metric| (metric.name(), Side::Right)));
    heads.extend([
        ("longest win", Side::Right),
        ("solving", Side::Right),
        ("encoding", Side::Right),
    ]);
    let mut columns = Columns::new(heads);
    let size = |bytes: u64| match bytes {
        0 => String::new(),
        bytes => human::size(bytes),
    };
    let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
    for made in &summary.made {
        let longest = tb_words::longest_win(&made.counts);
        let mut cells = vec![made.key.to_string()];
        cells.extend(files.iter().map(|metric| {
            size(match metric {
                Metric::Wdl => made.wdl_bytes,
                Metric::Dtm => made.dtm_bytes,
                Metric::Dtc => made.dtc_bytes,
                Metric::Dtz => made.dtz_bytes,
            })
        }));
        cells.extend([
            longest.map_or("none".to_owned(), |plies| format!("{plies} plies")),
            seconds(made.solving),
            seconds(made.encoding),
        ]);
        columns.row(cells);
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
fn in_words<K>(summary: &Summary<K>, bytes: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess_tables::{Chess, Material};

    /// A greater number helps only where the number was too small.
    #[test]
    fn the_advice_about_memory_fits_what_is_missing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::<Chess>::open(folder.path());
        let told = |memory| {
            let error = GenerateError::Memory {
                key: "KQvK".parse::<Material>().expect("a material"),
                needed: 300,
                allowed: 100,
            };
            failed::<Chess>(error, 0, &store, memory).to_string()
        };
        assert!(told(100).ends_with(": give --memory 300"), "{}", told(100));
        let limited = " allowed by the system (see `ulimit -v`)";
        assert!(told(300).ends_with(limited), "{}", told(300));
    }
}
