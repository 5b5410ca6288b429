//! `duchamp tb probe FEN` and `duchamp tb line FEN`.

use super::Failure;
use super::tb::{self, Dir, MetricName};
use crate::base::{Value, Wdl};
use crate::chess::{Color, Position};
use crate::tablebase::{Metric, MoveValue, MoveValues, ProbeError, ProbedValues, Tables};
use serde::Serialize;
use std::io::{BufRead, Write};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The position as FEN, quoted or not; `-` reads one FEN a line from stdin and answers one JSON object
    /// a line
    #[arg(required = true)]
    fen: Vec<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// With `-`: answer `WDL PLIES` a line (a draw: `draw -`), moves left out; many times faster
    #[arg(long)]
    brief: bool,
    /// With `--brief`: what the plies count
    #[arg(long, value_enum, default_value = "dtm")]
    metric: MetricName,
    #[command(flatten)]
    dir: Dir,
}

/// Distances of a value in all metrics; what is not known is null.
#[derive(Serialize)]
struct ValueObject {
    wdl: &'static str,
    dtm_plies: Option<u16>,
    dtc_plies: Option<u16>,
    dtz_plies: Option<u16>,
}

impl From<ProbedValues> for ValueObject {
    fn from(values: ProbedValues) -> Self {
        ValueObject {
            wdl: values.wdl.name(),
            dtm_plies: values.dtm.map(|plies| plies.0),
            dtc_plies: values.dtc.map(|plies| plies.0),
            dtz_plies: values.dtz.map(|plies| plies.0),
        }
    }
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
    #[serde(flatten)]
    value: ValueObject,
}

#[derive(Serialize)]
struct ProbeObject<'a> {
    fen: &'a str,
    #[serde(flatten)]
    value: ValueObject,
    moves: Vec<MoveObject>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    fen: &'a str,
    error: String,
}

/// A position's value and its moves' values.
fn probe(
    tables: &Tables,
    position: &Position,
) -> Result<(ProbedValues, Vec<MoveValues>), ProbeError> {
    Ok((
        tables.probe_all(position)?,
        tables.probe_moves_all(position)?,
    ))
}

fn object<'a>(
    fen: &'a str,
    position: &Position,
    values: ProbedValues,
    moves: &[MoveValues],
) -> ProbeObject<'a> {
    let moves = moves.iter().map(|entry| MoveObject {
        uci: position.uci(entry.mv, false),
        san: position.san(entry.mv),
        value: entry.values.into(),
    });
    ProbeObject {
        fen,
        value: values.into(),
        moves: moves.collect(),
    }
}

fn json(object: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(object).map_err(Failure::failed)
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = arguments.dir.open();
    if arguments.fen.len() == 1 && arguments.fen[0] == "-" {
        let brief = arguments.brief.then(|| arguments.metric.into());
        return answer_lines(&tables, brief);
    }
    let fen = arguments.fen.join(" ");
    let mut out = std::io::stdout().lock();
    let told =
        |error: String| -> Result<String, Failure> { json(&ErrorObject { fen: &fen, error }) };
    let position = match Position::from_fen(&fen) {
        Ok(position) => position,
        Err(error) => {
            if arguments.json {
                writeln!(out, "{}", told(error.to_string())?)?;
            }
            return Err(Failure::bad_input(error));
        }
    };
    let (values, moves) = match probe(&tables, &position) {
        Ok(found) => found,
        Err(error) => {
            if arguments.json {
                writeln!(out, "{}", told(error.to_string())?)?;
            }
            return Err(Failure::failed(error));
        }
    };
    if arguments.json {
        writeln!(out, "{}", json(&object(&fen, &position, values, &moves))?)?;
        return Ok(());
    }
    writeln!(out, "{}", words(&position, values))?;
    for entry in &moves {
        let (san, values) = (position.san(entry.mv), short(entry.values));
        writeln!(out, "  {san:8} {values}")?;
    }
    Ok(())
}

