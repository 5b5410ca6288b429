//! Moves of pieces on whole words of positions.
//!
//! [`fill`] moves the lane piece inside a word, [`rays`] are the ways of the other pieces, whose moves take
//! whole words from place to place, [`sweeps`] takes 64 words at once along them, [`row_moves`] puts it together for a row; [`seeds`] describes the positions
//! of a row and values the moves that leave the slice; [`exits`] and [`remap`] find their places in other tables.

pub(crate) mod exits;
pub(crate) mod fill;
pub(crate) mod rays;
pub(crate) mod remap;
pub(crate) mod row_moves;
pub(crate) mod seeds;
mod sweeps;
