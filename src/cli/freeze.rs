//! `duchamp freeze RULES.toml`: what rules prove about a position with many pieces.

use super::columns::{Columns, Side};
use super::freeze_solve::Means;
use super::progress::ProgressArguments;
use super::tb_input::Dir;
use super::{Failure, crew, freeze_auto, freeze_svg, freeze_walk, outputs};
use duchamp_base::{Value, files, human};
use duchamp_chess::{Color, Position};
use duchamp_proofs::freezer::{
    Choice, Counts, Goal, KnownValue, LONGEST_RULES, Origin, Proof, Restricted, RuleSource, Rules,
    TableReport, Usage,
};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The rule file; docs/FREEZER.md describes its keys
    #[arg(required_unless_present = "auto", conflicts_with = "auto")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    auto: freeze_auto::Auto,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write the strategy as a PGN game with variations
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The most moves in all variations of the PGN game, about
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "pgn")]
    pgn_moves: usize,
    /// Draw the start and the squares of each piece that has rules
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Walk through the strategy: arrow keys or typed moves; reads lines if stdin is no terminal
    #[arg(long, conflicts_with = "json")]
    walk: bool,
    /// Print what each restricted table holds, and how often each rule was used
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    dir: Dir,
    #[command(flatten)]
    progress: ProgressArguments,
    /// Threads [default: one a core]
    #[arg(long, value_parser = crew::threads)]
    threads: Option<usize>,
    /// The most memory in MiB [default: 4096]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// The most entries of a restricted table that captures or promotions lead to; larger ones are left out, as if nothing
    /// were known of them [default: 100000000]
    #[arg(long, value_name = "N", alias = "box-entries")]
    table_entries: Option<u64>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.rules.is_some() && arguments.auto.is_asked() {
        return Err(Failure::BadInput(
            "--prove, --side and --save belong to --auto: a rule file says itself what is to be proved".into(),
        ));
    }
    let written = [&arguments.auto.save, &arguments.pgn, &arguments.svg];
    outputs::check_texts(written.into_iter().flatten(), arguments.rules.as_slice())?;
    let rules = arguments.rules.as_deref().map(read).transpose()?;
    let means = Means {
        tables: arguments.dir.open()?,
        threads: arguments.threads,
        memory: arguments.memory,
        progress: arguments.progress,
        table_entries: arguments.table_entries,
    };
    let start = Instant::now();
    let frozen = match rules {
        Some(rules) => means.solve(rules)?,
        None => arguments.auto.propose(&means)?,
    };
    let found = arguments.rules.is_none().then(|| frozen.rules().to_toml());
    let seconds = start.elapsed().as_secs_f64();
    // Before the answer, whose reader may go away; but a file that cannot be written must not cost it.
    let files = write_files(arguments, &frozen, found.as_deref());
    let mut out = std::io::stdout().lock();
    let told = Told {
        frozen: &frozen,
        found: found.as_deref(),
        seconds,
    };
    if arguments.json {
        let text = serde_json::to_string(&told.answer()).map_err(Failure::failed)?;
        writeln!(out, "{text}")?;
    } else {
        told.write(&mut out)?;
        if arguments.stats {
            told.write_stats(&mut out)?;
        }
    }
    files?;
    if arguments.walk {
        freeze_walk::walk(&frozen, &mut out)?;
    }
    match frozen.proof() {
        Proof::Proved(_) => Ok(()),
        Proof::NotProved => Err(Failure::Failed("not proved".into())),
    }
}

/// Writes the files that were asked for; `found` are the rules that were found.
fn write_files(
    arguments: &Arguments,
    frozen: &Restricted,
    found: Option<&str>,
) -> Result<(), Failure> {
    if let (Some(file), Some(text)) = (&arguments.auto.save, found) {
        outputs::write(file, text)?;
    }
    if let Some(file) = &arguments.pgn {
        outputs::write(file, frozen.pgn(arguments.pgn_moves))?;
    }
    if let Some(file) = &arguments.svg {
        let picture = freeze_svg::draw(frozen.rules(), &frozen.headline());
        outputs::write(file, picture)?;
    }
    Ok(())
}

/// The rules of a file.
fn read(file: &Path) -> Result<Rules, Failure> {
    let wrong =
        |error: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {error}", file.display()));
    let text = files::read_text(file, LONGEST_RULES).map_err(|error| wrong(&error))?;
    Rules::parse(&text).map_err(|error| wrong(&error))
}

/// A rule with what became of it.
#[derive(Serialize)]
struct RuleAnswer<'a> {
    line: usize,
    text: &'a str,
    assumed: bool,
    used: u64,
    checked: u64,
    contradicted: u64,
    example: Option<&'a str>,
}