/// Answers one line for each line of stdin.
fn answer_lines(tables: &Tables, brief: Option<Metric>) -> Result<(), Failure> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut line = Vec::new();
    let mut input = std::io::stdin().lock();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let fen = String::from_utf8_lossy(&line);
        let fen = fen.trim();
        let position = Position::from_fen(fen).map_err(|error| error.to_string());
        if let Some(metric) = brief {
            let found = position.and_then(|position| {
                let value = tables.probe_metric(&position, metric);
                let wdl = tables.probe_wdl(&position);
                wdl.and_then(|wdl| Ok((wdl, value?)))
                    .map_err(|error| error.to_string())
            });
            match found {
                Ok((wdl, value)) => match value.plies() {
                    Some(plies) => writeln!(out, "{} {plies}", wdl.name())?,
                    None => writeln!(out, "{} -", wdl.name())?,
                },
                Err(error) => writeln!(out, "error {error}")?,
            }
            continue;
        }
        let found = position.and_then(|position| {
            let (values, moves) = probe(tables, &position).map_err(|error| error.to_string())?;
            Ok((position, values, moves))
        });
        let answer = match found {
            Ok((position, values, moves)) => json(&object(fen, &position, values, &moves))?,
            Err(error) => json(&ErrorObject { fen, error })?,
        };
        writeln!(out, "{answer}")?;
        // One answer a question: who asks one at a time must not wait for a full buffer.
        out.flush()?;
    }
    out.flush()?;
    Ok(())
}

/// The values of a position in words: a headline, then the distances.
fn words(position: &Position, values: ProbedValues) -> String {
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

/// ProbedValues in a few letters: `win dtm 13 dtz 3`.
fn short(values: ProbedValues) -> String {
    let mut text = values.wdl.name().to_owned();
    for (metric, plies) in [
        (Metric::Dtm, values.dtm),
        (Metric::Dtc, values.dtc),
        (Metric::Dtz, values.dtz),
    ] {
        if let Some(plies) = plies {
            text += &format!(" {} {plies}", metric.name());
        }
    }
    text
}

#[derive(clap::Args)]
pub(super) struct LineArguments {
    /// The position as FEN, quoted or not
    #[arg(required = true)]
    fen: Vec<String>,
    /// What the line is best in
    #[arg(long, value_enum, default_value = "dtm")]
    metric: MetricName,
    /// As PGN
    #[arg(long)]
    pgn: bool,
    #[command(flatten)]
    dir: Dir,
}

pub(super) fn run_line(arguments: &LineArguments) -> Result<(), Failure> {
    let start = tb::position(&arguments.fen)?;
    let tables = arguments.dir.open();
    let metric = Metric::from(arguments.metric);
    let value = tables.probe_metric(&start, metric);
    let value = value.map_err(Failure::failed)?;
    let values = tables.probe_all(&start).map_err(Failure::failed)?;
    let line = tables.best_line(&start, metric);
    let line = line.map_err(Failure::failed)?;
    let mut moves = Vec::new();
    let mut position = start;
    for entry in &line {
        moves.push(numbered(&position, entry, moves.is_empty()));
        position = position.play(entry.mv);
    }
    let white_wins = matches!(value, Value::Win(_)) == (start.turn() == Color::White);
    let result = match value {
        Value::Draw => "1/2-1/2",
        _ if white_wins => "1-0",
        _ => "0-1",
    };
    let mut out = std::io::stdout().lock();
    if arguments.pgn {
        let event = match metric {
            Metric::Wdl | Metric::Dtm => "Best line by distance to mate",
            Metric::Dtc => "Best line by distance to conversion",
            Metric::Dtz => "Best line by distance to zeroing",
        };
        for (tag, text) in [
            ("Event", event),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "-"),
            ("White", "Duchamp"),
            ("Black", "Duchamp"),
            ("Result", result),
            ("SetUp", "1"),
            ("FEN", &start.fen()),
        ] {
            writeln!(out, "[{tag} \"{text}\"]")?;
        }
        writeln!(out)?;
        moves.push(result.to_owned());
        for row in wrap(&moves, 80) {
            writeln!(out, "{row}")?;
        }
        return Ok(());
    }
    writeln!(out, "{}", words(&start, values))?;
    for row in wrap(&moves, 100) {
        writeln!(out, "{row}")?;
    }
    Ok(())
}

/// A move in SAN, with its number where a reader needs it.
fn numbered(position: &Position, entry: &MoveValue, first: bool) -> String {
    let san = position.san(entry.mv);
    match position.turn() {
        Color::White => format!("{}. {san}", position.fullmoves()),
        Color::Black if first => format!("{}... {san}", position.fullmoves()),
        Color::Black => san,
    }
}

/// Words in rows of at most `width` letters.
fn wrap(words: &[String], width: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    for word in words.iter().flat_map(|word| word.split(' ')) {
        let row = rows.len() - 1;
        if rows[row].is_empty() {
            rows[row].push_str(word);
        } else if rows[row].len() + 1 + word.len() <= width {
            rows[row].push(' ');
            rows[row].push_str(word);
        } else {
            rows.push(word.to_owned());
        }
    }
    rows
}
