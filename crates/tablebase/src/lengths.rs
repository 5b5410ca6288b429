//! All positions of a table that are won in a given number of plies, read from its file of distances block by block.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use crate::format::{Metric, SideCounts};
use crate::index::{CellId, Index};
use crate::probe::Prober;
use crate::rules::Rules;
use crate::store::{Store, Table};
use crate::verify::{Verifiable, Verifier, VerifyError, found_damaged, verifiable};
use duchamp_base::{Control, Plies, Value};
use duchamp_retro::{Bits, Side, Wide};

/// Blocks that are read before their positions are handed on: bounds the memory of a listing.
const BATCH: usize = 64;
/// Positions that are handed on together.
const HANDFUL: usize = 4096;
/// Where a file does not hold the wins, tables of so many cells at most have them worked out in memory, two bytes each; of
/// larger ones every win is looked up by its moves.
const IN_MEMORY: usize = 1 << 30;

/// The longest win of `side` to move in a metric with distances, as the header of the file has it; `None` if nothing is
/// won.
///
/// # Errors
/// When the table is missing or has no file of the metric.
pub fn longest_win<G: Rules>(
    store: &Store<G>,
    key: G::Key,
    metric: Metric,
    side: Side,
) -> Result<Option<Plies>, VerifyError<G::Key>> {
    let plies = counts(verifiable(store, key, metric)?, metric, side).longest_win;
    Ok((plies > 0).then_some(Plies(plies)))
}

