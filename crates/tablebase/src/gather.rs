//! Where the moves of a row lead that go into tables of as many pieces: cells by addition, with no other table at hand.

use duchamp_retro::Side;

/// The cells that one kind of move leads to from all cells of a row.
///
/// From the cell whose word has the digits `d` (six bits each, the first digit first) and whose bit is `b` the move leads
/// to the cell `base + digits[0][d0] + digits[1][d1] + ... + lane[b]`, unless a summand is [`NOWHERE`].
#[derive(Clone, Debug)]
pub struct Gather<K> {
    /// The table that the move leads into.
    pub child: K,
    /// The side to move there, as its table stores it.
    pub side: Side,
    /// The cell without the pieces whose squares vary.
    pub base: usize,
    /// By digit of the word's number in its row, and the digit's value.
    pub digits: Vec<[usize; 64]>,
    /// By bit of the word.
    pub lane: [usize; 64],
}

/// There is no such move.
pub const NOWHERE: usize = usize::MAX;

impl<K> Gather<K> {
    /// The cell of a word without its bits, or [`NOWHERE`].
    #[inline]
    pub(crate) fn word(&self, number: usize) -> usize {
        let mut cell = self.base;
        let last = self.digits.len();
        for (n, digit) in self.digits.iter().enumerate() {
            let step = digit[number >> (6 * (last - 1 - n)) & 63];
            if step == NOWHERE {
                return NOWHERE;
            }
            cell += step;
        }
        cell
    }
}