#[derive(Serialize)]
struct MoveAnswer {
    uci: String,
    san: String,
    verdict: &'static str,
    plies: Option<u16>,
    from: &'static str,
    line: Option<usize>,
}

/// Counts of one side to move, by what is proved for the bound side.
#[derive(Serialize)]
struct CountsAnswer {
    win: u64,
    draw: u64,
    not_proved: u64,
}

#[derive(Serialize)]
struct BoxAnswer {
    men: String,
    entries: u64,
    structures: usize,
    white_to_move: CountsAnswer,
    black_to_move: CountsAnswer,
    longest_plies: Option<u16>,
    longest_fen: Option<String>,
}

/// The answer as JSON: stable names. Verdicts are as White sees them.
#[derive(Serialize)]
struct Answer<'a> {
    title: Option<&'a str>,
    fen: String,
    bound_side: &'static str,
    goal: &'static str,
    verdict: &'static str,
    assumptions: Vec<RuleAnswer<'a>>,
    rules: Vec<RuleAnswer<'a>>,
    entries: u64,
    longest_plies: Option<u16>,
    start_plies: Option<u16>,
    seconds: f64,
    moves: Vec<MoveAnswer>,
    boxes: Vec<BoxAnswer>,
    boxes_left_out: usize,
    rule_file: Option<&'a str>,
}

/// A solved position, to be told.
struct Told<'a> {
    frozen: &'a Restricted,
    /// The file of rules that were not given but found.
    found: Option<&'a str>,
    seconds: f64,
}

