//! `duchamp tb line FEN`: a best line to the end, as text or as a PGN game.

use super::Failure;
use super::tb_game::TableGame;
use super::tb_input::{Dir, GameOption, MetricName, in_game, metric_of, position};
use super::tb_missing;
use super::tb_words;
use duchamp_tablebase::{MoveValue, Prober, Side};
use std::io::Write;

/// The longest line of text.
const WIDTH: usize = 100;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The position as FEN (two to six fields), quoted or not
    #[arg(required = true)]
    fen: Vec<String>,
    /// The distance by which the winner plays the shortest and the loser the longest line
    /// [default: dtm; xiangqi: dtc]
    #[arg(long, value_enum)]
    metric: Option<MetricName>,
    #[command(flatten)]
    game: GameOption,
    /// Print a PGN game with the distances as comments
    #[arg(long)]
    pgn: bool,
    #[command(flatten)]
    dir: Dir,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    in_game!(arguments.game.of_fen(&arguments.fen), print(arguments))
}

fn print<G: TableGame>(arguments: &Arguments) -> Result<(), Failure> {
    let start = position::<G>(&arguments.fen)?;
    let metric = metric_of::<G>(arguments.metric)?;
    let store = arguments.dir.store::<G>()?;
    let tables = Prober::new(&*store);
    let failed = |error| tb_missing::position_failure(&store, &start, &error);
    let values = tables.all_values(&start).map_err(failed)?;
    let line = tables.line(&start, metric).map_err(failed)?;
    let mut out = std::io::stdout().lock();
    if arguments.pgn {
        write!(out, "{}", G::pgn(&store, metric, &start, values, &line)?)?;
        return Ok(());
    }
    writeln!(out, "{}", tb_words::in_words::<G>(&start, values))?;
    let mut words = Vec::new();
    let mut position = start;
    for entry in &line {
        words.push(numbered::<G>(&position, entry, words.is_empty()));
        position = G::play(&position, entry.mv);
    }
    for row in wrap(&words, WIDTH) {
        writeln!(out, "{row}")?;
    }
    Ok(())
}

/// A move as people write it, with its number where a reader needs it.
fn numbered<G: TableGame>(
    position: &G::Position,
    entry: &MoveValue<G::Move>,
    first: bool,
) -> String {
    let written = G::write_move(position, entry.mv);
    let number = G::fullmoves(position);
    match G::turn(position) {
        Side::First => format!("{number}. {written}"),
        Side::Second if first => format!("{number}... {written}"),
        Side::Second => written,
    }
}

/// Words in rows of at most `width` letters.
fn wrap(words: &[String], width: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in words.iter().flat_map(|word| word.split(' ')) {
        match rows.last_mut() {
            Some(row) if row.len() + 1 + word.len() <= width => {
                row.push(' ');
                row.push_str(word);
            }
            _ => rows.push(word.to_owned()),
        }
    }
    rows
}
