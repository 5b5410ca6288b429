//! A `.wdl` file of either form: directly addressable, or coded.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::coded::{self, CodedFile};
use super::container::{Container, FormatError, Header};
use super::direct::{self, Outcome, Word};
use crate::index::Index;
use duchamp_retro::Side;

/// A `.wdl` file. Which form it has, its words a block tell.
#[derive(Debug)]
pub(crate) enum WdlFile<I> {
    /// Read without decoding (`format_wdl`).
    Direct(Container),
    /// Decoded by blocks (`format_coded`).
    Coded(CodedFile<I>),
}

impl<I: Index> WdlFile<I> {
    /// The file of a container that belongs to the index; `None` if its blocks have no known form.
    pub(crate) fn new(container: Container, index: &Arc<I>) -> Option<WdlFile<I>> {
        match container.header().block_words {
            direct::BLOCK_WORDS => Some(WdlFile::Direct(container)),
            coded::GROUP_WORDS => {
                Some(WdlFile::Coded(CodedFile::new(container, Arc::clone(index))))
            }
            _ => None,
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

    /// A checksum of the whole contents, which a file of distances that goes with it tells.
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
        match self {
            WdlFile::Direct(container) => direct::probe(container, side, word, bit),
            WdlFile::Coded(file) => file.outcome(side, word, bit),
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
        match self {
            WdlFile::Direct(container) => direct::read_words(container, side, first, count, each),
            WdlFile::Coded(file) => file.read_words(side, first, count, each),
        }
    }

    /// All words of a side, read on the threads of the current pool.
    pub(crate) fn side_words(&self, side: usize) -> Result<Vec<Word>, FormatError> {
        const PIECE: usize = coded::GROUP_WORDS as usize;
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

/// The two forms of a `.wdl` file. Readers tell them apart by the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Read without decoding, in two cache lines a probe: the form of small tables.
    Direct,
    /// Entropy-coded by blocks of 4,096 cells, several times smaller: the form of large tables.
    Coded,
}

impl Form {
    /// Words that are encoded together: a block of the container.
    pub(crate) const fn block_words(self) -> u32 {
        match self {
            Form::Direct => direct::BLOCK_WORDS,
            Form::Coded => coded::GROUP_WORDS,
        }
    }
}

/// Encodes one side of a `.wdl` file.
#[derive(Debug)]
pub(crate) enum SideEncoder<'a, I> {
    /// Needs to know nothing.
    Direct,
    /// Has learnt what is likely.
    Coded(coded::SideEncoder<'a, I>),
}

impl<'a, I: Index> SideEncoder<'a, I> {
    /// The encoder of a side; `words_of` tells its true words, if they can be read.
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
