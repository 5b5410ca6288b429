//! Large tables with pawns, slice by slice: the values of solved slices lie packed in a scratch file, and only the slices
//! that those at work lead to are unpacked.
//!
//! Small slices are solved in memory, several at a time; pushes are exits that the game finds in a sparse array of the
//! whole table ([`Own`]). Slices that are too large for that ([`Game::spills_slices`]) are solved one at a time in little
//! memory, and what their pushes give is read row by row (`extras.rs`).

use std::collections::BTreeSet;
use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::distance::{need_cursed, trapped_words};
use super::extras::{Extras, WithExtras};
use super::kept::Kept;
use super::large_sub::LargeSubs;
use super::packed::{Blocks, VOID};
use super::solved::SolveError;
use super::view::View;
use super::waves::{Subs, complete, halted};
use super::worth::LongWorth;
use crate::format::Metric;
use crate::game::Game;
use crate::index::{Index, TableKey};
use duchamp_base::{Control, Gauge, Scroll, Sparse};
use duchamp_retro::{Half, Halt, Side, Slice, Wide};

/// Words of both sides that are solved side by side at least, where slices are small.
const BATCH: usize = 1 << 18;

/// What a large table with pawns may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlicedMeans<'a> {
    /// The folder for scratch files.
    pub(crate) folder: &'a Path,
    /// Counts slices.
    pub(crate) gauge: &'a Gauge,
    pub(crate) control: &'a Control,
}

/// A solved table.
#[derive(Debug)]
pub(crate) struct SlicedTable<I> {
    pub(crate) kept: Kept<I>,
    /// To zeroing, by stored side, the words that hold traps ([`trapped_words`]), in order.
    pub(crate) traps: [Vec<usize>; 2],
}

/// Slices that are solved side by side on so many threads.
fn batch(slice_words: usize, threads: usize) -> usize {
    (BATCH / slice_words).max(threads)
}

/// Bytes of memory that solving takes at its peak, on so many threads, the sub-tables not included.
pub(crate) fn sliced_workspace<G: Game>(index: &G::Index, threads: usize) -> u64 {
    let words = index.slice_words() as u64;
    let blocks = Extras::<G>::memory(threads);
    if G::spills_slices(index.key()) {
        let bitmap = 8 * words;
        let row = index.row_words() as u64 * (64 * 6 + 3 * 8 + 32);
        return 5 * (bitmap + bitmap / 64)
            + threads as u64 * (row + (16 << 20))
            + blocks
            + (32 << 20);
    }
    let slices = batch(index.slice_words(), threads) as u64;
    // Values and bitmaps of those at work, with exits; and the slices that pushes lead to, single and double ones.
    let at_work = slices * words * (2 * 2 * 64 + 16 * 8 + 2 * 64);
    let pushes = 2 * u64::from(index.key().pawns());
    let own = (slices * pushes).min(index.slices() as u64) * words * 2 * (2 * 64 + 16);
    at_work + own + blocks + (48 << 20)
}

/// Solves a large table with pawns in a metric; `subs` are the tables of fewer pieces, `large` those of as many.
pub(crate) fn solve_sliced<G: Game, W: LongWorth>(
    index: &Arc<G::Index>,
    subs: &Subs<G>,
    large: &LargeSubs<G>,
    means: SlicedMeans<'_>,
) -> Result<SlicedTable<G::Index>, SolveError<G::Key>> {
    let key = index.key();
    let scratch = |source| SolveError::Scratch { key, source };
    let zeroing = W::SUBS == Metric::Dtz;
    if zeroing {
        need_cursed::<G>(key, subs)?;
    }
    let kept = Kept::new_in(index, means.folder).map_err(scratch)?;
    let spills = G::spills_slices(key);
    let way = (means.folder, means.control);
    let mut extras = Extras::<G>::new(index, &kept, large, spills, way).map_err(scratch)?;
    means.gauge.start(index.slices() as u64);
    let run = Run::<G, W> {
        index,
        subs,
        kept: &kept,
        find_traps: zeroing,
        traps: Mutex::default(),
        means,
        worth: PhantomData,
    };
    let mut own = Own::<G, W>::new(index).map_err(scratch)?;
    for wave in index.waves() {
        means.control.check()?;
        // Of two slices that differ by an exchange of the sides alone one is solved, if it is in memory.
        let chosen = |slice: &usize| {
            let other = index.exchanged_slice(*slice);
            spills || zeroing || other.is_none_or(|other| *slice <= other)
        };
        let slices: Vec<usize> = wave.clone().filter(chosen).collect();
        run.prepare(&mut extras, &slices)?;
        if spills {
            slices
                .into_iter()
                .try_for_each(|slice| run.spilled(slice, &extras))?;
            continue;
        }
        for slices in slices.chunks(batch(index.slice_words(), rayon::current_num_threads())) {
            own.show(slices, &kept).map_err(scratch)?;
            run.side_by_side(slices, &own, &extras)?;
        }
    }
    let traps = run.traps.into_inner();
    let mut traps = traps.unwrap_or_else(PoisonError::into_inner);
    traps.iter_mut().for_each(|words| words.sort_unstable());
    drop(extras);
    log::debug!("{key}: {} bytes of values in scratch", kept.size());
    Ok(SlicedTable { kept, traps })
}

