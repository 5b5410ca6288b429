//! From solved values to the bytes of table files.

mod blocks;
mod encode;
mod ordered;

pub(crate) use blocks::{open_wdl, write_distances, write_wdl};
pub(crate) use encode::{DistanceTarget, EncodeError, grade};
pub(crate) use ordered::DistanceWriter;
