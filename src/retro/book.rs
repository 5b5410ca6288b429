//! Where the exits of a player's positions wait and where his results go: all that the level loop
//! does not need at random.
//!
//! [`Array`] keeps both in the array of values that is the result, the fast way. `Scroll`s keep them
//! in a file (`scrolls.rs`).

use super::cell::Cell;
use super::pass::SHARED_FROM;
use super::sets::Bits;
use super::slice::{Seed, Side, Slice};
use super::solve::Halt;
use crate::base::Control;
use rayon::prelude::*;
use std::io;

/// Sizes of a slice, and of the chunks in which passes are shared out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) rows: usize,
    pub(super) row_words: usize,
    /// Rows of a chunk: `1 << shift`, at most 64.
    pub(super) shift: u32,
}

impl Shape {
    pub(super) fn of<S: Slice>(slice: &S) -> Shape {
        let row_words = slice.row_words();
        // About 512 words a chunk.
        let shift = 9u32.saturating_sub(row_words.trailing_zeros()).min(6);
        Shape {
            rows: slice.rows(),
            row_words,
            shift,
        }
    }

    pub(super) fn words(self) -> usize {
        self.rows * self.row_words
    }

    pub(super) fn chunk_rows(self) -> usize {
        1 << self.shift
    }

    pub(super) fn chunk_words(self) -> usize {
        self.row_words << self.shift
    }

    pub(super) fn chunks(self) -> usize {
        self.rows.div_ceil(self.chunk_rows())
    }
}

/// One player's exits and results.
///
/// The exits with value [`Cell::NONE`] stand for the mates to be: positions without exits that are
/// lost if no move is left.
pub(super) trait Book<C: Cell> {
    /// The part of one chunk.
    type Page<'a>: Page
    where
        Self: 'a;

    /// Asks the slice for its positions and exits.
    fn seed<S: Slice<Cell = C>>(
        &mut self,
        slice: &S,
        side: Side,
        control: &Control,
    ) -> Result<(), Halt>;

    /// Fills a set with the legal positions.
    fn legal(&self, set: &mut [u64]) -> io::Result<()>;

    /// Keeps of a set the positions that have no exits.
    fn keep_inside(&self, set: &mut [u64]) -> io::Result<()>;

    /// Whether some exit has this value.
    fn has_exits(&self, value: C) -> bool;

    /// All chunks in order: the rows with exits of this value, and the page on which to find them and
    /// to note what gets that value.
    fn pages(&mut self, value: C) -> impl Iterator<Item = (u64, Self::Page<'_>)>;
}

/// A chunk's part of a [`Book`] at one level.
pub(super) trait Page: Send {
    /// Calls `f` with the positions of a row, word by word, whose exits have the level's value. Rows
    /// come in ascending order. `open` are the row's open positions if no others matter.
    fn due(
        &mut self,
        row: usize,
        open: Option<&[u64]>,
        f: impl FnMut(usize, u64),
    ) -> io::Result<()>;

    /// Notes positions of a word that get the level's value. Words come in ascending order.
    fn record(&mut self, row: usize, word: usize, set: u64);

