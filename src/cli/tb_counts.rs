//! `duchamp tb generate --no-files`: what tables hold that were solved and not written.

use super::Failure;
use super::columns::{Columns, Side};
use super::tb_game::TableGame;
use super::tb_words;
use duchamp_base::{human, limits};
use duchamp_tablebase::{Made, SideCounts, Summary};
use std::io::Write;

/// Prints a table of counts, or one JSON object a table.
pub(super) fn print<G: TableGame>(summary: &Summary<G::Key>, json: bool) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if json {
        for made in &summary.made {
            writeln!(out, "{}", object::<G>(made))?;
        }
        return Ok(());
    }
    let mut columns = Columns::new(vec![
        ("table", Side::Left),
        ("to move", Side::Left),
        ("won", Side::Right),
        ("drawn", Side::Right),
        ("lost", Side::Right),
        ("longest win", Side::Right),
    ]);
    for made in &summary.made {
        for (name, counts) in G::SIDES.into_iter().zip(&made.counts) {
            let longest = tb_words::longest_win(&[*counts]);
            columns.row(vec![
                made.key.to_string(),
                name.to_owned(),
                counts.won.to_string(),
                counts.drawn.to_string(),
                counts.lost.to_string(),
                longest.map_or("none".to_owned(), tb_words::length),
            ]);
        }
    }
    columns.write(&mut out)?;
    let tables = tb_words::tables(summary.made.len());
    let peak = limits::peak_memory();
    let peak = peak.map_or(String::new(), |bytes| {
        format!(", {} of memory at most", human::size(bytes))
    });
    let time = human::span(summary.elapsed);
    writeln!(out, "Solved {tables}, wrote no files ({time}{peak})")?;
    Ok(())
}

fn object<G: TableGame>(made: &Made<G::Key>) -> serde_json::Value {
    let mut object = serde_json::json!({
        "material": made.key.to_string(), "metric": "dtm",
        "solving_seconds": made.solving.as_secs_f64(),
        "counting_seconds": made.encoding.as_secs_f64(),
    });
    for (name, counts) in G::SIDE_NAMES.into_iter().zip(&made.counts) {
        object[format!("{name}_to_move")] = side(counts);
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
