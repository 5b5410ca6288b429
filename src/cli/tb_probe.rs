//! `duchamp tb probe FEN`: the values of a position and of each of its moves.

use super::Failure;
use super::tb_input::{Dir, MetricName};
use super::tb_words;
use duchamp_chess::Position;
use duchamp_chess_tables::{Metric, MoveValues, ProbeError, ProbedValues, Prober};
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
    tables: &Prober,
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
    writeln!(out, "{}", tb_words::in_words(&position, values))?;
    for entry in &moves {
        let (san, values) = (position.san(entry.mv), short(entry.values));
        writeln!(out, "  {san:8} {values}")?;
    }
    Ok(())
}

/// Answers one line for each line of stdin.
fn answer_lines(tables: &Prober, brief: Option<Metric>) -> Result<(), Failure> {
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

/// Values in a few letters: `win dtm 13 dtz 3`.
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
