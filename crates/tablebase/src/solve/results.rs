//! Tables solved to zeroing alone, for exports: what larger tables and the formats of others read of them are results,
//! cursed wins and distances to zeroing, so nothing is solved to mate.

use std::sync::Arc;

use rayon::prelude::*;

use super::distance::{Listener, cursed_cells, cursed_words, need_cursed};
use super::solved::{SolveError, Solved, SolvedSide, SubTables};
use super::view::View;
use super::waves::{Means, Subs, Whole, solve_slices, sub_tables, wave_room};
use super::worth::ToZeroing;
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::values::Part;
use duchamp_base::{Buffer, Cancelled, Control};
use duchamp_retro::{Cell, Code, Side, Wide, before};

/// Words that a thread looks through at a time.
const CHUNK: usize = 1 << 12;

/// Solves a table to zeroing. Its values in the result say who wins, and where there are pawns and a `listener`, whether a
/// move that is neither a capture nor a pawn's mates: such wins are in one ply, no others are. The distances go to the
/// listener, either side's in the order of its words. `tables` must know their cursed cells, as this table does afterwards.
pub(crate) fn solve_results<G: Game>(
    key: G::Key,
    tables: &dyn SubTables<G::Index>,
    means: &Means<'_>,
    mut listener: Option<&mut Listener<'_>>,
) -> Result<Solved<G::Index>, SolveError<G::Key>> {
    let subs = sub_tables::<G>(key, tables)?;
    need_cursed::<G>(key, &subs)?;
    let index = G::Index::new(key);
    let scratch = |source| SolveError::Scratch { key, source };
    let mut sides = Vec::new();
    for _ in index.stored_sides() {
        sides.push(SolvedSide {
            void: means.room.zeros(index.words()).map_err(scratch)?,
            codes: means.room.zeros(64 * index.words()).map_err(scratch)?,
        });
    }
    let mut run = Run::<G> {
        index: &index,
        subs: &subs,
        means,
        sides,
        cursed: [None, None],
    };
    let n = index.slice_words();
    let mut wave = wave_room::<G>(&index, means)?;
    means.gauge.start(index.slices() as u64);
    for slices in index.waves() {
        run.solve(slices.clone(), &mut wave)?;
        let words = slices.len() * n;
        for (side, &color) in index.stored_sides().iter().enumerate() {
            let part = wave.part(side, words);
            // Without pawns no exporter needs to tell them from captures.
            let mates = match listener {
                Some(_) if key.pawns() > 0 => run.mates(slices.clone(), color, &wave)?,
                _ => Vec::new(),
            };
            run.keep(side, slices.start * n, part, &mates)?;
            if let Some(listener) = &mut listener {
                listener(color, part);
            }
        }
    }
    let Run { sides, cursed, .. } = run;
    let solved = Solved::new(Arc::new(index), sides);
    solved.set_cursed(cursed);
    Ok(solved)
}

/// A table on its way through the waves.
struct Run<'a, G: Game> {
    index: &'a G::Index,
    subs: &'a Subs<G>,
    means: &'a Means<'a>,
    /// What is known so far, by stored side.
    sides: Vec<SolvedSide>,
    cursed: [Option<Buffer<u64>>; 2],
}

