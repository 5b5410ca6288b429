//! A solved large table, whichever way it was solved.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::index::Index;
use crate::solve::{SlicedTable, SpilledTable};
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
    /// Reads whole rows, with the words filled in that the solver leaves out.
    pub(super) fn read_whole(
        &self,
        side: Side,
        words: Range<usize>,
        void: &mut Vec<u64>,
        cells: &mut Vec<[Wide; 64]>,
    ) -> io::Result<()> {
        match self {
            Solution::Spilled(table) => table.read_whole(side, words, void, cells),
            Solution::Sliced(table) => table.kept.read_words(side.index(), words, void, cells),
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
