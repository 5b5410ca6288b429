//! Tables without pawns solved in little memory: bitmaps alone at random, all else in a scratch
//! file that is written and read in order (`duchamp_retro::solve_scrolled`).
//!
//! The result is read part by part ([`Values`]); nothing ever holds all values.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::domain::ChessSlice;
use super::kernels::exits::Exits;
use super::kernels::plan::View;
use super::kernels::worth::{ToMate, ToMateLong, Worth};
use super::layout::Layout;
use super::material::Material;
use super::solve::{halted, sub_tables};
use super::solved::{SolveError, SubTables};
use super::values::{Part, PartRoom, Values};
use duchamp_base::{Control, Scroll};
use duchamp_chess::Color;
use duchamp_retro::{Cell, Footprint, Scrolled, Side};

/// A solved table whose values lie in a scratch file.
#[derive(Debug)]
pub struct SpilledTable<C> {
    layout: Arc<Layout>,
    slice: Scrolled<C>,
}

/// Bytes of memory that solving so takes at its peak, on so many threads: bitmaps, a row's values and
/// records a thread, and the sub-tables at hand.
pub(super) fn workspace(layout: &Layout, cell_bytes: usize, threads: usize) -> u64 {
    let bitmap = 8 * layout.words() as u64;
    // Values, legal and inside words, records written and read.
    let row = layout.row_words() as u64 * (64 * cell_bytes as u64 + 3 * 8 + 32);
    // Two sets, three layers with their marks, the list of passages.
    5 * (bitmap + bitmap / 64) + threads as u64 * row + (32 << 20)
}

/// Finds the distances to mate of a table without pawns, up to five men, in little memory. The scratch
/// file lies in `folder`; it has no name and dies with the process.
///
/// # Errors
/// As [`solve`](super::solve()), and when the scratch file cannot be written.
///
/// # Panics
/// If the material has pawns.
pub fn solve_spilled(
    material: Material,
    tables: &dyn SubTables,
    folder: &Path,
    control: &Control,
) -> Result<SpilledTable<u8>, SolveError> {
    spill::<ToMate>(material, tables, folder, control)
}

/// As [`solve_spilled`], with room for any distance: six men.
///
/// # Errors
/// As there.
///
/// # Panics
/// As there.
pub fn solve_spilled_long(
    material: Material,
    tables: &dyn SubTables,
    folder: &Path,
    control: &Control,
) -> Result<SpilledTable<u16>, SolveError> {
    spill::<ToMateLong>(material, tables, folder, control)
}

/// As [`solve_spilled`], in any metric.
pub(super) fn spill<W: Worth>(
    material: Material,
    tables: &dyn SubTables,
    folder: &Path,
    control: &Control,
) -> Result<SpilledTable<W::Cell>, SolveError> {
    assert_eq!(material.pawns(), 0, "a table of one slice");
    let subs = sub_tables(material, tables)?;
    let layout = Arc::new(Layout::new(material));
    let own = View {
        layout: &layout,
        codes: [&[]; 2],
        void: [&[]; 2],
        cursed: [None; 2],
        white_only: false,
    };
    let exits = Exits::<W>::new(&layout, own, &|child| {
        subs.get(&child).map(|table| View::of(table))
    });
    let slice = ChessSlice::new(&layout, 0, &exits);
    let scratch = |source| SolveError::Scratch { material, source };
    let scroll = Scroll::new_in(folder).map_err(scratch)?;
    let slice = duchamp_retro::solve_scrolled(&slice, scroll, control)
        .map_err(|halt| halted(material, halt))?;
    Ok(SpilledTable { layout, slice })
}

impl<C: Cell> SpilledTable<C> {
    /// What solving took, in bytes.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        self.slice.footprint()
    }
}

impl<C: Cell> Values for SpilledTable<C> {
    type Cell = C;

    fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    fn stride(&self) -> usize {
        self.slice.stride()
    }

    fn read<'a>(
        &'a self,
        side: Color,
        words: Range<usize>,
        room: &'a mut PartRoom<C>,
    ) -> io::Result<Part<'a, C>> {
        let stride = self.stride();
        let whole = words.start / stride * stride
            ..self.layout.words().min(words.end.next_multiple_of(stride));
        room.hold(side, whole, |words, void, cells| {
            let side = Side::ALL[side.index()];
            self.slice.read(side, words, void, cells)
        })?;
        Ok(room.part(words))
    }
}

#[cfg(test)]
mod tests {
    use super::super::solve::solve;
    use super::super::solved::Solved;
    use super::*;
    use std::collections::HashMap;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Memory(Mutex<HashMap<Material, Arc<Solved>>>);

    impl SubTables for Memory {
        fn get(&self, material: Material) -> Result<Arc<Solved>, String> {
            let mut made = self.0.lock().map_err(|error| error.to_string())?;
            if let Some(table) = made.get(&material) {
                return Ok(Arc::clone(table));
            }
            drop(made);
            let table = solve(material, self, &Control::new(1)).map_err(|e| e.to_string())?;
            let table = Arc::new(table);
            made = self.0.lock().map_err(|error| error.to_string())?;
            made.insert(material, Arc::clone(&table));
            Ok(table)
        }
    }

    /// All tables of four men without pawns: the values of the fast way, in one byte and in two.
    #[test]
    fn little_memory_gives_the_same_tables() {
        let memory = Memory::default();
        let folder = std::env::temp_dir();
        let control = Control::new(1);
        for material in Material::all(4).into_iter().filter(|m| m.pawns() == 0) {
            let fast = memory.get(material).expect("solved");
            let slow = solve_spilled(material, &memory, &folder, &control).expect("solved");
            let wide = spill::<ToMateLong>(material, &memory, &folder, &control).expect("solved");
            let layout = slow.layout();
            let (mut room, mut wide_room) = (PartRoom::default(), PartRoom::default());
            for &side in layout.sides() {
                for first in (0..layout.words()).step_by(700) {
                    let words = first..layout.words().min(first + 700);
                    let part = slow.read(side, words.clone(), &mut room).expect("readable");
                    let wide = wide
                        .read(side, words.clone(), &mut wide_room)
                        .expect("readable");
                    let mut none = PartRoom::default();
                    let expected = fast.read(side, words, &mut none).expect("in memory");
                    assert!(part.void == expected.void, "{material}");
                    for (n, (cells, expected)) in part.cells.iter().zip(expected.cells).enumerate()
                    {
                        for bit in (0..64).filter(|bit| part.void[n] >> bit & 1 == 0) {
                            assert_eq!(cells[bit], expected[bit], "{material} {n} {bit}");
                            assert_eq!(wide.cells[n][bit].value(), cells[bit].value());
                        }
                    }
                }
            }
        }
    }
}
