//! `duchamp tb probe FEN`: the values of a position and of each of its moves.

use super::Failure;
use super::tb_clock;
use super::tb_input::{self, Dir, MetricName};
use super::tb_missing;
use super::tb_values::{self, ValueObject};
use super::tb_words;
use duchamp_chess::Position;
use duchamp_chess_tables::{Material, Metric, MoveValues, ProbedValues, Prober};
use serde::Serialize;
use std::io::{BufRead, Write};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The position as FEN (two to six fields), quoted or not; `-` reads one FEN a line from stdin and
    /// prints one JSON object a line
    #[arg(required = true)]
    fen: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Plies since the last capture or pawn move, for the 50-move rule; needs .dtz files
    /// [default: the FEN's halfmove clock]
    #[arg(long, value_name = "PLIES", conflicts_with = "brief")]
    clock: Option<u16>,
    /// With `-`: print `WDL PLIES` a line (a draw: `draw -`), without moves and with the halfmove clock
    /// ignored; many times faster
    #[arg(long)]
    brief: bool,
    /// With `--brief`: what the plies count
    #[arg(long, value_enum, default_value = "dtm")]
    metric: MetricName,
    #[command(flatten)]
    dir: Dir,
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
    #[serde(flatten)]
    value: ValueObject,
    /// The result with the halfmove clock; null if the distance to zeroing is not known.
    clock_wdl: Option<&'static str>,
    /// Whether it is the only move that keeps the result.
    only: bool,
}

#[derive(Serialize)]
struct ProbeObject<'a> {
    fen: &'a str,
    #[serde(flatten)]
    value: ValueObject,
    /// The halfmove clock in plies.
    clock: u16,
    /// The result with it; null if the distance to zeroing is not known.
    clock_wdl: Option<&'static str>,
    moves: Vec<MoveObject>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    fen: &'a str,
    error: String,
}

/// A position with what the tables hold of it.
struct Answer {
    position: Position,
    values: ProbedValues,
    moves: Vec<MoveValues>,
    /// The halfmove clock in plies.
    clock: u16,
    /// Whether the distances to zeroing are known, without which the clock is ignored.
    knows_zeroing: bool,
}

impl Answer {
    /// The clock if it counts.
    fn regarded(&self) -> Option<u16> {
        self.knows_zeroing.then_some(self.clock)
    }

