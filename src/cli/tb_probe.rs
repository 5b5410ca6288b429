//! `duchamp tb probe FEN` and `duchamp tb line FEN`.

use super::Failure;
use super::tb::{self, Dir, MetricName};
use crate::base::Value;
use crate::chess::{Color, Position};
use crate::tablebase::{MoveValue, ProbeError, Tables};
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

impl From<Value> for ValueObject {
    fn from(value: Value) -> Self {
        ValueObject {
            wdl: value.wdl().name(),
            dtm_plies: value.plies().map(|plies| plies.0),
            dtc_plies: None,
            dtz_plies: None,
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
fn probe(tables: &Tables, position: &Position) -> Result<(Value, Vec<MoveValue>), ProbeError> {
    Ok((tables.probe(position)?, tables.probe_moves(position)?))
}

fn object<'a>(
    fen: &'a str,
    position: &Position,
    value: Value,
    moves: &[MoveValue],
) -> ProbeObject<'a> {
    let moves = moves.iter().map(|entry| MoveObject {
        uci: position.uci(entry.mv, false),
        san: position.san(entry.mv),
        value: entry.value.into(),
    });
    ProbeObject {
        fen,
        value: value.into(),
        moves: moves.collect(),
    }
}

fn json(object: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(object).map_err(Failure::failed)
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = arguments.dir.open();
    if arguments.fen.len() == 1 && arguments.fen[0] == "-" {
        return answer_lines(&tables, arguments.brief);
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
    let (value, moves) = match probe(&tables, &position) {
        Ok(found) => found,
        Err(error) => {
            if arguments.json {
                writeln!(out, "{}", told(error.to_string())?)?;
            }
            return Err(Failure::failed(error));
        }
    };
    if arguments.json {
        writeln!(out, "{}", json(&object(&fen, &position, value, &moves))?)?;
        return Ok(());
    }
    writeln!(out, "{}", words(&position, value))?;
    for entry in &moves {
        writeln!(out, "  {:8} {}", position.san(entry.mv), short(entry.value))?;
    }
    Ok(())
}

/// Answers one line for each line of stdin.
fn answer_lines(tables: &Tables, brief: bool) -> Result<(), Failure> {
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
        if brief {
            match position
                .and_then(|position| tables.probe(&position).map_err(|error| error.to_string()))
            {
                Ok(value) => match value.plies() {
                    Some(plies) => writeln!(out, "{} {plies}", value.wdl().name())?,
                    None => writeln!(out, "{} -", value.wdl().name())?,
                },
                Err(error) => writeln!(out, "error {error}")?,
            }
            continue;
        }
        let found = position.and_then(|position| {
            let (value, moves) = probe(tables, &position).map_err(|error| error.to_string())?;
            Ok((position, value, moves))
        });
        let answer = match found {
            Ok((position, value, moves)) => json(&object(fen, &position, value, &moves))?,
            Err(error) => json(&ErrorObject { fen, error })?,
        };
        writeln!(out, "{answer}")?;
        // One answer a question: who asks one at a time must not wait for a full buffer.
        out.flush()?;
    }
    out.flush()?;
    Ok(())
}

/// The value of a position in words.
fn words(position: &Position, value: Value) -> String {
    let side = if position.turn() == Color::White {
        "White"
    } else {
        "Black"
    };
    match value {
        Value::Draw => "draw".to_owned(),
        Value::Win(plies) => format!(
            "{side} wins: mate in {} moves ({plies} plies)",
            plies.moves()
        ),
        Value::Loss(plies) if plies.0 == 0 => format!("{side} is mated"),
        Value::Loss(plies) => format!(
            "{side} loses: mated in {} moves ({plies} plies)",
            plies.moves()
        ),
    }
}

/// A value in a few letters: `win 13`.
fn short(value: Value) -> String {
    match value.plies() {
        Some(plies) => format!("{} {plies}", value.wdl().name()),
        None => value.wdl().name().to_owned(),
    }
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
    let MetricName::Dtm = arguments.metric;
    let start = tb::position(&arguments.fen)?;
    let tables = arguments.dir.open();
    let value = tables.probe(&start).map_err(Failure::failed)?;
    let line = tables.best_line(&start).map_err(Failure::failed)?;
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
        for (tag, text) in [
            ("Event", "Best line by distance to mate"),
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
    writeln!(out, "{}", words(&start, value))?;
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
