//! `duchamp tb ...`: making, asking, checking and listing endgame tables.

use super::{Failure, tb_generate, tb_line, tb_list, tb_plan, tb_probe, tb_stats};
use clap::{Args, Subcommand, ValueEnum};
use duchamp_base::{Control, Plies, Wdl};
use duchamp_chess::{Color, Position};
use duchamp_chess_tables::{
    Material, Metric, ProbedValues, Prober, SideCounts, Verified, Verifier, VerifyOptions,
    default_dir, parse_specs,
};
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make tables with all they depend on
    Generate(tb_generate::Arguments),
    /// The value of a position and of each of its moves
    Probe(tb_probe::Arguments),
    /// A best line to the end
    Line(tb_line::Arguments),
    /// Counts, longest distances, mutual zugzwangs, histogram
    Stats(tb_stats::Arguments),
    /// Check every position of tables against its moves, by code that shares nothing with the solver
    Verify(VerifyArguments),
    /// A workflow of independent jobs, one a table, for other machines; or what tables will cost
    Plan(tb_plan::Arguments),
    /// The tables that are there
    List(tb_list::Arguments),
}

/// Where the tables are.
#[derive(Args)]
pub(super) struct Dir {
    /// The folder of tables [default: $DUCHAMP_TABLEBASES, else `tablebases` beside the program or up to
    /// three folders above, else the user's data folder]
    #[arg(long)]
    dir: Option<PathBuf>,
}

impl Dir {
    pub(super) fn open(&self) -> Prober {
        Prober::open(&self.dir.clone().unwrap_or_else(default_dir))
    }
}

/// What distances count.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MetricName {
    /// Plies to mate
    Dtm,
    /// Plies to mate, or to a capture or promotion that keeps the result
    Dtc,
    /// Plies to mate, capture or pawn move, with the 50-move rule
    Dtz,
}

impl From<MetricName> for Metric {
    fn from(name: MetricName) -> Metric {
        match name {
            MetricName::Dtm => Metric::Dtm,
            MetricName::Dtc => Metric::Dtc,
            MetricName::Dtz => Metric::Dtz,
        }
    }
}

/// The materials that a list of words names; those in the folder if there are no words.
pub(super) fn materials(words: &[String], tables: &Prober) -> Result<Vec<Material>, Failure> {
    if words.is_empty() {
        return Ok(tables
            .store()
            .list()
            .iter()
            .map(|table| table.key)
            .collect());
    }
    parse_specs(&words.join(" ")).map_err(Failure::bad_input)
}

/// The position of words that make a FEN.
pub(super) fn position(words: &[String]) -> Result<Position, Failure> {
    Position::from_fen(&words.join(" ")).map_err(Failure::bad_input)
}

/// A control for a job on so many threads, else on one a core.
pub(super) fn control(threads: Option<usize>) -> Control {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Control::new(threads.unwrap_or_else(cores).min(512))
}

/// Runs a job on as many threads as its control allows.
pub(super) fn on_threads<T: Send>(
    control: &Control,
    job: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(control.threads())
        .build();
    Ok(pool.map_err(Failure::failed)?.install(job))
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Generate(arguments) => tb_generate::run(arguments),
        Command::Probe(arguments) => tb_probe::run(arguments),
        Command::Line(arguments) => tb_line::run(arguments),
        Command::Stats(arguments) => tb_stats::run(arguments),
        Command::Verify(arguments) => verify(arguments),
        Command::Plan(arguments) => tb_plan::run(arguments),
        Command::List(arguments) => tb_list::run(arguments),
    }
}

#[derive(Args)]
struct VerifyArguments {
    /// Tables, such as KRPvKR, 4 or all4; all in the folder if none is named
    materials: Vec<String>,
    /// Only this metric [default: all that a table has]
    #[arg(long, value_enum)]
    metric: Option<MetricName>,
    /// Look at N random positions of each table and side to move [default: at all positions of tables up to 4 men, at
    /// 10000 of larger ones]; where that is more than a thousandth of a large table, look at all
    #[arg(long, value_name = "N", conflicts_with = "full")]
    sample: Option<u64>,
    /// Look at all positions of large tables too
    #[arg(long)]
    full: bool,
    /// Look at small tables the way large ones are: 64 positions at a time, not by the move generator
    #[arg(long, conflicts_with = "sample")]
    fast: bool,
    /// The folder for temporary files without a name [default: the folder of the tables]
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
    #[command(flatten)]
    dir: Dir,
    /// Threads [default: one a core]
    #[arg(long)]
    threads: Option<usize>,
}

