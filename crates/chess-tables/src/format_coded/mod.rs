//! Win, draw or loss, coded: the form of `.wdl` files of five men and more.
//!
//! A *block* of [`BLOCK`] words is coded cell by cell, each with the odds of its context (`plane.rs`,
//! `model.rs`) by an arithmetic coder (`rans.rs`). Cells that are no position or the twin of another have no
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
mod plane;
mod rans;
mod scene;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use self::model::{Model, Sample};
use self::plane::{BLOCK, Planes, Visitor, Walk};
use self::rans::{Decoder, Symbol};
use super::format::{Container, FormatError};
use super::format_wdl::{Outcome, Word};
use super::layout::Layout;
use duchamp_chess::Color;

/// Blocks of a group.
const GROUP: usize = 64;
/// Words of a group, a block of the container.
pub(super) const GROUP_WORDS: u32 = (GROUP * BLOCK) as u32;
/// Words that a sample takes together, and how many such runs it takes about.
const RUN: usize = 8 * BLOCK;
const SAMPLE_RUNS: usize = 1024;
/// Parts in which a sample is taken, at most one thread each.
const PARTS: usize = 16;

/// Encodes one side of a table.
#[derive(Debug)]
pub(super) struct SideEncoder<'a> {
    walk: Walk<'a>,
    model: Model,
    bytes: Vec<u8>,
}

