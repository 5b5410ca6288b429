//! `duchamp pawns FEN`: what can be proved about a pawn ending.

use super::Failure;
use super::fen;
use super::outputs;
use super::pawns_course::Course;
use super::pawns_find::{Findings, find};
use super::pawns_limit::{Limit, PawnLimits};
use super::pawns_plan::LINES;
use super::pawns_range::Provers;
use super::progress::ProgressArguments;
use super::tb_input::Dir;
use super::tb_missing;
use super::{pawns_suite, pawns_svg};
use duchamp_chess_tables::Prober;
use duchamp_engine::race_table;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// The answer to other endings.
const NOT_PAWNS: &str = "not an ending of kings and pawns; of others `duchamp tb probe` has the value, or `duchamp freeze --auto` a proof";

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The position as FEN, quoted or not: kings and pawns only
    #[arg(required_unless_present = "suite")]
    fen: Vec<String>,
    /// Print one JSON object; with --suite one for each row, and one for the sum
    #[arg(long)]
    json: bool,
    /// Draw the position and its corresponding squares into a file
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    svg: Option<PathBuf>,
    /// Prove every position of this CSV file instead, on one thread; columns fen, result_stm, verified
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    suite: Option<PathBuf>,
    /// The most time for the position, again for its moves, its corresponding squares, and its plan, in seconds
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// The most variations in the plan of a proved win; 0: no plan
    #[arg(long, value_name = "LINES", default_value_t = LINES, conflicts_with = "suite")]
    plan: usize,
    /// The most pawn structures to examine, for each side
    #[arg(long, default_value_t = 200_000)]
    structures: usize,
    #[command(flatten)]
    dir: Dir,
    #[command(flatten)]
    progress: ProgressArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !(0.0..=1e6).contains(&arguments.seconds) {
        return Err(Failure::BadInput(format!(
            "--seconds {}: must be a number from 0 to 1000000",
            arguments.seconds
        )));
    }
    outputs::check_texts(&arguments.svg, &[])?;
    let tables = arguments.dir.open()?;
    let time = Duration::from_secs_f64(arguments.seconds);
    let course = Course::new(&arguments.progress)?;
    if let Some(file) = &arguments.suite {
        let suite = pawns_suite::Suite {
            tables,
            structures: arguments.structures,
            time,
            json: arguments.json,
            course: &course,
        };
        return course.watched(|| suite.run(file));
    }
    let fen = arguments.fen.join(" ");
    let position = fen::position(&fen).map_err(Failure::bad_input)?;
    let given = PawnLimits {
        limit: Limit::Time(time),
        structures: arguments.structures,
        lines: arguments.plan,
    };
    let provers = Provers::with_handle(&tables, course.handle());
    let begin = |part| course.begin(part, time);
    let findings = course
        .watched(|| find(&position, provers, given, begin))
        .ok_or_else(|| Failure::BadInput(NOT_PAWNS.into()))?;
    let stopped = course.finish();
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let text = serde_json::to_string(&findings.answer(&fen)).map_err(Failure::failed)?;
        writeln!(out, "{text}")?;
    } else {
        findings.write(given, missing(&tables, &findings).as_deref(), &mut out)?;
    }
    // After the answer: a file that cannot be written must not cost it.
    if let Some(file) = &arguments.svg {
        let picture = pawns_svg::draw(&findings.position, &findings.system, &findings.headline());
        outputs::write(file, picture)?;
    }
    stopped
}

/// Where the value is open: the table that would help most, if it is missing, and the command that generates it.
fn missing(tables: &Prober, findings: &Findings) -> Option<String> {
    let store = tables.store();
    let open = findings.range.exact().is_none();
    let table = race_table(&findings.position).filter(|table| open && !store.has(*table))?;
    let command = tb_missing::command(store, &[table], None);
    Some(format!(
        "Races often end in the table {table}, which is missing; to generate it, within a minute: {command}"
    ))
}
