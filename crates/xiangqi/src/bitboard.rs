//! Sets of squares.

use super::Square;
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

/// A set of squares: bit `n` stands for the square of number `n`. Bits from 90 up are 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard(pub u128);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 90 squares.
    pub const ALL: Bitboard = Bitboard((1 << 90) - 1);

    /// One square.
    #[must_use]
    #[inline]
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    /// The squares of a file, 0 to 8; none beyond.
    #[must_use]
    pub const fn file(file: u8) -> Bitboard {
        let first = (1u128 << 81 | 1 << 72 | 1 << 63 | 1 << 54 | 1 << 45)
            | (1 << 36 | 1 << 27 | 1 << 18 | 1 << 9 | 1);
        if file < 9 {
            Bitboard(first << file)
        } else {
            Bitboard::EMPTY
        }
    }

    /// The squares of a rank, 0 to 9; none beyond.
    #[must_use]
    pub const fn rank(rank: u8) -> Bitboard {
        if rank < 10 {
            Bitboard(0x1ff << (9 * rank))
        } else {
            Bitboard::EMPTY
        }
    }

    /// Whether a square is in the set.
    #[must_use]
    #[inline]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Whether the set holds a square at all.
    #[must_use]
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the set is empty.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of squares.
    #[must_use]
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The lowest square.
    #[must_use]
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::wrapping(self.0.trailing_zeros() as usize))
        }
    }

    /// The highest square.
    #[must_use]
    #[inline]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::wrapping(127 - self.0.leading_zeros() as usize))
        }
    }

    /// Mirrored top to bottom.
    #[must_use]
    pub fn flip_ranks(self) -> Bitboard {
        self.into_iter().map(Square::flip_rank).collect()
    }

    /// Mirrored left to right.
    #[must_use]
    pub fn mirror_files(self) -> Bitboard {
        self.into_iter().map(Square::mirror_file).collect()
    }
}

macro_rules! bit_op {
    ($($trait:ident $fn:ident $assign:ident $fn_assign:ident $op:tt)*) => {$(
        impl $trait for Bitboard {
            type Output = Bitboard;
            #[inline]
            fn $fn(self, other: Bitboard) -> Bitboard { Bitboard(self.0 $op other.0) }
        }
        impl $assign for Bitboard {
            #[inline]
            fn $fn_assign(&mut self, other: Bitboard) { self.0 = self.0 $op other.0; }
        }
    )*};
}
bit_op! { BitAnd bitand BitAndAssign bitand_assign & BitOr bitor BitOrAssign bitor_assign | BitXor bitxor BitXorAssign bitxor_assign ^ }

/// The other squares of the board.
impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(self.0 ^ Bitboard::ALL.0)
    }
}

/// Set difference.
impl Sub for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn sub(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Bitboard {
        Bitboard::of(square)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares
            .into_iter()
            .fold(Bitboard::EMPTY, |set, square| set | square.into())
    }
}

/// The squares of a set, the lowest first.
#[derive(Clone, Debug)]
pub struct Squares(u128);

impl Iterator for Squares {
    type Item = Square;
    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;
    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

/// A board of `X` and `.`, rank 9 first.
impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..10).rev() {
            for file in 0..9 {
                let held = Square::at(file, rank).is_some_and(|square| self.has(square));
                f.write_str(if held { "X" } else { "." })?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_ranks_and_mirrors() {
        let mut all = Bitboard::EMPTY;
        for file in 0..9 {
            assert!(Bitboard::file(file).into_iter().all(|s| s.file() == file));
            assert_eq!(Bitboard::file(file).count(), 10);
            all |= Bitboard::file(file);
        }
        assert_eq!(all, Bitboard::ALL);
        for rank in 0..10 {
            assert!(Bitboard::rank(rank).into_iter().all(|s| s.rank() == rank));
            assert_eq!(Bitboard::rank(rank).count(), 9);
            assert_eq!(Bitboard::rank(rank).flip_ranks(), Bitboard::rank(9 - rank));
        }
        assert_eq!(Bitboard::file(2).mirror_files(), Bitboard::file(6));
        assert_eq!(
            (!Bitboard::EMPTY, !Bitboard::ALL),
            (Bitboard::ALL, Bitboard::EMPTY)
        );
        assert_eq!(Bitboard::ALL.first(), Square::new(0));
        assert_eq!(Bitboard::ALL.last(), Square::new(89));
    }
}
