//! Endgame tables of any two-player game: generates, stores, probes and verifies them.
//!
//! A table holds the value of every position with given pieces: win, draw or loss for the side to move, and the
//! distance to the end in plies (half-moves). This crate orders the tables, solves them backwards from the ends of the
//! game with [`duchamp_retro`], within a limit of memory and on many threads, writes compressed files that are whole or
//! absent, and reads them for probing, statistics and verification. It is independent of the game: a game implements
//! four traits. The crate `duchamp-chess-tables` implements them for chess.
//!
//! # Main types
//!
//! What a game implements:
//!
//! - [`TableKey`]: the name of a table, such as `KRPvKR`, and the tables that its captures and promotions lead to.
//! - [`Index`]: how the positions of a table are numbered, 64 in a word, and which numbers are legal positions.
//! - [`Game`]: joins both; gives the solver each part of a table as a [`duchamp_retro::Slice`], and the values of the
//!   moves that leave it.
//! - [`Rules`]: the rules position by position, with ordinary moves. Probing, verification and statistics need them;
//!   generation does not.
//!
//! What it gets for that:
//!
//! - [`Store`]: the tables of a folder. [`TableInfo`] describes one.
//! - [`Generator`]: generates the tables that are missing. It resumes, shares a folder with other processes, and keeps
//!   to a limit of memory. [`GenerateOptions`] chooses the [`Metric`]s; [`Progress`] reports. [`parse_specs`] reads
//!   lists of tables as users write them.
//! - [`Prober`]: the value of a position, of its moves, and the best line.
//! - [`Verifier`]: compares finished tables with the rules by moves forward only; it shares only the
//!   numbering of positions with the solver.
//! - [`side_stats`]: counts, longest wins and losses, histograms.
//! - [`solve`], [`solve_spilled`]: solve one table without files.
//!
//! # Example
//!
//! All that a program does with tables is the same for every game:
//!
//! ```
//! use duchamp_tablebase::{
//!     Control, GenerateOptions, Generator, Metric, Prober, Store, Value, Verifiable, Verifier, VerifyOptions,
//! };
//! use std::{error::Error, path::Path};
//!
//! /// Generates a table and all that it depends on, verifies it, and probes one of its positions.
//! fn generate_and_probe<G: Verifiable>(
//!     folder: &Path,
//!     key: G::Key,
//!     position: &G::Position,
//! ) -> Result<Value, Box<dyn Error>> {
//!     let store = Store::<G>::open(folder);
//!     let control = Control::new(4); // threads; `control.cancel()` from another thread stops the run
//!     let options = GenerateOptions {
//!         metrics: vec![Metric::Dtm], // distances to mate
//!         memory: Some(512),          // MiB
//!         ..GenerateOptions::default()
//!     };
//!     let summary = Generator::new(&store).run(&[key], &options, &control, &mut |progress| {
//!         println!("{}: {} of {} tables", progress.key, progress.done, progress.total);
//!     })?;
//!     println!("generated {}, already present {}", summary.made.len(), summary.found);
//!
//!     let options = VerifyOptions { metrics: vec![Metric::Dtm], ..VerifyOptions::default() };
//!     for table in Verifier::new(&store).verify(&[key], &options, &control, &mut |_| {})? {
//!         assert_eq!(table.errors, 0, "{:?}", table.first);
//!     }
//!     Ok(Prober::new(&store).value(position, Metric::Dtm)?)
//! }
//!
//! // What a metric counts is data:
//! let spec = Metric::Dtz.spec();
//! assert_eq!((spec.name, spec.draw_after), ("dtz", Some(100))); // plies until the 50-move rule draws
//! ```
//!
//! The folder `tests/toy` implements a small game from its first type to verified tables; read it next to the traits.
//!
//! # Files
//!
//! A table has a file of results, `KEY.wdl`, and beside it a file for each metric of distance, such as `KEY.dtm`.
//! Numbers are little-endian, and every byte is covered by a checksum that is checked before the byte is used. Files
//! are written under another name and renamed when they are whole, so a killed run leaves no bad table. A damaged file
//! is renamed to `.bad`, no longer used, and generated again by the next run. While a process generates a table it
//! holds the lock `KEY.lock`; others wait for it, or take over if it dies. The format is this program's own.
//!
//! # Threads and memory
//!
//! A [`Generator`] uses as many threads as its [`Control`] says, and about as much memory as
//! [`GenerateOptions::memory`] allows; what does not fit lies in scratch files. The bytes of the files depend on
//! neither. Verification, statistics and [`solve`] use the current rayon pool. Probing takes no lock.
//!
//! # When not to use it
//!
//! - The value of a position depends on the moves before it: repetition and move counters are not part of a position.
//!   (Distances to zeroing do respect a 50-move rule.)
//! - The positions of a table cannot be numbered densely, or a table has more than some 10^11 of them.
//! - The game is small enough for memory and needs no files: [`duchamp_retro`] alone does it.
//! - You have tables of another format, such as Syzygy's, to read: this crate reads its own only.

mod closure;
mod format;
mod game;
mod gather;
mod generate;
mod index;
pub mod laws;
mod lengths;
#[cfg(test)]
mod mock;
mod probe;
mod probed;
mod rules;
mod solve;
mod stats;
mod store;
mod values;
mod verify;
mod write;

pub use closure::{closure, in_order};
pub use duchamp_base::{Cancelled, Control, Plies, Value, Wdl};
pub use duchamp_retro::Side;
pub use format::{
    CODED_BLOCK, Form, FormatError, Metric, MetricSpec, Outcome, PLACES, Planes, Results,
    SideCounts, Visitor, Word, seal,
};
pub use game::Game;
pub use gather::{Gather, NOWHERE};
pub use generate::{
    AllSubs, AtHand, Counted, Estimate, Export, ExportError, Exporter, Forecast, GenerateError,
    GenerateOptions, Generator, Inspected, Inspector, Look, Made, NANOSECONDS, Needs, Progress,
    SpecError, Step, Summary, large_memory, most_at_once, parse_specs, parse_specs_within,
};
pub use index::{CellId, Index, Outlook, Settings, TableKey};
pub use lengths::{each_won_in, longest_win};
pub use probe::{MoveValue, ProbeError, Prober, graded};
pub use probed::{MoveValues, ProbedValues};
pub use rules::{MoveFacts, Rules, before_move};
pub use solve::{
    SolveError, Solved, SolvedSide, SpilledTable, SubTables, Subs, ToConversion, ToConversionMoves,
    ToDecision, ToMate, ToMateLong, ToZeroing, View, Whole, Worth, solve, solve_distances,
    solve_primary, solve_spilled, solve_spilled_long, solve_whole, trivial,
};
pub use stats::{Counting, SideStats, side_stats};
pub use store::{FileEvent, FileInfo, Store, Table, TableInfo, Unready, read_through};
pub use values::{Part, PartRoom, Values};
pub use verify::{
    Audit, SolvedSample, Verifiable, Verified, Verifier, VerifyError, VerifyOptions, Wrong,
    found_damaged, verifiable,
};
pub use write::{EncodeError, write_table};

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
