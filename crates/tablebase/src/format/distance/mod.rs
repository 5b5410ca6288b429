//! Files of distances: to mate, to conversion, to zeroing.
//!
//! A file holds the lengths of wins, or of losses, or of both, by side to move ([`Holdings`]). What it does not hold
//! follows from the moves of a position (`probe.rs`): a win is one ply longer than the shortest loss that its moves lead
//! to, a loss one ply longer than the longest win. So for each winner one of the two is enough.
//!
//! A win in n plies is stored as the number (n - 1) / 2 to mate, where n is odd, and as n - 1 to conversion or zeroing; a
//! loss as n / 2 to mate, else as n. Which cells are won and lost the `.wdl` file of the same key has.
//!
//! Two forms: *packed*, by Zstandard (`packed.rs`), and *coded* with a model of the table (`coded.rs`).

mod coded;
mod grid;
mod model;
mod packed;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use self::coded::{Models, Section};
use self::grid::{CELLS, NONE};
use super::coded::{BLOCK, Planes};
use super::container::{Container, FormatError, Header};
use super::form::CODED_WORDS;
use super::metric::Metric;
use super::wdl_file::WdlFile;
use crate::index::Index;
use duchamp_base::Plies;

pub(crate) use self::coded::{ClassEncoder, ClassPart, Learner};
pub(crate) use self::packed::Encoder;

/// The lowest byte of [`Header::coding`] in the coded form; above it, what is held.
const CODED: u32 = 2;

/// The first byte of a group of the coded form, to zeroing, that omits immediate wins.
pub(crate) const OMITS: u8 = 1;

/// Won or lost cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Wins = 0,
    Losses = 1,
}

impl Class {
    /// Both, in the order in which a block has them.
    pub(crate) const ALL: [Class; 2] = [Class::Wins, Class::Losses];

    /// The number that stands for so many plies.
    pub(crate) fn number(self, metric: Metric, plies: u16) -> u16 {
        match self {
            _ if metric.spec().odd_wins => plies / 2,
            Class::Wins => plies.saturating_sub(1),
            Class::Losses => plies,
        }
    }

    /// The plies that a number stands for.
    fn plies(self, metric: Metric, number: u16) -> Plies {
        let odd = u16::from(self == Class::Wins);
        Plies(if metric.spec().odd_wins {
            number.saturating_mul(2).saturating_add(odd)
        } else {
            number.saturating_add(odd)
        })
    }

    fn cells(self, planes: Planes) -> u64 {
        match self {
            Class::Wins => planes.won,
            Class::Losses => planes.lost,
        }
    }
}

/// Which lengths a file holds, by the number of the stored side and by [`Class`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Holdings(pub(crate) [[bool; 2]; 2]);

impl Holdings {
    /// All wins.
    const WINS: Holdings = Holdings([[true, false]; 2]);

    /// Whether a class of a side is held.
    #[inline]
    pub(crate) fn has(self, side: usize, class: Class) -> bool {
        self.0[side][class as usize]
    }

    /// As [`Header::coding`] has it in the coded form.
    pub(crate) fn coding(self) -> u32 {
        let bits = self.0.iter().flatten().enumerate();
        bits.fold(CODED, |coding, (n, &held)| {
            coding | u32::from(held) << (8 + n)
        })
    }

    /// Whether the form of a file of distances is known.
    pub(crate) fn knows(header: &Header) -> bool {
        Holdings::of(header).is_some()
    }

    /// What a file of distances holds, and whether it is coded; `None` if its form is not known.
    fn of(header: &Header) -> Option<(Holdings, bool)> {
        let spec = header.metric.spec();
        let packed = header.coding == spec.coding && header.block_words == spec.block_words;
        if packed {
            return Some((Holdings::WINS, false));
        }
        let bit = |n: usize| header.coding >> (8 + n) & 1 != 0;
        let holdings = Holdings([[bit(0), bit(1)], [bit(2), bit(3)]]);
        let coded = header.block_words == CODED_WORDS && holdings.coding() == header.coding;
        coded.then_some((holdings, true))
    }
}

/// A file of distances.
#[derive(Debug)]
pub(crate) struct DistanceFile<I> {
    container: Container,
    index: Arc<I>,
    holdings: Holdings,
    /// In the coded form, its models.
    models: Option<Models>,
    /// Tells apart the tables of a process in the threads' caches.
    number: u64,
}

