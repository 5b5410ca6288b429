//! One pass of the level loop over the rows of one player: new wins or new losses.
//!
//! Rows are worked on in chunks, each by one thread; a chunk writes only what is its own.

use super::book::Page;
use super::halt::Halt;
use super::parallel::try_for_each;
use super::sets::{Bits, Layer, RowSet, RowWords, mark_words};
use super::slice::{Side, Slice};
use duchamp_base::Control;

/// Words in play from which on a pass is shared among threads.
pub(super) const SHARED_FROM: usize = 2048;

/// A chunk of the rows of the player whose positions a pass solves.
pub(super) struct Chunk<'a, P> {
    pub(super) first_row: usize,
    pub(super) row_words: usize,
    pub(super) page: P,
    pub(super) open: &'a mut [u64],
    pub(super) newest: &'a mut [u64],
    pub(super) marks: &'a mut [u64],
    pub(super) found: &'a mut u64,
    /// Rows that a move can lead out of into what was found last.
    pub(super) visit: u64,
    /// Rows with an exit that comes due.
    pub(super) due: u64,
}

impl<P: Page> Chunk<'_, P> {
    /// Whether nothing of a row is open any more.
    #[inline]
    fn is_finished(&self, row: usize) -> bool {
        self.open_row(row).iter().all(|&word| word == 0)
    }

    /// The open positions of a row.
    #[inline(always)]
    fn open_row(&self, row: usize) -> &[u64] {
        &self.open[row * self.row_words..][..self.row_words]
    }

    /// Records positions of a word as solved.
    #[inline(always)]
    fn solved(&mut self, row: usize, word: usize, set: u64) {
        let at = row * self.row_words + word;
        self.open[at] &= !set;
        self.newest[at] = set;
        self.marks[row * mark_words(self.row_words) + word / 64] |= 1 << (word % 64);
        *self.found |= 1 << row;
        self.page.record(row, word, set);
    }
}

/// What a pass does with a chunk. `found` is empty before and after.
pub(super) trait Pass: Sync {
    fn work<P: Page>(&self, chunk: &mut Chunk<'_, P>, found: &mut RowWords) -> Result<(), Halt>;
}

/// New wins: open positions that reach `losses`, or whose exit is due.
pub(super) struct Wins<'a, S: Slice> {
    pub(super) slice: &'a S,
    pub(super) mover: Side,
    pub(super) losses: &'a Layer,
}

impl<S: Slice> Pass for Wins<'_, S> {
    fn work<P: Page>(&self, chunk: &mut Chunk<'_, P>, found: &mut RowWords) -> Result<(), Halt> {
        for row in Bits(chunk.visit | chunk.due) {
            if chunk.is_finished(row) {
                continue;
            }
            if chunk.visit >> row & 1 != 0 {
                self.slice
                    .unmove(self.mover, chunk.first_row + row, self.losses, found);
            }
            if chunk.due >> row & 1 != 0 {
                chunk.page.due(row, |word, set| found.add(word, set))?;
            }
            found.keep(chunk.open_row(row));
            found.drain(|word, set| chunk.solved(row, word, set));
        }
        Ok(chunk.page.close()?)
    }
}

/// New losses: open positions that reach `wins`, or whose exit is due, and whose moves and exits all
/// lose by now. Mates too: at their level what is due has neither.
pub(super) struct Losses<'a, S: Slice> {
    pub(super) slice: &'a S,
    pub(super) mover: Side,
    pub(super) wins: &'a Layer,
    /// The opponent's positions that are not won yet.
    pub(super) not_won: &'a [u64],
}

impl<S: Slice> Pass for Losses<'_, S> {
    fn work<P: Page>(&self, chunk: &mut Chunk<'_, P>, found: &mut RowWords) -> Result<(), Halt> {
        for row in Bits(chunk.visit | chunk.due) {
            let global = chunk.first_row + row;
            if chunk.due >> row & 1 != 0 {
                // Until its exit is due a position is not open: it cannot be lost before.
                let open = &mut chunk.open[row * chunk.row_words..][..chunk.row_words];
                chunk.page.due(row, |word, set| {
                    open[word] |= set;
                    found.add(word, set);
                })?;
            } else if chunk.is_finished(row) {
                continue;
            }
            if chunk.visit >> row & 1 != 0 {
                self.slice.unmove(self.mover, global, self.wins, found);
            }
            found.keep(chunk.open_row(row));
            self.slice.stuck(self.mover, global, found, self.not_won);
            found.drain(|word, set| {
                if set != 0 {
                    chunk.solved(row, word, set);
                }
            });
        }
        Ok(chunk.page.close()?)
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
pub(super) fn each_chunk<P: Page>(
    row_words: usize,
    (mut chunks, words): (Vec<Chunk<'_, P>>, usize),
    pass: &impl Pass,
    control: &Control,
) -> Result<(), Halt> {
    let scratch = || RowWords::new(row_words);
    let work = |found: &mut RowWords, chunk: &mut Chunk<'_, P>| {
        control.check()?;
        pass.work(chunk, found)
    };
    if words >= SHARED_FROM {
        try_for_each(&mut chunks, scratch, work)
    } else {
        let mut found = scratch();
        chunks
            .iter_mut()
            .try_for_each(|chunk| work(&mut found, chunk))
    }
}