    /// Ends the work on the page.
    fn close(&mut self) -> io::Result<()>;
}

/// What a slice tells of one word, as the level loop needs it.
pub(super) struct Described {
    /// Legal positions without exits.
    pub(super) inside: u64,
    /// Those that are lost if no move is left.
    pub(super) mates: u64,
}

/// Sorts out a word that a slice has described. `due` gets each value of an exit that wins or loses,
/// and the cells that have it.
#[inline(always)]
pub(super) fn describe<C: Cell>(
    legal: u64,
    lost_if_stuck: u64,
    cells: &[C; 64],
    mut due: impl FnMut(C, u64),
) -> Described {
    let inside = legal & C::equal(cells, C::NONE);
    let exits = legal & !inside;
    if exits != 0 {
        let mut rest = exits & !C::equal(cells, C::DRAW);
        while rest != 0 {
            let value = cells[rest.trailing_zeros() as usize];
            let set = rest & C::equal(cells, value);
            rest &= !set;
            due(value, set);
        }
    }
    Described {
        inside,
        mates: lost_if_stuck & inside,
    }
}

/// Where in a chunk the exits of one value are.
#[derive(Clone, Default, Debug)]
struct Due {
    /// The rows.
    rows: u64,
    /// By row, the groups of words: 64 to a row, of one word at least.
    groups: Vec<u64>,
}

impl Due {
    fn add(&mut self, row: usize, word: usize, row_words: usize) {
        if self.groups.len() <= row {
            self.groups.resize(row + 1, 0);
        }
        self.rows |= 1 << row;
        self.groups[row] |= 1 << (word / group_words(row_words));
    }
}

/// Words of a group, of which there are 64 at most in a row.
fn group_words(row_words: usize) -> usize {
    row_words.div_ceil(64)
}

/// The book that is the array of values: an exit waits where its position's own value will stand.
pub(super) struct Array<'a, C> {
    shape: Shape,
    cells: &'a mut [[C; 64]],
    legal: &'a mut [u64],
    /// Positions without exits.
    inside: Vec<u64>,
    /// Those that are lost if no move is left.
    mates: Vec<u64>,
    /// Solved positions.
    done: Vec<u64>,
    /// By [`Cell::slot`], where the exits of that value are; empty if there are none.
    due: Vec<Vec<Due>>,
}

impl<'a, C: Cell> Array<'a, C> {
    pub(super) fn new(cells: &'a mut [[C; 64]], legal: &'a mut [u64], shape: Shape) -> Self {
        let words = shape.words();
        assert!(
            cells.len() == words && legal.len() == words,
            "halves must have the slice's length"
        );
        Array {
            shape,
            cells,
            legal,
            inside: vec![0; words],
            mates: vec![0; words],
            done: vec![0; words],
            due: vec![Vec::new(); C::SLOTS],
        }
    }

    /// Gives what is not solved a draw.
    pub(super) fn finish(self) {
        let words = self.cells.par_iter_mut().zip(&self.done[..]);
        words
            .with_min_len(SHARED_FROM)
            .for_each(|(cells, done)| C::write(cells, !done, C::DRAW));
    }
}

impl<C: Cell> Book<C> for Array<'_, C> {
    type Page<'a>
        = ArrayPage<'a, C>
    where
        Self: 'a;

    fn seed<S: Slice<Cell = C>>(
        &mut self,
        slice: &S,
        side: Side,
        control: &Control,
    ) -> Result<(), Halt> {
        let (rows, words) = (self.shape.chunk_rows(), self.shape.row_words);
        let arrays = self
            .cells
            .chunks_mut(rows * words)
            .zip(self.legal.chunks_mut(rows * words));
        let arrays = arrays
            .zip(self.mates.chunks_mut(rows * words))
            .zip(self.inside.chunks_mut(rows * words))
            .enumerate();
        let chunks = arrays.map(|(i, (((cells, legal), mates), inside))| SeedChunk {
            first_row: i * rows,
            cells,
            legal,
            mates,
            inside,
        });
        let seeded = |due: &mut Vec<Due>, mut chunk: SeedChunk<'_, C>| {
            control.check()?;
            due.resize(C::SLOTS, Due::default());
            let rows = chunk.legal.len() / words;
            (0..rows).for_each(|row| chunk.seed(slice, side, row, words, due));
            let slots = due.iter_mut().enumerate();
            let found = slots
                .filter(|(_, due)| due.rows != 0)
                .map(|(slot, due)| (slot, std::mem::take(due)));
            Ok(found.collect::<Vec<_>>())
        };
        let found: Vec<_> = if self.shape.words() >= SHARED_FROM {
            let chunks = chunks.collect::<Vec<_>>().into_par_iter();
            chunks
                .map_init(Vec::new, seeded)
                .collect::<Result<_, Halt>>()?
        } else {
            let mut due = Vec::new();
            chunks
                .map(|chunk| seeded(&mut due, chunk))
                .collect::<Result<_, Halt>>()?
        };
        let count = found.len();
        for (chunk, slots) in found.into_iter().enumerate() {
            for (slot, found) in slots {
                let due = &mut self.due[slot];
                due.resize(count, Due::default());
                due[chunk] = found;
            }
        }
        Ok(())
    }

    fn legal(&self, set: &mut [u64]) -> io::Result<()> {
        set.copy_from_slice(self.legal);
        Ok(())
    }

    fn keep_inside(&self, set: &mut [u64]) -> io::Result<()> {
        for (word, inside) in set.iter_mut().zip(self.inside.iter()) {
            *word &= inside;
        }
        Ok(())
    }

    fn has_exits(&self, value: C) -> bool {
        !self.due[value.slot()].is_empty()
    }

    fn pages(&mut self, value: C) -> impl Iterator<Item = (u64, ArrayPage<'_, C>)> {
        let words = self.shape.chunk_words();
        let row_words = self.shape.row_words;
        let due = &self.due[value.slot()];
        let arrays = self
            .cells
            .chunks_mut(words)
            .zip(self.done.chunks_mut(words))
            .zip(self.mates.chunks(words));
        arrays.enumerate().map(move |(i, ((cells, done), mates))| {
            let page = ArrayPage {
                row_words,
                cells,
                done,
                mates,
                value,
                due: due.get(i),
            };
            (page.due.map_or(0, |due| due.rows), page)
        })
    }
}

