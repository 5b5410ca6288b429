//! Syzygy tables, the format that most engines read: reading the files of three to seven men, writing those of the tables
//! that this crate generates.

mod file;
mod numbering;
mod pairs;
mod probe;
mod reader;
mod tables;

pub use file::SyzygyKind;
pub use probe::SyzygyDtz;
pub use tables::{SyzygyError, SyzygyTables};