impl<G: Game> Run<'_, G> {
    /// What is known of the slices before one.
    fn own(&self, slice: usize) -> View<'_, G::Index, Code> {
        let words = slice * self.index.slice_words();
        let stored = |side: Side| side.index().min(self.sides.len() - 1);
        View {
            index: self.index,
            codes: Side::ALL.map(|side| &self.sides[stored(side)].codes[..64 * words]),
            void: Side::ALL.map(|side| &self.sides[stored(side)].void[..words]),
            cursed: Side::ALL.map(|side| self.cursed[stored(side)].as_deref()),
            first_only: self.sides.len() == 1,
        }
    }

    fn solve(
        &self,
        slices: std::ops::Range<usize>,
        wave: &mut Whole<Wide>,
    ) -> Result<(), SolveError<G::Key>> {
        let words = slices.len() * self.index.slice_words();
        let own = self.own(slices.start);
        let (cells, void) = (wave.cells.each_mut(), wave.void.each_mut());
        solve_slices::<G, ToZeroing>(
            own,
            (slices, &|_| true),
            self.subs,
            cells.map(|cells| &mut cells[..64 * words]),
            void.map(|void| &mut void[..words]),
            self.means,
        )
    }

    /// The cells of slices in which `mover` may mate by a move inside the slice; empty if in none.
    fn mates(
        &self,
        slices: std::ops::Range<usize>,
        mover: Side,
        wave: &Whole<Wide>,
    ) -> Result<Vec<u64>, SolveError<G::Key>> {
        let index = self.index;
        let n = index.slice_words();
        let other = wave.part(mover.other().index(), slices.len() * n);
        // The solver leaves these out: they are copies of others.
        let mut described: Vec<usize> = (0..index.row_words()).collect();
        index.complete_rows(&mut described);
        let sub = |child| self.subs.get(&child).map(|table| View::of(table));
        let exits = G::exits::<ToZeroing>(index, self.own(slices.start), &sub);
        let first = slices.start;
        let of_slice = |slice: usize| {
            self.means.control.check()?;
            let words = (slice - first) * n..(slice - first + 1) * n;
            let cells = other.cells[words.clone()].iter().zip(&other.void[words]);
            let mated = cells.enumerate().map(|(word, (cells, void))| {
                let word = word % index.row_words();
                let own = if described[word] == word { !void } else { 0 };
                if own == 0 {
                    0
                } else {
                    Wide::equal(cells, Wide::loss(0)) & own
                }
            });
            let mated: Vec<u64> = mated.collect();
            if mated.iter().all(|&word| word == 0) {
                return Ok(vec![0; n]);
            }
            let mut mates = before(&G::slice(&exits, slice), mover, &mated);
            index.complete_rows(&mut mates);
            Ok(mates)
        };
        let mates = slices.into_par_iter().map(of_slice);
        let mates = mates.collect::<Result<Vec<_>, Cancelled>>()?;
        Ok(mates.concat())
    }

    /// Keeps what others need of the values of words from `first` on.
    fn keep(
        &mut self,
        side: usize,
        first: usize,
        part: Part<'_, Wide>,
        mates: &[u64],
    ) -> Result<(), SolveError<G::Key>> {
        let words = part.void.len();
        let into = &mut self.sides[side];
        into.void[first..][..words].copy_from_slice(part.void);
        let codes = into.codes.as_chunks_mut::<64>().0;
        let codes = codes[first..][..words].par_chunks_mut(CHUNK);
        let parts = part
            .cells
            .par_chunks(CHUNK)
            .zip(part.void.par_chunks(CHUNK));
        let control: &Control = self.means.control;
        let cursed: Vec<Vec<u64>> = codes
            .zip(parts)
            .enumerate()
            .map(|(n, (codes, (cells, void)))| {
                control.check()?;
                for (into, from) in codes.iter_mut().zip(cells) {
                    *into = from.map(result);
                }
                if !mates.is_empty() {
                    let mates = &mates[n * CHUNK..][..codes.len()];
                    for (codes, &mates) in codes.iter_mut().zip(mates).filter(|word| *word.1 != 0) {
                        let won = Code::equal(codes, WON) & mates;
                        Code::write(codes, won, Code::win(0));
                    }
                }
                Ok(cursed_cells(Part { void, cells }))
            })
            .collect::<Result<_, Cancelled>>()?;
        let found = cursed.iter().enumerate();
        for (n, found) in found.filter(|(_, found)| !found.is_empty()) {
            let all = cursed_words(&mut self.cursed[side], self.index, self.means)?;
            all[first + n * CHUNK..][..found.len()].copy_from_slice(found);
        }
        Ok(())
    }
}

/// A win that is not by a quiet mate.
const WON: Code = Code::win(1);

/// The result of a distance.
#[inline(always)]
fn result(value: Wide) -> Code {
    if value.0 > Wide::DRAW.0 {
        WON
    } else if value.0 < Wide::DRAW.0 {
        Code::loss(0)
    } else {
        Code::DRAW
    }
}
