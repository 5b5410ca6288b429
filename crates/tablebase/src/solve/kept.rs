//! The values of a large table while it is solved slice by slice: packed in a scratch file.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::packed::{Blocks, Packer, Unpacked, VOID, block_words, compressed, marked, unpack};
use crate::index::Index;
use crate::values::{Part, PartRoom, Values};
use duchamp_base::{Passage, Scroll};
use duchamp_retro::{Cell, Side, Wide};

/// A table's values of the slices that are solved.
#[derive(Debug)]
pub(crate) struct Kept<I> {
    index: Arc<I>,
    block_words: usize,
    scroll: Scroll,
    /// By stored side and block.
    blocks: [Mutex<Vec<Passage>>; 2],
}

impl<I: Index> Kept<I> {
    /// Nothing yet; the file lies in a folder and has no name.
    pub(super) fn new_in(index: &Arc<I>, folder: &Path) -> io::Result<Kept<I>> {
        let block_words = block_words(&**index);
        let blocks = || Mutex::new(vec![Passage::EMPTY; index.words() / block_words]);
        Ok(Kept {
            index: Arc::clone(index),
            block_words,
            scroll: Scroll::new_in(folder)?,
            blocks: [blocks(), blocks()],
        })
    }

    /// Bytes on the disk.
    pub(crate) fn size(&self) -> u64 {
        self.scroll.size()
    }

    /// Keeps words of a stored side, whole blocks from `first` on.
    pub(super) fn put(
        &self,
        side: usize,
        first: usize,
        void: &[u64],
        cells: &[[Wide; 64]],
    ) -> io::Result<()> {
        let mut packer = Packer::new();
        let parts = void
            .chunks(self.block_words)
            .zip(cells.chunks(self.block_words));
        for (n, (void, cells)) in parts.enumerate() {
            let bytes = packer.pack(&marked(void, cells));
            let passage = self.scroll.append(&bytes)?;
            let mut blocks = self.blocks[side]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            blocks[first / self.block_words + n] = passage;
        }
        Ok(())
    }

    /// Blocks of a stored side as they lie in files.
    pub(crate) fn packed(&self, side: usize, numbers: Range<usize>) -> io::Result<Vec<Vec<u8>>> {
        let packed = |number| {
            let mut bytes = Vec::new();
            let passage = self.passage(side, number);
            match self.scroll.read_packed(passage, &mut bytes)? {
                true => Ok(bytes),
                false => compressed(&bytes),
            }
        };
        numbers.map(packed).collect()
    }

    fn passage(&self, side: usize, number: usize) -> Passage {
        let blocks = self.blocks[side].lock();
        blocks.unwrap_or_else(PoisonError::into_inner)[number]
    }

    /// Reads words of a stored side, whole blocks.
    pub(crate) fn read_words(
        &self,
        side: usize,
        words: Range<usize>,
        void: &mut Vec<u64>,
        cells: &mut Vec<[Wide; 64]>,
    ) -> io::Result<()> {
        void.clear();
        cells.clear();
        for block in words.start / self.block_words..words.end.div_ceil(self.block_words) {
            let read = self.block(side, block)?;
            for word in 0..read.len() / 64 {
                let mut values = [Wide::DRAW; 64];
                let mut empty = 0;
                for (bit, value) in values.iter_mut().enumerate() {
                    let cell = read.get(64 * word + bit);
                    if cell == VOID {
                        empty |= 1 << bit;
                    } else {
                        *value = cell;
                    }
                }
                void.push(empty);
                cells.push(values);
            }
        }
        Ok(())
    }
}

impl<I: Index> Blocks for Kept<I> {
    fn block_words(&self) -> usize {
        self.block_words
    }

    fn block(&self, side: usize, number: usize) -> io::Result<Unpacked> {
        let mut bytes = Vec::new();
        self.scroll.read(self.passage(side, number), &mut bytes)?;
        unpack(&bytes)
    }
}

impl<I: Index> Values for Kept<I> {
    type Cell = Wide;
    type Index = I;

    fn index(&self) -> &Arc<I> {
        &self.index
    }

    fn stride(&self) -> usize {
        self.block_words
    }

    fn read<'a>(
        &'a self,
        side: Side,
        words: Range<usize>,
        room: &'a mut PartRoom<Wide>,
    ) -> io::Result<Part<'a, Wide>> {
        let stride = self.block_words;
        let whole = words.start / stride * stride
            ..self.index.words().min(words.end.next_multiple_of(stride));
        room.hold(side, whole, |words, void, cells| {
            self.read_words(side.index(), words, void, cells)
        })?;
        Ok(room.part(words))
    }
}

/// The value of nothing: no exit.
pub(super) const NO_EXIT: Wide = Wide::NONE;
