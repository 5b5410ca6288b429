//! Solving with nothing but bitmaps in memory: exits and results lie in a file that is written at its
//! end and read in order.
//!
//! After R. Wu and D. F. Beal (see `solve.rs`): one bit a position in random access, the rest
//! sequential. At the start every exit goes to the file, sorted by chunk and by value; when a level comes, the
//! passages of its value are read once. What a level finds is added chunk by chunk. At the end
//! a chunk's values are gathered by reading its passages of all levels; nothing ever holds them all.

use super::book::{Book, Page, Shape, describe};
use super::cell::Cell;
use super::records::{Reader, Writer};
use super::slice::{Seed, Side, Slice};
use super::solve::{Halt, solve_in};
use crate::base::{Control, Passage, Scroll};
use rayon::prelude::*;
use std::io;
use std::ops::Range;

/// What a solved slice took, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Footprint {
    /// One bitmap of all positions with one side to move.
    pub bitmap: u64,
    /// All bitmaps in memory at a time.
    pub bitmaps: u64,
    /// Room of one thread for a chunk's values and records.
    pub buffers: u64,
    /// The list of passages.
    pub index: u64,
    /// The scratch file.
    pub scratch: u64,
}

/// A solved slice whose values lie in a file.
#[derive(Debug)]
pub struct Scrolled<C> {
    shape: Shape,
    scroll: Scroll,
    sides: [Found<C>; 2],
}

/// The passages of one side to move.
#[derive(Debug)]
struct Found<C> {
    /// By chunk, its legal positions.
    legal: Vec<Passage>,
    /// By chunk, each value and what has it.
    values: Vec<Vec<(C, Passage)>>,
}

/// Finds the value of every position of a slice with bitmaps in memory and the rest in `scroll`, an
/// empty file.
///
/// Runs on the current rayon pool; the values do not depend on its size.
///
/// # Errors
/// When cancelled, when a distance is too long for the [`Cell`], or when the file cannot be written.
pub fn solve_scrolled<S: Slice>(
    slice: &S,
    scroll: Scroll,
    control: &Control,
) -> Result<Scrolled<S::Cell>, Halt> {
    let shape = Shape::of(slice);
    let books = Side::ALL.map(|_| Scrolls::new(&scroll, shape));
    let books = solve_in(slice, shape, books, control)?;
    let sides = books.map(|book| Found {
        legal: book.legal,
        values: book.found,
    });
    Ok(Scrolled {
        shape,
        scroll,
        sides,
    })
}

impl<C: Cell> Scrolled<C> {
    /// Words of a chunk, a power of two: what is read at a time.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.shape.chunk_words()
    }

    /// Reads some words: the void positions and the values with `side` to move, 64 a word. Void
    /// positions have a draw. What the arrays held before is lost.
    ///
    /// # Errors
    /// When the file cannot be read.
    ///
    /// # Panics
    /// If there are not so many words.
    pub fn read(
        &self,
        side: Side,
        words: Range<usize>,
        void: &mut Vec<u64>,
        cells: &mut Vec<[C; 64]>,
    ) -> io::Result<()> {
        assert!(words.end <= self.shape.words(), "words of the slice");
        void.clear();
        cells.clear();
        cells.resize(words.len(), [C::DRAW; 64]);
        let (found, stride) = (&self.sides[side.index()], self.stride());
        let (mut bytes, mut bits) = (Vec::new(), Vec::new());
        for chunk in words.start / stride..words.end.div_ceil(stride) {
            let first = chunk * stride;
            let part = words.start.max(first)..words.end.min(first + stride);
            read_words(&self.scroll, found.legal[chunk], &mut bytes, &mut bits)?;
            void.extend(
                bits[part.start - first..part.end - first]
                    .iter()
                    .map(|legal| !legal),
            );
            let cells = &mut cells[part.start - words.start..part.end - words.start];
            let skip = part.start - first;
            for &(value, passage) in &found.values[chunk] {
                self.scroll.read(passage, &mut bytes)?;
                let mut reader = Reader::default();
                while let Some((word, set)) = reader.next_below(&bytes, part.end - first) {
                    if word >= skip {
                        C::write(&mut cells[word - skip], set, value);
                    }
                }
            }
        }
        Ok(())
    }

    /// What solving took.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        let bitmap = self.shape.words() as u64 * 8;
        let chunk = self.shape.chunk_words() as u64;
        let entries: usize = self
            .sides
            .iter()
            .flat_map(|found| &found.values)
            .map(Vec::len)
            .sum();
        Footprint {
            bitmap,
            // Not yet won, not yet lost, and three layers of new positions.
            bitmaps: 5 * bitmap,
            buffers: chunk * 64 * size_of::<C>() as u64 + chunk * 3 * 8,
            index: (entries * size_of::<(C, Passage)>()) as u64,
            scratch: self.scroll.size(),
        }
    }
}

