//! Distances, entropy-coded: the form of large tables.
//!
//! A block of [`BLOCK`] words is coded by itself (`grid.rs`, `model.rs`), its wins and its losses apart, as far as the
//! file holds them. The container's blocks are *groups* of 64 blocks:
//!
//! ```text
//! to zeroing: 1 if immediate wins are omitted, else 0 (1 byte)
//! each class that the side holds, wins before losses:
//!     length of what follows (4 bytes)
//!     in the first group of a side: length of the model (4 bytes), model
//!     lengths of its blocks (`format/sizes.rs`; with 8,193 more: not coded, two bytes a number), blocks
//! ```

use std::cell::RefCell;
use std::ops::Range;

use once_cell::sync::OnceCell;
use rayon::prelude::*;

use super::super::coded::{BLOCK, RUN, SAMPLE_RUNS, sample_step};
use super::super::container::{Container, FormatError};
use super::super::form::CODED_WORDS;
use super::super::metric::Metric;
use super::super::rans::{self, Decoder, Odds, Symbol, TOTAL};
use super::super::sizes;
use super::grid::{CELLS, Coder, Context, Grid, NONE};
use super::model::{Model, Sample};
use crate::index::{Index, Outlook};
use duchamp_retro::{Bits, Side};

/// Blocks of a group.
const GROUP: usize = CODED_WORDS as usize / BLOCK;
/// Is added to the length of a block that is not coded; others are shorter.
const NOT_CODED: u32 = 2 * CELLS as u32 + 1;
/// The runs of a sample of distances to mate, which search reads: models are smaller, and probes and generation faster.
const TO_MATE: usize = 512;

const fn sample_runs(metric: Metric) -> usize {
    match metric {
        Metric::Dtm => TO_MATE,
        _ => SAMPLE_RUNS,
    }
}

/// Parts in which a sample is taken, at most one thread each.
const PARTS: usize = 16;

/// The numbers of one class (won or lost) in some words of a side.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassPart {
    /// The cells of each word that are of the class.
    pub(crate) class: Vec<u64>,
    /// 64 numbers a word, any number where a cell is not of the class.
    pub(crate) numbers: Vec<u16>,
    /// The cells of each word whose numbers need not be kept; no words at all if there are none.
    pub(crate) free: Vec<u64>,
}

impl ClassPart {
    /// The numbers of a block as they are coded; returns its words.
    fn block(&self, block: usize, numbers: &mut [u16; CELLS]) -> &[u64] {
        let class = &self.class[block * BLOCK..self.class.len().min((block + 1) * BLOCK)];
        numbers.fill(NONE);
        for (n, &class) in class.iter().enumerate() {
            let known = &self.numbers[(block * BLOCK + n) * 64..][..64];
            for bit in Bits(class) {
                numbers[n * 64 + bit] = known[bit].min(NONE - 1);
            }
        }
        class
    }

    /// The cells of a block whose numbers need not be kept.
    fn free_of(&self, block: usize) -> Option<&[u64]> {
        let free = self.free.get(block * BLOCK..)?;
        (!free.is_empty()).then(|| &free[..free.len().min(BLOCK)])
    }

    fn blocks(&self) -> usize {
        self.class.len().div_ceil(BLOCK)
    }

    /// Some words of it, whole blocks.
    fn part(&self, words: Range<usize>) -> ClassPart {
        let free = if self.free.is_empty() {
            0..0
        } else {
            words.clone()
        };
        ClassPart {
            class: self.class[words.clone()].to_vec(),
            numbers: self.numbers[64 * words.start..64 * words.end].to_vec(),
            free: self.free[free].to_vec(),
        }
    }
}

/// Which words of a side a sample takes, and what it has learnt from them of both classes.
#[derive(Debug)]
pub(crate) struct Learner<'a, I> {
    index: &'a I,
    side: Side,
    metric: Metric,
    /// Every so many runs one is taken.
    step: usize,
    samples: [Sample; 2],
}

impl<'a, I: Index> Learner<'a, I> {
    pub(crate) fn new(index: &'a I, side: Side, metric: Metric) -> Learner<'a, I> {
        let runs = index.words().div_ceil(RUN);
        Learner {
            index,
            side,
            metric,
            step: sample_step(runs, sample_runs(metric)),
            samples: Default::default(),
        }
    }

    /// What the sample takes of the words from `first` on, a multiple of [`CODED_WORDS`]; `None` if it takes nothing.
    pub(crate) fn heard(&self, first: usize, parts: &[ClassPart; 2]) -> Option<Learner<'a, I>> {
        let words = parts[0].class.len();
        let mut heard: Option<Learner<'a, I>> = None;
        for start in (0..words).step_by(RUN) {
            if ((first + start) / RUN).is_multiple_of(self.step) {
                let run = start..words.min(start + RUN);
                let parts = parts.each_ref().map(|part| part.part(run.clone()));
                let heard = heard.get_or_insert_with(|| self.fresh());
                heard.learn(first + start, &parts);
            }
        }
        heard
    }

