//! Foundations of a generator of large tables. It depends on no game.
//!
//! # Main types
//!
//! - [`Value`], [`Wdl`], [`Plies`]: game-theoretic values and distances. All distances are in plies (half-moves).
//! - [`Control`]: cancels, pauses and slows a long job from another thread; [`Cancelled`] is the job's error. [`cores`]: the processors.
//! - [`Meter`], [`Gauge`]: progress, rate and time left. [`human`]: spans of time and sizes as people read them.
//! - [`files`]: files that are either whole or absent. [`LockFile`]: a lock between processes that dies with its
//!   holder. [`SharedList`]: names that several processes share until the last of them leaves.
//! - [`Mapped`]: a file in memory that is never changed in place. [`Buffer`], [`Scratch`]: large arrays on the heap, in huge pages or
//!   in mapped scratch files. [`Scroll`]: a scratch file that is written at its end and read in passages.
//! - [`limits`]: how much memory the system still allows. [`Allocator`]: the system's, with a reserve.
//!   [`prefetch`]: fetches memory before it is needed.
//! - [`checksum`]: finds accidents, not forgery. [`frame`]: label, version and checksum around the contents of a file.
//! - [`Random`]: random numbers that are the same on every machine.
//!
//! # Example
//!
//! ```
//! use duchamp_base::{Cancelled, Control};
//!
//! // A long job checks at short intervals whether it is cancelled.
//! fn job(control: &Control) -> Result<u64, Cancelled> {
//!     (0..1_000).try_fold(0, |sum, n| control.check().map(|()| sum + n))
//! }
//! let control = Control::new(1);
//! assert_eq!(job(&control), Ok(499_500));
//! control.cancel(); // from any thread
//! assert_eq!(job(&control), Err(Cancelled));
//! ```
//!
//! # When not to use it
//!
//! The crate serves Duchamp's table generators; it is no general storage or threading library.

pub mod files;
pub mod frame;
pub mod human;
pub mod limits;

mod allocator;
mod buffer;
mod checksum;
mod control;
mod fault;
mod lock;
mod mapped;
mod meter;
mod open;
mod prefetch;
mod random;
mod resident;
mod scroll;
mod shared_list;
mod value;

pub use allocator::Allocator;
pub use buffer::{Buffer, Room, Scratch, Sparse};
pub use checksum::{checksum, checksum_of_parts, checksum32};
pub use control::{Cancelled, Control, Keeping, cores};
pub use lock::LockFile;
pub use mapped::{Mapped, Plain};
pub use meter::{Gauge, Meter};
pub use prefetch::prefetch;
pub use random::Random;
pub use scroll::{Passage, Scroll};
pub use shared_list::SharedList;
pub use value::{Plies, Value, Wdl};

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