/// Appends a chunk of a bitmap.
fn append_words(scroll: &Scroll, words: &[u64]) -> io::Result<Passage> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    scroll.append(&bytes)
}

/// Reads a chunk of a bitmap.
fn read_words(
    scroll: &Scroll,
    passage: Passage,
    bytes: &mut Vec<u8>,
    words: &mut Vec<u64>,
) -> io::Result<()> {
    scroll.read(passage, bytes)?;
    words.clear();
    let (eights, _) = bytes.as_chunks::<8>();
    words.extend(eights.iter().map(|&eight| u64::from_le_bytes(eight)));
    Ok(())
}

/// The book that is a file.
struct Scrolls<'s, C> {
    scroll: &'s Scroll,
    shape: Shape,
    /// By chunk, its legal positions.
    legal: Vec<Passage>,
    /// By chunk, its positions without exits.
    inside: Vec<Passage>,
    /// By [`Cell::slot`], what waits in each chunk; empty if nothing does.
    exits: Vec<Vec<Exits>>,
    /// By chunk, what was found.
    found: Vec<Vec<(C, Passage)>>,
}

/// The exits of one value in one chunk.
#[derive(Clone, Copy, Default)]
struct Exits {
    /// The rows that hold one.
    rows: u64,
    passage: Passage,
}

impl<'s, C: Cell> Scrolls<'s, C> {
    fn new(scroll: &'s Scroll, shape: Shape) -> Scrolls<'s, C> {
        Scrolls {
            scroll,
            shape,
            legal: Vec::new(),
            inside: Vec::new(),
            exits: vec![Vec::new(); C::SLOTS],
            found: vec![Vec::new(); shape.chunks()],
        }
    }

    /// Reads a bitmap chunk by chunk.
    fn each_word(
        &self,
        passages: &[Passage],
        set: &mut [u64],
        each: impl Fn(&mut u64, u64) + Sync,
    ) -> io::Result<()> {
        set.par_chunks_mut(self.shape.chunk_words())
            .zip(passages)
            .try_for_each(|(set, &passage)| {
                let (mut bytes, mut words) = (Vec::new(), Vec::new());
                read_words(self.scroll, passage, &mut bytes, &mut words)?;
                set.iter_mut()
                    .zip(words)
                    .for_each(|(word, read)| each(word, read));
                Ok(())
            })
    }
}

impl<C: Cell> Book<C> for Scrolls<'_, C> {
    type Page<'a>
        = ScrollPage<'a, C>
    where
        Self: 'a;

    fn seed<S: Slice<Cell = C>>(
        &mut self,
        slice: &S,
        side: Side,
        control: &Control,
    ) -> Result<(), Halt> {
        let chunks = self.shape.chunks();
        let described = (0..chunks).into_par_iter().map_init(
            || SeedRoom::new(self.shape),
            |room, chunk| {
                control.check()?;
                Ok(room.seed(slice, side, self.shape, chunk, self.scroll)?)
            },
        );
        let described: Vec<SeedPassages> = described.collect::<Result<_, Halt>>()?;
        for (chunk, passages) in described.into_iter().enumerate() {
            self.legal.push(passages.legal);
            self.inside.push(passages.inside);
            for (slot, exits) in passages.exits {
                let of_value = &mut self.exits[slot];
                of_value.resize(chunks, Exits::default());
                of_value[chunk] = exits;
            }
        }
        Ok(())
    }

    fn legal(&self, set: &mut [u64]) -> io::Result<()> {
        self.each_word(&self.legal, set, |word, legal| *word = legal)
    }

    fn keep_inside(&self, set: &mut [u64]) -> io::Result<()> {
        self.each_word(&self.inside, set, |word, inside| *word &= inside)
    }

    fn has_exits(&self, value: C) -> bool {
        !self.exits[value.slot()].is_empty()
    }

    fn pages(&mut self, value: C) -> impl Iterator<Item = (u64, ScrollPage<'_, C>)> {
        let (scroll, row_words) = (self.scroll, self.shape.row_words);
        let exits = &self.exits[value.slot()];
        self.found.iter_mut().enumerate().map(move |(i, index)| {
            let exits = exits.get(i).copied().unwrap_or_default();
            let page = ScrollPage {
                scroll,
                row_words,
                value,
                exits: exits.passage,
                bytes: Vec::new(),
                reader: Reader::default(),
                writer: Writer::default(),
                index,
            };
            (exits.rows, page)
        })
    }
}

