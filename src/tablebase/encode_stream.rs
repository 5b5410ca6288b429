//! Files of distances from values that come slice by slice, never whole.

use std::collections::BTreeSet;
use std::ops::Range;

use rayon::prelude::*;

use super::encode::{DistanceTarget, EncodeError, EncodedFile, usable};
use super::format::{Metric, SideCounts};
use super::format_distance::{self, Encoder};
use super::layout::Layout;
use super::values::Part;
use super::wdl_file::WdlFile;
use crate::base::Control;

/// Encodes a file of distances from values that come in order, some words at a time.
pub(super) struct DistanceWriter<'a> {
    target: DistanceTarget<'a>,
    control: &'a Control,
    sides: [SideBlocks; 2],
}

/// The blocks of one side to move so far, and the words after the last whole one.
#[derive(Default)]
struct SideBlocks {
    blocks: Vec<Vec<u8>>,
    /// Blocks, by number, that hold traps: they tell all their wins.
    trapped: BTreeSet<usize>,
    void: Vec<u64>,
    cells: Vec<[u16; 64]>,
}

impl SideBlocks {
    /// Keeps words until their block is whole.
    fn keep(&mut self, part: Part<'_, u16>, words: Range<usize>) {
        self.void.extend_from_slice(&part.void[words.clone()]);
        self.cells.extend_from_slice(&part.cells[words]);
    }
}

impl<'a> DistanceWriter<'a> {
    pub(super) fn new(
        metric: Metric,
        layout: &'a Layout,
        wdl: &'a WdlFile,
        control: &'a Control,
    ) -> DistanceWriter<'a> {
        DistanceWriter {
            target: DistanceTarget {
                metric,
                layout,
                wdl,
            },
            control,
            sides: Default::default(),
        }
    }

    /// Takes the next words of a stored side; `traps` are the words of the side with a trap among them.
    pub(super) fn push(
        &mut self,
        side: usize,
        part: Part<'_, u16>,
        traps: &[usize],
    ) -> Result<(), EncodeError> {
        let per_block = format_distance::block_words(self.target.metric) as usize;
        let mut pending = std::mem::take(&mut self.sides[side]);
        let blocks = traps.iter().map(|word| word / per_block);
        pending.trapped.extend(blocks);
        let done = pending.blocks.len() * per_block + pending.void.len();
        let words = part.void.len();
        let last = done + words == self.target.layout.words();
        let mut at = 0;
        if !pending.void.is_empty() {
            // First the block that the words before have begun.
            at = words.min(per_block - pending.void.len());
            pending.keep(part, 0..at);
            if pending.void.len() == per_block || last && at == words {
                let first = pending.blocks.len() * per_block;
                let void = std::mem::take(&mut pending.void);
                let cells = std::mem::take(&mut pending.cells);
                let begun = Part {
                    void: &void,
                    cells: &cells,
                };
                let all = pending.trapped.contains(&pending.blocks.len());
                let encoder = &mut Encoder::new()?;
                let block = self
                    .target
                    .block_telling(all, (side, first), begun, encoder)?;
                pending.blocks.push(block);
            }
        }
        let whole = match words - at {
            left if last => left,
            left => left / per_block * per_block,
        };
        let parts = part.void[at..at + whole]
            .par_chunks(per_block)
            .zip(part.cells[at..at + whole].par_chunks(per_block))
            .enumerate();
        let new: Vec<Vec<u8>> = parts
            .map_init(Encoder::new, |encoder, (n, (void, cells))| {
                self.control.check()?;
                let first = done + at + n * per_block;
                let part = Part { void, cells };
                let all = pending.trapped.contains(&(first / per_block));
                let encoder = usable(encoder)?;
                self.target.block_telling(all, (side, first), part, encoder)
            })
            .collect::<Result<_, EncodeError>>()?;
        pending.blocks.extend(new);
        pending.keep(part, at + whole..words);
        self.sides[side] = pending;
        Ok(())
    }

    /// The file, once all words of all stored sides are pushed.
    pub(super) fn finish(self, counts: [SideCounts; 2]) -> EncodedFile {
        let [mut blocks, black] = self.sides.map(|side| side.blocks);
        blocks.extend(black);
        EncodedFile::new(&self.target.header(counts), blocks)
    }
}