impl Told<'_> {
    fn rules(&self) -> impl Iterator<Item = (&RuleSource, &Usage)> {
        let sources = self.frozen.rules().sources.iter();
        sources.zip(self.frozen.usage())
    }

    fn start(&self) -> (&Position, Option<KnownValue>) {
        let start = &self.frozen.rules().start;
        (start, self.frozen.value(start))
    }

    /// Counts by what is proved for the bound side.
    fn counts(&self, counts: Counts, turn: Color) -> CountsAnswer {
        let ours = turn == self.frozen.rules().bound;
        CountsAnswer {
            win: if ours { counts.won } else { counts.lost },
            draw: counts.drawn,
            not_proved: if ours { counts.lost } else { counts.won },
        }
    }

    fn answer(&self) -> Answer<'_> {
        let rules = self.frozen.rules();
        let reports = self.frozen.reports();
        let (start, value) = self.start();
        let moves = self.frozen.choices(start);
        Answer {
            title: rules.title.as_deref(),
            fen: start.fen(),
            bound_side: rules.bound.name(),
            goal: rules.goal.name(),
            verdict: self.frozen.proof().name(),
            assumptions: self
                .rules()
                .filter(|(source, _)| source.assumed)
                .map(rule_answer)
                .collect(),
            rules: self.rules().map(rule_answer).collect(),
            entries: self.frozen.plan().entries(),
            longest_plies: reports.last().and_then(longest),
            start_plies: value.and_then(|known| self.won_in(known, start.turn())),
            seconds: self.seconds,
            moves: moves
                .iter()
                .map(|choice| self.move_answer(start, choice))
                .collect(),
            boxes: reports
                .into_iter()
                .map(|report| self.box_answer(report))
                .collect(),
            boxes_left_out: self.frozen.plan().left_out,
            rule_file: self.found,
        }
    }

    /// The plies of a win of the bound side.
    fn won_in(&self, known: KnownValue, side: Color) -> Option<u16> {
        match (known.value, side == self.frozen.rules().bound) {
            (Value::Win(plies), true) | (Value::Loss(plies), false) => Some(plies.0),
            _ => None,
        }
    }

    fn move_answer(&self, start: &Position, choice: &Choice) -> MoveAnswer {
        let known = choice.known;
        let verdict = self.frozen.proved(known, start.turn());
        let line = match known.from {
            Origin::Rule(rule) => self.frozen.rules().sources.get(usize::from(rule.0)),
            _ => None,
        };
        MoveAnswer {
            uci: choice.mv.uci(false),
            san: start.san(choice.mv),
            verdict: verdict.map_or("not-proved", |verdict| verdict.name()),
            plies: self.won_in(known, start.turn()),
            from: match known.from {
                Origin::Restricted(_) => "box",
                Origin::Table => "table",
                Origin::Ended => "ended",
                Origin::Rule(_) => "rule",
                Origin::Unknown => "default",
            },
            line: line.map(|source| source.line),
        }
    }

    fn box_answer(&self, report: TableReport) -> BoxAnswer {
        let [white, black] = report.counts;
        BoxAnswer {
            white_to_move: self.counts(white, Color::White),
            black_to_move: self.counts(black, Color::Black),
            longest_plies: longest(&report),
            longest_fen: report.longest.map(|(_, fen)| fen),
            men: report.men,
            entries: report.entries,
            structures: report.structures,
        }
    }

    fn write(&self, out: &mut impl Write) -> Result<(), Failure> {
        let rules = self.frozen.rules();
        writeln!(out, "{}", self.frozen.headline())?;
        if let Some(title) = &rules.title {
            writeln!(out, "{}", one_line(title))?;
        }
        let (start, value) = self.start();
        let aim = match rules.goal {
            Goal::Win => "a win",
            Goal::Draw => "a draw",
        };
        let bound = rules.bound;
        writeln!(
            out,
            "{}, {bound:?} is bound, {aim} to be proved",
            start.fen()
        )?;
        let plan = self.frozen.plan();
        writeln!(
            out,
            "{}, {} entries, {:.3} s",
            numbered(
                plan.boxes.len() as u64,
                "restricted table",
                "restricted tables"
            ),
            human::grouped(plan.entries(), ','),
            self.seconds
        )?;
        if plan.left_out > 0 {
            let boxes = numbered(
                plan.left_out as u64,
                "restricted table",
                "restricted tables",
            );
            writeln!(out, "{boxes} left out as too large")?;
        }
        for (source, usage) in self.rules().filter(|(source, _)| source.assumed) {
            writeln!(out, "\nAssumed in line {}: {}", source.line, source.text)?;
            writeln!(out, "  {}", told_usage(usage))?;
            if let Some(fen) = &usage.example {
                writeln!(out, "  contradicted by a table, whose word counted: {fen}")?;
            }
        }
        writeln!(out)?;
        if let Some(known) = value {
            let told = self.frozen.tell(known, start);
            writeln!(out, "{:8} {told}", format!("{:?}", start.turn()))?;
        }
        for choice in self.frozen.choices(start) {
            let told = self.frozen.tell(choice.known, start);
            writeln!(out, "  {:8} {told}", start.san(choice.mv))?;
        }
        if let Some(file) = self.found {
            write!(out, "\nThe rules, as a file:\n\n{file}")?;
        }
        Ok(())
    }

    /// What is in each restricted table, and how often each rule was used.
    fn write_stats(&self, out: &mut impl Write) -> Result<(), Failure> {
        let bound = self.frozen.rules().bound;
        let mut columns = Columns::new([
            ("restricted table", Side::Left),
            ("structures", Side::Right),
            ("entries", Side::Right),
            ("to move", Side::Left),
            ("won", Side::Right),
            ("held", Side::Right),
            ("not proved", Side::Right),
        ]);
        let reports = self.frozen.reports();
        for report in &reports {
            let mut first = [
                report.men.clone(),
                report.structures.to_string(),
                human::grouped(report.entries, ','),
            ];
            for color in Color::ALL {
                let counts = self.counts(report.counts[color.index()], color);
                let counts = [counts.win, counts.draw, counts.not_proved];
                let counts = counts.map(|count| human::grouped(count, ','));
                let first = std::mem::take(&mut first).into_iter();
                columns.row(first.chain([format!("{color:?}")]).chain(counts));
            }
        }
        writeln!(out, "\nProved for {bound:?}:")?;
        columns.write(out)?;
        for report in &reports {
            if let Some((plies, fen)) = &report.longest {
                writeln!(out, "Longest win of {}: {plies} plies, {fen}", report.men)?;
            }
        }
        writeln!(out)?;
        for (source, usage) in self.rules() {
            writeln!(
                out,
                "Line {}: {}; {}",
                source.line,
                source.text,
                told_usage(usage)
            )?;
        }
        Ok(())
    }
}

fn rule_answer<'a>((source, usage): (&'a RuleSource, &'a Usage)) -> RuleAnswer<'a> {
    RuleAnswer {
        line: source.line,
        text: &source.text,
        assumed: source.assumed,
        used: usage.used,
        checked: usage.checked,
        contradicted: usage.contradicted,
        example: usage.example.as_deref(),
    }
}

fn longest(report: &TableReport) -> Option<u16> {
    report.longest.as_ref().map(|(plies, _)| plies.0)
}

/// What became of a rule, in words.
fn told_usage(usage: &Usage) -> String {
    let mut text = match usage.used {
        0 => "never used".to_owned(),
        used => format!("decided {}", numbered(used, "move", "moves")),
    };
    if usage.checked > 0 {
        text += &format!(
            ", tables looked at {} of them and contradicted {}",
            human::grouped(usage.checked, ','),
            human::grouped(usage.contradicted, ',')
        );
    }
    text
}

fn numbered(n: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        human::grouped(n, ','),
        if n == 1 { one } else { many }
    )
}

/// A text without line ends and other control characters.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
