//! A retrograde solver for two-player games: it finds whether each position is won, drawn or lost, and in how many
//! plies.
//!
//! The solver works on sets of positions, 64 in a word, after K. Thompson, "Retrograde Analysis of Certain Endgames",
//! ICCA Journal 9(3), 1986, and R. Wu and D. F. Beal, "A Memory Efficient Retrograde Algorithm and Its Application to
//! Chinese Chess Endgames", 2002. It is independent of the game. A game supplies how many positions there are, which of
//! them are lost at once, and how a *set* of positions is un-moved: from which positions does some move lead into this
//! set?
//!
//! A game is cut into *slices*: parts that the players can leave, but never re-enter. In chess a capture or a pawn's
//! move leaves a slice. Solve each slice after the slices that it leads to; moves that leave a slice are its *exits*
//! and have values by then. A small game is one slice without exits. To order, store and look up the slices is the
//! caller's part.
//!
//! # Main types
//!
//! - [`Slice`]: the trait that a game implements; its documentation is the contract. [`Seed`] takes the description of
//!   a row of positions.
//! - [`lists::Lists`]: a slice from plain lists of moves, for small games and first attempts.
//! - [`laws::check`]: tests an implementation of [`Slice`]. It should be the first test of each game.
//! - [`solve_in_memory`] returns a [`Solution`]; [`solve`] works in memory of the caller; [`solve_in_stages`] can stop
//!   between two levels and go on later; [`solve_scrolled`] keeps only sets in memory and the rest in a file.
//! - [`Cell`]: how a value is stored. [`Code`] holds distances to mate up to 254 plies in a byte, [`Wide`] every
//!   distance of either parity up to 32,766 plies in two.
//! - [`Control`] cancels, pauses and slows a run from another thread; [`Halt`] is the error of a run.
//!
//! # Example
//!
//! A game with a loop: a token on a track of five squares, 0 to 4. First moves it one square right or left, Second
//! moves it one square left or passes. First wins when he brings the token to square 4.
//!
//! ```
//! use duchamp_retro::lists::{Lists, ListedPosition};
//! use duchamp_retro::{Code, Control, Plies, Side, Value, laws, solve_in_memory};
//!
//! // A position is a square. Moves lead to positions with the other side to move.
//! let first = (0..4u32).map(|at| ListedPosition::<Code> {
//!     moves: [at.checked_sub(1), Some(at + 1)].into_iter().flatten().collect(),
//!     ..ListedPosition::LEGAL
//! });
//! let second = (0..5u32).map(|at| match at {
//!     4 => ListedPosition { lost_if_stuck: true, ..ListedPosition::LEGAL }, // the game is over
//!     0 => ListedPosition { moves: vec![0], ..ListedPosition::LEGAL },
//!     _ => ListedPosition { moves: vec![at - 1, at], ..ListedPosition::LEGAL },
//! });
//! let track = Lists::new([first.collect(), second.collect()]);
//! laws::check(&track, 1_000, 1).expect("lists obey the laws");
//!
//! let solution = solve_in_memory(&track, &Control::new(1))?;
//! assert_eq!(solution.value(Side::Second, 4), Some(Value::Loss(Plies(0))));
//! assert_eq!(solution.value(Side::First, 3), Some(Value::Win(Plies(1))));
//! // Second moves the token back for ever.
//! assert_eq!(solution.value(Side::Second, 3), Some(Value::Draw));
//! assert_eq!(solution.value(Side::First, 2), Some(Value::Draw));
//! # Ok::<(), duchamp_retro::Halt>(())
//! ```
//!
//! The folder `examples` has two whole games: `tic_tac_toe` from lists, and `pursuit`, a game with loops, with a
//! [`Slice`] of its own that un-moves 64 positions at a time.
//!
//! # Endless play
//!
//! A position from which neither side can force an end stays open, and is drawn. This policy is stated in one place,
//! the function `endless_play` of `src/endless.rs`; rules that decide repetitions otherwise, as those of xiangqi do,
//! would enter there.
//!
//! # Threads
//!
//! With the default feature `parallel` the solver runs on the current rayon pool. Without it the solver runs on the
//! calling thread and the crate does not depend on rayon. The values are the same for every number of threads.
//!
//! # When not to use it
//!
//! - The game has no loops: plain backward induction or a memoized search needs less memory and finds the same values.
//! - Positions cannot be numbered densely, or there are too many for a bit each: use a search instead.
//! - The value depends on the moves that led to a position (repetition rules, move counters), or is a score and not a
//!   win.
//! - More than two players, chance, or hidden information.

pub mod bytes;
pub mod laws;
pub mod lists;

mod before;
mod book;
mod cell;
mod code;
mod endless;
mod halt;
#[cfg(test)]
mod minimax;
mod parallel;
mod pass;
mod records;
mod scrolls;
#[cfg(test)]
mod scrolls_tests;
mod seeding;
mod sets;
mod shape;
mod slice;
mod solution;
mod solve;
mod vectors;

pub use before::before;
pub use cell::Cell;
pub use code::{Code, Wide};
pub use halt::Halt;
pub use scrolls::{Footprint, Scrolled, solve_scrolled};
pub use sets::{BLOCK, Bits, Layer, RowSet, RowWords, full};
pub use slice::{Seed, Side, Slice};
pub use solution::{Solution, solve_in_memory};
pub use solve::{Half, Standing, solve, solve_in_stages};
pub use vectors::{Work, widest};

pub use duchamp_base::{Cancelled, Control, Plies, Scroll, Value, Wdl};

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
