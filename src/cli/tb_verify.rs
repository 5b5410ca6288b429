//! `duchamp tb verify [MATERIAL...]`

use super::Failure;
use super::crew::{self, Watch};
use super::failure::say;
use super::progress::{Display, ProgressArguments};
use super::tb_game::{TableGame, distances_of};
use super::tb_input::{self, Dir, GameName, GameOption, MetricName, in_game};
use super::tb_missing;
use super::tb_verify_syzygy;
use duchamp_base::{Gauge, human};
use duchamp_chess_tables::Chess;
use duchamp_tablebase::{Metric, Store, TableKey, Verified, VerifyError, VerifyOptions};
use duchamp_xiangqi_tables::Xiangqi;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables, such as KRPvKR, 4, all4 or, of xiangqi, cp-aaee; all in the folder if none is named
    materials: Vec<String>,
    /// Only this metric [default: all that a table has]
    #[arg(long, value_enum)]
    metric: Option<MetricName>,
    /// Verify N random positions of each table and side to move, the same in every run; more than 65536 in groups of
    /// neighbours, evenly spread [default: all of tables up to 4 men, 10000 of larger ones]
    #[arg(long, value_name = "N", conflicts_with = "full", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Verify all positions of large tables too
    #[arg(long)]
    full: bool,
    /// Verify small tables as large ones are: 64 positions at a time, not by the move generator
    #[arg(long, conflicts_with = "sample")]
    fast: bool,
    /// Compare the Syzygy files of these folders (separated by `:`, on Windows `;`) with the tables: every
    /// position, and the files' checksums [default: all materials that both have]
    #[arg(long, value_name = "PATH", conflicts_with_all = ["metric", "sample", "full", "fast", "scratch"])]
    syzygy: Option<String>,
    /// A folder on a disk for what does not fit into memory [default: that of the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    dir: Dir,
    /// Threads [default: one a core]
    #[arg(long, value_parser = crew::threads)]
    threads: Option<usize>,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// Positions that stand for a table that is too large to look at all of it.
const SAMPLE: u64 = 10_000;
/// So many tables are named at most when a verification is stopped.
const NAMED: usize = 12;
/// The most men of a table that is looked at whole unless told otherwise.
const WHOLE: u32 = 4;

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.syzygy {
        if arguments.game.named() == Some(GameName::Xiangqi) {
            return Err(Failure::bad_input("--syzygy: Syzygy files are of chess"));
        }
        return tb_verify_syzygy::run(&tb_verify_syzygy::Arguments {
            path,
            materials: &arguments.materials,
            store: arguments.dir.store::<Chess>()?,
            threads: arguments.threads,
            progress: &arguments.progress,
        });
    }
    let game = arguments.game.of_specs(&arguments.materials)?;
    if arguments.materials.is_empty() && arguments.game.named().is_none() {
        return run_all(arguments);
    }
    in_game!(game, run_in(arguments))
}

/// Verifies all tables of the folder, whatever their game; games that have no such files are left out.
fn run_all(arguments: &Arguments) -> Result<(), Failure> {
    let [chess, xiangqi] = [
        concerns::<Chess>(arguments)?,
        concerns::<Xiangqi>(arguments)?,
    ];
    let has_no_chess = arguments.dir.store::<Chess>()?.list().is_empty();
    let has_no_xiangqi = arguments.dir.store::<Xiangqi>()?.list().is_empty();
    // Where neither has any, the one that has tables says what is missing.
    if !chess && (xiangqi || has_no_chess && !has_no_xiangqi) {
        return run_in::<Xiangqi>(arguments);
    }
    if !xiangqi {
        return run_in::<Chess>(arguments);
    }
    let chess = run_in::<Chess>(arguments);
    if crew::is_interrupted() {
        return chess;
    }
    match (chess, run_in::<Xiangqi>(arguments)) {
        (Err(Failure::Failed(one)), Err(Failure::Failed(other))) => {
            Err(Failure::Failed(format!("{one}\n{other}")))
        }
        (chess, xiangqi) => chess.and(xiangqi),
    }
}

