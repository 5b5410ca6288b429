//! A solved large table, whichever way it was solved.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::index::Index;
use crate::solve::{PackRoom, SlicedTable, SpilledTable};
use crate::values::{Part, PartRoom, Values};
use duchamp_retro::{Side, Wide};

/// The values of a large table in one metric.
#[derive(Debug)]
pub(super) enum Solution<I> {
    /// Of one slice.
    Spilled(SpilledTable<I, Wide>),
    /// Of many.
    Sliced(SlicedTable<I>),
}

impl<I: Index> Solution<I> {
    /// Blocks of a stored side, in whole strides, as they lie in the files that larger tables read.
    pub(super) fn packed(
        &self,
        side: Side,
        numbers: Range<usize>,
        room: &mut PackRoom,
    ) -> io::Result<Vec<Vec<u8>>> {
        match self {
            Solution::Spilled(table) => table.packed(side, numbers, room),
            Solution::Sliced(table) => table.kept.packed(side.index(), numbers),
        }
    }
}

impl<I: Index> Values for Solution<I> {
    type Cell = Wide;
    type Index = I;

    fn index(&self) -> &Arc<I> {
        match self {
            Solution::Spilled(table) => table.index(),
            Solution::Sliced(table) => table.kept.index(),
        }
    }

    fn stride(&self) -> usize {
        match self {
            Solution::Spilled(table) => table.stride(),
            Solution::Sliced(table) => table.kept.stride(),
        }
    }

    fn read<'a>(
        &'a self,
        side: Side,
        words: Range<usize>,
        room: &'a mut PartRoom<Wide>,
    ) -> io::Result<Part<'a, Wide>> {
        match self {
            Solution::Spilled(table) => table.read(side, words, room),
            Solution::Sliced(table) => table.kept.read(side, words, room),
        }
    }
}
