//! Samples of tables that are solved and get no files, while all values are at hand.
//!
//! As in `groups`, what is drawn are neighbouring cells, so that few blocks are unpacked for many positions. A table at hand
//! has the lengths of wins and losses, so each move shows its value at once.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::drawn::{drawn, enough};
use super::faults::{Errors, compare, longest};
use super::walk;
use crate::format::{CODED_BLOCK, Metric, SideCounts};
use crate::game::Game;
use crate::generate::{AtHand, Inspected, Inspector, Look};
use crate::index::{CellId, Index};
use crate::rules::Rules;
use crate::store::Store;
use crate::write::EncodeError;
use duchamp_base::{Control, Gauge, Random, Value};
use duchamp_retro::Side;

/// Stretches of 4,096 cells that are looked at together: they lie near one another, and so do their moves.
const TOGETHER: usize = 4;

/// Nanoseconds of one thread for a position.
const NANOSECONDS: u64 = 20_000;

/// Verifies random positions of each table that a generation solves and counts without files: the value of each must be
/// the best that its legal moves give. What [`Generator::inspecting`](crate::Generator::inspecting) takes.
///
/// Drawn are stretches of 4,096 cells, the same in every run, of which all positions are looked at; so the number of
/// positions is what was asked for on average.
#[derive(Debug)]
pub struct SolvedSample<'s, G: Game> {
    store: &'s Store<G>,
    count: u64,
}

impl<'s, G: Game> SolvedSample<'s, G> {
    /// About `count` positions of each side to move. The store knows which table has which pieces.
    #[must_use]
    pub fn new(store: &'s Store<G>, count: u64) -> SolvedSample<'s, G> {
        SolvedSample { store, count }
    }
}

impl<G: Rules> Inspector<G> for SolvedSample<'_, G> {
    fn nanoseconds(&self) -> u64 {
        2 * self.count * NANOSECONDS
    }

    fn inspect(
        &self,
        table: &AtHand<'_, G>,
        counts: &[SideCounts; 2],
        (gauge, control): (&Gauge, &Control),
    ) -> Result<Inspected, EncodeError> {
        let start = Instant::now();
        let (errors, positions) = (Errors::default(), AtomicU64::new(0));
        let index = table.index();
        let words = index.words();
        // What is read together has stretches for a group.
        let reach = (CODED_BLOCK * TOGETHER).next_multiple_of(table.stride());
        let stretches_of_all = words.div_ceil(CODED_BLOCK);
        let reaches = words.div_ceil(reach);
        // Stretches by what the counts say of the average one, and the groups that they make.
        let wanted = |n: usize| {
            let wanted = enough(self.count, stretches_of_all, counts[n].legal());
            (wanted, wanted.div_ceil(TOGETHER).min(reaches))
        };
        let sides = index.stored_sides();
        gauge.start((0..sides.len()).map(|n| wanted(n).1 as u64).sum());
        let looker = Looker {
            store: self.store,
            table,
            longest: longest(counts),
            errors: &errors,
        };
        for (n, &side) in sides.iter().enumerate() {
            let (wanted, groups) = wanted(n);
            (0..groups).into_par_iter().try_for_each(|group| {
                let number = (group * sides.len() + n) as u64;
                let part = drawn(group, groups, reaches, number) * reach;
                let part = part..words.min(part + reach);
                let share = (wanted * part.len()).div_ceil(words);
                let wanted = share.max(wanted.div_ceil(groups));
                for stretches in stretches(part, wanted, number).chunks(TOGETHER) {
                    control.check()?;
                    positions.fetch_add(looker.verify(side, stretches)?, Ordering::Relaxed);
                }
                gauge.add(1);
                Ok::<(), EncodeError>(())
            })?;
        }
        let (errors, first) = errors.into_parts();
        Ok(Inspected {
            positions: positions.into_inner(),
            errors,
            first,
            time: start.elapsed(),
        })
    }
}

/// So many random stretches of some words, if there are so many: one in each of as many parts.
fn stretches(words: Range<usize>, wanted: usize, number: u64) -> Vec<Range<usize>> {
    let all = words.len().div_ceil(CODED_BLOCK);
    let wanted = wanted.min(all);
    let stretch = |n: usize| {
        let number = Random::of(number, n as u64).next_u64();
        let first = words.start + drawn(n, wanted, all, number) * CODED_BLOCK;
        first..words.end.min(first + CODED_BLOCK)
    };
    (0..wanted).map(stretch).collect()
}

struct Looker<'a, G: Rules> {
    store: &'a Store<G>,
    table: &'a AtHand<'a, G>,
    longest: u16,
    errors: &'a Errors,
}

impl<G: Rules> Looker<'_, G> {
    /// Verifies all positions of some words of a side; returns their number.
    fn verify(&self, side: Side, words: &[Range<usize>]) -> Result<u64, EncodeError> {
        let index = self.table.index();
        let (mut positions, mut looks) = (Vec::new(), Vec::new());
        // The same walk twice: it notes what it needs to know, and then it is told.
        for cell in words
            .iter()
            .flat_map(|words| words.start * 64..words.end * 64)
        {
            let cell = cell as u64;
            let at = CellId { side, cell };
            if let Some(position) = G::position(index, at) {
                looks.push(look_at(index.key(), at));
                walk::by_moves::<G>(&position, Metric::Dtm, &mut |after| {
                    looks.extend(self.place(after));
                    Value::Draw
                });
                positions.push(position);
            }
        }
        self.table.look(&mut looks)?;
        let mut looks = looks.into_iter();
        let mut next = || looks.next().and_then(|look| look.value);
        for position in &positions {
            let told = next();
            let mut lost_track = false;
            let found = walk::by_moves::<G>(position, Metric::Dtm, &mut |after| {
                if G::is_dead_draw(after) {
                    return Value::Draw;
                }
                let value = next();
                lost_track |= value.is_none();
                value.unwrap_or(Value::Draw)
            });
            match told {
                Some(told) if !lost_track => {
                    compare::<G>(position, told, found, self.longest, self.errors);
                }
                told => self.errors.add(|| {
                    let position = G::notation(position);
                    match told {
                        Some(_) => format!("{position}: a move leads to what is no position"),
                        None => format!("{position} is taken for no position"),
                    }
                }),
            }
        }
        Ok(positions.len() as u64)
    }

    /// Where the value of a position lies; `None` if it is a draw without a table.
    fn place(&self, position: &G::Position) -> Option<Look<G::Key>> {
        if G::is_dead_draw(position) {
            return None;
        }
        let found = self.store.by_code(G::code(position));
        let (key, _, exchanged) = found.expect("a legal move leads to a position of a table");
        let index = self.table.index_of(key).expect("a table at hand");
        let at = G::cell(index, position, exchanged);
        Some(look_at(key, at.expect("a legal position has a cell")))
    }
}

const fn look_at<K>(key: K, at: CellId) -> Look<K> {
    let value = None;
    Look { key, at, value }
}