/// Whether the folder has tables of a game, with files of the metric that the user named.
fn concerns<G: TableGame>(arguments: &Arguments) -> Result<bool, Failure> {
    let listed = arguments.dir.store::<G>()?.list();
    Ok(match arguments.metric.map(Metric::from) {
        Some(metric) => listed.iter().any(|table| table.file(metric).is_some()),
        None => !listed.is_empty(),
    })
}

fn run_in<G: TableGame>(arguments: &Arguments) -> Result<(), Failure> {
    let store = arguments.dir.store::<G>()?;
    let materials = tb_input::materials(&arguments.materials, &store)?;
    if materials.is_empty() {
        return Err(Failure::Failed(tb_missing::none(&store)));
    }
    tb_missing::check(&store, &materials)?;
    let watch = Watch::new(arguments.threads)?;
    let metrics = match arguments.metric {
        Some(metric) => vec![tb_input::metric_of::<G>(Some(metric))?],
        None => distances_of::<G>(),
    };
    if !arguments.materials.is_empty() {
        // What is named is verified, or it is said why not.
        for &material in &materials {
            let has = |&metric: &Metric| store.has_metric(material, metric);
            if !metrics.iter().any(has) {
                tb_missing::check_metric(&store, material, metrics[0])?;
            }
        }
    }
    let (small, large): (Vec<G::Key>, Vec<G::Key>) = materials
        .into_iter()
        .partition(|material| arguments.full || material.men() <= WHOLE);
    let sample = (!arguments.full).then_some(arguments.sample.unwrap_or(SAMPLE));
    let passes = [
        Pass::<G>::new(&store, small, &metrics, arguments.sample),
        Pass::new(&store, large, &metrics, sample),
    ];
    if passes.iter().all(|pass| pass.steps.is_empty()) {
        let named: Vec<G::Key> = passes
            .iter()
            .flat_map(|pass| pass.materials.clone())
            .collect();
        let metric = tb_input::metric_of::<G>(arguments.metric)?;
        let missing = || tb_missing::no_files(&store, &named, metric);
        let told = tb_missing::damaged(&store).unwrap_or_else(missing);
        return Err(Failure::Failed(told));
    }
    let mut course = Course::<G> {
        display: arguments.progress.start("tb verify", "tables"),
        todo: passes.iter().flat_map(|pass| pass.steps.clone()).collect(),
        results: Vec::new(),
        work: 0,
        gauge: Arc::default(),
    };
    course.begin();
    writeln!(
        std::io::stdout(),
        "table      metric      positions  errors  seconds"
    )?;
    for pass in &passes {
        let options = VerifyOptions {
            metrics: metrics.clone(),
            sample: pass.sample,
            fast: arguments.fast,
            scratch: arguments.scratch.clone(),
            gauge: Arc::clone(&course.gauge),
            ..VerifyOptions::default()
        };
        let verified = crew::on_threads(&watch.control, || {
            G::verify(
                &store,
                &pass.materials,
                &options,
                &watch.control,
                &mut |result| course.note(result),
            )
        })?;
        if let Err(error) = verified {
            return Err(match error {
                VerifyError::Cancelled(_) => course.stopped(),
                _ => Failure::Failed(course.failed(&store, &error)),
            });
        }
    }
    let finished = course.finish();
    // All tables of the folder are verified, so those that the folder has lost are news.
    match tb_missing::damaged(&store).filter(|_| arguments.materials.is_empty()) {
        Some(damaged) if finished.is_ok() => Err(Failure::Failed(damaged)),
        damaged => {
            damaged.iter().for_each(|line| say(line));
            finished
        }
    }
}

/// Tables that are verified alike, in the order in which that is done.
struct Pass<G: TableGame> {
    materials: Vec<G::Key>,
    sample: Option<u64>,
    /// Each table in each metric that it has, with the positions to look at, roughly.
    steps: Vec<(G::Key, Metric, u64)>,
}

