//! A `.wdl` file of either form: directly addressable, or coded.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::coded::{self, BLOCK, CodedFile, Planes};
use super::container::{Container, FormatError, Header};
use super::direct::{self, Outcome, Word};
use super::form::{CODED_WORDS, Form};
use super::metric::SideCounts;
use crate::index::Index;
use duchamp_base::Mapped;
use duchamp_retro::Side;

/// A `.wdl` file; its header shows its form.
#[derive(Debug)]
pub(crate) enum WdlFile<I> {
    /// Read without decoding (`direct.rs`).
    Direct(Container),
    /// Decoded by blocks (`coded/`).
    Coded(CodedFile<I>),
}

impl<I: Index> WdlFile<I> {
    /// The file of a container that belongs to the index; `None` if its blocks have no known form.
    pub(crate) fn new(container: Container, index: &Arc<I>) -> Option<WdlFile<I>> {
        match Form::of(container.header())? {
            Form::Direct => Some(WdlFile::Direct(container)),
            Form::Coded => Some(WdlFile::Coded(CodedFile::new(container, Arc::clone(index)))),
        }
    }

    /// The file as it is.
    pub(crate) fn container(&self) -> &Container {
        match self {
            WdlFile::Direct(container) => container,
            WdlFile::Coded(file) => file.container(),
        }
    }

    /// The fixed facts.
    pub(crate) fn header(&self) -> &Header {
        self.container().header()
    }

    /// A checksum of the whole contents, which a file of distances that goes with it stores.
    pub(crate) fn sum(&self) -> u64 {
        self.container().sum()
    }

    /// The value of one position: `word` counts within the side, `side` is the stored side to move.
    #[inline]
    pub(crate) fn outcome(
        &self,
        side: usize,
        word: usize,
        bit: u32,
    ) -> Result<Outcome, FormatError> {
        let outcome = match self {
            WdlFile::Direct(container) => direct::probe(container, side, word, bit),
            WdlFile::Coded(file) => file.outcome(side, word, bit),
        };
        self.container().sure(())?;
        outcome
    }

    /// The first words of a block of [`BLOCK`] words of a side, at least so many or all, in the coded form only.
    pub(crate) fn block_planes(
        &self,
        side: usize,
        block: usize,
        count: usize,
        planes: &mut [Planes; BLOCK],
    ) -> Result<(), FormatError> {
        match self {
            WdlFile::Direct(_) => Err(FormatError::Header("form")),
            WdlFile::Coded(file) => {
                let read = file.block_planes(side, block, count, planes);
                self.container().sure(())?;
                read
            }
        }
    }

    /// Goes through `count` words of a side from word `first` on. What is void has any value, the
    /// same at each reading.
    pub(crate) fn read_words(
        &self,
        side: usize,
        first: usize,
        count: usize,
        each: impl FnMut(Word),
    ) -> Result<(), FormatError> {
        let read = match self {
            WdlFile::Direct(container) => direct::read_words(container, side, first, count, each),
            WdlFile::Coded(file) => file.read_words(side, first, count, each),
        };
        self.container().sure(())?;
        read
    }

    /// All words of a side, read on the threads of the current pool.
    pub(crate) fn side_words(&self, side: usize) -> Result<Vec<Word>, FormatError> {
        const PIECE: usize = CODED_WORDS as usize;
        let mut words = vec![Word::default(); self.header().words as usize];
        words
            .par_chunks_mut(PIECE)
            .enumerate()
            .try_for_each(|(piece, words)| {
                let (first, count) = (piece * PIECE, words.len());
                let mut places = words.iter_mut();
                self.read_words(side, first, count, |word| {
                    if let Some(place) = places.next() {
                        *place = word;
                    }
                })
            })?;
        Ok(words)
    }
}

/// A `.wdl` file by itself, without a store: for tools, and for tests of an [`Index`].
#[derive(Debug)]
pub struct Results<I>(WdlFile<I>);

impl<I: Index> Results<I> {
    /// Opens the bytes of a file that belongs to the index; blocks are checked when they are first read.
    ///
    /// # Errors
    /// When the header is damaged, or its blocks have no known form.
    pub fn open(bytes: Vec<u8>, index: &Arc<I>) -> Result<Results<I>, FormatError> {
        let container = Container::open(Mapped::from(bytes))?;
        let file = WdlFile::new(container, index).ok_or(FormatError::Header("form"))?;
        Ok(Results(file))
    }

    /// The form of the file.
    #[must_use]
    pub fn form(&self) -> Form {
        match self.0 {
            WdlFile::Direct(_) => Form::Direct,
            WdlFile::Coded(_) => Form::Coded,
        }
    }

    /// What its header counts, by side to move; equal if the key is symmetric.
    #[must_use]
    pub fn counts(&self) -> [SideCounts; 2] {
        self.0.header().counts
    }

    /// The result of the position at `bit` of `word`, counted within the stored side `side` (0 or 1).
    ///
    /// # Errors
    /// When the block is damaged.
    pub fn outcome(&self, side: usize, word: usize, bit: u32) -> Result<Outcome, FormatError> {
        self.0.outcome(side, word, bit)
    }

    /// Goes through `count` words of a stored side from word `first` on; what is void has any value.
    ///
    /// # Errors
    /// When a block is damaged.
    pub fn read_words(
        &self,
        side: usize,
        first: usize,
        count: usize,
        each: impl FnMut(Word),
    ) -> Result<(), FormatError> {
        self.0.read_words(side, first, count, each)
    }

    /// All words of a stored side, read on the threads of the current pool.
    ///
    /// # Errors
    /// When a block is damaged.
    pub fn side_words(&self, side: usize) -> Result<Vec<Word>, FormatError> {
        self.0.side_words(side)
    }
}

/// Encodes one side of a `.wdl` file.
#[derive(Debug)]
pub(crate) enum SideEncoder<'a, I> {
    /// Needs no model.
    Direct,
    /// Has learnt the model of a side.
    Coded(coded::SideEncoder<'a, I>),
}

impl<'a, I: Index> SideEncoder<'a, I> {
    /// The encoder of a side; `words_of` returns its true words, if they can be read.
    pub(crate) fn new(
        form: Form,
        index: &'a I,
        side: Side,
        words_of: impl Fn(Range<usize>) -> Vec<Word> + Sync,
    ) -> SideEncoder<'a, I> {
        match form {
            Form::Direct => SideEncoder::Direct,
            Form::Coded => SideEncoder::Coded(coded::SideEncoder::learn(index, side, words_of)),
        }
    }

    /// The block of the container that begins at word `first`.
    pub(crate) fn block(&self, first: usize, words: &[Word]) -> Vec<u8> {
        match self {
            SideEncoder::Direct => direct::encode(words.iter().copied()),
            SideEncoder::Coded(encoder) => encoder.group(first, words),
        }
    }
}
