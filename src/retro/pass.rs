//! One pass of the level loop over the rows of one player: new wins, new losses, or mates.
//!
//! Rows are worked on in chunks, each by one thread; a chunk writes only what is its own.

use super::cell::Cell;
use super::sets::{Bits, Layer, RowSet, RowWords, mark_words};
use super::slice::{Side, Slice};
use rayon::prelude::*;

/// Words in play from which on a pass is shared among threads.
pub(super) const SHARED_FROM: usize = 2048;

/// A chunk of the rows of the player whose positions a pass solves.
pub(super) struct Chunk<'a, C> {
    pub(super) first_row: usize,
    pub(super) row_words: usize,
    pub(super) cells: &'a mut [[C; 64]],
    pub(super) done: &'a mut [u64],
    pub(super) open: &'a mut [u64],
    pub(super) newest: &'a mut [u64],
    pub(super) marks: &'a mut [u64],
    pub(super) found: &'a mut u64,
    /// Rows that a move can lead out of into what was found last.
    pub(super) visit: u64,
    /// Rows with an exit that comes due.
    pub(super) due: u64,
}

impl<C: Cell> Chunk<'_, C> {
    /// Whether nothing of a row is open any more.
    #[inline]
    fn is_finished(&self, row: usize) -> bool {
        self.open[row * self.row_words..][..self.row_words]
            .iter()
            .all(|&word| word == 0)
    }

    /// Adds the positions of a row whose exits come due.
    #[inline(always)]
    fn add_due(&self, row: usize, code: C, into: &mut RowWords) {
        if self.due >> row & 1 != 0 {
            for word in 0..self.row_words {
                let at = row * self.row_words + word;
                if self.open[at] != 0 {
                    let set = C::equal(&self.cells[at], code) & self.open[at];
                    if set != 0 {
                        into.add(word, set);
                    }
                }
            }
        }
    }

    /// Records positions of a word as solved.
    #[inline(always)]
    fn solved(&mut self, row: usize, word: usize, set: u64, code: C) {
        let at = row * self.row_words + word;
        self.open[at] &= !set;
        self.done[at] |= set;
        self.newest[at] = set;
        self.marks[row * mark_words(self.row_words) + word / 64] |= 1 << (word % 64);
        *self.found |= 1 << row;
        C::write(&mut self.cells[at], set, code);
    }
}

/// What a pass does with a chunk.
pub(super) trait Pass<C>: Sync {
    fn work(&self, chunk: &mut Chunk<'_, C>, found: &mut RowWords);
}

/// New wins: open positions that reach `losses`, or whose exit is due.
pub(super) struct Wins<'a, S: Slice> {
    pub(super) slice: &'a S,
    pub(super) mover: Side,
    pub(super) losses: &'a Layer,
    pub(super) code: S::Cell,
}

impl<S: Slice> Pass<S::Cell> for Wins<'_, S> {
    fn work(&self, chunk: &mut Chunk<'_, S::Cell>, found: &mut RowWords) {
        for row in Bits(chunk.visit | chunk.due) {
            if chunk.is_finished(row) {
                continue;
            }
            if chunk.visit >> row & 1 != 0 {
                self.slice
                    .unmove(self.mover, chunk.first_row + row, self.losses, found);
            }
            chunk.add_due(row, self.code, found);
            found.drain(|word, set| {
                let set = set & chunk.open[row * chunk.row_words + word];
                if set != 0 {
                    chunk.solved(row, word, set, self.code);
                }
            });
        }
    }
}

/// New losses: open positions that reach `wins`, or whose exit is due, and whose moves and exits all
/// lose by now.
pub(super) struct Losses<'a, S: Slice> {
    pub(super) slice: &'a S,
    pub(super) mover: Side,
    pub(super) wins: &'a Layer,
    /// The opponent's positions that are not won yet.
    pub(super) not_won: &'a [u64],
    /// By row, the best exit that loses.
    pub(super) latest: &'a [S::Cell],
    pub(super) code: S::Cell,
}

impl<S: Slice> Pass<S::Cell> for Losses<'_, S> {
    fn work(&self, chunk: &mut Chunk<'_, S::Cell>, found: &mut RowWords) {
        for row in Bits(chunk.visit | chunk.due) {
            if chunk.is_finished(row) {
                continue;
            }
            let global = chunk.first_row + row;
            if chunk.visit >> row & 1 != 0 {
                self.slice.unmove(self.mover, global, self.wins, found);
            }
            chunk.add_due(row, self.code, found);
            let wait = self.latest[global] > self.code;
            found.drain(|word, set| {
                let at = row * chunk.row_words + word;
                let mut set = set & chunk.open[at];
                if set != 0 && wait {
                    set &= !S::Cell::above(&chunk.cells[at], self.code);
                }
                if set != 0 {
                    set = self
                        .slice
                        .stuck(self.mover, global, word, set, self.not_won);
                }
                if set != 0 {
                    chunk.solved(row, word, set, self.code);
                }
            });
        }
    }
}

/// Mates among the candidates.
pub(super) struct Mates<'a, S> {
    pub(super) slice: &'a S,
    pub(super) mover: Side,
    pub(super) candidates: &'a [u64],
    pub(super) not_won: &'a [u64],
}

impl<S: Slice> Pass<S::Cell> for Mates<'_, S> {
    fn work(&self, chunk: &mut Chunk<'_, S::Cell>, _: &mut RowWords) {
        for row in Bits(chunk.visit) {
            let global = chunk.first_row + row;
            for word in 0..chunk.row_words {
                let at = row * chunk.row_words + word;
                let mut set = self.candidates[global * chunk.row_words + word] & chunk.open[at];
                if set != 0 {
                    set = self
                        .slice
                        .stuck(self.mover, global, word, set, self.not_won);
                }
                if set != 0 {
                    chunk.solved(row, word, set, S::Cell::NONE);
                }
            }
        }
    }
}

/// Whether an open position of the mover's reaches `losses`.
pub(super) fn reaches<S: Slice>(
    slice: &S,
    mover: Side,
    losses: &Layer,
    rows: &RowSet,
    open: &[u64],
) -> bool {
    let words = slice.row_words();
    let mut found = RowWords::new(words);
    let mut any = false;
    for row in rows.iter() {
        slice.unmove(mover, row, losses, &mut found);
        found.drain(|word, set| any |= set & open[row * words + word] != 0);
    }
    any
}

/// Makes a pass over the chunks, on several threads where it is worth it.
pub(super) fn each_chunk<C: Cell>(
    row_words: usize,
    (mut chunks, words): (Vec<Chunk<'_, C>>, usize),
    pass: &impl Pass<C>,
) {
    let scratch = || RowWords::new(row_words);
    if words >= SHARED_FROM && rayon::current_num_threads() > 1 {
        chunks
            .par_iter_mut()
            .for_each_init(scratch, |found, chunk| pass.work(chunk, found));
    } else {
        let mut found = scratch();
        chunks
            .iter_mut()
            .for_each(|chunk| pass.work(chunk, &mut found));
    }
}
