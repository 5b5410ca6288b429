//! Whole tables in memory, read from their files: one value of a metric a cell, with the losses and the
//! immediate wins (in one ply) that files omit.
//!
//! Uses the rules of the game and the numbering of cells, nothing of the solver: verification and
//! statistics stand on this.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::format::{Class, DistanceFile, FormatError, Metric};
use crate::game::Game;
use crate::index::{CellId, Index};
use crate::probe::{ProbeError, Prober};
use crate::rules::{Rules, has_immediate_win};
use crate::store::{Store, Table};
use duchamp_base::{Cancelled, Control, Plies, Value};
use duchamp_retro::{Bits, Cell, Wide};

use super::error::VerifyError;
use super::walk;

/// Words that a thread takes at a time.
const CHUNK: usize = 256;

/// Words that a thread reads at a time: whole blocks of any file.
const PIECE: usize = 1 << 12;

/// One table.
#[derive(Debug)]
pub(crate) struct Dense<G: Game> {
    pub(crate) index: Arc<G::Index>,
    pub(crate) metric: Metric,
    /// [`Rules::code`] of its positions, sides as in the key.
    code: u64,
    /// Per stored side a value a cell. What is void has any value.
    cells: Vec<Vec<Wide>>,
    /// Per stored side and block of the file, whether immediate wins are omitted.
    omitting: Vec<Vec<bool>>,
    /// Words of a block of the file.
    block_words: usize,
}

/// Lost in an unknown number of plies: the value of a lost cell until [`Dense::fill_in`].
const LOST: Wide = Wide::loss(Wide::LONGEST);
/// The same of a win.
const WON: Wide = Wide::win(Wide::LONGEST);

/// A loss whose length is known; longer ones than there are stand for the longest that can be told from [`LOST`].
fn lost_in(plies: u16) -> Wide {
    Wide::loss(plies.min(Wide::LONGEST - 1))
}

/// The same of a win.
fn won_in(plies: u16) -> Wide {
    Wide::win(plies.min(Wide::LONGEST - 1))
}

/// Reads some words of a stored side, drawn at first.
fn read_piece<G: Game>(
    table: &Table<G>,
    file: &DistanceFile<G::Index>,
    side: usize,
    piece: usize,
    cells: &mut [Wide],
) -> Result<(), FormatError> {
    let first = piece * PIECE;
    let mut words = Vec::with_capacity(cells.len() / 64);
    table.read_words(side, first..first + cells.len() / 64, |word| {
        words.push(word)
    })?;
    let per_block = file.block_words();
    let [wins, losses] = Class::ALL.map(|class| file.holdings().has(side, class));
    let blocks = cells
        .chunks_mut(64 * per_block)
        .zip(words.chunks(per_block));
    for (n, (cells, words)) in blocks.enumerate() {
        let block = file.block_of(side, first + n * per_block);
        let lengths = file.decode(&table.wdl, block)?;
        let each = words.iter().zip(cells.as_chunks_mut::<64>().0);
        for ((word, cells), lengths) in each.zip(lengths.as_chunks::<64>().0) {
            Wide::write(cells, word.won, WON);
            Wide::write(cells, word.lost, LOST);
            for bit in Bits(if wins { word.won } else { 0 }) {
                cells[bit] = won_in(lengths[bit]);
            }
            for bit in Bits(if losses { word.lost } else { 0 }) {
                cells[bit] = lost_in(lengths[bit]);
            }
        }
    }
    Ok(())
}

impl<G: Rules> Dense<G> {
    /// Reads a table, which has a file of the metric; lengths of losses and of immediate wins are not known
    /// until [`Dense::fill_in`].
    pub(crate) fn read(table: &Table<G>, metric: Metric) -> Result<Dense<G>, FormatError> {
        let file = table
            .distances(metric)
            .ok_or(FormatError::Header("metric"))?;
        let (mut sides, mut omitting) = (Vec::new(), Vec::new());
        for side in 0..table.index.stored_sides().len() {
            let mut cells = vec![Wide::DRAW; 64 * table.index.words()];
            cells
                .par_chunks_mut(64 * PIECE)
                .enumerate()
                .try_for_each(|(piece, cells)| read_piece(table, file, side, piece, cells))?;
            sides.push(cells);
            omitting.push(table.omitting_blocks(metric, side)?);
        }
        Ok(Dense {
            index: Arc::clone(&table.index),
            metric,
            code: G::codes(table.index.key())[0],
            cells: sides,
            omitting,
            block_words: file.block_words(),
        })
    }