/// A table on its way through the waves.
struct Run<'a, G: Game, W> {
    index: &'a Arc<G::Index>,
    subs: &'a Subs<G>,
    kept: &'a Kept<G::Index>,
    find_traps: bool,
    traps: Mutex<[Vec<usize>; 2]>,
    means: SlicedMeans<'a>,
    worth: PhantomData<W>,
}

impl<G: Game, W: LongWorth> Run<'_, G, W> {
    fn scratch(&self, source: io::Error) -> SolveError<G::Key> {
        let key = self.index.key();
        SolveError::Scratch { key, source }
    }

    fn prepare(
        &self,
        extras: &mut Extras<'_, G>,
        slices: &[usize],
    ) -> Result<(), SolveError<G::Key>> {
        let prepared = extras.prepare::<W>(slices, self.means.folder);
        // A cancel looks like an error there.
        self.means.control.check()?;
        prepared.map_err(|source| self.scratch(source))
    }

    /// Solves slices in memory.
    fn side_by_side(
        &self,
        slices: &[usize],
        own: &Own<G, W>,
        extras: &Extras<'_, G>,
    ) -> Result<(), SolveError<G::Key>> {
        let exits = G::exits::<W>(self.index, own.view(self.index), &|child| {
            self.subs.get(&child).map(|table| View::of(table))
        });
        let solved = slices.par_iter().try_for_each(|&number| {
            let slice = WithExtras {
                slice: G::slice(&exits, number),
                number,
                extras,
                worth: self.worth,
            };
            let words = self.index.slice_words();
            let mut cells = [0; 2].map(|_| vec![[Wide::DRAW; 64]; words]);
            let mut legal = [0; 2].map(|_| vec![0; words]);
            let [first, second] = &mut cells;
            let [first_legal, second_legal] = &mut legal;
            let halves = [(first, first_legal), (second, second_legal)];
            let halves = halves.map(|(cells, legal)| Half { cells, legal });
            duchamp_retro::solve(&slice, halves, None, self.means.control)?;
            let first = number * words;
            for (cells, legal) in cells.iter_mut().zip(&mut legal) {
                complete(&**self.index, cells, legal, self.means.control)?;
            }
            for side in self.index.stored_sides().iter().map(|side| side.index()) {
                self.kept.put(side, first, &legal[side], &cells[side])?;
            }
            if let Some(other) = self.index.exchanged_slice(number)
                && other != number
                && !self.find_traps
            {
                self.put_exchanged((number, other), &mut cells, &mut legal)?;
            }
            self.find_traps(&slice, number)?;
            self.means.gauge.add(1);
            Ok::<(), Halt>(())
        });
        self.checked(solved, extras)
    }

    /// Keeps the first side's values of the slice `other`, which are the second's of a solved slice with the sides
    /// exchanged. What the arrays hold of the first side is lost.
    fn put_exchanged(
        &self,
        (slice, other): (usize, usize),
        cells: &mut [Vec<[Wide; 64]>; 2],
        void: &mut [Vec<u64>; 2],
    ) -> io::Result<()> {
        let ([to, from], [to_void, from_void]) = (cells, void);
        to_void.fill(!0);
        let (to, from) = (to.as_flattened_mut(), from.as_flattened());
        self.index.exchanged_cells(slice, &mut |cell, other| {
            to[other] = from[cell];
            if from_void[cell / 64] >> (cell % 64) & 1 == 0 {
                to_void[other / 64] &= !(1 << (other % 64));
            }
        });
        let first = other * self.index.slice_words();
        self.means.gauge.add(1);
        self.kept.put(0, first, to_void, to.as_chunks().0)
    }

    /// Solves a slice in little memory.
    fn spilled(&self, number: usize, extras: &Extras<'_, G>) -> Result<(), SolveError<G::Key>> {
        let none = View {
            index: &**self.index,
            codes: [&[]; 2],
            void: [&[]; 2],
            cursed: [None; 2],
            first_only: false,
        };
        let exits = G::exits::<W>(self.index, none, &|child| {
            self.subs.get(&child).map(|table| View::of(table))
        });
        let slice = WithExtras {
            slice: G::slice(&exits, number),
            number,
            extras,
            worth: self.worth,
        };
        let scroll = Scroll::new_in(self.means.folder).map_err(|error| self.scratch(error))?;
        let solved = duchamp_retro::solve_scrolled(&slice, scroll, self.means.control);
        let solved = solved.and_then(|solved| {
            let (words, size) = (self.index.slice_words(), self.kept.block_words());
            for &side in self.index.stored_sides() {
                let starts: Vec<usize> = (0..words).step_by(size).collect();
                starts.into_par_iter().try_for_each(|start| {
                    self.means.control.check()?;
                    let (mut void, mut cells) = (Vec::new(), Vec::new());
                    solved.read(side, start..start + size, &mut void, &mut cells)?;
                    // Larger than a block or part of one, a row is read whole where its words need each other.
                    self.index.complete_rows(&mut void);
                    self.index.complete_rows(&mut cells);
                    let first = number * words + start;
                    self.kept.put(side.index(), first, &void, &cells)?;
                    Ok::<(), Halt>(())
                })?;
            }
            self.find_traps(&slice, number)
        });
        self.checked(solved, extras)?;
        self.means.gauge.add(1);
        Ok(())
    }

    /// Finds the traps of a slice, if they are wanted.
    fn find_traps(&self, slice: &impl Slice<Cell = Wide>, number: usize) -> Result<(), Halt> {
        if !self.find_traps {
            return Ok(());
        }
        let (words, row_words) = (self.index.slice_words(), self.index.row_words());
        for &side in self.index.stored_sides() {
            let rows = (0..self.index.row_count()).into_par_iter();
            let found = rows.map(|row| {
                self.means.control.check()?;
                let mut trapped = trapped_words(slice, side, row);
                self.index.complete_rows(&mut trapped);
                let first = number * words + row * row_words;
                let set = trapped.into_iter().enumerate().filter(|word| word.1);
                Ok(set.map(|(word, _)| first + word).collect())
            });
            let found = found.collect::<Result<Vec<Vec<usize>>, Halt>>()?;
            let mut traps = self.traps.lock().unwrap_or_else(PoisonError::into_inner);
            traps[side.index()].extend(found.into_iter().flatten());
        }
        Ok(())
    }

    fn checked(
        &self,
        solved: Result<(), Halt>,
        extras: &Extras<'_, G>,
    ) -> Result<(), SolveError<G::Key>> {
        match extras.error() {
            Some(error) => Err(self.scratch(error)),
            None => solved.map_err(|halt| halted(self.index.key(), halt)),
        }
    }
}