impl<'a> SideEncoder<'a> {
    /// Learns the model of a side from a sample of its blocks; `words_of` tells the true words of a range (none
    /// if they cannot be read: then they are not learnt from). Works on the threads of the current
    /// pool; the result does not depend on their number.
    pub(super) fn learn(
        layout: &'a Layout,
        side: Color,
        words_of: impl Fn(Range<usize>) -> Vec<Word> + Sync,
    ) -> SideEncoder<'a> {
        let walk = Walk { layout, side };
        let runs = layout.words().div_ceil(RUN);
        // An odd step: squares are numbered by powers of two.
        let step = (runs / SAMPLE_RUNS) | 1;
        let samples = runs.div_ceil(step);
        let part = samples.div_ceil(PARTS);
        let learn = |part_number: usize| {
            let mut sample = Sample::new(layout);
            for run in part_number * part..samples.min((part_number + 1) * part) {
                let first = run * step * RUN;
                let words = words_of(first..layout.words().min(first + RUN));
                for (n, words) in words.chunks(BLOCK).enumerate() {
                    let mut planes = [Planes::default(); BLOCK];
                    let sample = &mut sample;
                    let mut learner = Learner { sample, words };
                    walk.block(first + n * BLOCK, &mut planes[..words.len()], &mut learner);
                }
            }
            sample
        };
        let sample = (0..PARTS)
            .into_par_iter()
            .map(learn)
            .reduce(|| Sample::new(layout), |a, b| a.merged(&b));
        let bytes = Model::learn(layout, &sample);
        let model = Model::read(layout, &bytes).expect("a model just written");
        SideEncoder { walk, model, bytes }
    }

    /// Encodes the group of words that begins at word `first`. Words are read again as they are given,
    /// void cells being draws.
    pub(super) fn group(&self, first: usize, words: &[Word]) -> Vec<u8> {
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
                self.walk
                    .block(first, &mut planes[..words.len()], &mut encoder);
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

impl From<Word> for Planes {
    fn from(word: Word) -> Planes {
        Planes {
            won: word.won & !word.void,
            lost: word.lost & !word.void,
        }
    }
}

/// A coded `.wdl` file.
#[derive(Debug)]
pub(super) struct CodedFile {
    container: Container,
    layout: Arc<Layout>,
    /// Tells apart the files of a process in the threads' caches.
    number: u64,
    /// Per side, read when first needed; `None` if damaged.
    models: [OnceLock<Option<Box<Model>>>; 2],
}

impl CodedFile {
    /// The file of a container whose header fits the layout.
    pub(super) fn new(container: Container, layout: Arc<Layout>) -> CodedFile {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        CodedFile {
            container,
            layout,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            models: [const { OnceLock::new() }; 2],
        }
    }

    pub(super) fn container(&self) -> &Container {
        &self.container
    }

    /// The value of one position: `word` counts within the side, `side` is the stored side to move.
    #[inline]
    pub(super) fn outcome(
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
    pub(super) fn read_words(
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
            .layout
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
        let walk = Walk {
            layout: &self.layout,
            side: self.layout.sides()[side],
        };
        walk.block(first, &mut planes[..length], &mut decoder);
        if decoder.decoder.is_done() {
            Ok(length)
        } else {
            Err(bad())
        }
    }

    fn model(&self, side: usize) -> Result<&Model, FormatError> {
        let number = side * self.container.side_blocks();
        let model = self.models[side].get_or_init(|| {
            let (model, _) = split_model(self.container.block(number).ok()?)?;
            Model::read(&self.layout, model).map(Box::new)
        });
        model.as_deref().ok_or(FormatError::Block(number))
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

#[cfg(test)]
mod tests {
    use super::super::format::{Header, Metric, SideCounts, assemble};
    use super::*;
    use duchamp_base::Mapped;

    /// Values with some order in them, other than chess would have.
    fn word_of(layout: &Layout, side: Color, n: usize) -> Word {
        let mut noise = (n as u64 / 3 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        noise ^= noise >> 29;
        let legal = layout.legal(side, n) & layout.canonical(n);
        let won = (noise & noise >> 7 | 0xFFFF << (n / 64 % 50)) & legal;
        let lost = noise.rotate_left(21) & 0xFF00_FF00_F0F0 & legal & !won;
        Word {
            won,
            lost,
            void: !legal,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        // The ways in which words follow each other, like men, and mirrored pawns.
        for name in ["KRvK", "KBBvK", "KBvKN", "KPvK", "KRvKP", "KPvKP"] {
            let layout = Arc::new(Layout::new(name.parse().expect("a material")));
            let mut blocks = Vec::new();
            for &side in layout.sides() {
                let encoder = SideEncoder::learn(&layout, side, |words| {
                    words.map(|n| word_of(&layout, side, n)).collect()
                });
                let words: Vec<Word> = (0..layout.words())
                    .map(|n| word_of(&layout, side, n))
                    .collect();
                for (n, words) in words.chunks(GROUP_WORDS as usize).enumerate() {
                    blocks.push(encoder.group(n * GROUP_WORDS as usize, words));
                }
            }
            let header = Header {
                material: name.to_owned(),
                metric: Metric::Wdl,
                sides: layout.sides().len() as u8,
                words: layout.words() as u64,
                block_words: GROUP_WORDS,
                counts: [SideCounts::default(); 2],
                coding: 0,
                wdl_sum: 0,
            };
            let container = Container::open(Mapped::from(assemble(&header, &blocks)));
            let file = CodedFile::new(container.expect("a good file"), Arc::clone(&layout));
            for (side, &color) in layout.sides().iter().enumerate() {
                let mut n = 0;
                file.read_words(side, 0, layout.words(), |read| {
                    let word = word_of(&layout, color, n);
                    assert_eq!((read.won, read.lost), (word.won, word.lost), "{name} {n}");
                    n += 1;
                })
                .expect("good blocks");
                assert_eq!(n, layout.words());
                let mut part = Vec::new();
                file.read_words(side, 100, 150, |word| part.push(word.won))
                    .expect("good blocks");
                let expected = (100..250).map(|n| word_of(&layout, color, n).won);
                assert!(part.into_iter().eq(expected));
                for cell in (0..layout.words() * 64).step_by(997) {
                    let (n, bit) = (cell / 64, cell as u32 % 64);
                    let word = word_of(&layout, color, n);
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