    /// Learns from words from `first` on.
    fn learn(&mut self, first: usize, parts: &[ClassPart; 2]) {
        let mut numbers = [NONE; CELLS];
        for (part, sample) in parts.iter().zip(&mut self.samples) {
            for block in 0..part.blocks() {
                let class = part.block(block, &mut numbers);
                sample.note(class, &numbers);
                let words = (first + block * BLOCK, class, part.free_of(block));
                walk(
                    (self.index, self.side, self.metric),
                    words,
                    0,
                    &mut numbers,
                    sample,
                );
            }
        }
    }

    /// One that has learnt nothing yet.
    pub(crate) fn fresh(&self) -> Learner<'a, I> {
        Learner {
            samples: Default::default(),
            ..*self
        }
    }

    /// What both have learnt.
    pub(crate) fn merged(self, other: &Learner<'a, I>) -> Learner<'a, I> {
        let [wins, losses] = self.samples;
        let samples = [
            wins.merged(&other.samples[0]),
            losses.merged(&other.samples[1]),
        ];
        Learner { samples, ..self }
    }

    /// The encoders of both classes.
    pub(crate) fn finish(self) -> [ClassEncoder<'a, I>; 2] {
        let Learner {
            index,
            side,
            metric,
            step,
            ..
        } = self;
        self.samples.map(|sample| {
            let bytes = Model::learn(&sample, step);
            let model = Model::read(&bytes).expect("a model just written");
            ClassEncoder {
                index,
                side,
                metric,
                model,
                cost: sample.bits() / 8.0 * step as f64 + bytes.len() as f64,
                bytes,
            }
        })
    }
}

/// Encodes one class of one side of a table.
#[derive(Debug)]
pub(crate) struct ClassEncoder<'a, I> {
    index: &'a I,
    side: Side,
    metric: Metric,
    model: Model,
    bytes: Vec<u8>,
    cost: f64,
}

impl<'a, I: Index> ClassEncoder<'a, I> {
    /// Learns the models of both classes of a side from a sample; `parts_of` returns their numbers in some words (none if
    /// they cannot be read: then they are not learnt from). Works on the threads of the current pool; the result does not
    /// depend on their number.
    pub(crate) fn learn(
        index: &'a I,
        (side, metric): (Side, Metric),
        parts_of: impl Fn(Range<usize>) -> [ClassPart; 2] + Sync,
    ) -> [ClassEncoder<'a, I>; 2] {
        let all = Learner::new(index, side, metric);
        let runs = index.words().div_ceil(RUN);
        let samples = runs.div_ceil(all.step);
        let part = samples.div_ceil(PARTS);
        let learn = |number: usize| {
            let mut learner = all.fresh();
            for run in number * part..samples.min((number + 1) * part) {
                let first = run * all.step * RUN;
                learner.learn(first, &parts_of(first..index.words().min(first + RUN)));
            }
            learner
        };
        let parts = (0..PARTS).into_par_iter().map(learn);
        parts.reduce(|| all.fresh(), |a, b| a.merged(&b)).finish()
    }

    /// About how many bytes the class of the side will take.
    pub(crate) fn cost(&self) -> f64 {
        self.cost
    }