impl<I: Index> DistanceFile<I> {
    /// The distances of a container that belongs to the index.
    ///
    /// # Errors
    /// When its form is not known.
    pub(crate) fn new(
        container: Container,
        index: &Arc<I>,
    ) -> Result<DistanceFile<I>, FormatError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let header = container.header();
        let (holdings, coded) = Holdings::of(header).ok_or(FormatError::Coding(header.coding))?;
        Ok(DistanceFile {
            container,
            index: Arc::clone(index),
            holdings,
            models: coded.then(Models::default),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The file as it is.
    pub(crate) fn container(&self) -> &Container {
        &self.container
    }

    /// What its distances count.
    pub(crate) fn metric(&self) -> Metric {
        self.container.header().metric
    }

    /// Which lengths it holds.
    #[inline]
    pub(crate) fn holdings(&self) -> Holdings {
        self.holdings
    }

    /// Words of a block.
    pub(crate) fn block_words(&self) -> usize {
        self.container.header().block_words as usize
    }

    /// Whether a block (counted through all sides) omits immediate wins.
    pub(crate) fn omits(&self, number: usize) -> Result<bool, FormatError> {
        if !self.metric().spec().omits_immediate_wins {
            return Ok(false);
        }
        let block = self.container.block(number)?;
        let omits = match self.models {
            Some(_) => block.first() == Some(&OMITS),
            None => packed::omits(block),
        };
        self.container.sure(omits)
    }

    /// The block of a word (counted within the side), through all sides.
    pub(crate) fn block_of(&self, side: usize, word: usize) -> usize {
        side * self.container.side_blocks() + word / self.block_words()
    }

    /// The length of the win or loss at `bit` of `word` (counted within the side); `Ok(None)` if it is none, or not held.
    /// Of an immediate win it is wrong where its block [omits](Self::omits) these.
    pub(crate) fn length(
        &self,
        wdl: &WdlFile<I>,
        class: Class,
        (side, word, bit): (usize, usize, u32),
    ) -> Result<Option<Plies>, FormatError> {
        if !self.holdings.has(side, class) {
            return Ok(None);
        }
        let number = match &self.models {
            None => packed::win(self, wdl, self.block_of(side, word), (word, bit))?,
            Some(models) => {
                let block = word / BLOCK;
                // A table has less than 2^39 blocks, a process less than 2^23 files.
                let key =
                    self.number << 41 | (block as u64) << 2 | (side as u64) << 1 | class as u64;
                let cell = word % BLOCK * 64 + bit as usize;
                coded::cached(key, cell, |count, numbers| {
                    let mut planes = [Planes::default(); BLOCK];
                    wdl.block_planes(side, block, count, &mut planes)?;
                    let cells = planes.map(|planes| class.cells(planes));
                    let there = self.index.words().saturating_sub(block * BLOCK).min(BLOCK);
                    let section = self.section(models, side, class);
                    section.decode((block, there), &cells[..there.min(count)], numbers)?;
                    self.container.sure(())
                })?
            }
        };
        Ok(number.map(|number| class.plies(self.metric(), number)))
    }

    /// One class of a stored side, which is held.
    fn section<'a>(&'a self, models: &'a Models, side: usize, class: Class) -> Section<'a, I> {
        let before = class == Class::Losses && self.holdings.has(side, Class::Wins);
        Section {
            container: &self.container,
            models,
            index: &*self.index,
            side,
            class: class as usize,
            place: usize::from(before),
            head: usize::from(self.metric().spec().omits_immediate_wins),
        }
    }

    /// The plies of every win and loss of a block that are held, as [`Self::length`] returns them, by cell within the
    /// block; other cells are 0.
    pub(crate) fn decode(&self, wdl: &WdlFile<I>, number: usize) -> Result<Vec<u16>, FormatError> {
        let words = self.container.header().words_in_block(number);
        let mut cells = vec![0; words * 64];
        let metric = self.metric();
        let Some(models) = &self.models else {
            packed::decode(self, wdl, number, |cell, number| {
                cells[cell] = Class::Wins.plies(metric, number).0;
            })?;
            return Ok(cells);
        };
        let blocks = self.container.side_blocks();
        let (side, first) = (number / blocks, number % blocks * self.block_words());
        let held = Class::ALL
            .into_iter()
            .filter(|&class| self.holdings.has(side, class));
        let held: Vec<Class> = held.collect();
        if held.is_empty() {
            return Ok(cells);
        }
        let mut planes = Vec::with_capacity(words);
        wdl.read_words(side, first, words, |word| planes.push(Planes::from(word)))?;
        let mut numbers = [NONE; CELLS];
        for class in held {
            let section = self.section(models, side, class);
            for (n, planes) in planes.chunks(BLOCK).enumerate() {
                let set: Vec<u64> = planes.iter().map(|&planes| class.cells(planes)).collect();
                section.decode((first / BLOCK + n, set.len()), &set, &mut numbers)?;
                let cells = &mut cells[n * CELLS..];
                for (cell, &number) in cells.iter_mut().zip(&numbers) {
                    if number != NONE {
                        *cell = class.plies(metric, number).0;
                    }
                }
            }
        }
        self.container.sure(cells)
    }
}

#[cfg(test)]
mod tests;
