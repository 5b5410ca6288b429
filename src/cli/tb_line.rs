//! `duchamp tb line FEN`: a best line to the end, as text or as a PGN game.

use super::Failure;
use super::tb_input::{self, Dir, MetricName};
use super::tb_missing;
use super::tb_words;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Color, DrawReason, Game, Outcome, Pgn, Position};
use duchamp_chess_tables::{Material, Metric, MoveValue, ProbedValues, Prober};
use std::io::Write;

/// The longest line of text.
const WIDTH: usize = 100;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The position as FEN (two to six fields), quoted or not
    #[arg(required = true)]
    fen: Vec<String>,
    /// The distance by which the winner plays the shortest and the loser the longest line
    #[arg(long, value_enum, default_value = "dtm")]
    metric: MetricName,
    /// Print a PGN game with the distances as comments
    #[arg(long)]
    pgn: bool,
    #[command(flatten)]
    dir: Dir,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let start = tb_input::position(&arguments.fen)?;
    let tables = arguments.dir.open();
    let metric = Metric::from(arguments.metric);
    let asked = Material::of(start.board()).0;
    let failed = |error| Failure::Failed(tb_missing::probe_error(&tables, asked, &error));
    let values = tables.probe_all(&start).map_err(failed)?;
    let line = tables.best_line(&start, metric).map_err(failed)?;
    let mut out = std::io::stdout().lock();
    if arguments.pgn {
        write!(out, "{}", pgn(&tables, metric, &start, values, &line)?)?;
        return Ok(());
    }
    writeln!(out, "{}", tb_words::in_words(&start, values))?;
    let mut words = Vec::new();
    let mut position = start;
    for entry in &line {
        words.push(numbered(&position, entry, words.is_empty()));
        position.advance(entry.mv);
    }
    for row in wrap(&words, WIDTH) {
        writeln!(out, "{row}")?;
    }
    Ok(())
}

/// The line as a game: what the tables say of the start first, then after each move the distance that is
/// left; a comment marks a move that alone keeps the win.
fn pgn(
    tables: &Prober,
    metric: Metric,
    start: &Position,
    values: ProbedValues,
    line: &[MoveValue],
) -> Result<String, Failure> {
    let mut game = Game::new(*start);
    let mut comments = vec![(0, tb_words::in_words(start, values))];
    for (ply, entry) in line.iter().enumerate() {
        let mut parts = Vec::new();
        if entry.value.wdl() == Wdl::Win {
            let moves = tables
                .probe_moves(game.current(), metric)
                .map_err(Failure::failed)?;
            let wins = |entry: &&MoveValue| entry.value.wdl() == Wdl::Win;
            if moves.len() > 1 && moves.iter().filter(wins).count() == 1 {
                parts.push("the only move that wins".to_owned());
            }
        }
        game.push(entry.mv);
        let ended = metric != Metric::Dtm && entry.value.plies() == Some(Plies(1));
        // Counted from after the move; a line by conversions begins anew after each.
        let left = if ended {
            let next = tables.probe_metric(game.current(), metric);
            next.map_err(Failure::failed)?.plies()
        } else {
            entry.value.plies().map(|plies| Plies(plies.0 - 1))
        };
        if let Some(left) = left.filter(|left| left.0 > 0) {
            let unit = if left.0 == 1 { "ply" } else { "plies" };
            parts.push(format!("{left} {unit} to {}", tb_words::end_of(metric)));
        }
        if !parts.is_empty() {
            comments.push((ply + 1, parts.join("; ")));
        }
    }
    let outcome = match values.wdl {
        // Nobody can force more; which rule ends it is not known.
        Wdl::Draw => Outcome::Draw(DrawReason::FiftyMoves),
        Wdl::Win | Wdl::CursedWin => Outcome::Win(start.turn()),
        Wdl::Loss | Wdl::BlessedLoss => Outcome::Win(!start.turn()),
    };
    let material = Material::of(start.board()).0;
    let mut pgn = Pgn::new(&game)
        .tag(
            "Event",
            &format!("{material}: best line by distance to mate"),
        )
        .tag("Site", "endgame table")
        .tag("Round", "-")
        .tag("White", "Duchamp")
        .tag("Black", "Duchamp")
        .tag("Annotator", "Duchamp")
        .outcome(outcome);
    for (ply, text) in comments {
        pgn = pgn.comment(ply, &text);
    }
    Ok(pgn.to_string())
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
