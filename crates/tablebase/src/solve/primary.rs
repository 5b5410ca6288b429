//! Distances of a primary metric in bytes: tables are solved to these first, and larger tables read them.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::solved::{SolveError, Solved, SolvedSide, SubTables};
use super::waves::{Means, Whole, solve_whole_with, sub_tables};
use super::worth::{ToConversionMoves, ToMate, ToMateLong};
use crate::format::Metric;
use crate::game::Game;
use crate::index::Index;
use crate::values::{Part, PartRoom, Values};
use duchamp_base::{Control, Gauge, Room};
use duchamp_retro::{Side, Wide};

/// Solves a table to mate, on the heap: the value of every position with its distance in plies.
///
/// `tables` holds those of [`TableKey::children`](crate::TableKey::children). Uses the current rayon pool; the result
/// does not depend on its size.
///
/// # Errors
/// When cancelled, when a sub-table is missing, or when a distance is too long for a byte, here or in a sub-table.
pub fn solve<G: Game>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
    control: &Control,
) -> Result<Solved<G::Index>, SolveError<G::Key>> {
    solve_primary::<G>(key, tables, Metric::Dtm, control)
}

/// As [`solve`], in one of the game's primary metrics ([`Game::PRIMARY`]): [`Metric::Dtm`], or [`Metric::Dtc`] as
/// [`ToConversionMoves`](crate::ToConversionMoves) counts it, for which of `tables` only the results are read.
///
/// # Errors
/// As [`solve`].
///
/// # Panics
/// If the metric is another one.
pub fn solve_primary<G: Game>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
    metric: Metric,
    control: &Control,
) -> Result<Solved<G::Index>, SolveError<G::Key>> {
    let means = Means {
        room: Room::Heap,
        wave: Room::Heap,
        abreast: rayon::current_num_threads(),
        gauge: &Gauge::default(),
        control,
    };
    solve_with::<G>(key, tables, metric, &means)
}

/// As [`solve_primary`], with the means given.
pub(crate) fn solve_with<G: Game>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
    metric: Metric,
    means: &Means<'_>,
) -> Result<Solved<G::Index>, SolveError<G::Key>> {
    let subs = sub_tables::<G>(key, tables)?;
    if metric == Metric::Dtm {
        for (&child, table) in &subs {
            if table.is_full(means.control)? {
                return Err(SolveError::LongSub { key, child });
            }
        }
    }
    let index = G::Index::new(key);
    let whole = match metric {
        Metric::Dtm => solve_whole_with::<G, ToMate>(&index, &subs, means)?,
        Metric::Dtc => solve_whole_with::<G, ToConversionMoves>(&index, &subs, means)?,
        Metric::Wdl | Metric::Dtz => panic!("{metric:?} is solved after another metric"),
    };
    let sides = whole.cells.into_iter().zip(whole.void);
    let sides = sides
        .take(index.stored_sides().len())
        .map(|(codes, void)| SolvedSide { void, codes })
        .collect();
    Ok(Solved::new(Arc::new(index), sides))
}

/// A table to mate whose distances are longer than a byte can say; no larger table reads it.
#[derive(Debug)]
pub(crate) struct LongTable<I> {
    index: Arc<I>,
    whole: Whole<Wide>,
}

/// Solves a table to mate with two bytes a value, from sub-tables that have one.
pub(crate) fn solve_long<G: Game>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
    means: &Means<'_>,
) -> Result<LongTable<G::Index>, SolveError<G::Key>> {
    let subs = sub_tables::<G>(key, tables)?;
    let index = G::Index::new(key);
    let whole = solve_whole_with::<G, ToMateLong>(&index, &subs, means)?;
    Ok(LongTable {
        index: Arc::new(index),
        whole,
    })
}

impl<I: Index> Values for LongTable<I> {
    type Cell = Wide;
    type Index = I;

    fn index(&self) -> &Arc<I> {
        &self.index
    }

    fn stride(&self) -> usize {
        1
    }

    fn read<'a>(
        &'a self,
        side: Side,
        words: Range<usize>,
        _: &'a mut PartRoom<Wide>,
    ) -> io::Result<Part<'a, Wide>> {
        let side = side.index();
        Ok(Part {
            void: &self.whole.void[side][words.clone()],
            cells: &self.whole.cells[side].as_chunks::<64>().0[words],
        })
    }
}
