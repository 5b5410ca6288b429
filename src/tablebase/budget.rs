//! Memory: what a table takes while it is solved, and who has how much of what is allowed.
//!
//! Values lie on the heap while there is room, else in scratch files, of which only the part in use
//! takes memory (`base::Scratch`). What a table cannot do without is its *workspace* (bitmaps of
//! the slices being solved) and a *window* on its values and those of its sub-tables.

use super::format::Metric;
use super::layout::Layout;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the program takes before it has any table.
const BASE: u64 = 24 << 20;

/// Bitmaps that the solver holds for a slice, both sides together.
const BITMAPS: u64 = 10;

/// Bytes of memory that a table takes while it is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Needs {
    /// All values and the bitmaps of void cells, both sides.
    pub(super) values: u64,
    /// Bitmaps of one slice.
    slice_workspace: u64,
    /// Values of one slice.
    slice_values: u64,
    /// Values to conversion or zeroing while they are made.
    distances: u64,
}

impl Needs {
    /// For a table that is to have files of these metrics.
    pub(super) fn of(layout: &Layout, metrics: &[Metric]) -> Needs {
        let waves = layout.pawns().waves().iter();
        let wave = waves.map(ExactSizeIterator::len).max().unwrap_or(1) as u64;
        let [words, slice_words] = [layout.words(), layout.slice_words()].map(|n| n as u64);
        Needs::of_words(words, slice_words, wave * slice_words, metrics)
    }

    /// The needs of a table of so many words a side, in a slice, and in the largest wave of slices.
    pub(super) fn of_words(
        words: u64,
        slice_words: u64,
        wave_words: u64,
        metrics: &[Metric],
    ) -> Needs {
        let distances = metrics.iter().map(|metric| match metric {
            Metric::Wdl | Metric::Dtm => 0,
            Metric::Dtc => words,
            Metric::Dtz => wave_words,
        });
        Needs {
            distances: 2 * distances.max().unwrap_or(0) * (128 + 8),
            values: 2 * words * (64 + 8),
            slice_workspace: BITMAPS * 8 * slice_words,
            slice_values: 2 * slice_words * (64 + 8),
        }
    }

    /// Bitmaps when so many slices are solved side by side.
    fn workspace(&self, abreast: usize) -> u64 {
        abreast as u64 * self.slice_workspace
    }

    /// The part of the values in scratch that must stay in memory for so many slices side by side.
    fn window(&self, abreast: usize) -> u64 {
        let slices = abreast as u64 * self.slice_values;
        let (values, distances) = if self.slice_values == self.values {
            // One slice: level after level goes through its rows in order.
            (self.values / 8, self.distances / 16)
        } else {
            (
                (2 * slices).min(self.values),
                (2 * slices).min(self.distances),
            )
        };
        // Values to conversion and zeroing come later, when those to mate are only looked at.
        if distances == 0 {
            values
        } else {
            values.max(distances + values / 2)
        }
    }

    /// The memory in which the table is solved on the heap, so many slices side by side; sub-tables
    /// not included.
    pub(super) fn heap(&self, abreast: usize) -> u64 {
        BASE + with_margin(self.workspace(abreast) + self.values + self.distances)
    }

    /// The least memory in which the table can be solved, everything included.
    pub(super) fn least(&self) -> u64 {
        BASE + with_margin(self.workspace(1) + self.window(1))
    }
}

/// Something more for what is not counted: stacks, code, compression, small tables.
fn with_margin(bytes: u64) -> u64 {
    bytes + bytes / 16
}

/// How a table may be solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Terms {
    /// Whether the values go to scratch.
    pub(super) scratch: bool,
    /// How many large slices may be solved side by side.
    pub(super) abreast: usize,
    /// Memory that stays taken as long as the values are wanted.
    values: u64,
    /// Memory that the job takes besides.
    workspace: u64,
}

/// The memory allowed and how much of it is spoken for.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    allowed: u64,
    used: Arc<AtomicU64>,
}

/// A part of the budget, given back when dropped.
#[derive(Debug)]
pub(super) struct Share {
    bytes: u64,
    used: Arc<AtomicU64>,
}

impl Share {
    /// Takes so many bytes more, for something that is there already.
    pub(super) fn also(&self, bytes: u64) -> Share {
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Share {
            bytes,
            used: Arc::clone(&self.used),
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Budget {
    pub(super) fn new(allowed: u64) -> Budget {
        Budget {
            allowed,
            used: Arc::default(),
        }
    }

    /// Where the process's resident memory should be cut back by releasing scratch.
    pub(super) fn ceiling(&self) -> u64 {
        self.allowed - (self.allowed / 12).max(64 << 20).min(self.allowed / 4)
    }

    /// Terms on which a table can be solved now on so many threads; `None` while others have the memory.
    /// `reserve` is the most that any other table needs; as long as it is free no table has to wait for
    /// ever. An `idle` process gives a table what it needs in any case.
    pub(super) fn terms(
        &self,
        needs: &Needs,
        threads: usize,
        reserve: u64,
        idle: bool,
    ) -> Option<Terms> {
        let used = BASE + with_margin(self.used.load(Ordering::Relaxed));
        let free = self.ceiling().saturating_sub(used);
        let fits =
            |terms: &Terms, reserve| with_margin(terms.values + terms.workspace) + reserve <= free;
        let on_heap = Terms {
            scratch: false,
            abreast: threads,
            values: needs.values,
            workspace: needs.workspace(threads) + needs.distances,
        };
        if fits(&on_heap, reserve) {
            return Some(on_heap);
        }
        let in_scratch = |abreast| Terms {
            scratch: true,
            abreast,
            values: 0,
            workspace: needs.workspace(abreast) + needs.window(abreast),
        };
        let wide = in_scratch(threads);
        if fits(&wide, 0) {
            return Some(wide);
        }
        let narrow = in_scratch(1);
        (idle || fits(&narrow, 0)).then_some(narrow)
    }

    /// Takes what the terms say: the share for the values, and that for the job.
    pub(super) fn take(&self, terms: &Terms) -> [Share; 2] {
        [terms.values, terms.workspace].map(|bytes| {
            self.used.fetch_add(bytes, Ordering::Relaxed);
            Share {
                bytes,
                used: Arc::clone(&self.used),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(name: &str) -> Needs {
        Needs::of(&Layout::new(name.parse().expect("a material")), &[])
    }

    #[test]
    fn every_five_man_table_fits_256_mib() {
        for material in super::super::material::Material::all(5) {
            let least = Needs::of(&Layout::new(material), &Metric::ALL).least();
            assert!(least <= 256 << 20, "{material} {}", least >> 20);
        }
    }

    #[test]
    fn heap_while_there_is_room_then_scratch_then_waiting() {
        let (rook, pawn) = (needs("KRBvKR"), needs("KRPvKR"));
        let budget = Budget::new(2 << 30);
        let reserve = pawn.least();
        let mut shares = Vec::new();
        let mut seen = Vec::new();
        while let Some(terms) = budget.terms(&rook, 2, reserve, false) {
            seen.push(terms.scratch);
            let [values, job] = budget.take(&terms);
            shares.push(values);
            if terms.scratch {
                shares.push(job);
            }
        }
        assert!(!seen[0] && seen.is_sorted() && seen[seen.len() - 1]);
        assert!(budget.terms(&rook, 2, reserve, true).is_some());
        shares.clear();
        assert_eq!(budget.used.load(Ordering::Relaxed), 0);
    }
}