    fn object<'a>(&self, fen: &'a str) -> ProbeObject<'a> {
        let (position, clock) = (&self.position, self.regarded());
        let result = |values| clock.and_then(|clock| tb_clock::result(values, clock));
        let only = tb_clock::only_move(&self.moves, clock);
        let moves = self.moves.iter().enumerate();
        let moves = moves.map(|(number, entry)| MoveObject {
            uci: position.uci(entry.mv, false),
            san: position.san(entry.mv),
            value: entry.values.into(),
            clock_wdl: result(entry.values).map(duchamp_base::Wdl::name),
            only: only == Some(number),
        });
        ProbeObject {
            fen,
            value: self.values.into(),
            clock: self.clock,
            clock_wdl: result(self.values).map(duchamp_base::Wdl::name),
            moves: moves.collect(),
        }
    }

    /// `generate` is the command that generates the `.dtz` file.
    fn print(&self, out: &mut impl Write, generate: &str) -> Result<(), Failure> {
        writeln!(out, "{}", tb_words::in_words(&self.position, self.values))?;
        let clock = self.regarded();
        if self.clock > 0 && !self.moves.is_empty() {
            let told = clock.and_then(|clock| tb_clock::in_words(self.values, clock));
            let told = told.unwrap_or_else(|| {
                format!(
                    "halfmove clock {} is ignored without .dtz files; to generate them: {generate}",
                    self.clock
                )
            });
            writeln!(out, "{told}")?;
        }
        let only = tb_clock::only_move(&self.moves, clock);
        let outcome = |entry: &MoveValues| tb_clock::outcome(entry.values, clock);
        let moves: Vec<_> = self.moves.iter().enumerate().collect();
        for group in moves.chunk_by(|a, b| outcome(a.1) == outcome(b.1)) {
            writeln!(out, "{}", tb_clock::headline(outcome(group[0].1)))?;
            for (number, entry) in group {
                let (san, distances) = (
                    self.position.san(entry.mv),
                    tb_values::distances(entry.values),
                );
                let mark = match only {
                    Some(only) if only == *number => "  the only move",
                    _ => "",
                };
                let line = format!("  {san:8} {distances}{mark}");
                writeln!(out, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }
}

fn json(object: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(object).map_err(Failure::failed)
}

impl Arguments {
    /// What the tables hold of a position.
    fn answer(&self, tables: &Prober, position: Position) -> Result<Answer, String> {
        let asked = Material::of(position.board()).0;
        let told = |error| tb_missing::probe_error(tables, asked, &error);
        let values = tables.probe_all(&position).map_err(told)?;
        let mut moves = tables.probe_moves_all(&position).map_err(told)?;
        let clock = self.clock.unwrap_or(position.halfmove_clock());
        let mut all = moves.iter().map(|entry| entry.values).chain([values]);
        let knows_zeroing = all.all(|values| tb_clock::result(values, clock).is_some());
        if self.clock.is_some() && !knows_zeroing {
            let command = tb_missing::command(tables, &[asked], Some(Metric::Dtz));
            return Err(format!(
                "--clock needs .dtz files; to generate them: {command}"
            ));
        }
        let regarded = knows_zeroing.then_some(clock);
        moves.sort_by_key(|entry| std::cmp::Reverse(tb_clock::outcome(entry.values, regarded)));
        Ok(Answer {
            position,
            values,
            moves,
            clock,
            knows_zeroing,
        })
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = arguments.dir.open();
    if arguments.fen.len() == 1 && arguments.fen[0] == "-" {
        return answer_lines(&tables, arguments);
    }
    let fen = arguments.fen.join(" ");
    let mut out = std::io::stdout().lock();
    let answer = tb_input::position(&arguments.fen).and_then(|position| {
        let answer = arguments.answer(&tables, position);
        answer.map_err(Failure::Failed)
    });
    match answer {
        Ok(answer) if arguments.json => writeln!(out, "{}", json(&answer.object(&fen))?)?,
        Ok(answer) => {
            let asked = Material::of(answer.position.board()).0;
            let command = tb_missing::command(&tables, &[asked], Some(Metric::Dtz));
            answer.print(&mut out, &command)?;
        }
        Err(failure) => {
            if arguments.json {
                let error = failure.to_string();
                writeln!(out, "{}", json(&ErrorObject { fen: &fen, error })?)?;
            }
            return Err(failure);
        }
    }
    Ok(())
}

/// Prints one line for each line of stdin. A line that has no answer does not stop the others, but the command fails in the
/// end.
fn answer_lines(tables: &Prober, arguments: &Arguments) -> Result<(), Failure> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut line = Vec::new();
    let mut input = std::io::stdin().lock();
    let (mut rows, mut errors) = (0u64, 0u64);
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let fen = String::from_utf8_lossy(&line);
        let fen = fen.trim();
        let position = Position::from_fen(fen).map_err(|error| error.to_string());
        rows += 1;
        if arguments.brief {
            match position.and_then(|position| brief(tables, arguments, &position)) {
                Ok(answer) => writeln!(out, "{answer}")?,
                Err(error) => {
                    errors += 1;
                    writeln!(out, "error {error}")?;
                }
            }
            continue;
        }
        let answer = match position.and_then(|position| arguments.answer(tables, position)) {
            Ok(answer) => json(&answer.object(fen))?,
            Err(error) => {
                errors += 1;
                json(&ErrorObject { fen, error })?
            }
        };
        writeln!(out, "{answer}")?;
        // One answer a question: who asks one at a time must not wait for a full buffer.
        out.flush()?;
    }
    out.flush()?;
    if errors > 0 {
        return Err(Failure::Failed(format!(
            "{errors} of {rows} lines have no value: see the errors printed for them"
        )));
    }
    Ok(())
}

/// `WDL PLIES` of a position.
fn brief(tables: &Prober, arguments: &Arguments, position: &Position) -> Result<String, String> {
    let asked = Material::of(position.board()).0;
    let value = tables.probe_metric(position, arguments.metric.into());
    let wdl = tables.probe_wdl(position);
    let (wdl, value) = wdl
        .and_then(|wdl| Ok((wdl, value?)))
        .map_err(|error| tb_missing::probe_error(tables, asked, &error))?;
    Ok(match value.plies() {
        Some(plies) => format!("{} {plies}", wdl.name()),
        None => format!("{} -", wdl.name()),
    })
}