/// The table's own slices as the game's exits read them: an array of the whole table, of which only some slices are there.
struct Own<G: Game, W: LongWorth> {
    /// By stored side.
    codes: Vec<Sparse<W::Own>>,
    void: Vec<Sparse<u64>>,
    cursed: Vec<Sparse<u64>>,
    shown: BTreeSet<usize>,
    game: PhantomData<G>,
}

impl<G: Game, W: LongWorth> Own<G, W> {
    fn new(index: &G::Index) -> io::Result<Own<G, W>> {
        let spills = G::spills_slices(index.key());
        let words = if spills { 1 } else { index.words() };
        let mut own = Own {
            codes: Vec::new(),
            void: Vec::new(),
            cursed: Vec::new(),
            shown: BTreeSet::new(),
            game: PhantomData,
        };
        for _ in index.stored_sides() {
            own.codes.push(Sparse::zeros(64 * words)?);
            own.void.push(Sparse::zeros(words)?);
            own.cursed.push(Sparse::zeros(words)?);
        }
        Ok(own)
    }

    fn view<'a>(&'a self, index: &'a G::Index) -> View<'a, G::Index, W::Own> {
        let stored = |side: Side| side.index().min(self.codes.len() - 1);
        View {
            index,
            codes: Side::ALL.map(|side| &self.codes[stored(side)][..]),
            void: Side::ALL.map(|side| &self.void[stored(side)][..]),
            cursed: Side::ALL
                .map(|side| (W::SUBS == Metric::Dtz).then(|| &self.cursed[stored(side)][..])),
            first_only: self.codes.len() == 1,
        }
    }

