//! Solving with nothing but bitmaps in memory: exits and results lie in a file that is written at its
//! end and read in order.
//!
//! After R. Wu and D. F. Beal (see `solve.rs`): one bit a position in random access, the rest
//! sequential. At the start every exit goes to the file, sorted by chunk and by value; when a level comes, the
//! passages of its value are read once. What a level finds is added chunk by chunk. At the end
//! a chunk's values are gathered by reading its passages of all levels; nothing ever holds them all.

use super::book::{Book, Page};
use super::cell::Cell;
use super::endless::endless_play;
use super::halt::Halt;
use super::parallel::try_for_each;
use super::records::{Reader, Writer};
use super::seeding::{Described, Keep, Waiting, seed};
use super::shape::Shape;
use super::slice::{Side, Slice};
use super::solve::solve_in;
use duchamp_base::{Control, Passage, Scroll};
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
    /// Words of a chunk: what is read at a time.
    #[must_use]
    #[inline]
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
        cells.resize(words.len(), [endless_play(); 64]);
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
    waiting: Waiting<Passage>,
    /// By chunk, what was found.
    found: Vec<Vec<(C, Passage)>>,
}

impl<'s, C: Cell> Scrolls<'s, C> {
    fn new(scroll: &'s Scroll, shape: Shape) -> Scrolls<'s, C> {
        Scrolls {
            scroll,
            shape,
            legal: vec![Passage::EMPTY; shape.chunks()],
            inside: vec![Passage::EMPTY; shape.chunks()],
            waiting: Waiting::new::<C>(),
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
        let chunks = set.chunks_mut(self.shape.chunk_words()).zip(passages);
        let mut chunks: Vec<_> = chunks.collect();
        let buffers = || (Vec::new(), Vec::new());
        try_for_each(&mut chunks, buffers, |(bytes, words), (set, passage)| {
            read_words(self.scroll, **passage, bytes, words)?;
            for (word, &read) in set.iter_mut().zip(&*words) {
                each(word, read);
            }
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
        let scroll = self.scroll;
        let chunks = self.legal.iter_mut().zip(&mut self.inside);
        let chunks = chunks.map(|(legal, inside)| ScrollChunk {
            scroll,
            legal,
            inside,
        });
        self.waiting = seed(slice, side, self.shape, chunks.collect(), control)?;
        Ok(())
    }

    fn legal(&self, set: &mut [u64], _: &Control) -> Result<(), Halt> {
        Ok(self.each_word(&self.legal, set, |word, legal| *word = legal)?)
    }

    fn keep_inside(&self, set: &mut [u64]) -> io::Result<()> {
        self.each_word(&self.inside, set, |word, inside| *word &= inside)
    }

    fn has_exits(&self, value: C) -> bool {
        self.waiting.has(value)
    }

    fn pages(&mut self, value: C) -> impl Iterator<Item = (u64, ScrollPage<'_, C>)> {
        let (scroll, row_words) = (self.scroll, self.shape.row_words);
        let waiting = &self.waiting;
        self.found.iter_mut().enumerate().map(move |(i, index)| {
            let exits = waiting.find(value, i);
            let page = ScrollPage {
                scroll,
                row_words,
                value,
                exits: exits.place,
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
    fn due(&mut self, row: usize, f: impl FnMut(usize, u64)) -> io::Result<()> {
        if !self.exits.is_empty() {
            self.scroll.read(self.exits, &mut self.bytes)?;
            self.exits = Passage::EMPTY;
        }
        self.reader.row(&self.bytes, row, self.row_words, f);
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

/// A chunk's part of [`Scrolls`] at the start.
struct ScrollChunk<'a> {
    scroll: &'a Scroll,
    legal: &'a mut Passage,
    inside: &'a mut Passage,
}

impl Keep<Passage> for ScrollChunk<'_> {
    fn exits(&mut self, records: &[u8]) -> io::Result<Passage> {
        self.scroll.append(records)
    }

    fn positions(self, chunk: Described<'_>) -> io::Result<()> {
        *self.legal = append_words(self.scroll, chunk.legal)?;
        *self.inside = append_words(self.scroll, chunk.inside)?;
        Ok(())
    }
}
