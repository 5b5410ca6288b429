//! `duchamp tb generate --no-files`: what tables hold that were solved and not written.

use super::Failure;
use super::tb_game::TableGame;
use super::tb_words;
use duchamp_base::{human, limits};
use duchamp_tablebase::{Counted, SideCounts, Summary};
use std::io::{self, Write};

/// Prints the head of the table of counts.
pub(super) fn begin(json: bool) -> Result<(), Failure> {
    if !json {
        let heads = ["won", "drawn", "lost", "longest win"].map(str::to_owned);
        writeln!(std::io::stdout(), "{}", line("table", "to move", &heads))?;
    }
    Ok(())
}

/// Prints the counts of a table, or one JSON object, at once: a run that is stopped has printed what it has counted.
pub(super) fn print<G: TableGame>(key: G::Key, counted: &Counted, json: bool) -> io::Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        return writeln!(out, "{}", object::<G>(key, counted));
    }
    for (name, counts) in G::SIDES.into_iter().zip(&counted.counts) {
        let longest = tb_words::longest_win(&[*counts]);
        let longest = longest.map_or("none".to_owned(), tb_words::length);
        let [won, drawn, lost] =
            [counts.won, counts.drawn, counts.lost].map(|count| count.to_string());
        let numbers = [won, drawn, lost, longest];
        writeln!(out, "{}", line(&key.to_string(), name, &numbers))?;
    }
    if let Some(inspected) = &counted.inspected {
        writeln!(
            out,
            "{:10} {} verified by their moves, {}  ({})",
            key.to_string(),
            human::counted(inspected.positions, "position", "positions"),
            human::counted(inspected.errors, "error", "errors"),
            human::span(inspected.time)
        )?;
        if let Some(first) = &inspected.first {
            writeln!(out, "  {first}")?;
        }
    }
    Ok(())
}

/// A line of the table. Its columns are as wide as counts of six men are.
fn line(table: &str, side: &str, [won, drawn, lost, longest]: &[String; 4]) -> String {
    format!("{table:10} {side:7} {won:>12} {drawn:>12} {lost:>12}  {longest}")
}

/// Prints the last line. Fails if positions were found that are wrong.
pub(super) fn finish<K>(summary: &Summary<K>, json: bool) -> Result<(), Failure> {
    let inspected = summary
        .made
        .iter()
        .filter_map(|made| made.inspected.as_ref());
    let wrong: u64 = inspected.map(|inspected| inspected.errors).sum();
    if wrong > 0 {
        let wrong = human::counted(wrong, "position is wrong", "positions are wrong");
        return Err(Failure::Failed(wrong));
    }
    if json {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    let tables = tb_words::tables(summary.made.len());
    let peak = limits::peak_memory();
    let peak = peak.map_or(String::new(), |bytes| {
        format!(", {} of memory at most", human::size(bytes))
    });
    let time = human::span(summary.elapsed);
    writeln!(out, "Solved {tables}, wrote no files ({time}{peak})")?;
    Ok(())
}

fn object<G: TableGame>(key: G::Key, counted: &Counted) -> serde_json::Value {
    let mut object = serde_json::json!({
        "material": key.to_string(), "metric": "dtm",
        "solving_seconds": counted.solving.as_secs_f64(),
        "counting_seconds": counted.counting.as_secs_f64(),
    });
    for (name, counts) in G::SIDE_NAMES.into_iter().zip(&counted.counts) {
        object[format!("{name}_to_move")] = side(counts);
    }
    if let Some(inspected) = &counted.inspected {
        object["verified"] = serde_json::json!({
            "positions": inspected.positions, "errors": inspected.errors, "first_error": inspected.first,
            "seconds": inspected.time.as_secs_f64(),
        });
    }
    object
}

/// With the keys of `tb stats --json`.
fn side(counts: &SideCounts) -> serde_json::Value {
    let plies = |plies: u16| (plies > 0).then_some(plies);
    serde_json::json!({
        "win": counts.won, "draw": counts.drawn, "loss": counts.lost,
        "longest_win_plies": plies(counts.longest_win),
        "longest_loss_plies": plies(counts.longest_loss),
    })
}