/// A chunk's part of an [`Array`].
pub(super) struct ArrayPage<'a, C> {
    row_words: usize,
    cells: &'a mut [[C; 64]],
    done: &'a mut [u64],
    mates: &'a [u64],
    value: C,
    due: Option<&'a Due>,
}

impl<C: Cell> Page for ArrayPage<'_, C> {
    #[inline(always)]
    fn due(
        &mut self,
        row: usize,
        open: Option<&[u64]>,
        mut f: impl FnMut(usize, u64),
    ) -> io::Result<()> {
        let first = row * self.row_words;
        let size = group_words(self.row_words);
        let groups = self.due.and_then(|due| due.groups.get(row));
        for word in Bits(groups.copied().unwrap_or(0)).flat_map(|i| i * size..(i + 1) * size) {
            // Solved positions have other values: wins and losses of this level are found only now.
            let set = if self.value == C::NONE {
                self.mates[first + word]
            } else if open.is_some_and(|open| open[word] == 0) {
                0
            } else {
                C::equal(&self.cells[first + word], self.value)
            };
            if set != 0 {
                f(word, set);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn record(&mut self, row: usize, word: usize, set: u64) {
        let at = row * self.row_words + word;
        self.done[at] |= set;
        C::write(&mut self.cells[at], set, self.value);
    }

    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A chunk of a player's rows at the start.
struct SeedChunk<'a, C> {
    first_row: usize,
    cells: &'a mut [[C; 64]],
    legal: &'a mut [u64],
    mates: &'a mut [u64],
    inside: &'a mut [u64],
}

impl<C: Cell> SeedChunk<'_, C> {
    /// Asks the slice for a row and notes in `due`, by slot, when its exits come due.
    fn seed<S: Slice<Cell = C>>(
        &mut self,
        slice: &S,
        side: Side,
        row: usize,
        words: usize,
        due: &mut [Due],
    ) {
        let range = row * words..(row + 1) * words;
        let exits = &mut self.cells[range.clone()];
        exits.fill([C::NONE; 64]);
        let seed = Seed {
            legal: &mut self.legal[range.clone()],
            lost_if_stuck: &mut self.mates[range.clone()],
            exits,
        };
        slice.seed(side, self.first_row + row, seed);
        for (i, word) in range.enumerate() {
            let (legal, checks) = (self.legal[word], self.mates[word]);
            let described = describe(legal, checks, &self.cells[word], |value, _| {
                due[value.slot()].add(row, i, words);
            });
            self.inside[word] = described.inside;
            self.mates[word] = described.mates;
            if described.mates != 0 {
                due[C::NONE.slot()].add(row, i, words);
            }
        }
    }
}
