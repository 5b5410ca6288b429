//! Memory: what a table takes while it is solved, and who has how much of what is allowed.
//!
//! All that lies on the heap is accounted for before it is there: what a table cannot do without, the
//! *workspace* (bitmaps of the slices being solved), and its values if there is room for them. Values
//! for which there is none lie in scratch files. What nobody has taken is the *window* of the scratch:
//! so much of mapped files may be in memory (`base::Scratch`).

use crate::format::Metric;
use crate::index::Index;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// What the program takes on the heap before it has any table, and the threads' small rooms.
const BASE: u64 = 20 << 20;

/// The least window on scratch files: the program's own code, and room to work.
const WINDOW: u64 = 32 << 20;

/// One of so many parts of what is allowed is not planned with: what the allocator keeps of freed arrays, what large pages
/// round up to, and the system's own page tables, which count where the whole process has a limit (a control group). For
/// all five-man tables in 3 GiB it came to a hundredth.
const SLACK: u64 = 16;

/// The bytes that are planned with, of those that are allowed.
const fn planned(allowed: u64) -> u64 {
    allowed - allowed / SLACK
}

/// The bytes that must be allowed for so many to be planned with.
const fn with_slack(planned: u64) -> u64 {
    planned.saturating_mul(SLACK).div_ceil(SLACK - 1)
}

/// Bitmaps that the solver holds for a slice, both sides together: not yet won and lost, those without exits, three
/// layers; and as much as one for marks and lists.
const BITMAPS: u64 = 8;

/// What exits take where they wait in memory, in bitmaps: five for KQRvKQ, which has many.
const EXITS: u64 = 8;

/// The memory that a table takes while it is solved: what a [`Generator`](crate::Generator) plans with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// All values and the bitmaps of void cells, and of cursed ones to zeroing, both sides.
    pub values: u64,
    /// Bitmaps of one slice.
    slice_workspace: u64,
    /// Slices that can be solved side by side.
    wave: u64,
    /// Values to conversion or zeroing while they are solved.
    distances: u64,
    /// What an export takes.
    export: u64,
}

impl Needs {
    /// For a table that is to have files of these metrics; those of [`Game::PRIMARY`](crate::Game::PRIMARY) take nothing
    /// beside its values and may be left out.
    #[must_use]
    pub fn of<I: Index>(index: &I, metrics: &[Metric]) -> Needs {
        let waves = index.waves().iter();
        let wave = waves.map(ExactSizeIterator::len).max().unwrap_or(1) as u64;
        let [words, slice_words] = [index.words(), index.slice_words()].map(|n| n as u64);
        Needs::of_words(words, slice_words, wave, metrics)
    }

    /// The needs of a table with `words` words a side to move, `slice_words` words a slice, and `wave` slices in the
    /// largest of its waves ([`Index::waves`]), for files of these metrics.
    #[must_use]
    pub fn of_words(words: u64, slice_words: u64, wave: u64, metrics: &[Metric]) -> Needs {
        let distances = metrics.iter().map(|metric| match metric {
            Metric::Wdl | Metric::Dtm => 0,
            Metric::Dtc => words,
            Metric::Dtz => wave * slice_words,
        });
        let cursed = 8 * u64::from(metrics.contains(&Metric::Dtz));
        Needs {
            distances: 2 * distances.max().unwrap_or(0) * (128 + 8),
            values: 2 * words * (64 + 8 + cursed),
            slice_workspace: BITMAPS * 8 * slice_words,
            wave,
            export: 0,
        }
    }

    /// The needs of the table with those of its export.
    pub(crate) fn exporting(self, export: u64) -> Needs {
        Needs { export, ..self }
    }

    /// The needs of the table while it is read instead of solved.
    pub(crate) fn reading(self) -> Needs {
        Needs {
            slice_workspace: 0,
            distances: 0,
            export: 0,
            ..self
        }
    }

    /// Bitmaps when so many slices, if there are so many, are solved side by side.
    fn workspace(&self, abreast: usize) -> u64 {
        self.wave.min(abreast as u64) * self.slice_workspace
    }

    /// All that is on the heap when the values are, too.
    fn all(&self, abreast: usize) -> u64 {
        self.values
            + self.distances
            + self.export
            + self.workspace(abreast) * (BITMAPS + EXITS) / BITMAPS
    }

    /// The memory in which the table is solved on the heap, so many slices side by side; sub-tables
    /// not included.
    #[must_use]
    pub fn heap(&self, abreast: usize) -> u64 {
        with_slack(BASE + WINDOW + self.all(abreast))
    }

