//! From solved values to the bytes of table files.

mod blocks;
mod coders;
mod count;
mod encode;
mod ordered;
mod spool;

pub use blocks::write_table;
pub(crate) use blocks::{open_wdl, write_distances, write_wdl};
pub(crate) use count::count_values;
pub use encode::EncodeError;
pub(crate) use encode::{DistanceTarget, grade};
pub(crate) use ordered::DistanceWriter;
