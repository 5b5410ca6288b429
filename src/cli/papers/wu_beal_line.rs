//! The paper's longest win, played by the tables; each move is compared with all others.

use super::super::Failure;
use super::super::tb_missing;
use duchamp_base::{Plies, Value, Wdl};
use duchamp_tablebase::{Metric, Prober};
use duchamp_xiangqi::{Color, Position, RankBase};
use duchamp_xiangqi_tables::Store;
use std::io::Write;

/// The position that the paper prints: cannon and pawn with advisor and elephant against all defenders.
pub(super) const START: &str = "3a1Cb2/9/b2ak4/9/9/9/2P6/4B4/3K5/5A3 w - - 0 1";
/// Moves to conversion there, as the paper says.
pub(super) const MOVES: u16 = 95;

/// Writes the best line from there to its conversion. Every move has the best value of all moves, and every value is one
/// ply less than that before: that is checked, not assumed.
///
/// # Errors
/// When a table is missing, or when the tables contradict themselves.
pub(super) fn write(store: &Store, out: &mut impl Write) -> Result<(), Failure> {
    let tables = Prober::new(store);
    let mut position = Position::from_fen(START).map_err(Failure::failed)?;
    let failed = |position: &Position, error| tb_missing::position_failure(store, position, &error);
    let start = tables
        .value(&position, Metric::Dtc)
        .map_err(|error| failed(&position, error))?;
    writeln!(out, "The paper's longest win: {START}")?;
    writeln!(
        out,
        "  {MOVES} moves to conversion by the paper, {} by the tables. Its own line is in Chinese notation and not kept\n  \
         here; a best line by the tables, with the number of moves that are equally good where there are several:",
        start
            .plies()
            .map_or_else(|| "none".to_owned(), |plies| plies.moves().to_string())
    )?;
    let (mut expected, mut optimal) = (start, 0);
    let mut words = Vec::new();
    // A conversion or mate ends the line.
    while let Value::Win(_) | Value::Loss(Plies(1..)) = expected {
        let moves = tables
            .moves(&position, Metric::Dtc)
            .map_err(|error| failed(&position, error))?;
        let Some(best) = moves.first().copied() else {
            break;
        };
        if best.value != expected {
            return Err(Failure::Failed(format!(
                "{}: {expected:?} by the table, {:?} by its moves",
                position.fen(),
                best.value
            )));
        }
        optimal += 1;
        let equal = moves.iter().filter(|one| one.value == best.value).count();
        let number = if position.turn() == Color::Red {
            format!("{}. ", optimal / 2 + 1)
        } else {
            String::new()
        };
        let choice = if equal > 1 {
            format!(" ({equal})")
        } else {
            String::new()
        };
        words.push(format!(
            "{number}{} {}{choice}",
            position.wxf(best.mv),
            best.mv.uci(RankBase::Zero)
        ));
        let ends = best.value == Value::Win(Plies(1));
        position = position.play(best.mv);
        if ends {
            break;
        }
        expected = after(expected);
    }
    for row in words.chunks(4) {
        writeln!(out, "  {}", row.join("  "))?;
    }
    let lost = tables
        .wdl(&position)
        .map_err(|error| failed(&position, error))?
        == Wdl::Loss;
    if !lost {
        return Err(Failure::Failed(format!(
            "{}: the line does not end in a loss",
            position.fen()
        )));
    }
    writeln!(
        out,
        "  {optimal} of {optimal} moves are optimal by the tables; the line ends at {}",
        position.fen()
    )?;
    Ok(())
}

/// The value after a best move that ends nothing, as the other side sees it.
fn after(value: Value) -> Value {
    match value {
        Value::Win(plies) => Value::Loss(Plies(plies.0 - 1)),
        Value::Loss(plies) => Value::Win(Plies(plies.0 - 1)),
        Value::Draw => Value::Draw,
    }
}
