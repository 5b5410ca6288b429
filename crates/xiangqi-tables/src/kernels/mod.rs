//! The moves of a slice by whole lanes, and the exits.

pub(crate) mod exits;
pub(crate) mod lanes;
pub(crate) mod row_moves;
pub(crate) mod seeds;
pub(crate) mod slice;
