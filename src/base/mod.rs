//! Ground floor: values, files, locks, checksums, progress. Knows no game.

mod value;

pub use value::{Plies, Value, Wdl};