    /// The value of a cell.
    pub(crate) fn get(&self, at: CellId) -> Value {
        let side = at.side.index().min(self.cells.len() - 1);
        self.cells[side][at.cell as usize].value()
    }

    /// The values by stored side.
    pub(crate) fn into_cells(self) -> Vec<Vec<Wide>> {
        self.cells
    }

    /// Works out what the file omits, from the values that moves lead to: immediate wins, and the lengths of the losses or
    /// wins that it does not hold. `wrong` receives cells whose moves give another result.
    pub(crate) fn fill_in(
        &mut self,
        others: Others<'_, G>,
        store: &Store<G>,
        control: &Control,
        wrong: &(dyn Fn(&G::Position) + Sync),
    ) -> Result<(), VerifyError<G::Key>> {
        let block = self.block_words * 64;
        if self.omitting.iter().flatten().any(|&omitting| omitting) {
            // Of what a move leads to only the result is read, so the order does not matter.
            self.revise(others, store, control, &|reader, side, at, value| {
                let omitting = &reader.me.omitting[side];
                if !matches!(value, Value::Win(_)) || !omitting[at.cell as usize / block] {
                    return None;
                }
                let position = G::position(&reader.me.index, at)?;
                let immediate = has_immediate_win::<G, _>(reader.me.metric, &position, |after| {
                    Ok::<_, Infallible>(matches!(reader.value(after), Value::Loss(_)))
                });
                matches!(immediate, Ok(true)).then_some(Wide::win(1))
            })?;
        }
        // Of each winner the file holds the wins or the losses, and each follows from the other.
        self.revise(others, store, control, &|reader, _, at, value| {
            if value != LOST.value() && value != WON.value() {
                return None;
            }
            let position = G::position(&reader.me.index, at)?;
            match (reader.by_moves(&position), value) {
                (Value::Loss(Plies(plies)), Value::Loss(_)) => Some(lost_in(plies)),
                (Value::Win(Plies(plies)), Value::Win(_)) => Some(won_in(plies)),
                _ => {
                    wrong(&position);
                    None
                }
            }
        })?;
        others.check()
    }

    /// Gives cells new values: `new` is called for each, given its stored side and value, and may read
    /// the other side's values, and of its own side what is not changed.
    fn revise(
        &mut self,
        others: Others<'_, G>,
        store: &Store<G>,
        control: &Control,
        new: &NewValue<'_, G>,
    ) -> Result<(), Cancelled> {
        for side in 0..self.cells.len() {
            let color = self.index.stored_sides()[side];
            let mut cells = std::mem::take(&mut self.cells[side]);
            // A table with one side is read while it is written to.
            let before = if self.cells.len() == 1 {
                Some(cells.clone())
            } else {
                None
            };
            let reader = Reader {
                me: self,
                mine: before.as_deref(),
                others,
                store,
            };
            let chunks = cells.par_chunks_mut(CHUNK * 64).enumerate();
            let done = chunks.try_for_each(|(chunk, cells)| {
                control.check()?;
                for (n, cell) in cells.iter_mut().enumerate() {
                    let at = CellId {
                        side: color,
                        cell: (chunk * CHUNK * 64 + n) as u64,
                    };
                    if let Some(value) = new(&reader, side, at, cell.value()) {
                        *cell = value;
                    }
                }
                Ok(())
            });
            self.cells[side] = cells;
            done?;
        }
        Ok(())
    }
}

/// Tables in memory by key.
pub(crate) type DenseSet<G> = BTreeMap<<G as Game>::Key, Dense<G>>;

