//! Solves one table: its slices wave by wave, those nearer to promotion first.

use super::domain::ChessSlice;
use super::kernels::exits::Exits;
use super::kernels::plan::View;
use super::kernels::worth::ToMate;
use super::layout::{Layout, Rows};
use super::material::Material;
use super::solved::{SolveError, Solved, SolvedSide, SubTables};
use super::symmetry::Symmetry;
use duchamp_base::{Buffer, Cancelled, Control, Gauge, Room, Scroll};
use duchamp_chess::Color;
use duchamp_retro::{Code, Half, Halt};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// What a table may use while it is solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means<'a> {
    /// Where the values go.
    pub(super) room: Room<'a>,
    /// How many large slices may be solved side by side.
    pub(super) abreast: usize,
    /// Told how many slices of how many are done.
    pub(super) gauge: &'a Gauge,
    pub(super) control: &'a Control,
}

impl Means<'_> {
    /// A file for the exits of a slice of so many words, where memory is short.
    pub(super) fn scroll(&self, words: usize) -> std::io::Result<Option<Scroll>> {
        match self.room {
            Room::Scratch(scratch) if words >= LARGE_SLICE => {
                Scroll::new_in(scratch.folder()).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Slices of so many words are large: each takes memory worth counting, and enough work for several threads.
pub(super) const LARGE_SLICE: usize = 1 << 15;

/// Finds the value of every position of a material, with distances to mate in plies, on the heap.
///
/// The tables of [`Material::children`] are taken from `tables`. Work is shared on the current rayon
/// pool; the result does not depend on its size.
///
/// # Errors
/// If cancelled, if a sub-table cannot be had, or if a distance is too long for a [`Code`].
pub fn solve(
    material: Material,
    tables: &dyn SubTables,
    control: &Control,
) -> Result<Solved, SolveError> {
    let means = Means {
        room: Room::Heap,
        abreast: rayon::current_num_threads(),
        gauge: &Gauge::default(),
        control,
    };
    solve_with(material, tables, &means)
}

/// As [`solve`], with the means given.
pub(super) fn solve_with(
    material: Material,
    tables: &dyn SubTables,
    means: &Means<'_>,
) -> Result<Solved, SolveError> {
    let subs = sub_tables(material, tables)?;
    let layout = Layout::new(material);
    let mut values = Values::new(layout.words(), means.room)
        .map_err(|source| SolveError::Scratch { material, source })?;
    means.gauge.start(layout.slices() as u64);
    for wave in layout.pawns().waves() {
        means.control.check()?;
        // Of two slices that differ by the colours alone one is solved, the other copied.
        let twin = |slice: usize| twin_slice(&layout, slice);
        let chosen: Vec<usize> = wave
            .clone()
            .filter(|&slice| twin(slice).is_none_or(|(other, _)| slice <= other))
            .collect();
        values.solve_wave(&layout, wave.clone(), &chosen, &subs, means)?;
        for slice in chosen {
            if let Some((other, symmetry)) = twin(slice).filter(|twin| twin.0 != slice) {
                means.control.check()?;
                values.copy_turned(slice, other, symmetry);
                means.gauge.add(1);
            }
        }
    }
    let sides = values
        .codes
        .into_iter()
        .zip(values.void)
        .take(layout.sides().len());
    let sides = sides
        .map(|(codes, void)| SolvedSide { void, codes })
        .collect();
    Ok(Solved::new(Arc::new(layout), sides))
}

/// The finished tables that a material's exits lead to.
pub(super) type Subs = HashMap<Material, Arc<Solved>>;

pub(super) fn sub_tables(material: Material, tables: &dyn SubTables) -> Result<Subs, SolveError> {
    let mut subs = Subs::new();
    subs.insert(Material::BARE, Arc::new(bare_kings()));
    for child in material.children() {
        let table = tables.get(child).map_err(|reason| SolveError::Missing {
            material,
            child,
            reason,
        })?;
        subs.insert(child, table);
    }
    Ok(subs)
}

/// The slice with colours swapped and the symmetry into it, in a symmetric table of kings and pawns.
fn twin_slice(layout: &Layout, slice: usize) -> Option<(usize, Symmetry)> {
    let pawns = layout.pawns();
    if !layout.material().is_symmetric() || layout.rows() != Rows::WhiteKing || pawns.pawns() == 0 {
        return None;
    }
    let (white, black) = pawns.squares(slice).split_at(pawns.white());
    let swapped: Vec<u8> = black
        .iter()
        .chain(white)
        .map(|square| square ^ 56)
        .collect();
    pawns.find(&swapped)
}

/// The values of a table in the making, by side to move.
struct Values {
    codes: [Buffer<u8>; 2],
    void: [Buffer<u64>; 2],
}

/// One slice's part of the arrays: values of both sides, then legal positions of both.
type SliceParts<'a> = (
    (&'a mut [[u8; 64]], &'a mut [[u8; 64]]),
    (&'a mut [u64], &'a mut [u64]),
);

impl Values {
    fn new(words: usize, room: Room<'_>) -> std::io::Result<Values> {
        Ok(Values {
            codes: [room.zeros(64 * words)?, room.zeros(64 * words)?],
            void: [room.zeros(words)?, room.zeros(words)?],
        })
    }

    /// Solves the chosen slices of a wave; all earlier waves are done.
    fn solve_wave(
        &mut self,
        layout: &Layout,
        wave: Range<usize>,
        chosen: &[usize],
        subs: &HashMap<Material, Arc<Solved>>,
        means: &Means<'_>,
    ) -> Result<(), SolveError> {
        let n = layout.slice_words();
        let [white, black] = self
            .codes
            .each_mut()
            .map(|codes| codes.as_chunks_mut::<64>().0);
        let [white_void, black_void] = &mut self.void;
        let (white_done, white) = white.split_at_mut(wave.start * n);
        let (black_done, black) = black.split_at_mut(wave.start * n);
        let (white_void_done, white_void) = white_void.split_at_mut(wave.start * n);
        let (black_void_done, black_void) = black_void.split_at_mut(wave.start * n);
        let own = View {
            layout,
            codes: [white_done.as_flattened(), black_done.as_flattened()],
            void: [white_void_done, black_void_done],
            cursed: [None; 2],
            white_only: false,
        };
        let exits = Exits::<ToMate>::new(layout, own, &|child| {
            subs.get(&child).map(|table| View::of(table))
        });
        let parts = white.chunks_mut(n).zip(black.chunks_mut(n));
        let parts = parts.zip(white_void.chunks_mut(n).zip(black_void.chunks_mut(n)));
        let jobs: Vec<_> = wave
            .zip(parts)
            .filter(|(slice, _)| chosen.contains(slice))
            .collect();
        let job =
            |(slice, ((white, black), (white_legal, black_legal))): (usize, SliceParts<'_>)| {
                let halves = [
                    Half {
                        cells: &mut *white,
                        legal: &mut *white_legal,
                    },
                    Half {
                        cells: &mut *black,
                        legal: &mut *black_legal,
                    },
                ];
                let scroll = means.scroll(n)?;
                let slice = ChessSlice::new(layout, slice, &exits);
                duchamp_retro::solve(&slice, halves, scroll.as_ref(), means.control)?;
                for (cells, legal) in [(white, white_legal), (black, black_legal)] {
                    complete(layout, cells, legal, means.control)?;
                }
                means.gauge.add(1);
                Ok::<(), Halt>(())
            };
        let solved = if n >= LARGE_SLICE {
            // Not more at once than there is memory for: a thread that waits for a part of its
            // slice would begin another.
            let mut jobs = jobs;
            let mut result = Ok(());
            while result.is_ok() && !jobs.is_empty() {
                let rest = jobs.split_off(jobs.len().min(means.abreast));
                result = jobs.into_par_iter().try_for_each(job);
                jobs = rest;
            }
            result
        } else {
            jobs.into_par_iter().try_for_each(job)
        };
        solved.map_err(|halt| halted(layout.material(), halt))
    }

    /// Copies a slice of a table of kings and pawns to the one with colours swapped: one side's
    /// values become the other's, the kings change places, and `symmetry` turns the board.
    fn copy_turned(&mut self, from: usize, to: usize, symmetry: Symmetry) {
        let turn = symmetry.after_flip_ranks();
        for side in 0..2 {
            for white in 0..64 {
                let bit = usize::from(turn.square(white as u8));
                let source = from * 64 + white;
                let void = self.void[1 - side][source];
                for black in 0..64 {
                    let word = to * 64 + usize::from(turn.square(black as u8));
                    self.codes[side][word * 64 + bit] = self.codes[1 - side][source * 64 + black];
                    self.void[side][word] |= (void >> black & 1) << bit;
                }
            }
        }
    }
}

/// What is left to do with a solved slice: copies what like men have on each other's squares, and makes
/// the legal positions the void ones that a table keeps.
pub(super) fn complete<C: Copy + Send + Sync>(
    layout: &Layout,
    cells: &mut [[C; 64]],
    legal: &mut [u64],
    control: &Control,
) -> Result<(), Cancelled> {
    let row = layout.row_words();
    let rows = cells.par_chunks_mut(row).zip(legal.par_chunks_mut(row));
    rows.try_for_each(|(cells, legal)| {
        control.check()?;
        layout.fill_other_half(cells);
        layout.fill_other_half(legal);
        legal.iter_mut().for_each(|word| *word = !*word);
        Ok(())
    })
}

/// Why a table was not solved.
pub(super) fn halted(material: Material, halt: Halt) -> SolveError {
    match halt {
        Halt::Cancelled(cancelled) => SolveError::Cancelled(cancelled),
        Halt::TooLong => SolveError::TooLong(material),
        Halt::Scratch(source) => SolveError::Scratch { material, source },
    }
}

/// The table of the two kings alone: all drawn.
pub(super) fn bare_kings() -> Solved {
    let layout = Arc::new(Layout::new(Material::BARE));
    let codes = vec![Code::DRAW.0; layout.words() * 64];
    debug_assert_eq!(layout.sides(), [Color::White]);
    Solved::from_codes(layout, vec![codes])
}
