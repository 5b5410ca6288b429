//! Ground floor: values, files, locks, checksums, random numbers, control of long jobs. Knows no game.
//!
//! May import nothing but `std` and crates.

pub mod files;
pub mod frame;
pub mod human;

mod buffer;
mod checksum;
mod control;
mod lock;
mod mapped;
mod meter;
mod random;
mod resident;
mod scroll;
mod value;

pub use buffer::{Buffer, Room, Scratch};
pub use checksum::{checksum, checksum_of_parts, checksum32};
pub use control::{Cancelled, Control, Keeping};
pub use lock::LockFile;
pub use mapped::{Mapped, Plain};
pub use meter::{Gauge, Meter};
pub use random::Random;
pub use scroll::{Passage, Scroll};
pub use value::{Plies, Value, Wdl};
