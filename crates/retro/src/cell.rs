//! How a value is stored in memory: in one or two bytes a position, 64 positions a word.

use super::bytes;
use super::code::{Code, Wide};
use super::sets::Bits;
use duchamp_base::Value;
use std::fmt::Debug;

/// A stored value; the greater value is better for the side to move. All distances are in plies.
///
/// The two implementations are `u8` (wins in an odd and losses in an even number of plies, at most 253 and 254: distance
/// to mate) and `u16` (all distances up to 32,766 plies).
pub trait Cell: Copy + Ord + Send + Sync + Debug + 'static {
    /// The least value: already lost. As an exit it means "no exit", because every exit is better.
    const NONE: Self;
    /// Drawn.
    const DRAW: Self;
    /// The numbers of [`Cell::slot`] are below this.
    const SLOTS: usize;

    /// A win in so many plies; `None` if the type cannot hold it (too long, or of the wrong parity).
    fn win(plies: u16) -> Option<Self>;

    /// A loss in so many plies; `None` if the type cannot hold it.
    fn loss(plies: u16) -> Option<Self>;

    /// The value one ply earlier for the side that moves into this position: win and loss swap, one ply is added.
    #[must_use]
    fn before_move(self) -> Self;

    /// The value with its distance.
    fn value(self) -> Value;

    /// A small number for each value that an exit can have, by which the solver sorts exits.
    fn slot(self) -> usize;

    /// The set of the cells equal to `value`, one bit each.
    fn equal(cells: &[Self; 64], value: Self) -> u64;

    /// The set of the cells that are `value` or better.
    fn at_least(cells: &[Self; 64], value: Self) -> u64;

    /// The set of the cells better than `value`.
    #[inline(always)]
    fn above(cells: &[Self; 64], value: Self) -> u64 {
        Self::at_least(cells, value) & !Self::equal(cells, value)
    }

    /// Writes `value` where `set` has a bit.
    fn write(cells: &mut [Self; 64], set: u64, value: Self);
}

/// The bytes of [`Code`]: distance to mate of tables up to five men.
impl Cell for u8 {
    const NONE: u8 = Code::LOWEST.0;
    const DRAW: u8 = Code::DRAW.0;
    const SLOTS: usize = 256;

    #[inline]
    fn win(plies: u16) -> Option<u8> {
        (plies % 2 == 1 && plies / 2 <= u16::from(Code::MAX_WIN))
            .then(|| Code::win((plies / 2) as u8).0)
    }

    #[inline]
    fn loss(plies: u16) -> Option<u8> {
        (plies.is_multiple_of(2) && plies / 2 <= u16::from(Code::MAX_LOSS))
            .then(|| Code::loss((plies / 2) as u8).0)
    }

    #[inline]
    fn before_move(self) -> u8 {
        Code(self).before_move().0
    }

    #[inline]
    fn value(self) -> Value {
        Code(self).value()
    }

    #[inline]
    fn slot(self) -> usize {
        usize::from(self)
    }

    #[inline(always)]
    fn equal(cells: &[u8; 64], value: u8) -> u64 {
        bytes::equal(cells, value)
    }

    #[inline(always)]
    fn at_least(cells: &[u8; 64], value: u8) -> u64 {
        bytes::at_least(cells, value)
    }

    #[inline(always)]
    fn write(cells: &mut [u8; 64], set: u64, value: u8) {
        bytes::write(cells, set, value);
    }
}

/// The numbers of [`Wide`]: every metric and length.
impl Cell for u16 {
    const NONE: u16 = 0;
    const DRAW: u16 = Wide::DRAW.0;
    const SLOTS: usize = 2048;

    #[inline]
    fn win(plies: u16) -> Option<u16> {
        (plies <= Wide::LONGEST).then(|| Wide::win(plies).0)
    }

    #[inline]
    fn loss(plies: u16) -> Option<u16> {
        (plies <= Wide::LONGEST).then(|| Wide::loss(plies).0)
    }

    #[inline]
    fn before_move(self) -> u16 {
        Wide(self).before_move().0
    }

    #[inline]
    fn value(self) -> Value {
        Wide(self).value()
    }

    /// Exits are wins and losses of other slices: shorter than 1,024 plies.
    #[inline]
    fn slot(self) -> usize {
        let n = usize::from(self);
        if n < 0x8000 {
            n.min(1023)
        } else {
            2047 - (0xFFFF - n).min(1023)
        }
    }

    #[inline(always)]
    fn equal(cells: &[u16; 64], value: u16) -> u64 {
        gather(cells, |cell| cell == value)
    }

    #[inline(always)]
    fn at_least(cells: &[u16; 64], value: u16) -> u64 {
        gather(cells, |cell| cell >= value)
    }

    #[inline(always)]
    fn write(cells: &mut [u16; 64], set: u64, value: u16) {
        for bit in Bits(set) {
            cells[bit] = value;
        }
    }
}

/// A bit for each cell that passes; eight at a time, which compilers turn into vector comparisons.
#[inline(always)]
fn gather(cells: &[u16; 64], pass: impl Fn(u16) -> bool) -> u64 {
    let (eights, _) = cells.as_chunks::<8>();
    let mut set = 0;
    for (i, eight) in eights.iter().enumerate() {
        let hits = eight.map(|cell| u8::from(pass(cell)));
        // Little-endian on purpose: byte i becomes bit i.
        let bits = u64::from_le_bytes(hits).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        set |= bits << (8 * i);
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees<C: Cell>(values: &[C]) {
        let mut state = 88_172_645_463_325_252_u64;
        for _ in 0..50 {
            let mut cells = [C::NONE; 64];
            for cell in &mut cells {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                *cell = values[state as usize % values.len()];
            }
            let value = cells[7];
            for (i, &cell) in cells.iter().enumerate() {
                assert_eq!(C::equal(&cells, value) >> i & 1 != 0, cell == value);
                assert_eq!(C::at_least(&cells, value) >> i & 1 != 0, cell >= value);
            }
            let mut written = cells;
            C::write(&mut written, state, value);
            for (i, &cell) in written.iter().enumerate() {
                assert_eq!(cell, if state >> i & 1 != 0 { value } else { cells[i] });
            }
        }
    }

    #[test]
    fn words_of_cells() {
        agrees(&[0u8, 3, 128, 130, 255]);
        let wide = [
            Wide::loss(0),
            Wide::loss(5),
            Wide::loss(101),
            Wide::DRAW,
            Wide::win(300),
            Wide::win(1),
        ];
        let wide = wide.map(|wide| wide.0);
        agrees(&wide);
        for cell in wide {
            for other in wide {
                assert_eq!(cell.slot() == other.slot(), cell == other);
            }
        }
    }

    #[test]
    fn parity_and_length() {
        assert_eq!(<u8 as Cell>::win(2), None);
        assert_eq!(<u8 as Cell>::loss(3), None);
        assert_eq!(<u8 as Cell>::win(255), None);
        assert_eq!(<u8 as Cell>::loss(254), Some(127));
        assert_eq!(<u16 as Cell>::win(2), Some(0xFFFD));
    }
}
