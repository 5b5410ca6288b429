//! Files of distances from values that come slice by slice, never whole.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::encode::{DistanceTarget, EncodeError, usable};
use super::spool::{GROUP, Spool};
use crate::format::{BlockWriter, Encoder, Metric, SideCounts};
use crate::index::Index;
use crate::values::Part;
use duchamp_base::files::WholeFile;
use duchamp_base::{Control, Passage, Scroll};
use duchamp_retro::Wide;

/// Blocks that are encoded before they are written.
const BATCH: usize = 1 << 11;

/// Writes a file of distances from values that come in order, some words at a time.
pub(crate) struct DistanceWriter<'a, I> {
    target: DistanceTarget<'a, I>,
    control: &'a Control,
    sides: [SideBlocks; 2],
    /// Words of a block.
    per_block: usize,
    writer: BlockWriter,
    blocks: Blocks<'a, I>,
}

/// Where blocks go before they are in the file.
enum Blocks<'a, I> {
    /// Packed: Black's, which come behind all of White's, wait in a scratch file.
    Packed {
        scroll: Scroll,
        waiting: Vec<Passage>,
    },
    /// Coded: all wait for their models.
    Coded(Spool<'a, I>),
}

/// The number of blocks of one side to move so far, and the words after the last whole one.
#[derive(Default)]
struct SideBlocks {
    blocks: usize,
    /// Blocks, by number, that hold traps: they store all their wins.
    trapped: BTreeSet<usize>,
    void: Vec<u64>,
    cells: Vec<[Wide; 64]>,
}

impl SideBlocks {
    /// Keeps words until their block is whole.
    fn keep(&mut self, part: Part<'_, Wide>, words: Range<usize>) {
        self.void.extend_from_slice(&part.void[words.clone()]);
        self.cells.extend_from_slice(&part.cells[words]);
    }
}

impl<'a, I: Index> DistanceWriter<'a, I> {
    /// Begins the file that will be named `path`; a scratch file will lie in the folder `scratch`.
    pub(crate) fn new(
        target: DistanceTarget<'a, I>,
        path: &Path,
        scratch: &Path,
        control: &'a Control,
    ) -> io::Result<DistanceWriter<'a, I>> {
        let (per_block, blocks) = if target.is_coded() {
            (
                GROUP,
                Blocks::Coded(Spool::new(target.index, target.metric, scratch)?),
            )
        } else {
            let (scroll, waiting) = (Scroll::new_in(scratch)?, Vec::new());
            let per_block = target.metric.spec().block_words as usize;
            (per_block, Blocks::Packed { scroll, waiting })
        };
        Ok(DistanceWriter {
            target,
            control,
            sides: Default::default(),
            per_block,
            writer: BlockWriter::create(path)?,
            blocks,
        })
    }

    /// What the file stores.
    pub(crate) fn metric(&self) -> Metric {
        self.target.metric
    }

    /// What the `.wdl` file counts.
    pub(crate) fn told(&self) -> &[SideCounts; 2] {
        &self.target.wdl.header().counts
    }

    /// Takes the next words of a stored side; `traps` are the words of the side with a trap among them.
    pub(crate) fn push(
        &mut self,
        side: usize,
        part: Part<'_, Wide>,
        traps: &[usize],
    ) -> Result<(), EncodeError> {
        let per_block = self.per_block;
        let mut pending = std::mem::take(&mut self.sides[side]);
        pending
            .trapped
            .extend(traps.iter().map(|word| word / per_block));
        let done = pending.blocks * per_block + pending.void.len();
        let words = part.void.len();
        let last = done + words == self.target.index.words();
        let mut at = 0;
        if !pending.void.is_empty() {
            // First the block that the words before have begun.
            at = words.min(per_block - pending.void.len());
            pending.keep(part, 0..at);
            if pending.void.len() == per_block || last && at == words {
                let first = pending.blocks * per_block;
                let void = std::mem::take(&mut pending.void);
                let cells = std::mem::take(&mut pending.cells);
                let begun = Part {
                    void: &void,
                    cells: &cells,
                };
                pending.blocks += 1;
                self.take((side, first), begun, &pending.trapped)?;
            }
        }
        let end = match words - at {
            left if last => at + left,
            left => at + left / per_block * per_block,
        };
        if at < end {
            let whole = Part {
                void: &part.void[at..end],
                cells: &part.cells[at..end],
            };
            pending.blocks += (end - at).div_ceil(per_block);
            self.take((side, done + at), whole, &pending.trapped)?;
        }
        pending.keep(part, end..words);
        self.sides[side] = pending;
        Ok(())
    }

    /// Takes the next blocks of a side, which begin at a word; `trapped` are the numbers of those with traps.
    fn take(
        &mut self,
        (side, first): (usize, usize),
        part: Part<'_, Wide>,
        trapped: &BTreeSet<usize>,
    ) -> Result<(), EncodeError> {
        let (target, control, size) = (&self.target, self.control, self.per_block);
        let (scroll, waiting) = match &mut self.blocks {
            Blocks::Coded(spool) => {
                return spool.take(target, (side, first), part, trapped, control);
            }
            Blocks::Packed { scroll, waiting } => (scroll, waiting),
        };
        let batch = size * BATCH;
        let batches = part.void.chunks(batch).zip(part.cells.chunks(batch));
        for (number, (void, cells)) in batches.enumerate() {
            let parts = void.par_chunks(size).zip(cells.par_chunks(size));
            let blocks = parts
                .enumerate()
                .map_init(Encoder::new, |encoder, (n, (void, cells))| {
                    control.check()?;
                    let first = first + number * batch + n * size;
                    let all = trapped.contains(&(first / size));
                    let part = Part { void, cells };
                    target.block_telling(all, (side, first), part, usable(encoder)?)
                });
            for block in blocks.collect::<Result<Vec<_>, EncodeError>>()? {
                match side {
                    0 => self.writer.push(&block)?,
                    _ => waiting.push(scroll.append(&block)?),
                }
            }
        }
        Ok(())
    }

    /// The file, once all words of all stored sides are pushed.
    pub(crate) fn finish(mut self, counts: [SideCounts; 2]) -> Result<WholeFile, EncodeError> {
        let (scroll, waiting) = match self.blocks {
            Blocks::Coded(spool) => {
                return spool.finish(&self.target, self.writer, counts, self.control);
            }
            Blocks::Packed { scroll, waiting } => (scroll, waiting),
        };
        let mut block = Vec::new();
        for passage in waiting {
            self.control.check()?;
            scroll.read(passage, &mut block)?;
            self.writer.push(&block)?;
        }
        Ok(self.writer.finish(&self.target.header(None, counts))?)
    }
}
