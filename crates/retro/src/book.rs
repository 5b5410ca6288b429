//! Where the exits of a player's positions wait and where his results go: all that the level loop
//! does not need at random.
//!
//! [`Array`] keeps the exits in memory and writes results where they belong, the fast way. `Scroll`s
//! keep both in a file (`scrolls.rs`).

use super::cell::Cell;
use super::endless::endless_play;
use super::halt::Halt;
use super::records::Reader;
use super::seeding::{Described, Keep, Waiting, seed};
use super::shape::Shape;
use super::slice::{Side, Slice};
use duchamp_base::{Control, Passage, Scroll};
use std::io;
use std::ops::Range;

/// Words that are gone through between two checks.
const PIECE: usize = 1 << 12;

/// One player's exits and results.
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
    fn legal(&self, set: &mut [u64], control: &Control) -> Result<(), Halt>;

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
    /// come in ascending order.
    fn due(&mut self, row: usize, f: impl FnMut(usize, u64)) -> io::Result<()>;

    /// Notes positions of a word that get the level's value. Words come in ascending order.
    fn record(&mut self, row: usize, word: usize, set: u64);

    /// Ends the work on the page.
    fn close(&mut self) -> io::Result<()>;
}

/// The book in memory.
pub(super) struct Array<'a, C> {
    shape: Shape,
    cells: &'a mut [[C; 64]],
    legal: &'a mut [u64],
    /// Whether the cells already hold the first levels of an earlier search.
    begun: bool,
    /// Positions without exits.
    inside: Vec<u64>,
    /// A file for the records of exits.
    scroll: Option<&'a Scroll>,
    /// By chunk, the records of its exits if there is no file.
    records: Vec<Vec<u8>>,
    waiting: Waiting<Place>,
}

/// Where records are.
#[derive(Clone, Debug)]
enum Place {
    /// Among the records of their chunk.
    Memory(Range<usize>),
    /// In the file.
    File(Passage),
}

impl Default for Place {
    fn default() -> Place {
        Place::Memory(0..0)
    }
}

impl<'a, C: Cell> Array<'a, C> {
    pub(super) fn new(
        cells: &'a mut [[C; 64]],
        legal: &'a mut [u64],
        scroll: Option<&'a Scroll>,
        shape: Shape,
    ) -> Self {
        let words = shape.words();
        assert!(
            cells.len() == words && legal.len() == words,
            "halves must have the slice's length"
        );
        Array {
            shape,
            cells,
            legal,
            begun: false,
            inside: vec![0; words],
            scroll,
            records: vec![Vec::new(); shape.chunks()],
            waiting: Waiting::new::<C>(),
        }
    }
}

impl<C> Array<'_, C> {
    /// Leaves what the cells hold in place when the exits are described.
    pub(super) fn begun(mut self) -> Self {
        self.begun = true;
        self
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
        let words = self.shape.chunk_words();
        let chunks = self
            .cells
            .chunks_mut(words)
            .zip(self.legal.chunks_mut(words))
            .zip(self.inside.chunks_mut(words))
            .zip(&mut self.records);
        let (scroll, begun) = (self.scroll, self.begun);
        let chunks = chunks.map(|(((cells, legal), inside), records)| ArrayChunk {
            scroll,
            begun,
            cells,
            legal,
            inside,
            records,
        });
        self.waiting = seed(slice, side, self.shape, chunks.collect(), control)?;
        Ok(())
    }

    fn legal(&self, set: &mut [u64], control: &Control) -> Result<(), Halt> {
        for (set, legal) in set.chunks_mut(PIECE).zip(self.legal.chunks(PIECE)) {
            control.check()?;
            set.copy_from_slice(legal);
        }
        Ok(())
    }

    fn keep_inside(&self, set: &mut [u64]) -> io::Result<()> {
        for (word, inside) in set.iter_mut().zip(self.inside.iter()) {
            *word &= inside;
        }
        Ok(())
    }

    fn has_exits(&self, value: C) -> bool {
        self.waiting.has(value)
    }

    fn pages(&mut self, value: C) -> impl Iterator<Item = (u64, ArrayPage<'_, C>)> {
        let (words, row_words) = (self.shape.chunk_words(), self.shape.row_words);
        let (scroll, waiting) = (self.scroll, &self.waiting);
        let chunks = self.cells.chunks_mut(words).zip(&self.records).enumerate();
        chunks.map(move |(i, (cells, records))| {
            let exits = waiting.find(value, i);
            let (due, file) = match exits.place {
                Place::Memory(range) => (&records[range], None),
                Place::File(passage) => (&records[..0], scroll.map(|scroll| (scroll, passage))),
            };
            let page = ArrayPage {
                row_words,
                cells,
                value,
                due,
                file,
                read: Vec::new(),
                reader: Reader::default(),
            };
            (exits.rows, page)
        })
    }
}

/// A chunk's part of an [`Array`] at one level.
pub(super) struct ArrayPage<'a, C> {
    row_words: usize,
    cells: &'a mut [[C; 64]],
    value: C,
    /// Records of what comes due.
    due: &'a [u8],
    /// Where to read it if it is in a file; nothing once it is read.
    file: Option<(&'a Scroll, Passage)>,
    read: Vec<u8>,
    reader: Reader,
}

impl<C: Cell> Page for ArrayPage<'_, C> {
    #[inline(always)]
    fn due(&mut self, row: usize, f: impl FnMut(usize, u64)) -> io::Result<()> {
        if let Some((scroll, passage)) = self.file.take() {
            scroll.read(passage, &mut self.read)?;
        }
        let due = if self.read.is_empty() {
            self.due
        } else {
            &self.read
        };
        self.reader.row(due, row, self.row_words, f);
        Ok(())
    }

    #[inline(always)]
    fn record(&mut self, row: usize, word: usize, set: u64) {
        C::write(
            &mut self.cells[row * self.row_words + word],
            set,
            self.value,
        );
    }

    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A chunk's part of an [`Array`] at the start.
struct ArrayChunk<'a, C> {
    scroll: Option<&'a Scroll>,
    begun: bool,
    cells: &'a mut [[C; 64]],
    legal: &'a mut [u64],
    inside: &'a mut [u64],
    records: &'a mut Vec<u8>,
}

impl<C: Cell> Keep<Place> for ArrayChunk<'_, C> {
    fn exits(&mut self, records: &[u8]) -> io::Result<Place> {
        if let Some(scroll) = self.scroll {
            return Ok(Place::File(scroll.append(records)?));
        }
        let start = self.records.len();
        self.records.extend_from_slice(records);
        Ok(Place::Memory(start..self.records.len()))
    }

    fn positions(self, chunk: Described<'_>) -> io::Result<()> {
        self.legal.copy_from_slice(chunk.legal);
        self.inside.copy_from_slice(chunk.inside);
        if !self.begun {
            self.cells.fill([endless_play(); 64]);
        }
        Ok(())
    }
}
