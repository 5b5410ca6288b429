//! The size of a slice and how its rows are cut into chunks.

use super::slice::Slice;

/// Sizes of a slice, and of the chunks in which passes are shared out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) rows: usize,
    pub(super) row_words: usize,
    /// Rows of a chunk: `1 << shift`, at most 64.
    pub(super) shift: u32,
}

impl Shape {
    pub(super) fn of<S: Slice>(slice: &S) -> Shape {
        let row_words = slice.row_words();
        // About 512 words a chunk.
        let shift = 9u32.saturating_sub(row_words.ilog2()).min(6);
        Shape {
            rows: slice.rows(),
            row_words,
            shift,
        }
    }

    pub(super) fn words(self) -> usize {
        self.rows * self.row_words
    }

    pub(super) fn chunk_rows(self) -> usize {
        1 << self.shift
    }

    pub(super) fn chunk_words(self) -> usize {
        self.row_words << self.shift
    }

    pub(super) fn chunks(self) -> usize {
        self.rows.div_ceil(self.chunk_rows())
    }
}
