//! Syzygy tables, the format that most engines read: reading the files of three to seven men, writing those of the tables
//! that this crate generates.

mod checksum;
mod compare;
mod file;
mod numbering;
mod pairs;
mod probe;
mod reader;
mod tables;
mod write;

pub use compare::{
    SyzygyCompareError, SyzygyComparison, compare_syzygy, knows_zeroing, syzygy_checksums,
};
pub use file::SyzygyKind;
pub use probe::SyzygyDtz;
pub use tables::{SyzygyError, SyzygyTables};
pub use write::SyzygyExporter;

#[cfg(test)]
mod tests;
