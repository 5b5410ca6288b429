//! Replays the printed lines and tells of each move whether it is optimal.

use super::super::Failure;
use super::printed::Line;
use duchamp_base::{Plies, Value};
use duchamp_chess::{Board, Color, Move, Position, Role, Setup, Square};
use duchamp_chess_tables::Survey;
use std::fmt::Write as _;

/// A line's moves played from a start.
struct Played {
    start: Position,
    moves: Vec<Move>,
}

/// The line from a position; `None` if a move is illegal there.
fn play(start: Position, san: &[String]) -> Option<Played> {
    let mut position = start;
    let mut moves = Vec::with_capacity(san.len());
    for text in san {
        let mv = position.parse_san(text).ok()?;
        // The scan keeps signs of check and mate: they must be right, or it is another position.
        let written = position.san(mv);
        if written.contains('+') != text.contains('+')
            || written.contains('#') != text.contains('#')
        {
            return None;
        }
        moves.push(mv);
        position = position.play(mv);
    }
    Some(Played { start, moves })
}

/// The images of a position under the board's symmetries: eight without pawns, else two.
fn images(position: &Position) -> Vec<Position> {
    let pawns = position.role(Role::Pawn).any();
    let mut found = Vec::new();
    for turn in 0..if pawns { 2u8 } else { 8 } {
        let square = |s: Square| {
            let (mut rank, mut file) = (s.index() as u8 >> 3, s.index() as u8 & 7);
            if turn & 1 != 0 {
                file = 7 - file;
            }
            if turn & 2 != 0 {
                rank = 7 - rank;
            }
            if turn & 4 != 0 {
                (rank, file) = (file, rank);
            }
            Square::wrapping(usize::from(rank * 8 + file))
        };
        let mut board = Board::EMPTY;
        for s in position.occupied() {
            if let Some(piece) = position.at(s) {
                board.put(piece, square(s));
            }
        }
        let setup = Setup {
            board,
            turn: position.turn(),
            ..Setup::EMPTY
        };
        found.extend(Position::from_setup(&setup).ok());
    }
    found.sort_by_key(Position::fen);
    found.dedup_by_key(|position| position.fen());
    found
}

/// A position with White's queen on any square: a line in which she moves late does not tell where she
/// stood.
fn queen_anywhere(position: &Position) -> Vec<Position> {
    let Some(from) = position.of(Color::White, Role::Queen).first() else {
        return vec![*position];
    };
    let moved = |to: Square| {
        let mut setup = position.setup();
        let queen = setup.board.at(from)?;
        setup.board.take(from);
        if setup.board.occupied().has(to) {
            return None;
        }
        setup.board.put(queen, to);
        Position::from_setup(&setup).ok()
    };
    Square::ALL.into_iter().filter_map(moved).collect()
}

/// How much a move gives away, in moves of the winner; `None` if it changes the result.
fn cost(best: Value, value: Value) -> Option<u16> {
    match (best, value) {
        (Value::Win(best), Value::Win(plies)) => Some(plies.moves() - best.moves()),
        (Value::Loss(best), Value::Loss(plies)) => {
            Some(winner_moves(best.0) - winner_moves(plies.0))
        }
        (Value::Draw, Value::Draw) => Some(0),
        _ => None,
    }
}

/// The winner's moves in a loss of so many plies.
fn winner_moves(plies: u16) -> u16 {
    plies / 2
}

/// Replays a line. Where its start is not printed it is sought among all positions of the printed
/// length and their images; of several the one with the most optimal moves is taken. The text tells of
/// each move that is not optimal by how much others are better.
pub(super) fn replay(line: &Line, survey: &Survey<'_>) -> Result<String, Failure> {
    let starts = match &line.fen {
        Some(fen) => match fen.strip_prefix('~') {
            Some(fen) => queen_anywhere(&Position::from_fen(fen).map_err(Failure::failed)?),
            None => vec![Position::from_fen(fen).map_err(Failure::failed)?],
        },
        None => {
            let won = survey.won_in(line.turn, Plies(line.moves * 2 - 1));
            let on_pawn = |position: &Position| {
                line.pawn.as_ref().is_none_or(|pawn| {
                    let square = pawn.parse::<Square>().ok();
                    square.is_some_and(|square| {
                        let white = position.of(Color::White, Role::Pawn);
                        white.has(square)
                    })
                })
            };
            won.iter().flat_map(images).filter(on_pawn).collect()
        }
    };
    let searched = starts.len();
    let mut best: Option<(Played, Vec<String>, usize)> = None;
    let mut fitting = 0;
    for start in starts {
        let Some(played) = play(start, &line.san) else {
            continue;
        };
        fitting += 1;
        let (notes, inferior) = judge_moves(&played, survey)?;
        if best.as_ref().is_none_or(|(_, _, least)| inferior < *least) {
            best = Some((played, notes, inferior));
        }
    }
    let mut text = format!("{}\n", line.name);
    let Some((played, notes, inferior)) = best else {
        let _ = writeln!(
            text,
            "  no position of that length fits the moves ({searched} tried)"
        );
        return Ok(text);
    };
    if line.fen.is_none() {
        let _ = writeln!(
            text,
            "  {fitting} start positions fit, as {}",
            played.start.fen()
        );
    } else {
        let _ = writeln!(text, "  from {}", played.start.fen());
    }
    let value = survey.value(&played.start).map_err(Failure::failed)?;
    let _ = writeln!(text, "  value at the start: {}", in_words(value));
    for note in &notes {
        let _ = writeln!(text, "  {note}");
    }
    let _ = writeln!(
        text,
        "  {} of {} moves are optimal",
        played.moves.len() - inferior,
        played.moves.len()
    );
    Ok(text)
}

/// A value in words.
pub(super) fn in_words(value: Value) -> String {
    match value {
        Value::Win(plies) => format!("won in {} moves ({plies} plies)", plies.moves()),
        Value::Draw => "drawn".to_owned(),
        Value::Loss(plies) => format!("lost in {} moves ({plies} plies)", winner_moves(plies.0)),
    }
}

/// A note on each move that is not optimal, and their number. As in the paper moves of the winner count:
/// whether his last move or the loser's forced capture ends the win makes no difference.
fn judge_moves(played: &Played, survey: &Survey<'_>) -> Result<(Vec<String>, usize), Failure> {
    let mut notes = Vec::new();
    let mut position = played.start;
    let first = position.turn();
    for (ply, &mv) in played.moves.iter().enumerate() {
        let moves = survey.moves(&position).map_err(Failure::failed)?;
        let best = moves.first().map_or(Value::Draw, |entry| entry.value);
        let value = moves
            .iter()
            .find(|entry| entry.mv == mv)
            .map_or(best, |entry| entry.value);
        if cost(best, value) != Some(0) {
            let number = (ply + usize::from(first == Color::Black)) / 2 + 1;
            let dots = if position.turn() == Color::Black {
                "..."
            } else {
                ""
            };
            let better: Vec<String> = moves
                .iter()
                .take_while(|entry| cost(entry.value, value) != Some(0))
                .take(4)
                .map(|entry| {
                    let gain = cost(entry.value, value)
                        .map_or("another result".to_owned(), |n| n.to_string());
                    format!("{} ({gain})", position.san(entry.mv))
                })
                .collect();
            notes.push(format!(
                "{number}{dots} {} is {}; better by so many moves: {}",
                position.san(mv),
                in_words(value),
                better.join(", ")
            ));
        }
        position = position.play(mv);
    }
    let inferior = notes.len();
    Ok((notes, inferior))
}
