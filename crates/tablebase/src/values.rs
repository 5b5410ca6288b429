//! The values of a finished table, read in order: what encoders take.
//!
//! A table may lie in memory ([`Solved`](crate::Solved)) or, solved in little memory, in scratch files that are
//! read part by part.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::index::Index;
use duchamp_retro::{Cell, Side};

/// A part of one side's table: consecutive words.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a, C> {
    /// A bit for every cell that is no legal position. Symmetric duplicates are not void.
    pub void: &'a [u64],
    /// 64 values a word, meaningless where void.
    pub cells: &'a [[C; 64]],
}

/// A buffer for parts whose values do not lie in memory. Keep it between reads: consecutive parts of one stride are
/// read from the file once.
#[derive(Debug)]
pub struct PartRoom<C> {
    /// What it holds: a side and its words.
    held: Option<(Side, Range<usize>)>,
    void: Vec<u64>,
    cells: Vec<[C; 64]>,
}

impl<C> Default for PartRoom<C> {
    fn default() -> PartRoom<C> {
        PartRoom {
            held: None,
            void: Vec::new(),
            cells: Vec::new(),
        }
    }
}

impl<C: Cell> PartRoom<C> {
    /// Holds these words: `read` fills the arrays unless they hold them already. Use a buffer for one table only.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn hold(
        &mut self,
        side: Side,
        words: Range<usize>,
        read: impl FnOnce(Range<usize>, &mut Vec<u64>, &mut Vec<[C; 64]>) -> io::Result<()>,
    ) -> io::Result<()> {
        let wanted = (side, words);
        if self.held.as_ref() != Some(&wanted) {
            self.held = None;
            read(wanted.1.clone(), &mut self.void, &mut self.cells)?;
            self.held = Some(wanted);
        }
        Ok(())
    }

    /// A part of what is held.
    ///
    /// # Panics
    /// If it is not held.
    #[must_use]
    pub fn part(&self, words: Range<usize>) -> Part<'_, C> {
        let first = self.held.as_ref().map_or(0, |held| held.1.start);
        let range = words.start - first..words.end - first;
        Part {
            void: &self.void[range.clone()],
            cells: &self.cells[range],
        }
    }
}

/// The values of a solved table in one metric, wherever they lie: what the writers of files and [`solve_spilled`] users
/// read.
///
/// [`solve_spilled`]: crate::solve_spilled
pub trait Values: Sync {
    /// How a value is kept.
    type Cell: Cell;
    /// How the cells are numbered.
    type Index: Index;

    /// How the cells are numbered.
    fn index(&self) -> &Arc<Self::Index>;

    /// At least 1: parts that begin at its multiples and are multiples of it long (or end with the table) are read
    /// without waste. Others can be read too, at the cost of whole strides.
    fn stride(&self) -> usize;

    /// The values of some words with `side`, one of [`Index::stored_sides`], to move. Several threads may
    /// read at a time, each with its own room.
    ///
    /// # Errors
    /// When a scratch file cannot be read.
    fn read<'a>(
        &'a self,
        side: Side,
        words: Range<usize>,
        room: &'a mut PartRoom<Self::Cell>,
    ) -> io::Result<Part<'a, Self::Cell>>;
}
