//! Going through the cells of a block, each with its context.
//!
//! Encoding, decoding and learning share one walk ([`Index::walk`](crate::Index::walk)), so they cannot differ in what a context is.
//! A context is a *setting*, what a game knows of a cell before its word is looked at, and a *place*, which adds the
//! cell's neighbours.

use crate::format::direct::Word;

/// Words of a block: decoded together, from nothing but the model.
pub const BLOCK: usize = 64;

/// Contexts of a setting at most.
pub const PLACES: usize = 54;

/// Won and lost cells of a word; what is neither is drawn or no position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Planes {
    /// Won cells.
    pub won: u64,
    /// Lost cells.
    pub lost: u64,
}

impl From<Word> for Planes {
    fn from(word: Word) -> Planes {
        Planes {
            won: word.won & !word.void,
            lost: word.lost & !word.void,
        }
    }
}

impl Planes {
    /// The value of a cell: 0 loss, 1 draw, 2 win.
    #[inline]
    #[must_use]
    pub fn value(self, bit: usize) -> u8 {
        1 + (self.won >> bit & 1) as u8 - (self.lost >> bit & 1) as u8
    }
}

/// Who goes through a block.
pub trait Visitor {
    /// The true values of a word of the block, counted from its first, if they are known.
    fn known(&self, word: usize) -> Option<Planes>;

    /// Told of a cell whose value (0 loss, 1 draw, 2 win) is known, or asked for it if it is not. `place` is below
    /// [`PLACES`].
    fn cell(&mut self, setting: u16, place: usize, value: u8) -> u8;
}
