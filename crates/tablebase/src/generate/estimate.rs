//! What generating a table takes. The figures are a game's own.

use std::time::Duration;

/// The cost of generating a table, without its sub-tables.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Its slices, such as placements of its pawns.
    pub slices: u64,
    /// Cells of all slices and both sides to move.
    pub cells: u64,
    /// Bytes of memory with which the table is solved without scratch files, its sub-tables at hand.
    pub memory: u64,
    /// Bytes of memory without which it cannot be solved.
    pub least_memory: u64,
    /// Bytes of scratch files while it is solved, if it is a large table.
    pub scratch: u64,
    /// Bytes that a large table leaves for larger ones until they are solved.
    pub left: u64,
    /// Processor time of one thread for solving and encoding; sub-tables are present.
    pub time: Duration,
    /// The same without files, if it is a large table; else the same.
    pub solving: Duration,
    /// Bytes of its files.
    pub disk: u64,
}