    /// Encodes the group of words that begins at word `first`.
    pub(crate) fn group(&self, first: usize, part: &ClassPart) -> Vec<u8> {
        let mut bytes = vec![0; 4];
        if first == 0 {
            bytes.extend_from_slice(&(self.bytes.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&self.bytes);
        }
        let (mut lengths, mut coded) = (Vec::new(), Vec::new());
        let mut numbers = [[NONE; CELLS]; 2];
        let mut symbols = [const { Vec::new() }; 2];
        for pair in (0..part.blocks()).step_by(2) {
            let there = (part.blocks() - pair).min(2);
            let mut counts = [0; 2];
            for half in 0..2 {
                let mut encoder = Encoder {
                    model: &self.model,
                    odds: &PLAIN,
                    symbols: std::mem::take(&mut symbols[half]),
                };
                encoder.symbols.clear();
                if half < there {
                    let class = part.block(pair + half, &mut numbers[half]);
                    counts[half] = count(class);
                    let first = first + (pair + half) * BLOCK;
                    let base = self.model.base;
                    let words = (first, class, part.free_of(pair + half));
                    let what = (self.index, self.side, self.metric);
                    walk(what, words, base, &mut numbers[half], &mut encoder);
                }
                symbols[half] = encoder.symbols;
            }
            let blocks = rans::encode_two([&symbols[0], &symbols[1]]);
            for (half, block) in blocks.iter().take(there).enumerate() {
                if block.len() <= 2 * counts[half] {
                    lengths.push(block.len() as u32);
                    coded.extend_from_slice(block);
                } else {
                    lengths.push(NOT_CODED + 2 * counts[half] as u32);
                    let numbers = numbers[half].iter().filter(|number| **number != NONE);
                    coded.extend(numbers.flat_map(|number| number.to_le_bytes()));
                }
            }
        }
        bytes.extend(sizes::write(&lengths));
        bytes.extend_from_slice(&coded);
        let length = bytes.len() as u32 - 4;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes
    }
}

fn count(class: &[u64]) -> usize {
    class.iter().map(|word| word.count_ones() as usize).sum()
}

/// Goes through a block with what the index shows of it: its first word, the cells of its words that have numbers, and
/// those of them whose numbers need not be kept.
fn walk<I: Index>(
    (index, side, metric): (&I, Side, Metric),
    (first, class, free): (usize, &[u64], Option<&[u64]>),
    base: u16,
    numbers: &mut [u16; CELLS],
    coder: &mut impl Coder,
) {
    if class.iter().all(|&word| word == 0) {
        return;
    }
    let mut outlooks = [Outlook::default(); BLOCK];
    let outlooks = &mut outlooks[..class.len()];
    index.outlooks(side, first, outlooks);
    let grid = Grid {
        outlooks,
        class,
        base,
        by_twos: !metric.spec().odd_wins,
    };
    grid.walk(numbers, free, coder);
}

static PLAIN: [Odds; 3] = [Odds::even(); 3];
const _: () = assert!(TOTAL > 3);

struct Encoder<'a> {
    model: &'a Model,
    odds: &'a [Odds; 3],
    symbols: Vec<Symbol>,
}

impl Encoder<'_> {
    #[inline(always)]
    fn push(&mut self, odds: Odds, known: u8) -> u8 {
        self.symbols.push(Symbol::new(odds, known));
        known
    }
}

impl Coder for Encoder<'_> {
    #[inline(always)]
    fn enter(&mut self, context: Context) {
        self.odds = self.model.odds(context);
    }

    #[inline(always)]
    fn near(&mut self, place: usize, known: u8) -> u8 {
        self.push(self.odds[place], known)
    }

    fn tail(&mut self, context: usize, known: u8) -> u8 {
        self.push(self.model.tail(context), known)
    }

    fn plain(&mut self, known: u8) -> u8 {
        self.push(PLAIN[0], known)
    }
}

struct BlockDecoder<'a> {
    model: &'a Model,
    odds: &'a [Odds; 3],
    decoder: Decoder<'a>,
}

impl Coder for BlockDecoder<'_> {
    #[inline(always)]
    fn enter(&mut self, context: Context) {
        self.odds = self.model.odds(context);
    }

    #[inline(always)]
    fn near(&mut self, place: usize, _: u8) -> u8 {
        self.decoder.next(self.odds[place])
    }

    fn tail(&mut self, context: usize, _: u8) -> u8 {
        self.decoder.next(self.model.tail(context))
    }

    fn plain(&mut self, _: u8) -> u8 {
        self.decoder.next(PLAIN[0])
    }
}

/// The models of a file, by stored side and class, read when first needed.
#[derive(Debug, Default)]
pub(super) struct Models([[OnceCell<Box<Model>>; 2]; 2]);

/// One class of one side of a file.
#[derive(Clone, Copy)]
pub(super) struct Section<'a, I> {
    pub(super) container: &'a Container,
    pub(super) models: &'a Models,
    pub(super) index: &'a I,
    /// The number of the stored side.
    pub(super) side: usize,
    /// 0 wins, 1 losses.
    pub(super) class: usize,
    /// Which class of the side's comes in a group: 0 or 1.
    pub(super) place: usize,
    /// Bytes of a group before its classes.
    pub(super) head: usize,
}

