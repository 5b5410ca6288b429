//! Files of distances from values that come slice by slice, never whole.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::encode::{DistanceTarget, EncodeError, usable};
use crate::format::{BlockWriter, Encoder, Metric, SideCounts};
use crate::index::Index;
use crate::values::Part;
use duchamp_base::files::WholeFile;
use duchamp_base::{Control, Passage, Scroll};
use duchamp_retro::Wide;

/// Blocks that are encoded before they are written.
const BATCH: usize = 1 << 11;

/// Writes a file of distances from values that come in order, some words at a time. Black's blocks,
/// which come behind all of White's, wait in a scratch file.
pub(crate) struct DistanceWriter<'a, I> {
    target: DistanceTarget<'a, I>,
    control: &'a Control,
    sides: [SideBlocks; 2],
    writer: BlockWriter,
    scroll: Scroll,
    waiting: Vec<Passage>,
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
        Ok(DistanceWriter {
            target,
            control,
            sides: Default::default(),
            writer: BlockWriter::create(path)?,
            scroll: Scroll::new_in(scratch)?,
            waiting: Vec::new(),
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

    /// Adds the next block of a side.
    fn put(&mut self, side: usize, block: &[u8]) -> io::Result<()> {
        if side == 0 {
            return self.writer.push(block);
        }
        self.waiting.push(self.scroll.append(block)?);
        Ok(())
    }

    /// Takes the next words of a stored side; `traps` are the words of the side with a trap among them.
    pub(crate) fn push(
        &mut self,
        side: usize,
        part: Part<'_, Wide>,
        traps: &[usize],
    ) -> Result<(), EncodeError> {
        let per_block = self.target.metric.spec().block_words as usize;
        let mut pending = std::mem::take(&mut self.sides[side]);
        let blocks = traps.iter().map(|word| word / per_block);
        pending.trapped.extend(blocks);
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
                let all = pending.trapped.contains(&pending.blocks);
                let encoder = &mut Encoder::new()?;
                let block = self
                    .target
                    .block_telling(all, (side, first), begun, encoder)?;
                pending.blocks += 1;
                self.put(side, &block)?;
            }
        }
        let whole = match words - at {
            left if last => left,
            left => left / per_block * per_block,
        };
        let batch = per_block * BATCH;
        for start in (at..at + whole).step_by(batch) {
            let end = (start + batch).min(at + whole);
            let parts = part.void[start..end]
                .par_chunks(per_block)
                .zip(part.cells[start..end].par_chunks(per_block))
                .enumerate();
            let new: Vec<Vec<u8>> = parts
                .map_init(Encoder::new, |encoder, (n, (void, cells))| {
                    self.control.check()?;
                    let first = done + start + n * per_block;
                    let part = Part { void, cells };
                    let all = pending.trapped.contains(&(first / per_block));
                    let encoder = usable(encoder)?;
                    self.target.block_telling(all, (side, first), part, encoder)
                })
                .collect::<Result<_, EncodeError>>()?;
            pending.blocks += new.len();
            new.iter().try_for_each(|block| self.put(side, block))?;
        }
        pending.keep(part, at + whole..words);
        self.sides[side] = pending;
        Ok(())
    }

    /// The file, once all words of all stored sides are pushed.
    pub(crate) fn finish(mut self, counts: [SideCounts; 2]) -> Result<WholeFile, EncodeError> {
        let mut block = Vec::new();
        for passage in std::mem::take(&mut self.waiting) {
            self.control.check()?;
            self.scroll.read(passage, &mut block)?;
            self.writer.push(&block)?;
        }
        Ok(self.writer.finish(&self.target.header(counts))?)
    }
}
