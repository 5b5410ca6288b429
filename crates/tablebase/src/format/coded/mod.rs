//! Win, draw or loss, coded: the form of `.wdl` files of five men and more.
//!
//! A *block* of [`BLOCK`] words is coded cell by cell, each with the odds of its context
//! ([`Index::walk`](crate::Index::walk), `model.rs`) by an arithmetic coder (`format/rans.rs`). Cells that are no position or
//! the duplicate of another have no symbol and read as drawn. The container's blocks are *groups* of 64 blocks:
//!
//! ```text
//! first group of a side: length of its model (4 bytes), model
//! each group: lengths of its blocks (`format/sizes.rs`), blocks
//! ```
//! So a block costs a byte of index or less, and a group is checked once, when it is first touched. A
//! thread keeps some decoded blocks (`cache.rs`): a probe there is one look-up.

mod cache;
mod model;
mod walk;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use once_cell::sync::OnceCell;
use rayon::prelude::*;

use self::model::{Model, Sample};
use super::container::{Container, FormatError};
use super::direct::{Outcome, Word};
use super::form::CODED_WORDS;
use super::rans::{self, Decoder, Symbol};
use super::sizes;
use crate::index::Index;
use duchamp_retro::Side;

pub use self::walk::{BLOCK, PLACES, Planes, Visitor};

/// Blocks of a group.
const GROUP: usize = 64;
const _: () = assert!(
    GROUP * BLOCK == CODED_WORDS as usize,
    "a group is a block of the container"
);
/// Words that a sample takes together.
pub(super) const RUN: usize = 8 * BLOCK;
/// A sample takes about so many runs, but of a large table at most a third: more teach little, and counting takes time.
pub(super) const SAMPLE_RUNS: usize = 2048;
const LARGE: usize = 1024;
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
    /// Learns the model of a side from a sample of its blocks; `words_of` returns the true words of a range (none
    /// if they cannot be read: then they are not learnt from). Works on the threads of the current
    /// pool; the result does not depend on their number.
    pub(crate) fn learn(
        index: &'a I,
        side: Side,
        words_of: impl Fn(Range<usize>) -> Vec<Word> + Sync,
    ) -> SideEncoder<'a, I> {
        let shape = index.settings();
        let runs = index.words().div_ceil(RUN);
        let step = sample_step(runs, SAMPLE_RUNS);
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
        let bytes = Model::learn(shape, &sample, step);
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
        let (mut lengths, mut coded) = (Vec::new(), Vec::new());
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
                lengths.push(block.len() as u32);
                coded.extend_from_slice(block);
            }
        }
        bytes.extend(sizes::write(&lengths));
        bytes.extend_from_slice(&coded);
        bytes
    }
}

