//! One slice of a xiangqi table as the solver sees it.

use duchamp_retro::{Layer, RowSet, RowWords, Seed, Side, Slice};
use duchamp_tablebase::Worth;

use super::exits::Exits;
use super::row_moves::RowMoves;
use super::seeds::Seeds;

/// A slice of a table.
pub(crate) struct XiangqiSlice<'e, 'a, W: Worth> {
    moves: RowMoves<'a>,
    exits: &'e Exits<'a, W>,
}

impl<'e, 'a, W: Worth> XiangqiSlice<'e, 'a, W> {
    pub(crate) fn new(slice: usize, exits: &'e Exits<'a, W>) -> Self {
        XiangqiSlice {
            moves: RowMoves::new(exits.layout, slice),
            exits,
        }
    }
}

impl<W: Worth> Slice for XiangqiSlice<'_, '_, W> {
    type Cell = W::Cell;

    fn rows(&self) -> usize {
        self.exits.layout.pairs().len()
    }

    fn row_words(&self) -> usize {
        2 * self.exits.layout.lanes()
    }

    fn seed(&self, side: Side, row: usize, seed: Seed<'_, W::Cell>) {
        Seeds::new(self.exits, self.moves.lanes(), row).describe(side, seed);
    }

    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet) {
        self.moves.sources(mover, row, rows);
    }

    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords) {
        self.moves.unmove(mover, row, to, into);
    }

    fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]) {
        self.moves.stuck(mover, row, candidates, open);
    }
}