/// Where the values of the tables come from that a table's moves lead to.
#[derive(Debug)]
pub(crate) enum Others<'a, G: Rules> {
    /// They are in memory.
    Memory(&'a DenseSet<G>),
    /// They are probed in their files, one by one; the first error of a probe is kept here.
    Files(&'a Fault<G>),
}

impl<G: Rules> Clone for Others<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Rules> Copy for Others<'_, G> {}

impl<G: Rules> Others<'_, G> {
    /// # Errors
    /// When a probe has failed: values that were read since are wrong.
    pub(crate) fn check(&self) -> Result<(), VerifyError<G::Key>> {
        match self {
            Others::Memory(_) => Ok(()),
            Others::Files(fault) => match fault.0.get() {
                Some(error) => Err(error.clone().into()),
                None => Ok(()),
            },
        }
    }
}

/// The first error of a probe.
#[derive(Debug)]
pub(crate) struct Fault<G: Rules>(OnceLock<ProbeError<G::Key>>);

impl<G: Rules> Default for Fault<G> {
    fn default() -> Fault<G> {
        Fault(OnceLock::new())
    }
}

impl<G: Rules> Fault<G> {
    /// A probed value; a draw in place of an error, which is kept.
    fn value(&self, probed: Result<Value, ProbeError<G::Key>>) -> Value {
        probed.unwrap_or_else(|error| {
            let _ = self.0.set(error);
            Value::Draw
        })
    }
}

/// What a cell's new value is, given its stored side and value; `None` to leave it as it is.
type NewValue<'f, G> = dyn Fn(&Reader<'_, G>, usize, CellId, Value) -> Option<Wide> + Sync + 'f;

/// Looks positions up in a table that is being worked on and in finished ones.
pub(crate) struct Reader<'a, G: Rules> {
    pub(crate) me: &'a Dense<G>,
    /// The only side of a symmetric table while it is taken out of `me`.
    pub(crate) mine: Option<&'a [Wide]>,
    pub(crate) others: Others<'a, G>,
    /// Knows which table a position belongs to.
    pub(crate) store: &'a Store<G>,
}

impl<G: Rules> Reader<'_, G> {
    /// The value of a position, unstored moves included.
    ///
    /// # Panics
    /// If tables are in memory and one that a move leads to is not: callers have put all of them there.
    pub(crate) fn value(&self, position: &G::Position) -> Value {
        if !G::has_unstored_moves(position) {
            return self.stored(position);
        }
        let (best, others) = self.best(position, true);
        walk::with_stored(best, others.then(|| self.stored(position)))
    }

    /// As [`walk::best`]; what lies in files is asked for no more than a move needs.
    fn best(&self, position: &G::Position, unstored_only: bool) -> (Option<Value>, bool) {
        let metric = self.me.metric;
        walk::best::<G>(position, metric, unstored_only, |after, facts| {
            match self.others {
                Others::Files(fault) if G::code(after) != self.me.code => {
                    fault.value(Prober::new(self.store).after(after, facts, metric))
                }
                _ => self.value(after),
            }
        })
    }

    fn stored(&self, position: &G::Position) -> Value {
        if G::is_dead_draw(position) {
            return Value::Draw;
        }
        let code = G::code(position);
        let own = code == self.me.code;
        let (table, exchanged) = match self.others {
            _ if own => (self.me, false),
            Others::Memory(all) => {
                let found = self.store.by_code(code);
                let (key, _, exchanged) =
                    found.expect("a legal move leads to a position of a table");
                (&all[&key], exchanged)
            }
            Others::Files(fault) => {
                return fault.value(Prober::new(self.store).value(position, self.me.metric));
            }
        };
        let at = G::cell(&table.index, position, exchanged);
        let at = at.expect("a legal position of this table has a cell");
        match self.mine {
            Some(cells) if own => cells[at.cell as usize].value(),
            _ => table.get(at),
        }
    }

    /// The value that the moves of a position give it: the game may be over.
    pub(crate) fn by_moves(&self, position: &G::Position) -> Value {
        let (best, _) = self.best(position, false);
        best.unwrap_or_else(|| G::stuck(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file may say anything: what it says is not taken for unknown.
    #[test]
    fn every_length_differs_from_an_unknown_one() {
        for plies in [0, 1, Wide::LONGEST - 1, Wide::LONGEST, u16::MAX] {
            assert!(lost_in(plies) != LOST && won_in(plies) != WON);
            let kept = Plies(plies.min(Wide::LONGEST - 1));
            assert_eq!(lost_in(plies).value(), Value::Loss(kept));
            assert_eq!(won_in(plies).value(), Value::Win(kept));
        }
    }
}
