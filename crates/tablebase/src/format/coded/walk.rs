//! Going through the cells of a block, each with its context.
//!
//! Encoding, decoding and learning share one walk ([`Index::walk`](crate::Index::walk)), so they cannot differ in what
//! a context is.
//! A context is a *setting*, what a game can derive of a cell before its word is read, and a *place*, which adds the
//! cell's neighbours.

use crate::format::direct::Word;

/// Words of a block of the coded form, decoded together.
pub const BLOCK: usize = 64;

/// The most places, so contexts, of a setting.
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

/// Encodes, decodes or learns the cells of a block, one after another, see [`Index::walk`](crate::Index::walk).
pub trait Visitor {
    /// The values of a word of the block, counted from its first; `None` when decoding.
    fn known(&self, word: usize) -> Option<Planes>;

    /// Visits a cell in its context and returns its value (0 loss, 1 draw, 2 win). `value` is the known value; it is
    /// ignored when decoding. `setting` has the bits of [`Settings`](crate::Settings), `place` is below [`PLACES`].
    fn cell(&mut self, setting: u16, place: usize, value: u8) -> u8;
}
