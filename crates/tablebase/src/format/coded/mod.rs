//! Win, draw or loss, coded: the form of `.wdl` files of five men and more.
//!
//! A *block* of [`BLOCK`] words is coded cell by cell, each with the odds of its context ([`Index::walk`](crate::Index::walk),
//! `model.rs`) by an arithmetic coder (`rans.rs`). Cells that are no position or the duplicate of another have no
//! symbol and read as drawn. The container's blocks are *groups* of 64 blocks:
//!
//! ```text
//! first group of a side: length of its model (4 bytes), model
//! each group: length of each block (2 bytes each), blocks
//! ```
//! So a block costs two bytes of index, and a group is checked once, when it is first touched. A
//! thread keeps some decoded blocks (`cache.rs`): a probe there is one look-up.

mod cache;
mod model;
mod rans;
mod walk;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use once_cell::sync::OnceCell;
use rayon::prelude::*;

use self::model::{Model, Sample};
use self::rans::{Decoder, Symbol};
use super::container::{Container, FormatError};
use super::direct::{Outcome, Word};
use crate::index::Index;
use duchamp_retro::Side;

pub(crate) use self::walk::walk_plainly;
pub use self::walk::{BLOCK, PLACES, Planes, Visitor};

/// Blocks of a group.
const GROUP: usize = 64;
/// Words of a group, a block of the container.
pub(crate) const GROUP_WORDS: u32 = (GROUP * BLOCK) as u32;
/// Words that a sample takes together, and how many such runs it takes about.
const RUN: usize = 8 * BLOCK;
const SAMPLE_RUNS: usize = 1024;
/// Parts in which a sample is taken, at most one thread each.
const PARTS: usize = 16;

/// Encodes one side of a table.
#[derive(Debug)]
pub(crate) struct SideEncoder<'a, I> {
    index: &'a I,
    side: Side,
    model: Model,
    bytes: Vec<u8>,
}

impl<'a, I: Index> SideEncoder<'a, I> {
    /// Learns the model of a side from a sample of its blocks; `words_of` tells the true words of a range (none
    /// if they cannot be read: then they are not learnt from). Works on the threads of the current
    /// pool; the result does not depend on their number.
    pub(crate) fn learn(
        index: &'a I,
        side: Side,
        words_of: impl Fn(Range<usize>) -> Vec<Word> + Sync,
    ) -> SideEncoder<'a, I> {
        let shape = index.settings();
        let runs = index.words().div_ceil(RUN);
        // An odd step: squares are numbered by powers of two.
        let step = (runs / SAMPLE_RUNS) | 1;
        let samples = runs.div_ceil(step);
        let part = samples.div_ceil(PARTS);
        let learn = |part_number: usize| {
            let mut sample = Sample::new(shape);
            for run in part_number * part..samples.min((part_number + 1) * part) {
                let first = run * step * RUN;
                let words = words_of(first..index.words().min(first + RUN));
                for (n, words) in words.chunks(BLOCK).enumerate() {
                    let mut planes = [Planes::default(); BLOCK];
                    let sample = &mut sample;
                    let mut learner = Learner { sample, words };
                    let planes = &mut planes[..words.len()];
                    index.walk(side, first + n * BLOCK, planes, &mut learner);
                }
            }
            sample
        };
        let sample = (0..PARTS)
            .into_par_iter()
            .map(learn)
            .reduce(|| Sample::new(shape), |a, b| a.merged(&b));
        let bytes = Model::learn(shape, &sample);
        let model = Model::read(shape, &bytes).expect("a model just written");
        SideEncoder {
            index,
            side,
            model,
            bytes,
        }
    }

    /// Encodes the group of words that begins at word `first`. Words are read again as they are given,
    /// void cells being draws.
    pub(crate) fn group(&self, first: usize, words: &[Word]) -> Vec<u8> {
        let mut bytes = Vec::new();
        if first == 0 {
            bytes.extend_from_slice(&(self.bytes.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&self.bytes);
        }
        let mut coded = Vec::new();
        let mut symbols: [Vec<Symbol>; 2] = [const { Vec::new() }; 2];
        for (n, words) in words.chunks(2 * BLOCK).enumerate() {
            let mut blocks = words.chunks(BLOCK);
            for (half, symbols) in symbols.iter_mut().enumerate() {
                symbols.clear();
                let Some(words) = blocks.next() else { break };
                let mut planes = [Planes::default(); BLOCK];
                let mut encoder = Encoder {
                    model: &self.model,
                    words,
                    symbols,
                };
                let first = first + (2 * n + half) * BLOCK;
                let planes = &mut planes[..words.len()];
                self.index.walk(self.side, first, planes, &mut encoder);
            }
            let pair = rans::encode_two([&symbols[0], &symbols[1]]);
            for block in pair.iter().take(words.len().div_ceil(BLOCK)) {
                bytes.extend_from_slice(&(block.len() as u16).to_le_bytes());
                coded.extend_from_slice(block);
            }
        }
        bytes.extend_from_slice(&coded);
        bytes
    }
}

struct Learner<'a> {
    sample: &'a mut Sample,
    words: &'a [Word],
}

impl Visitor for Learner<'_> {
    #[inline(always)]
    fn known(&self, word: usize) -> Option<Planes> {
        Some(Planes::from(self.words[word]))
    }

    #[inline(always)]
    fn cell(&mut self, setting: u16, place: usize, value: u8) -> u8 {
        self.sample.add(setting, place, value);
        value
    }
}