    /// What must be free for the table to be solved.
    pub(crate) fn reserve(&self) -> u64 {
        WINDOW + self.workspace(1) + self.export
    }

    /// The least memory in which the table can be solved, everything included.
    #[must_use]
    pub fn least(&self) -> u64 {
        with_slack(BASE + self.reserve())
    }
}

/// How a table may be solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    /// Whether the values go to scratch.
    pub(crate) scratch: bool,
    /// Whether distances to zeroing go there, too, while they are solved.
    pub(crate) scratch_wave: bool,
    /// How many large slices may be solved side by side.
    pub(crate) abreast: usize,
    /// Bytes of heap that stay taken as long as the values are wanted.
    values: u64,
    /// Bytes of heap that the job takes besides.
    workspace: u64,
}

impl Terms {
    /// All that is taken.
    fn all(&self) -> u64 {
        self.values + self.workspace
    }
}

/// The memory that is allowed and not taken.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    /// May fall below zero where one table takes more than is allowed, which a plan forbids.
    free: Arc<AtomicI64>,
}

/// A part of the budget, given back when dropped.
#[derive(Debug)]
pub(crate) struct Share {
    bytes: i64,
    free: Arc<AtomicI64>,
}

impl Share {
    fn take(free: &Arc<AtomicI64>, bytes: u64) -> Share {
        let bytes = bytes as i64;
        free.fetch_sub(bytes, Ordering::Relaxed);
        Share {
            bytes,
            free: Arc::clone(free),
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.free.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

impl Budget {
    /// So many bytes for the whole program.
    pub(crate) fn new(allowed: u64) -> Budget {
        let free = planned(allowed) as i64 - BASE as i64;
        Budget {
            free: Arc::new(AtomicI64::new(free)),
        }
    }

    /// What nobody has taken, for [`Scratch`](duchamp_base::Scratch).
    pub(crate) fn window(&self) -> Arc<AtomicI64> {
        Arc::clone(&self.free)
    }

    /// Terms on which a table can be solved now on so many threads; `None` while others have the memory.
    /// `reserve` is the most that any other table needs; as long as it is free no table has to wait for
    /// ever. An `idle` process gives a table what it needs in any case.
    pub(crate) fn terms(
        &self,
        needs: &Needs,
        threads: usize,
        reserve: u64,
        idle: bool,
    ) -> Option<Terms> {
        let free = self.free.load(Ordering::Relaxed).max(0) as u64;
        let fits = |terms: &Terms, left| terms.all() + left <= free;
        let on_heap = Terms {
            scratch: false,
            scratch_wave: false,
            abreast: threads,
            values: needs.values,
            workspace: needs.all(threads) - needs.values,
        };
        if fits(&on_heap, reserve.max(WINDOW)) {
            return Some(on_heap);
        }
        let in_scratch = |abreast, scratch_wave| Terms {
            scratch: true,
            scratch_wave,
            abreast,
            values: 0,
            workspace: needs.workspace(abreast)
                + needs.export
                + if scratch_wave { 0 } else { needs.distances },
        };
        for terms in [in_scratch(threads, false), in_scratch(threads, true)] {
            if fits(&terms, 2 * WINDOW) {
                return Some(terms);
            }
        }
        let narrow = in_scratch(1, true);
        (idle || fits(&narrow, WINDOW)).then_some(narrow)
    }

    /// Takes what the terms say: the share for the values, and that for the job.
    pub(crate) fn take(&self, terms: &Terms) -> [Share; 2] {
        [terms.values, terms.workspace].map(|bytes| Share::take(&self.free, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of chess's KRBvKR and KRPvKR.
    fn needs() -> [Needs; 2] {
        [(1_892_352, 1_892_352, 1), (5_548_032, 231_168, 4)]
            .map(|(words, slice_words, wave)| Needs::of_words(words, slice_words, wave, &[]))
    }

    #[test]
    fn what_is_needed_can_be_planned_with() {
        for needed in (0..5_000).chain([1 << 28, (1 << 33) + 7]) {
            let allowed = with_slack(needed);
            assert!(planned(allowed) >= needed);
            assert!(allowed <= needed + needed / (SLACK - 1) + 1, "{needed}");
        }
    }

    #[test]
    fn heap_while_there_is_room_then_scratch_then_waiting() {
        let [rook, pawn] = needs();
        let budget = Budget::new(2 << 30);
        let free = budget.free.load(Ordering::Relaxed);
        let reserve = pawn.reserve();
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
        assert_eq!(budget.free.load(Ordering::Relaxed), free);
    }
}
