//! The wave solver: the slices of a table, those that others lead to first.
//!
//! A *wave* is a range of slices that do not depend on each other. Its slices are solved side by side, each by
//! [`duchamp_retro::solve`]; what a slice's exits are worth is read from finished tables and from the table's own
//! earlier waves. [`solve_whole`] keeps all values, in whatever metric; who needs the values of one wave only calls
//! [`solve_slices`] for each.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::solved::{SolveError, Solved, SubTables};
use super::view::View;
use super::worth::Worth;
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::values::Part;
use duchamp_base::{Buffer, Cancelled, Control, Gauge, Room, Scroll};
use duchamp_retro::{Cell, Code, Half, Halt, Wide};

/// What a table may use while it is solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means<'a> {
    /// Where the values go.
    pub(crate) room: Room<'a>,
    /// Where the distances to zeroing of one wave go, which are written anew wave by wave.
    pub(crate) wave: Room<'a>,
    /// How many large slices may be solved side by side.
    pub(crate) abreast: usize,
    /// Told how many slices of how many are done.
    pub(crate) gauge: &'a Gauge,
    pub(crate) control: &'a Control,
}

impl Means<'_> {
    /// A file for the exits of a slice of so many words, where memory is short.
    fn scroll(&self, words: usize) -> io::Result<Option<Scroll>> {
        match self.room {
            Room::Scratch(scratch) if words >= LARGE_SLICE => {
                Scroll::new_in(scratch.folder()).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Slices of so many words are large: each takes memory worth counting, and enough work for several threads.
const LARGE_SLICE: usize = 1 << 15;

/// The finished tables that a key's exits lead to, by key.
pub type Subs<G> = HashMap<<G as Game>::Key, Arc<Solved<<G as Game>::Index>>>;

/// The finished tables that a key's exits lead to, taken from `tables`.
pub(crate) fn sub_tables<G: Game>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
) -> Result<Subs<G>, SolveError<G::Key>> {
    tables_of::<G>(key, key.children(), tables)
}

/// The same without large tables, which are never in memory.
pub(crate) fn small_tables<G: Game>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
) -> Result<Subs<G>, SolveError<G::Key>> {
    let mut children = key.children();
    children.retain(|&child| !G::is_large(child));
    tables_of::<G>(key, children, tables)
}

fn tables_of<G: Game>(
    key: G::Key,
    children: Vec<G::Key>,
    tables: &dyn SubTables<G::Index>,
) -> Result<Subs<G>, SolveError<G::Key>> {
    let mut subs = Subs::<G>::new();
    subs.extend(G::TRIVIAL.map(|trivial_key| (trivial_key, Arc::new(trivial::<G>(trivial_key)))));
    for child in children {
        let table = tables
            .get(child)
            .ok_or(SolveError::Missing { key, child })?;
        subs.insert(child, table);
    }
    Ok(subs)
}

/// A table in which every position is drawn, as that of [`Game::TRIVIAL`].
#[must_use]
pub fn trivial<G: Game>(key: G::Key) -> Solved<G::Index> {
    let index = Arc::new(G::Index::new(key));
    let codes = index
        .stored_sides()
        .iter()
        .map(|_| vec![Code::DRAW; index.words() * 64]);
    let codes = codes.collect();
    Solved::from_codes(index, codes)
}

/// The values of a table in any metric, by side to move.
#[derive(Debug)]
pub struct Whole<C> {
    /// A value for every cell, 64 a word; meaningless where void. Symmetric duplicates hold the same value.
    pub cells: [Buffer<C>; 2],
    /// A bit for every cell that is no legal position.
    pub void: [Buffer<u64>; 2],
}

/// Both sides' parts of an array.
type Pair<'a, T> = (&'a mut [T], &'a mut [T]);

/// Solves a table in a metric of the caller's ([`Worth`]), on the heap and on the current rayon pool. `subs` holds the
/// tables of [`TableKey::children`] and of [`Game::TRIVIAL`]. The result does not depend on the number of threads.
///
/// # Errors
/// When cancelled, or when a distance is too long for the metric's cells.
pub fn solve_whole<G: Game, W: Worth<Own = <W as Worth>::Cell>>(
    index: &G::Index,
    subs: &Subs<G>,
    control: &Control,
) -> Result<Whole<W::Cell>, SolveError<G::Key>>
where
    W::Cell: duchamp_base::Plain,
{
    let means = Means {
        room: Room::Heap,
        wave: Room::Heap,
        abreast: rayon::current_num_threads(),
        gauge: &Gauge::default(),
        control,
    };
    solve_whole_with::<G, W>(index, subs, &means)
}

/// As [`solve_whole`], with the means given.
pub(super) fn solve_whole_with<G: Game, W: Worth<Own = <W as Worth>::Cell>>(
    index: &G::Index,
    subs: &Subs<G>,
    means: &Means<'_>,
) -> Result<Whole<W::Cell>, SolveError<G::Key>>
where
    W::Cell: duchamp_base::Plain,
{
    let mut whole = room::<G, W::Cell>(index, index.words(), means.room)?;
    means.gauge.start(index.slices() as u64);
    for wave in index.waves() {
        means.control.check()?;
        let from = wave.start * index.slice_words();
        let to = wave.end * index.slice_words();
        let [first, second] = whole
            .cells
            .each_mut()
            .map(|cells| cells.split_at_mut(from * 64));
        let [first_void, second_void] = whole.void.each_mut().map(|void| void.split_at_mut(from));
        let own = View {
            index,
            codes: [&*first.0, &*second.0],
            void: [&*first_void.0, &*second_void.0],
            cursed: [None; 2],
            first_only: false,
        };
        let cells = [first.1, second.1].map(|cells| &mut cells[..(to - from) * 64]);
        let void = [first_void.1, second_void.1].map(|void| &mut void[..to - from]);
        // Of two slices that differ by an exchange of the sides alone one is solved, the other copied.
        let chosen = |slice: usize| {
            index
                .exchanged_slice(slice)
                .is_none_or(|other| slice <= other)
        };
        solve_slices::<G, W>(own, (wave.clone(), &chosen), subs, cells, void, means)?;
        for slice in wave.clone().filter(|&slice| chosen(slice)) {
            if let Some(other) = index.exchanged_slice(slice).filter(|&other| other != slice) {
                means.control.check()?;
                whole.copy_exchanged(index, slice, other);
                means.gauge.add(1);
            }
        }
    }
    Ok(whole)
}

/// Room for so many words of values.
fn room<G: Game, C: Cell + duchamp_base::Plain>(
    index: &G::Index,
    words: usize,
    room: Room<'_>,
) -> Result<Whole<C>, SolveError<G::Key>> {
    let new = || -> io::Result<Whole<C>> {
        Ok(Whole {
            cells: [room.zeros(64 * words)?, room.zeros(64 * words)?],
            void: [room.zeros(words)?, room.zeros(words)?],
        })
    };
    let key = index.key();
    new().map_err(|source| SolveError::Scratch { key, source })
}

/// Room for the distances to zeroing of the longest wave, which serves all waves: memory is cleared by the system
/// before it is first touched.
pub(super) fn wave_room<G: Game>(
    index: &G::Index,
    means: &Means<'_>,
) -> Result<Whole<Wide>, SolveError<G::Key>> {
    let longest = index.waves().iter().map(ExactSizeIterator::len).max();
    room::<G, Wide>(
        index,
        longest.unwrap_or(0) * index.slice_words(),
        means.wave,
    )
}

impl<C: duchamp_base::Plain> Whole<C> {
    /// The first words with one side to move.
    pub(super) fn part(&self, side: usize, words: usize) -> Part<'_, C> {
        Part {
            void: &self.void[side][..words],
            cells: &self.cells[side].as_chunks::<64>().0[..words],
        }
    }

    /// Copies a slice to the one with the sides exchanged: one side's values become the other's.
    fn copy_exchanged<I: Index>(&mut self, index: &I, from: usize, to: usize) {
        let [from, to] = [from, to].map(|slice| slice * index.slice_words() * 64);
        for side in 0..2 {
            index.exchanged_cells(from / 64 / index.slice_words(), &mut |cell, other| {
                let (cell, other) = (from + cell, to + other);
                self.cells[side][other] = self.cells[1 - side][cell];
                let void = self.void[1 - side][cell / 64] >> (cell % 64) & 1;
                self.void[side][other / 64] |= void << (other % 64);
            });
        }
    }
}