impl<I: Index> Section<'_, I> {
    /// Decodes the first words of a block of the side, which has so many; `class` are the cells of these words that have
    /// numbers.
    pub(super) fn decode(
        &self,
        (block, length): (usize, usize),
        class: &[u64],
        numbers: &mut [u16; CELLS],
    ) -> Result<(), FormatError> {
        let number = self.side * self.container.side_blocks() + block / GROUP;
        let bad = || FormatError::Block(number);
        let model = self.model()?;
        let mut bytes = self.bytes(number)?;
        if block < GROUP {
            (_, bytes) = split(bytes).ok_or_else(bad)?;
        }
        let (coded, plain) = block_of(bytes, block % GROUP).ok_or_else(bad)?;
        numbers.fill(NONE);
        if plain {
            let mut stored = coded.as_chunks().0.iter();
            for (n, &class) in class.iter().enumerate() {
                for bit in Bits(class) {
                    let number = u16::from_le_bytes(*stored.next().ok_or_else(bad)?);
                    numbers[n * 64 + bit] = number.min(NONE - 1);
                }
            }
            return Ok(());
        }
        let mut decoder = BlockDecoder {
            model,
            odds: &PLAIN,
            decoder: Decoder::new(coded),
        };
        let side = self.index.stored_sides()[self.side];
        let words = (block * BLOCK, class, None);
        let what = (self.index, side, self.container.header().metric);
        walk(what, words, model.base, numbers, &mut decoder);
        // The end shows damage, where it is reached.
        if class.len() < length || decoder.decoder.is_done() {
            Ok(())
        } else {
            Err(bad())
        }
    }

    /// The bytes of the class in a group.
    fn bytes(&self, number: usize) -> Result<&[u8], FormatError> {
        let bytes = self.container.block(number)?;
        let mut bytes = bytes.get(self.head..).ok_or(FormatError::Block(number))?;
        for place in 0.. {
            let (class, rest) = split(bytes).ok_or(FormatError::Block(number))?;
            if place == self.place {
                return Ok(class);
            }
            bytes = rest;
        }
        Err(FormatError::Block(number))
    }

    fn model(&self) -> Result<&Model, FormatError> {
        let model = self.models.0[self.side][self.class].get_or_try_init(|| {
            let number = self.side * self.container.side_blocks();
            let (bytes, _) = split(self.bytes(number)?).ok_or(FormatError::Block(number))?;
            let model = Model::read(bytes);
            model.map(Box::new).ok_or(FormatError::Block(number))
        });
        model.map(|model| &**model)
    }
}

/// What a length of four bytes counts, and what comes after.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// The bytes of a block of a group, and whether they are not coded.
fn block_of(bytes: &[u8], block: usize) -> Option<(&[u8], bool)> {
    let length = |told: u32| told.checked_sub(NOT_CODED).unwrap_or(told);
    let (start, told, coded) = sizes::find(bytes, block, length)?;
    let bytes = coded.get(start..)?.get(..length(told) as usize)?;
    Some((bytes, told >= NOT_CODED))
}

/// Sets of places; a power of two. All places together: four megabytes a thread, of which only those used are touched.
const SETS: usize = 128;
/// Places of a set: a probe looks at some ten blocks, which must not push each other out.
const WAYS: usize = 4;

/// A thread's decoded blocks.
#[derive(Default)]
struct Cache {
    keys: Vec<[u64; WAYS]>,
    next: Vec<u8>,
    /// The first words of a place that are decoded.
    words: Vec<[usize; WAYS]>,
    numbers: Vec<[u16; CELLS]>,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// The number of a cell of a decoded block, given by its key (not 0); `decode` decodes so many words of it if they are
/// not kept: at first only what is needed, all words when more of them are.
pub(super) fn cached(
    key: u64,
    cell: usize,
    decode: impl FnOnce(usize, &mut [u16; CELLS]) -> Result<(), FormatError>,
) -> Result<Option<u16>, FormatError> {
    CACHE.with_borrow_mut(|cache| {
        if cache.keys.is_empty() {
            cache.keys = vec![[0; WAYS]; SETS];
            cache.next = vec![0; SETS];
            cache.words = vec![[0; WAYS]; SETS];
            cache.numbers = vec![[0; CELLS]; SETS * WAYS];
        }
        let set = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % SETS;
        let there = cache.keys[set].iter().position(|&there| there == key);
        let way = match there {
            Some(way) if cache.words[set][way] > cell / 64 => way,
            _ => {
                let way = there.unwrap_or_else(|| {
                    cache.next[set] = cache.next[set].wrapping_add(1);
                    usize::from(cache.next[set]) % WAYS
                });
                let words = if there.is_some() {
                    BLOCK
                } else {
                    cell / 64 + 1
                };
                cache.keys[set][way] = 0;
                decode(words, &mut cache.numbers[set * WAYS + way])?;
                (cache.keys[set][way], cache.words[set][way]) = (key, words);
                way
            }
        };
        let number = cache.numbers[set * WAYS + way].get(cell).copied();
        Ok(number.filter(|&number| number != NONE))
    })
}