impl<G: TableGame> Pass<G> {
    fn new(
        store: &Store<G>,
        mut materials: Vec<G::Key>,
        metrics: &[Metric],
        sample: Option<u64>,
    ) -> Pass<G> {
        materials.sort_by_key(|material| (material.men(), material.pawns(), *material));
        let step = |&metric: &Metric| {
            let has = move |material: &&G::Key| store.has_metric(**material, metric);
            materials.iter().filter(has).map(move |&material| {
                let cells = G::estimate(material, &[], 1).cells;
                (material, metric, cells.min(sample.unwrap_or(cells)).max(1))
            })
        };
        let steps = metrics.iter().flat_map(step).collect();
        Pass {
            materials,
            sample,
            steps,
        }
    }
}

/// What is verified so far, and how that is shown.
struct Course<G: TableGame> {
    display: Display,
    todo: Vec<(G::Key, Metric, u64)>,
    results: Vec<Verified<G::Key>>,
    /// Positions looked at, roughly.
    work: u64,
    /// Counts parts of the table at work.
    gauge: Arc<Gauge>,
}

impl<G: TableGame> Course<G> {
    /// Shows the table that comes next.
    fn begin(&self) {
        let total: u64 = self.todo.iter().map(|step| step.2).sum();
        self.display.update(|report| {
            report.done = self.results.len() as u64;
            report.total = Some(self.todo.len() as u64);
            report.share = Some(self.work as f64 / total.max(1) as f64);
            let next = self.todo.get(self.results.len());
            // Until the next table begins its gauge stands where the one before ended.
            self.gauge.start(0);
            let weight = next.map_or(0.0, |step| step.2 as f64 / total.max(1) as f64);
            report.part = Some((Arc::clone(&self.gauge), weight));
            report.text = next.map_or(String::new(), |(material, metric, _)| {
                format!("verifying {material}.{}", metric.name())
            });
        });
    }

    fn note(&mut self, result: &Verified<G::Key>) {
        self.display.suspend(|| print_verified(result));
        self.work += self.todo.get(self.results.len()).map_or(0, |step| step.2);
        self.results.push(result.clone());
        self.begin();
    }

    fn errors(&self) -> u64 {
        self.results.iter().map(|one| one.errors).sum()
    }

    /// Why the table that comes next cannot be verified.
    fn failed(&self, store: &Store<G>, error: &VerifyError<G::Key>) -> String {
        match self.todo.get(self.results.len()) {
            Some((asked, ..)) => tb_missing::verify_error(store, *asked, error),
            None => error.to_string(),
        }
    }

    /// Results are not stored: names what is left.
    fn stopped(self) -> Failure {
        let mut left: Vec<String> = Vec::new();
        for (material, ..) in self.todo.iter().skip(self.results.len()) {
            let name = material.to_string();
            if !left.contains(&name) {
                left.push(name);
            }
        }
        let rest = if left.len() <= NAMED {
            format!("left are {}", left.join(" "))
        } else {
            format!(
                "the same command starts from the beginning: {}",
                crew::this_command()
            )
        };
        Failure::Failed(format!(
            "verification stopped after {} of {} tables and metrics, with {} errors; {rest}",
            self.results.len(),
            self.todo.len(),
            self.errors()
        ))
    }

    fn finish(self) -> Result<(), Failure> {
        let (tables, errors) = (self.results.len(), self.errors());
        let positions: u64 = self.results.iter().map(|one| one.positions).sum();
        self.display.finish();
        writeln!(
            std::io::stdout(),
            "{}, {}, {}",
            human::counted(tables as u64, "table and metric", "tables and metrics"),
            human::counted(positions, "position", "positions"),
            human::counted(errors, "error", "errors"),
        )?;
        match errors {
            0 => Ok(()),
            1 => Err(Failure::Failed("1 position is wrong".to_owned())),
            _ => Err(Failure::Failed(format!("{errors} positions are wrong"))),
        }
    }
}

fn print_verified<K: TableKey>(result: &Verified<K>) {
    // A closed pipe shows in the exit code only: the check goes on.
    let mut out = std::io::stdout().lock();
    let _ = writeln!(
        out,
        "{:10} {:6} {:14} {:7} {:8.2}{}",
        result.key.to_string(),
        result.metric.name(),
        result.positions,
        result.errors,
        result.elapsed.as_secs_f64(),
        if result.sampled { "  (sample)" } else { "" }
    );
    if let Some(first) = &result.first {
        let _ = writeln!(out, "  {first}");
    }
}
