//! Wu and Beal's claims, shown on chess endings: one solver gives both sides to move, both winners and both metrics, and
//! it can do with bitmaps in memory and all else in files that are read in order.

use super::super::Failure;
use super::super::crew::{self, Watch};
use super::needed::{Needed, begin};
use duchamp_base::{Control, Value};
use duchamp_chess::Color;
use duchamp_chess_tables::{
    Material, Prober, Promotions, Solved, Survey, solve, solve_below, solve_spilled,
};
use duchamp_retro::Side;
use duchamp_tablebase::{Index, PartRoom, Values};
use std::io::Write;
use std::time::Instant;

/// What the paper says its method takes for Chinese endings with five men, in MB.
const PAPER_MEGABYTES: u32 = 15;

/// The endings that are shown where none is named.
const ENDINGS: [&str; 2] = ["KQKR", "KBBKN"];

/// Shows the claims on chess endings without pawns, of at most five men.
pub(super) fn run(endings: &[String], needed: &Needed) -> Result<(), Failure> {
    let tables = needed.dir.open()?;
    let watch = Watch::new(needed.threads)?;
    let few = ENDINGS.map(str::to_owned);
    let endings = if endings.is_empty() { &few } else { endings };
    let control = &*watch.control;
    let mut materials = Vec::new();
    for ending in endings {
        let material: Material = ending.parse().map_err(Failure::bad_input)?;
        if material.pawns() > 0 || !(3..=5).contains(&material.men()) {
            return Err(Failure::BadInput(format!(
                "{material}: endings without pawns, of three to five men"
            )));
        }
        materials.push(material);
    }
    let below: Vec<Material> = materials.iter().flat_map(Material::children).collect();
    needed.ensure(tables.store(), &below, &watch)?;
    let steps = materials.len() as u64;
    let display = needed.display("papers wu-beal", steps);
    for (done, material) in (0..).zip(materials) {
        begin(&display, done, &format!("solving {material} twice"));
        let shown = crew::on_threads(control, || show(&tables, material, control))?;
        if control.is_cancelled() {
            return Err(crew::stopped_with(
                "comparison stopped; tables are kept, figures are not",
            ));
        }
        shown?;
    }
    display.finish();
    Ok(())
}

fn show(tables: &Prober, material: Material, control: &Control) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    let subs = solve_below(material, control).map_err(Failure::failed)?;
    let start = Instant::now();
    let fast = solve(material, &subs, control).map_err(Failure::failed)?;
    let fast_time = start.elapsed();
    let start = Instant::now();
    let spilled =
        solve_spilled(material, &subs, &std::env::temp_dir(), control).map_err(Failure::failed)?;
    let spilled_time = start.elapsed();
    let survey =
        Survey::new(tables, material, Promotions::All, control).map_err(Failure::failed)?;
    writeln!(out, "{material}: longest wins in plies, each side to move")?;
    writeln!(
        out,
        "  side to move    to mate   to mate or conversion   longest loss to mate"
    )?;
    for (side, color) in Side::ALL.into_iter().zip(Color::ALL) {
        let (win, loss) = longest(&fast, side)?;
        writeln!(
            out,
            "  {:14} {win:8} {:23} {loss:22}",
            if color == Color::White {
                "White"
            } else {
                "Black"
            },
            survey.longest_win(color, None).0,
        )?;
    }
    let foot = spilled.footprint();
    let mb = |bytes: u64| bytes as f64 / 1e6;
    writeln!(
        out,
        "  in memory: {:.2} s, values of {:.1} MB",
        fast_time.as_secs_f64(),
        mb(fast.index().cells() * fast.index().stored_sides().len() as u64)
    )?;
    writeln!(
        out,
        "  bitmaps alone in memory: {:.2} s; one bitmap {:.2} MB, all at a time {:.1} MB (the paper: {PAPER_MEGABYTES} MB for its five men),\n  \
         buffers of a thread {:.1} MB, list of passages {:.1} MB; scratch file {:.1} MB",
        spilled_time.as_secs_f64(),
        mb(foot.bitmap),
        mb(foot.bitmaps),
        mb(foot.buffers),
        mb(foot.index),
        mb(foot.scratch)
    )?;
    let differences = differences(&fast, &spilled)?;
    writeln!(out, "  values that differ between the two: {differences}\n")?;
    if differences > 0 {
        return Err(Failure::Failed(format!("{material}: the two ways differ")));
    }
    Ok(())
}

/// Calls `each` with the void cells and values of every word of a side.
fn each_word<V: Values>(
    values: &V,
    side: Side,
    mut each: impl FnMut(usize, u64, &[V::Cell; 64]),
) -> Result<(), Failure> {
    let index = values.index();
    let stride = values.stride().max(64);
    let mut room = PartRoom::default();
    for first in (0..index.words()).step_by(stride) {
        let words = first..index.words().min(first + stride);
        let part = values
            .read(side, words, &mut room)
            .map_err(Failure::failed)?;
        for (n, (&void, cells)) in part.void.iter().zip(part.cells).enumerate() {
            each(first + n, void, cells);
        }
    }
    Ok(())
}

/// The longest win and loss of a side that is to move, in plies.
fn longest(table: &Solved, side: Side) -> Result<(u16, u16), Failure> {
    let (mut win, mut loss) = (0, 0);
    let stored = if table.index().stored_sides().contains(&side) {
        side
    } else {
        Side::First
    };
    each_word(table, stored, |_, void, cells| {
        for (bit, cell) in cells.iter().enumerate() {
            if void >> bit & 1 == 0 {
                match cell.value() {
                    Value::Win(plies) => win = win.max(plies.0),
                    Value::Loss(plies) => loss = loss.max(plies.0),
                    Value::Draw => {}
                }
            }
        }
    })?;
    Ok((win, loss))
}

/// How many positions have different values in two tables of one material; of symmetric duplicates one is
/// regarded, the others need not be filled.
fn differences<A: Values, B: Values<Cell = A::Cell>>(a: &A, b: &B) -> Result<u64, Failure> {
    let mut differing = 0;
    for &side in a.index().stored_sides() {
        let mut words: Vec<(u64, [A::Cell; 64])> = Vec::with_capacity(a.index().words());
        each_word(a, side, |_, void, cells| words.push((void, *cells)))?;
        each_word(b, side, |n, void, cells| {
            let (expected_void, expected) = &words[n];
            let kept = a.index().canonical(n);
            differing += u64::from(((void ^ expected_void) & kept).count_ones());
            let both = |&bit: &usize| (void | expected_void | !kept) >> bit & 1 == 0;
            differing += (0..64)
                .filter(both)
                .filter(|&bit| cells[bit] != expected[bit])
                .count() as u64;
        })?;
    }
    Ok(differing)
}