struct Encoder<'a> {
    model: &'a Model,
    words: &'a [Word],
    symbols: &'a mut Vec<Symbol>,
}

impl Visitor for Encoder<'_> {
    #[inline(always)]
    fn known(&self, word: usize) -> Option<Planes> {
        Some(Planes::from(self.words[word]))
    }

    #[inline(always)]
    fn cell(&mut self, setting: u16, place: usize, value: u8) -> u8 {
        let odds = self.model.odds(setting, place);
        self.symbols.push(Symbol::new(odds, value));
        value
    }
}

struct BlockDecoder<'a> {
    model: &'a Model,
    decoder: Decoder<'a>,
}

impl Visitor for BlockDecoder<'_> {
    #[inline(always)]
    fn known(&self, _: usize) -> Option<Planes> {
        None
    }

    #[inline(always)]
    fn cell(&mut self, setting: u16, place: usize, _: u8) -> u8 {
        self.decoder.next(self.model.odds(setting, place))
    }
}

/// A coded `.wdl` file.
#[derive(Debug)]
pub(crate) struct CodedFile<I> {
    container: Container,
    index: Arc<I>,
    /// Tells apart the files of a process in the threads' caches.
    number: u64,
    /// Per side, read when first needed.
    models: [OnceCell<Box<Model>>; 2],
}

impl<I: Index> CodedFile<I> {
    /// The file of a container whose header fits the index.
    pub(crate) fn new(container: Container, index: Arc<I>) -> CodedFile<I> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        CodedFile {
            container,
            index,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            models: [const { OnceCell::new() }; 2],
        }
    }

    pub(crate) fn container(&self) -> &Container {
        &self.container
    }

    /// The value of one position: `word` counts within the side, `side` is the stored side to move.
    #[inline]
    pub(crate) fn outcome(
        &self,
        side: usize,
        word: usize,
        bit: u32,
    ) -> Result<Outcome, FormatError> {
        let planes = cache::with(self, side, word / BLOCK, |planes| {
            planes.get(word % BLOCK).copied()
        })?;
        let planes = planes.ok_or(FormatError::Header("cell"))?;
        Ok(if planes.won >> bit & 1 != 0 {
            Outcome::Win
        } else if planes.lost >> bit & 1 != 0 {
            Outcome::Loss
        } else {
            Outcome::Draw
        })
    }

    /// Goes through `count` words of a side from word `first` on.
    pub(crate) fn read_words(
        &self,
        side: usize,
        first: usize,
        count: usize,
        mut each: impl FnMut(Word),
    ) -> Result<(), FormatError> {
        let mut planes = [Planes::default(); BLOCK];
        let mut word = first;
        while word < first + count {
            let length = self.decode(side, word / BLOCK, &mut planes)?;
            let start = word % BLOCK;
            let end = length.min(start + first + count - word);
            if start >= end {
                return Err(FormatError::Header("words"));
            }
            for planes in &planes[start..end] {
                each(Word {
                    won: planes.won,
                    lost: planes.lost,
                    void: 0,
                });
            }
            word += end - start;
        }
        Ok(())
    }

    /// Decodes a block of a side; tells the number of its words.
    fn decode(
        &self,
        side: usize,
        block: usize,
        planes: &mut [Planes; BLOCK],
    ) -> Result<usize, FormatError> {
        let number = side * self.container.side_blocks() + block / GROUP;
        let bad = || FormatError::Block(number);
        let model = self.model(side)?;
        let first = block * BLOCK;
        let length = self
            .index
            .words()
            .checked_sub(first)
            .ok_or_else(bad)?
            .min(BLOCK);
        let blocks = self
            .container
            .header()
            .words_in_block(number)
            .div_ceil(BLOCK);
        let mut bytes = self.container.block(number)?;
        if block < GROUP {
            (_, bytes) = split_model(bytes).ok_or_else(bad)?;
        }
        let coded = block_of_group(bytes, blocks, block % GROUP).ok_or_else(bad)?;
        let mut decoder = BlockDecoder {
            model,
            decoder: Decoder::new(coded),
        };
        let color = self.index.stored_sides()[side];
        self.index
            .walk(color, first, &mut planes[..length], &mut decoder);
        if decoder.decoder.is_done() {
            Ok(length)
        } else {
            Err(bad())
        }
    }

    /// The model of a side, read at the first call that finds it whole.
    fn model(&self, side: usize) -> Result<&Model, FormatError> {
        let model = self.models[side].get_or_try_init(|| {
            let number = side * self.container.side_blocks();
            let (bytes, _) =
                split_model(self.container.block(number)?).ok_or(FormatError::Block(number))?;
            let model = Model::read(self.index.settings(), bytes);
            model.map(Box::new).ok_or(FormatError::Block(number))
        });
        model.map(|model| &**model)
    }
}

/// Model and group of the first group of a side.
fn split_model(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// The bytes of block `block` of a group of so many blocks.
fn block_of_group(bytes: &[u8], blocks: usize, block: usize) -> Option<&[u8]> {
    let (lengths, coded) = bytes.split_at_checked(2 * blocks)?;
    let (lengths, _) = lengths.as_chunks::<2>();
    let length = |bytes: &[u8; 2]| usize::from(u16::from_le_bytes(*bytes));
    let start: usize = lengths.get(..block)?.iter().map(length).sum();
    coded.get(start..)?.get(..length(lengths.get(block)?))
}
