//! Moves of men on whole words of positions.
//!
//! [`fill`] moves the bit man inside a word, [`rays`] are the ways of the other men, whose moves take
//! whole words from place to place; [`exits`] values the moves that leave a slice, with
//! [`plan`] to find their places in other tables, by the rules of [`worth`].

pub(crate) mod exits;
pub(crate) mod fill;
pub(crate) mod plan;
pub(crate) mod rays;
pub(crate) mod worth;
