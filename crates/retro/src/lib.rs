//! The set-wise retrograde solver. Knows no game.
//!
//! A game is cut into *slices* that the players leave but never re-enter; each is solved with
//! [`solve`] after those that it leads to. What a slice must offer is the trait [`Slice`]; [`laws`]
//! tests an implementation, [`lists`] makes one from plain lists of moves, and `minimax` is the slow
//! judge of the solver.
//!
//! May import `base` only (and rayon).

pub mod bytes;
pub mod laws;
pub mod lists;

mod book;
mod cell;
mod code;
#[cfg(test)]
mod minimax;
mod pass;
mod records;
mod scrolls;
#[cfg(test)]
mod scrolls_tests;
mod seeding;
mod sets;
mod slice;
mod solve;

pub use cell::Cell;
pub use code::{Code, Wide};
pub use scrolls::{Footprint, Scrolled, solve_scrolled};
pub use sets::{BLOCK, Bits, Layer, RowSet, RowWords, full};
pub use slice::{Seed, Side, Slice};
pub use solve::{Half, Halt, Standing, solve, solve_in_stages};
