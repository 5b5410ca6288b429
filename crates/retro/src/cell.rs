//! How a value is stored in memory: in one or two bytes a position, 64 positions a word.

use super::bytes;
use super::code::{Code, Wide};
use super::sets::Bits;
use duchamp_base::Value;
use std::fmt::Debug;

/// A stored value; the greater value is better for the side to move. All distances are in plies.
///
/// The two implementations are [`Code`] (one byte: wins in an odd and losses in an even number of plies, at most 253
/// and 254: distance to mate) and [`Wide`] (two bytes: all distances up to 32,766 plies, but exits of at most 1,023).
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

    /// A small number for each value that an exit can have, by which the solver sorts exits; `None` for others, of which an exit
    /// ends the solving with [`Halt::TooLong`](super::Halt::TooLong).
    fn slot(self) -> Option<usize>;

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

    /// Raises the cells where `set` has a bit to at least those of `with`.
    #[inline(always)]
    fn raise(cells: &mut [Self; 64], with: &[Self; 64], set: u64) {
        let mask = bytes::spread(set);
        for ((cell, &with), mask) in cells.iter_mut().zip(with).zip(mask) {
            *cell = (*cell).max(if mask == 0 { Self::NONE } else { with });
        }
    }
}

/// Distance to mate of tables up to five men.
impl Cell for Code {
    const NONE: Code = Code::LOWEST;
    const DRAW: Code = Code::DRAW;
    const SLOTS: usize = 256;

    #[inline]
    fn win(plies: u16) -> Option<Code> {
        (plies % 2 == 1 && plies / 2 <= u16::from(Code::MAX_WIN))
            .then(|| Code::win((plies / 2) as u8))
    }

    #[inline]
    fn loss(plies: u16) -> Option<Code> {
        (plies.is_multiple_of(2) && plies / 2 <= u16::from(Code::MAX_LOSS))
            .then(|| Code::loss((plies / 2) as u8))
    }

    #[inline]
    fn before_move(self) -> Code {
        Code::before_move(self)
    }

    #[inline]
    fn value(self) -> Value {
        Code::value(self)
    }

    #[inline]
    fn slot(self) -> Option<usize> {
        Some(usize::from(self.0))
    }

    #[inline(always)]
    fn equal(cells: &[Code; 64], value: Code) -> u64 {
        bytes::equal(bytemuck::cast_ref(cells), value.0)
    }

    #[inline(always)]
    fn at_least(cells: &[Code; 64], value: Code) -> u64 {
        bytes::at_least(bytemuck::cast_ref(cells), value.0)
    }

    #[inline(always)]
    fn write(cells: &mut [Code; 64], set: u64, value: Code) {
        bytes::write(bytemuck::cast_mut(cells), set, value.0);
    }

    #[inline(always)]
    fn raise(cells: &mut [Code; 64], with: &[Code; 64], set: u64) {
        bytes::raise(bytemuck::cast_mut(cells), bytemuck::cast_ref(with), set);
    }
}

/// Every metric and length.
impl Cell for Wide {
    const NONE: Wide = Wide(0);
    const DRAW: Wide = Wide::DRAW;
    const SLOTS: usize = 2048;

    #[inline]
    fn win(plies: u16) -> Option<Wide> {
        (plies <= Wide::LONGEST).then(|| Wide::win(plies))
    }

    #[inline]
    fn loss(plies: u16) -> Option<Wide> {
        (plies <= Wide::LONGEST).then(|| Wide::loss(plies))
    }

    #[inline]
    fn before_move(self) -> Wide {
        Wide::before_move(self)
    }

    #[inline]
    fn value(self) -> Value {
        Wide::value(self)
    }

    /// Losses in up to 1,023 plies from the bottom, wins from the top.
    #[inline]
    fn slot(self) -> Option<usize> {
        let [from_bottom, from_top] = [self.0, !self.0].map(usize::from);
        let half = Self::SLOTS / 2;
        if from_bottom < half {
            Some(from_bottom)
        } else {
            (from_top < half).then(|| Self::SLOTS - 1 - from_top)
        }
    }

    #[inline(always)]
    fn equal(cells: &[Wide; 64], value: Wide) -> u64 {
        gather(cells, |cell| cell == value)
    }

    #[inline(always)]
    fn at_least(cells: &[Wide; 64], value: Wide) -> u64 {
        gather(cells, |cell| cell >= value)
    }

    #[inline(always)]
    fn write(cells: &mut [Wide; 64], set: u64, value: Wide) {
        for bit in Bits(set) {
            cells[bit] = value;
        }
    }
}

/// A bit for each cell that passes; eight at a time, which compilers turn into vector comparisons.
#[inline(always)]
fn gather(cells: &[Wide; 64], pass: impl Fn(Wide) -> bool) -> u64 {
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
            let (mut raised, with) = (cells, written);
            C::raise(&mut raised, &with, state.rotate_left(9));
            for (i, &cell) in raised.iter().enumerate() {
                let has = state.rotate_left(9) >> i & 1 != 0;
                assert_eq!(cell, if has { cells[i].max(with[i]) } else { cells[i] });
            }
        }
    }

    #[test]
    fn words_of_cells() {
        agrees(&[0, 3, 128, 130, 255].map(Code));
        let wide = [
            Wide::loss(0),
            Wide::loss(5),
            Wide::loss(101),
            Wide::DRAW,
            Wide::win(300),
            Wide::win(1),
        ];
        agrees(&wide);
        for cell in wide {
            for other in wide {
                assert_eq!(cell.slot() == other.slot(), cell == other);
            }
        }
    }

    #[test]
    fn parity_and_length() {
        assert_eq!(<Code as Cell>::win(2), None);
        assert_eq!(<Code as Cell>::loss(3), None);
        assert_eq!(<Code as Cell>::win(255), None);
        assert_eq!(<Code as Cell>::loss(254), Some(Code(127)));
        assert_eq!(<Wide as Cell>::win(2), Some(Wide(0xFFFD)));
    }
}