/// Positions that stand for a table that is too large to look at all of it.
const SAMPLE: u64 = 10_000;
/// The most men of a table that is looked at whole unless told otherwise.
const WHOLE: u32 = 4;

fn verify(arguments: &VerifyArguments) -> Result<(), Failure> {
    let tables = arguments.dir.open();
    let materials = materials(&arguments.materials, &tables)?;
    if materials.is_empty() {
        return Err(Failure::Failed(format!(
            "no tables in {}",
            tables.store().dir().display()
        )));
    }
    let control = control(arguments.threads);
    let metrics = match arguments.metric {
        Some(metric) => vec![metric.into()],
        None => Metric::DISTANCES.to_vec(),
    };
    let (small, large): (Vec<Material>, Vec<Material>) = materials
        .into_iter()
        .partition(|material| arguments.full || material.men() <= WHOLE);
    let sample = (!arguments.full).then_some(arguments.sample.unwrap_or(SAMPLE));
    println!("table      metric      positions  errors  seconds");
    let mut results = Vec::new();
    for (materials, sample) in [(small, arguments.sample), (large, sample)] {
        let options = VerifyOptions {
            metrics: metrics.clone(),
            sample,
            fast: arguments.fast,
            scratch: arguments.scratch.clone(),
        };
        let verified = on_threads(&control, || {
            Verifier::new(tables.store()).verify(
                &materials,
                &options,
                &control,
                &mut print_verified,
            )
        })?;
        results.extend(verified.map_err(Failure::failed)?);
    }
    let (positions, errors) = results.iter().fold((0, 0), |sum, one| {
        (sum.0 + one.positions, sum.1 + one.errors)
    });
    println!(
        "{} tables and metrics, {positions} positions, {errors} errors",
        results.len()
    );
    if errors > 0 {
        Err(Failure::Failed(format!("{errors} positions are wrong")))
    } else {
        Ok(())
    }
}

fn print_verified(result: &Verified) {
    // A closed pipe shows in the exit code only: the check goes on.
    let mut out = std::io::stdout().lock();
    let _ = writeln!(
        out,
        "{:10} {:6} {:14} {:7} {:8.2}{}",
        result.key.name(),
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

/// What the distances of a metric lead to.
pub(super) const fn end_of(metric: Metric) -> &'static str {
    match metric {
        Metric::Wdl | Metric::Dtm => "mate",
        Metric::Dtc => "conversion",
        Metric::Dtz => "zeroing",
    }
}

/// The longest win of a table, either side to move; `None` if nothing is won.
pub(super) fn longest_win(counts: &[SideCounts]) -> Option<Plies> {
    let longest = counts.iter().map(|side| side.longest_win).max();
    longest.filter(|plies| *plies > 0).map(Plies)
}

/// The values of a position in words: a headline, then the distances.
pub(super) fn in_words(position: &Position, values: ProbedValues) -> String {
    let side = if position.turn() == Color::White {
        "White"
    } else {
        "Black"
    };
    let mut text = match values.wdl {
        Wdl::Draw => return "draw".to_owned(),
        _ if position.is_checkmate() => return format!("{side} is mated"),
        Wdl::Win => format!("{side} wins"),
        Wdl::CursedWin => format!("{side} wins, but the 50-move rule makes it a draw"),
        Wdl::BlessedLoss => format!("{side} loses, but the 50-move rule makes it a draw"),
        Wdl::Loss => format!("{side} loses"),
    };
    let mate = match values.wdl {
        Wdl::Win | Wdl::CursedWin => "mate",
        _ => "mated",
    };
    let mut mark = ':';
    for (what, plies) in [
        (mate, values.dtm),
        ("conversion", values.dtc),
        ("capture or pawn move", values.dtz),
    ] {
        if let Some(plies) = plies {
            let moves = plies.moves();
            text += &format!("{mark} {what} in {moves} moves ({plies} plies)");
            mark = ',';
        }
    }
    text
}