/// Of so many runs every so many is taken, for `wanted` in all: an odd number, since squares are numbered by powers of two.
pub(super) fn sample_step(runs: usize, wanted: usize) -> usize {
    let least = if runs > LARGE { 3 } else { 1 };
    (runs / wanted).max(least) | 1
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
        let planes = cache::with(
            (self.number, side, word / BLOCK),
            word % BLOCK,
            |planes, words| self.decode(side, word / BLOCK, words, planes).map(|_| ()),
            |planes| planes.get(word % BLOCK).copied(),
        )?;
        let planes = planes.ok_or(FormatError::Header("cell"))?;
        Ok(if planes.won >> bit & 1 != 0 {
            Outcome::Win
        } else if planes.lost >> bit & 1 != 0 {
            Outcome::Loss
        } else {
            Outcome::Draw
        })
    }

    /// The first words of a block of a side, at least `count` of them or all, decoded or as the thread keeps them; those
    /// behind are drawn.
    pub(crate) fn block_planes(
        &self,
        side: usize,
        block: usize,
        count: usize,
        planes: &mut [Planes; BLOCK],
    ) -> Result<(), FormatError> {
        cache::with(
            (self.number, side, block),
            count.clamp(1, BLOCK) - 1,
            |planes, words| self.decode(side, block, words, planes).map(|_| ()),
            |decoded| *planes = *decoded,
        )
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
            let length = self.decode(side, word / BLOCK, BLOCK, &mut planes)?;
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

    /// Decodes so many words of a block of a side, or all that it has; returns their number.
    fn decode(
        &self,
        side: usize,
        block: usize,
        words: usize,
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
        let mut bytes = self.container.block(number)?;
        if block < GROUP {
            (_, bytes) = split_model(bytes).ok_or_else(bad)?;
        }
        let coded = block_of_group(bytes, block % GROUP).ok_or_else(bad)?;
        let mut decoder = BlockDecoder {
            model,
            decoder: Decoder::new(coded),
        };
        let color = self.index.stored_sides()[side];
        let decoded = length.min(words.next_multiple_of(self.index.walk_step()));
        self.index
            .walk(color, first, &mut planes[..decoded], &mut decoder);
        // The end shows damage, where it is reached.
        if decoded < length || decoder.decoder.is_done() {
            Ok(decoded)
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

/// The bytes of block `block` of a group.
fn block_of_group(bytes: &[u8], block: usize) -> Option<&[u8]> {
    let (start, length, coded) = sizes::find(bytes, block, |length| length)?;
    coded.get(start..)?.get(..length as usize)
}

#[cfg(test)]
mod tests {
    use super::super::container::{Header, assemble};
    use super::super::form::Form;
    use super::super::metric::{Metric, SideCounts};
    use super::*;
    use crate::mock::{Key, Words};
    use duchamp_base::Mapped;

    /// Values with some order in them.
    fn word_of(index: &Words, side: Side, n: usize) -> Word {
        let mut noise = (n as u64 / 3 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        noise ^= noise >> 29;
        let legal = index.legal(side, n) & index.canonical(n);
        let won = (noise & noise >> 7 | 0xFFFF << (n / 64 % 50)) & legal;
        let lost = noise.rotate_left(21) & 0xFF00_FF00_F0F0 & legal & !won;
        Word {
            won,
            lost,
            void: !legal,
        }
    }

    fn file_of(index: &Arc<Words>) -> CodedFile<Words> {
        let mut blocks = Vec::new();
        for &side in index.stored_sides() {
            let word = |n| word_of(index, side, n);
            let encoder = SideEncoder::learn(&**index, side, |words| words.map(word).collect());
            let words: Vec<Word> = (0..index.words()).map(word).collect();
            for (n, words) in words.chunks(CODED_WORDS as usize).enumerate() {
                blocks.push(encoder.group(n * CODED_WORDS as usize, words));
            }
        }
        let header = Header {
            game: 0,
            revision: 0,
            key: index.key().to_string(),
            metric: Metric::Wdl,
            sides: index.stored_sides().len() as u8,
            words: index.words() as u64,
            block_words: CODED_WORDS,
            counts: [SideCounts::default(); 2],
            coding: Form::Coded.coding(),
            wdl_sum: 0,
        };
        let container = Container::open(Mapped::from(assemble(&header, &blocks)));
        CodedFile::new(container.expect("a good file"), Arc::clone(index))
    }

    /// By the generic walk, without contexts of a game.
    #[test]
    fn what_is_written_is_read() {
        for name in ["a", "a-a", "long"] {
            let index = Arc::new(Words::new(Key::of(name)));
            let file = file_of(&index);
            let words = index.words();
            for (side, &to_move) in index.stored_sides().iter().enumerate() {
                let mut n = 0;
                file.read_words(side, 0, words, |read| {
                    let word = word_of(&index, to_move, n);
                    assert_eq!((read.won, read.lost), (word.won, word.lost), "{name} {n}");
                    n += 1;
                })
                .expect("good blocks");
                assert_eq!(n, words);
                // From the middle of a block on.
                let mut part = Vec::new();
                file.read_words(side, words / 3, words / 2, |word| part.push(word.won))
                    .expect("good blocks");
                let expected = words / 3..words / 3 + words / 2;
                let expected = expected.map(|n| word_of(&index, to_move, n).won);
                assert!(part.into_iter().eq(expected));
                for cell in (0..words * 64).step_by(997) {
                    let (n, bit) = (cell / 64, cell as u32 % 64);
                    let word = word_of(&index, to_move, n);
                    let expected = match (word.won >> bit & 1, word.lost >> bit & 1) {
                        (1, _) => Outcome::Win,
                        (_, 1) => Outcome::Loss,
                        _ => Outcome::Draw,
                    };
                    assert_eq!(file.outcome(side, n, bit), Ok(expected));
                }
            }
        }
    }
}