/// Calls `each` with all positions that `side` to move wins in exactly `plies` plies of a metric with distances, some
/// thousand at a time and in the order of the table, until it breaks. Each symmetry class comes once, identical pieces
/// are not distinguished. Computed on the threads of the current rayon pool. Takes two bytes for every cell of a table whose file
/// holds the losses instead, up to 2 GiB; otherwise memory does not grow with the table.
///
/// # Errors
/// When cancelled, or when the table is missing or damaged, or has no file of the metric. To zeroing, or if the file does not
/// hold the wins, also when a table that a capture leads to is missing.
pub fn each_won_in<G: Verifiable>(
    store: &Store<G>,
    key: G::Key,
    metric: Metric,
    side: Side,
    plies: Plies,
    control: &Control,
    each: &mut dyn FnMut(&[G::Position]) -> ControlFlow<()>,
) -> Result<(), VerifyError<G::Key>> {
    let table = verifiable(store, key, metric)?;
    let damaged = |source| found_damaged(store, key, source);
    let stored = side.index().min(table.index.stored_sides().len() - 1);
    let scan = Scan {
        store,
        table,
        metric,
        stored,
        plies,
        omitting: table.omitting_blocks(metric, stored).map_err(damaged)?,
        block_words: table.block_words(metric).map_err(damaged)?,
        holds: table.holds(metric, stored).map_err(damaged)?[0],
    };
    let exchange = side != table.index.stored_sides()[stored];
    let longest = counts(table, metric, side).longest_win;
    if plies.0 == 0 || plies.0 > longest {
        return Ok(());
    }
    let cells = table.index.words() * 64 * table.index.stored_sides().len();
    let values = if scan.holds || cells > IN_MEMORY {
        None
    } else {
        let all = Verifier::new(store).values(key, metric, control)?;
        all.into_iter().nth(stored)
    };
    let blocks = scan.omitting.len();
    for batch in (0..blocks).step_by(BATCH) {
        let cells = (batch..blocks.min(batch + BATCH))
            .into_par_iter()
            .map(|block| {
                control.check()?;
                match &values {
                    Some(values) => Ok(scan.block_of(values, block)),
                    None => scan.block(block),
                }
            })
            .collect::<Result<Vec<_>, VerifyError<G::Key>>>()?;
        for handful in cells.concat().chunks(HANDFUL) {
            let positions = handful.par_iter().filter_map(|&cell| {
                let position = scan.position(cell)?;
                if exchange {
                    G::exchanged(&position)
                } else {
                    Some(position)
                }
            });
            if each(&positions.collect::<Vec<_>>()).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// What the header of a file counts for a side; nothing if there is no such file.
fn counts<G: Rules>(table: &Table<G>, metric: Metric, side: Side) -> SideCounts {
    let file = table.file(metric);
    file.map_or_else(SideCounts::default, |file| {
        file.header().counts[side.index()]
    })
}

/// What is looked for.
struct Scan<'s, G: Rules> {
    store: &'s Store<G>,
    table: &'s Table<G>,
    metric: Metric,
    stored: usize,
    plies: Plies,
    /// By block: whether it omits wins in one ply.
    omitting: Vec<bool>,
    /// Words of a block.
    block_words: usize,
    /// Whether the file holds the lengths of these wins; else the moves show them.
    holds: bool,
}

impl<G: Rules> Scan<'_, G> {
    fn at(&self, cell: u64) -> CellId {
        let side = self.table.index.stored_sides()[self.stored];
        CellId { side, cell }
    }

    fn position(&self, cell: u64) -> Option<G::Position> {
        G::position(&self.table.index, self.at(cell))
    }

    /// The words of a block.
    fn words(&self, block: usize) -> Range<usize> {
        let first = block * self.block_words;
        first..self.table.index.words().min(first + self.block_words)
    }

    /// The cells of a block that are won in that many plies, all values of the table being known.
    fn block_of(&self, values: &[Wide], block: usize) -> Vec<u64> {
        let (index, side) = (&self.table.index, self.at(0).side);
        let mut found = Vec::new();
        for word in self.words(block) {
            for bit in Bits(index.legal(side, word) & index.canonical(word)) {
                let cell = word * 64 + bit;
                if values[cell].value() == Value::Win(self.plies) {
                    found.push(cell as u64);
                }
            }
        }
        found
    }

    /// The cells of a block that are won in that many plies.
    fn block(&self, block: usize) -> Result<Vec<u64>, VerifyError<G::Key>> {
        let (table, index) = (self.table, &self.table.index);
        let damaged = |source| found_damaged(self.store, index.key(), source);
        let words = self.words(block);
        let omits = self.omitting[block];
        let mut sets: Vec<u64> = Vec::with_capacity(words.len());
        if self.holds {
            let wins = table.block_lengths(self.metric, self.stored, block);
            for wins in wins.map_err(damaged)?.chunks_exact(64) {
                let told = wins.iter().enumerate();
                let set = told.fold(0, |set, (bit, &plies)| {
                    set | u64::from(plies == self.plies.0) << bit
                });
                sets.push(if omits && self.plies.0 == 1 { !0 } else { set });
            }
        }
        let mut won = Vec::with_capacity(words.len());
        table
            .read_words(self.stored, words.clone(), |word| won.push(word.won))
            .map_err(damaged)?;
        let side = self.at(0).side;
        let mut found = Vec::new();
        for (n, word) in words.enumerate() {
            let set = won[n] & sets.get(n).copied().unwrap_or(!0);
            if set == 0 {
                continue;
            }
            for bit in Bits(set & index.legal(side, word) & index.canonical(word)) {
                let cell = (word * 64 + bit) as u64;
                if (self.holds && !omits) || self.takes(cell)? {
                    found.push(cell);
                }
            }
        }
        Ok(found)
    }

    /// Whether a won cell whose length is omitted or not held is won in that many.
    fn takes(&self, cell: u64) -> Result<bool, VerifyError<G::Key>> {
        let Some(position) = self.position(cell) else {
            return Ok(false);
        };
        let prober = Prober::new(self.store);
        if self.holds {
            return Ok(prober.value(&position, self.metric)? == Value::Win(self.plies));
        }
        Ok(prober.wins_in(&position, self.metric, self.plies)?)
    }
}