/// Solves those slices of a wave that are `chosen`, side by side. `cells` and `void` are the wave's parts of the
/// arrays, zero at first; `own` shows the waves before.
pub(super) fn solve_slices<G: Game, W: Worth>(
    own: View<'_, G::Index, W::Own>,
    (wave, chosen): (Range<usize>, &dyn Fn(usize) -> bool),
    subs: &Subs<G>,
    [first, second]: [&mut [W::Cell]; 2],
    [first_void, second_void]: [&mut [u64]; 2],
    means: &Means<'_>,
) -> Result<(), SolveError<G::Key>> {
    let index = own.index;
    let n = index.slice_words();
    let exits = G::exits::<W>(index, own, &|child| {
        subs.get(&child).map(|table| View::of(table))
    });
    let parts = first.chunks_mut(64 * n).zip(second.chunks_mut(64 * n));
    let parts = parts.zip(first_void.chunks_mut(n).zip(second_void.chunks_mut(n)));
    let jobs = wave.zip(parts).filter(|(slice, _)| chosen(*slice));
    let mut jobs: Vec<_> = jobs.collect();
    let job = |(slice, (cells, legal)): (usize, (Pair<'_, W::Cell>, Pair<'_, u64>))| {
        let halves = [
            Half {
                cells: cells.0.as_chunks_mut::<64>().0,
                legal: &mut *legal.0,
            },
            Half {
                cells: cells.1.as_chunks_mut::<64>().0,
                legal: &mut *legal.1,
            },
        ];
        let scroll = means.scroll(n)?;
        let slice = G::slice(&exits, slice);
        duchamp_retro::solve(&slice, halves, scroll.as_ref(), means.control)?;
        // Other tables and later slices may read any cell.
        for (cells, legal) in [(cells.0, legal.0), (cells.1, legal.1)] {
            let cells = cells.as_chunks_mut::<64>().0;
            complete(index, cells, legal, means.control)?;
        }
        means.gauge.add(1);
        Ok::<(), Halt>(())
    };
    // Large slices not more at once than there is memory for: a thread that waits for a part of its slice would begin
    // another.
    let abreast = if n >= LARGE_SLICE {
        means.abreast.max(1)
    } else {
        usize::MAX
    };
    while !jobs.is_empty() {
        let rest = jobs.split_off(jobs.len().min(abreast));
        let solved = jobs.into_par_iter().try_for_each(job);
        solved.map_err(|halt| halted(index.key(), halt))?;
        jobs = rest;
    }
    Ok(())
}

/// What is left to do with a solved slice: fills the words that the solver leaves out, and makes the legal positions
/// the void ones that a table keeps.
pub(super) fn complete<I: Index, C: Copy + Send + Sync>(
    index: &I,
    cells: &mut [[C; 64]],
    legal: &mut [u64],
    control: &Control,
) -> Result<(), Cancelled> {
    let row = index.row_words();
    let rows = cells.par_chunks_mut(row).zip(legal.par_chunks_mut(row));
    rows.try_for_each(|(cells, legal)| {
        control.check()?;
        index.complete_rows(cells);
        index.complete_rows(legal);
        legal.iter_mut().for_each(|word| *word = !*word);
        Ok(())
    })
}

/// Why a table was not solved.
pub(super) fn halted<K>(key: K, halt: Halt) -> SolveError<K> {
    match halt {
        Halt::Cancelled(cancelled) => SolveError::Cancelled(cancelled),
        Halt::TooLong => SolveError::TooLong(key),
        Halt::Scratch(source) => SolveError::Scratch { key, source },
    }
}