    /// Shows what slices lead to and forgets all others.
    fn show(&mut self, slices: &[usize], kept: &Kept<G::Index>) -> io::Result<()> {
        let index = crate::values::Values::index(kept);
        let wanted = slices.iter().flat_map(|&slice| index.leads_to(slice));
        let wanted: BTreeSet<usize> = wanted.collect();
        let words = index.slice_words();
        let range = |slice: usize| slice * words..(slice + 1) * words;
        for &slice in self.shown.difference(&wanted) {
            let Range { start, end } = range(slice);
            for side in 0..self.codes.len() {
                self.codes[side].forget(64 * start..64 * end);
                self.void[side].forget(start..end);
                self.cursed[side].forget(start..end);
            }
        }
        let new: Vec<usize> = wanted.difference(&self.shown).copied().collect();
        let arrays = self.codes.iter_mut().zip(&mut self.void);
        for (side, ((codes, void), cursed)) in arrays.zip(&mut self.cursed).enumerate() {
            let codes = parts(codes, &new, 64 * words);
            let (void, cursed) = (parts(void, &new, words), parts(cursed, &new, words));
            let all = new.par_iter().zip(codes).zip(void).zip(cursed);
            all.try_for_each(|(((&slice, codes), void), cursed)| {
                unpack_slice::<G, W>(kept, (side, range(slice)), codes, void, cursed)
            })?;
        }
        self.shown = wanted;
        Ok(())
    }
}

/// The parts of an array that belong to some slices, in their order.
fn parts<'a, T>(array: &'a mut [T], slices: &[usize], length: usize) -> Vec<&'a mut [T]> {
    let mut parts = Vec::new();
    let (mut rest, mut at) = (array, 0);
    for slice in slices {
        let (_, later) = rest.split_at_mut(slice * length - at);
        let (part, later) = later.split_at_mut(length);
        parts.push(part);
        (rest, at) = (later, (slice + 1) * length);
    }
    parts
}

fn unpack_slice<G: Game, W: LongWorth>(
    kept: &Kept<G::Index>,
    (side, words): (usize, Range<usize>),
    codes: &mut [W::Own],
    void: &mut [u64],
    cursed: &mut [u64],
) -> io::Result<()> {
    let size = kept.block_words();
    let blocks = codes.chunks_mut(64 * size).zip(void.chunks_mut(size));
    for (n, ((codes, void), cursed)) in blocks.zip(cursed.chunks_mut(size)).enumerate() {
        let block = kept.block(side, words.start / size + n)?;
        for (word, (void, cursed)) in void.iter_mut().zip(cursed).enumerate() {
            (*void, *cursed) = (0, 0);
            for (bit, code) in codes[64 * word..][..64].iter_mut().enumerate() {
                let value = block.get(64 * word + bit);
                if value == VOID {
                    *void |= 1 << bit;
                } else {
                    let (own, is_cursed) = W::own(value);
                    *code = own;
                    *cursed |= u64::from(is_cursed) << bit;
                }
            }
        }
    }
    Ok(())
}