/// A chunk's part of [`Scrolls`] at one level.
struct ScrollPage<'a, C> {
    scroll: &'a Scroll,
    row_words: usize,
    value: C,
    /// What comes due; nothing once it is read.
    exits: Passage,
    bytes: Vec<u8>,
    reader: Reader,
    writer: Writer,
    index: &'a mut Vec<(C, Passage)>,
}

impl<C: Cell> Page for ScrollPage<'_, C> {
    fn due(
        &mut self,
        row: usize,
        _: Option<&[u64]>,
        mut f: impl FnMut(usize, u64),
    ) -> io::Result<()> {
        if !self.exits.is_empty() {
            self.scroll.read(self.exits, &mut self.bytes)?;
            self.exits = Passage::EMPTY;
        }
        let first = row * self.row_words;
        let end = first + self.row_words;
        while let Some((word, set)) = self.reader.next_below(&self.bytes, end) {
            // Rows that need no look are passed over.
            if word >= first {
                f(word - first, set);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn record(&mut self, row: usize, word: usize, set: u64) {
        self.writer.push(row * self.row_words + word, set);
    }

    fn close(&mut self) -> io::Result<()> {
        let bytes = self.writer.bytes();
        if !bytes.is_empty() {
            self.index.push((self.value, self.scroll.append(bytes)?));
            self.writer.clear();
        }
        Ok(())
    }
}

/// A thread's room for describing a chunk.
struct SeedRoom<C> {
    legal: Vec<u64>,
    /// First the positions lost if stuck, then those without exits.
    inside: Vec<u64>,
    cells: Vec<[C; 64]>,
    /// By [`Cell::slot`].
    writers: Vec<Writer>,
    rows: Vec<u64>,
}

/// A chunk's passages at the start.
struct SeedPassages {
    legal: Passage,
    inside: Passage,
    exits: Vec<(usize, Exits)>,
}

impl<C: Cell> SeedRoom<C> {
    fn new(shape: Shape) -> SeedRoom<C> {
        SeedRoom {
            legal: Vec::new(),
            inside: Vec::new(),
            cells: vec![[C::NONE; 64]; shape.row_words],
            writers: vec![Writer::default(); C::SLOTS],
            rows: vec![0; C::SLOTS],
        }
    }

    fn seed<S: Slice<Cell = C>>(
        &mut self,
        slice: &S,
        side: Side,
        shape: Shape,
        chunk: usize,
        scroll: &Scroll,
    ) -> io::Result<SeedPassages> {
        let first_row = chunk * shape.chunk_rows();
        let rows = shape.chunk_rows().min(shape.rows - first_row);
        let words = shape.row_words;
        for set in [&mut self.legal, &mut self.inside] {
            set.clear();
            set.resize(rows * words, 0);
        }
        for row in 0..rows {
            let range = row * words..(row + 1) * words;
            self.cells.fill([C::NONE; 64]);
            let seed = Seed {
                legal: &mut self.legal[range.clone()],
                lost_if_stuck: &mut self.inside[range.clone()],
                exits: &mut self.cells,
            };
            slice.seed(side, first_row + row, seed);
            for (at, cells) in range.zip(&self.cells) {
                let (legal, checks) = (self.legal[at], self.inside[at]);
                let (writers, due) = (&mut self.writers, &mut self.rows);
                let mut wait = |value: C, set| {
                    writers[value.slot()].push(at, set);
                    due[value.slot()] |= 1 << row;
                };
                let described = describe(legal, checks, cells, &mut wait);
                if described.mates != 0 {
                    wait(C::NONE, described.mates);
                }
                self.inside[at] = described.inside;
            }
        }
        let mut exits = Vec::new();
        for (slot, rows) in self
            .rows
            .iter_mut()
            .enumerate()
            .filter(|(_, rows)| **rows != 0)
        {
            let writer = &mut self.writers[slot];
            let passage = scroll.append(writer.bytes())?;
            writer.clear();
            let rows = std::mem::take(rows);
            exits.push((slot, Exits { rows, passage }));
        }
        Ok(SeedPassages {
            legal: append_words(scroll, &self.legal)?,
            inside: append_words(scroll, &self.inside)?,
            exits,
        })
    }
}
