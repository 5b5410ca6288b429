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

mod class;
mod coded;
mod grid;
mod model;
mod packed;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use self::coded::{Models, Section};
use self::grid::{CELLS, NONE};
use self::packed::Packed;
use super::coded::{BLOCK, Planes};
use super::container::{Container, FormatError};
use super::metric::Metric;
use super::wdl_file::WdlFile;
use crate::index::Index;
use duchamp_base::Plies;

pub(crate) use self::class::{Class, Holdings, OMITS};
pub(crate) use self::coded::{ClassEncoder, ClassPart, Learner};
pub(crate) use self::packed::Encoder;

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
            None => self
                .packed()
                .win(wdl, self.block_of(side, word), (word, bit))?,
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

    /// The file as one in the packed form.
    fn packed(&self) -> Packed<'_> {
        Packed {
            container: &self.container,
            number: self.number,
        }
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
            self.packed().decode(wdl, number, |cell, number| {
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
