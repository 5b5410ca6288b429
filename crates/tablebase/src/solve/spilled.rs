//! Tables of one slice solved in little memory: bitmaps alone at random, all else in a scratch
//! file that is written and read in order (`duchamp_retro::solve_scrolled`).
//!
//! The result is read part by part ([`Values`]); nothing ever holds all values.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::packed::{PackRoom, block_words};
use super::solved::{SolveError, SubTables};
use super::view::View;
use super::waves::{halted, sub_tables};
use super::worth::{ToMate, ToMateLong, Worth};
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::values::{Part, PartRoom, Values};
use duchamp_base::{Control, Gauge, Scroll};
use duchamp_retro::{
    Cell, Code, Footprint, Layer, RowSet, RowWords, Scrolled, Seed, Side, Slice, Wide,
};

/// A solved table whose values lie in a scratch file; read them as [`Values`].
#[derive(Debug)]
pub struct SpilledTable<I, C> {
    index: Arc<I>,
    slice: Scrolled<C>,
}

/// A table of a game, solved in a metric.
type Spilled<G, W> = SpilledTable<<G as Game>::Index, <W as Worth>::Cell>;

/// Bytes of memory that solving so takes at its peak, on so many threads: bitmaps, a row's values and
/// records a thread, and the sub-tables at hand.
pub(crate) fn workspace<I: Index>(index: &I, cell_bytes: usize, threads: usize) -> u64 {
    let bitmap = 8 * index.words() as u64;
    // Values, legal and inside words, records written and read.
    let row = index.row_words() as u64 * (64 * cell_bytes as u64 + 3 * 8 + 32);
    // Two sets, three layers with their marks, the list of passages.
    5 * (bitmap + bitmap / 64) + threads as u64 * row + (32 << 20)
}

/// Solves a table of one slice to mate in little memory: bitmaps are in memory, values in a scratch file in `folder`.
/// The file has no name and ends with the process. Uses the current rayon pool.
///
/// # Errors
/// As [`solve`](super::solve()), and when the scratch file cannot be written.
///
/// # Panics
/// If the key has pawns.
pub fn solve_spilled<G: Game>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
    folder: &Path,
    control: &Control,
) -> Result<SpilledTable<G::Index, Code>, SolveError<G::Key>> {
    spill::<G, ToMate>(key, tables, folder, &Gauge::default(), control)
}

/// As [`solve_spilled`], with two bytes a value: for distances that do not fit into one.
///
/// # Errors
/// As there.
///
/// # Panics
/// As there.
pub fn solve_spilled_long<G: Game>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
    folder: &Path,
    control: &Control,
) -> Result<SpilledTable<G::Index, Wide>, SolveError<G::Key>> {
    spill::<G, ToMateLong>(key, tables, folder, &Gauge::default(), control)
}

/// As [`solve_spilled`], in any metric. `described` receives how many rows of how many are described, which comes
/// before their levels.
pub(crate) fn spill<G: Game, W: Worth>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
    folder: &Path,
    described: &Gauge,
    control: &Control,
) -> Result<Spilled<G, W>, SolveError<G::Key>> {
    assert_eq!(key.pawns(), 0, "a table of one slice");
    let subs = sub_tables::<G>(key, tables)?;
    let index = Arc::new(G::Index::new(key));
    let own = View {
        index: &*index,
        codes: [&[]; 2],
        void: [&[]; 2],
        cursed: [None; 2],
        first_only: false,
    };
    let exits = G::exits::<W>(&index, own, &|child| {
        subs.get(&child).map(|table| View::of(table))
    });
    let slice = Counted {
        slice: G::slice(&exits, 0),
        described,
    };
    described.start(2 * slice.rows() as u64);
    let scratch = |source| SolveError::Scratch { key, source };
    let scroll = Scroll::new_in(folder).map_err(scratch)?;
    let scrolled =
        duchamp_retro::solve_scrolled(&slice, scroll, control).map_err(|halt| halted(key, halt))?;
    drop(slice);
    drop(exits);
    Ok(SpilledTable {
        index,
        slice: scrolled,
    })
}

/// A slice that counts its rows when they are described.
struct Counted<'g, S> {
    slice: S,
    described: &'g Gauge,
}

impl<S: Slice> Slice for Counted<'_, S> {
    type Cell = S::Cell;

    #[inline(always)]
    fn rows(&self) -> usize {
        self.slice.rows()
    }

    #[inline(always)]
    fn row_words(&self) -> usize {
        self.slice.row_words()
    }

    fn seed(&self, side: Side, row: usize, seed: Seed<'_, S::Cell>) {
        self.slice.seed(side, row, seed);
        self.described.add(1);
    }

    #[inline(always)]
    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet) {
        self.slice.sources(mover, row, rows);
    }

    #[inline(always)]
    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords) {
        self.slice.unmove(mover, row, to, into);
    }

    #[inline(always)]
    fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]) {
        self.slice.stuck(mover, row, candidates, open);
    }
}

impl<I: Index, C: Cell> SpilledTable<I, C> {
    /// Reads whole strides as [`Values::read`] does, with the words filled in that the solver leaves out.
    pub(crate) fn read_whole(
        &self,
        side: Side,
        words: Range<usize>,
        void: &mut Vec<u64>,
        cells: &mut Vec<[C; 64]>,
    ) -> io::Result<()> {
        self.slice.read(side, words, void, cells)?;
        self.index.complete_rows(void);
        self.index.complete_rows(cells);
        Ok(())
    }
}

impl<I: Index> SpilledTable<I, Wide> {
    /// Blocks of a stored side, in whole strides, as they lie in files.
    pub(crate) fn packed(
        &self,
        side: Side,
        numbers: Range<usize>,
        room: &mut PackRoom,
    ) -> io::Result<Vec<Vec<u8>>> {
        let size = block_words(&*self.index);
        let words = numbers.start * size..numbers.end * size;
        room.blocks(size, |void, cells| {
            self.read_whole(side, words, void, cells)
        })
    }
}

impl<I, C: Cell> SpilledTable<I, C> {
    /// What solving took, in bytes.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        self.slice.footprint()
    }
}

impl<I: Index, C: Cell> Values for SpilledTable<I, C> {
    type Cell = C;
    type Index = I;

    fn index(&self) -> &Arc<I> {
        &self.index
    }

    fn stride(&self) -> usize {
        self.slice.stride()
    }

    fn read<'a>(
        &'a self,
        side: Side,
        words: Range<usize>,
        room: &'a mut PartRoom<C>,
    ) -> io::Result<Part<'a, C>> {
        let stride = self.stride();
        let whole = words.start / stride * stride
            ..self.index.words().min(words.end.next_multiple_of(stride));
        room.hold(side, whole, |words, void, cells| {
            self.slice.read(side, words, void, cells)
        })?;
        Ok(room.part(words))
    }
}
