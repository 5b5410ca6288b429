//! What is to be solved, within which limits, and what memory that takes.

use super::chain::Chain;
use super::layout::ROW;
use super::solved::name;

/// Memory for each entry of a restricted table while it is solved, and afterwards, in bytes: values of both sides at two bytes, and
/// bitmaps.
const WHILE_SOLVING: f64 = 4.0 + 2.2;
const AFTERWARDS: f64 = 4.0 + 0.25;

/// Limits on the work.
#[derive(Clone, Copy, Debug)]
pub struct FreezeLimits {
    /// The most memory in bytes.
    pub memory: u64,
    /// The most entries of a restricted table after the first; larger ones are left out.
    pub entries: u64,
}

impl Default for FreezeLimits {
    /// Four gigabytes, and restricted tables of a hundred million entries.
    fn default() -> FreezeLimits {
        FreezeLimits {
            memory: 4 << 30,
            entries: 100_000_000,
        }
    }
}

/// What is to be done.
#[derive(Debug)]
pub struct TablePlan {
    /// Names of the restricted tables in the order of solving, with their entries.
    pub boxes: Vec<(String, u64)>,
    /// Restricted tables left out because they are too large.
    pub left_out: usize,
    /// The most memory in bytes at any time, about.
    pub memory: u64,
    /// Memory of all tables once they are solved, in bytes, about.
    pub kept: u64,
}

impl TablePlan {
    pub(super) fn of(chain: &Chain) -> TablePlan {
        let boxes = chain.layouts.iter();
        let boxes: Vec<_> = boxes
            .map(|layout| (name(layout), layout.entries()))
            .collect();
        let mut kept = 0.0;
        let mut most: f64 = 0.0;
        for layout in &chain.layouts {
            let numbers = (layout.rows() * ROW * 64) as f64;
            most = most.max(kept + numbers * WHILE_SOLVING);
            kept += numbers * AFTERWARDS;
        }
        TablePlan {
            boxes,
            left_out: chain.left_out,
            memory: most as u64,
            kept: kept as u64,
        }
    }

    /// Entries of all restricted tables.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.boxes.iter().map(|(_, entries)| entries).sum()
    }
}
