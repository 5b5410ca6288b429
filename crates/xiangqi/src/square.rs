//! Squares: the points of the board.

use std::fmt;

/// A square of the board of 9 files and 10 ranks; its number is `9 * rank + file`. File 0 is `a`, rank 0 is Red's back rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = 90;

    /// All 90, a0 first.
    pub const ALL: [Square; 90] = {
        let mut all = [Square(0); 90];
        let mut index = 0;
        while index < 90 {
            all[index] = Square(index as u8);
            index += 1;
        }
        all
    };

    /// The square of a number below 90.
    #[must_use]
    #[inline]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 90 {
            Some(Square(index))
        } else {
            None
        }
    }

    /// The square of a number, modulo 90; never panics.
    #[must_use]
    #[inline]
    pub const fn wrapping(index: usize) -> Square {
        if index < 90 {
            Square(index as u8)
        } else {
            Square((index % 90) as u8)
        }
    }

    /// The square where a file (0 to 8) and a rank (0 to 9) meet.
    #[must_use]
    #[inline]
    pub const fn at(file: u8, rank: u8) -> Option<Square> {
        if file < 9 && rank < 10 {
            Some(Square(rank * 9 + file))
        } else {
            None
        }
    }

    /// 0 to 89.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its file, 0 (`a`) to 8 (`i`).
    #[must_use]
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 % 9
    }

    /// Its rank, 0 to 9.
    #[must_use]
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 / 9
    }

    /// The square `df` files and `dr` ranks away, if it is on the board.
    #[must_use]
    #[inline]
    pub const fn offset(self, df: i8, dr: i8) -> Option<Square> {
        let file = self.file() as i8 + df;
        let rank = self.rank() as i8 + dr;
        if file < 0 || rank < 0 {
            return None;
        }
        Square::at(file as u8, rank as u8)
    }

    /// Mirrored top to bottom: a0 becomes a9.
    #[must_use]
    #[inline]
    pub const fn flip_rank(self) -> Square {
        Square(81 + 2 * self.file() - self.0)
    }

    /// Mirrored left to right: a0 becomes i0.
    #[must_use]
    #[inline]
    pub const fn mirror_file(self) -> Square {
        Square(self.0 + 8 - 2 * self.file())
    }
}

/// `a0` to `i9`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank())
    }
}

/// As [`Display`](fmt::Display).
impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_ranks_and_mirrors() {
        for (index, square) in Square::ALL.into_iter().enumerate() {
            assert_eq!(square.index(), index);
            assert_eq!(Square::at(square.file(), square.rank()), Some(square));
            assert_eq!(
                Square::at(square.file(), 9 - square.rank()),
                Some(square.flip_rank())
            );
            assert_eq!(
                Square::at(8 - square.file(), square.rank()),
                Some(square.mirror_file())
            );
            assert_eq!(square.offset(0, 0), Some(square));
        }
        let h2 = Square::at(7, 2).expect("on the board");
        assert_eq!(h2.to_string(), "h2");
        assert_eq!(
            h2.offset(1, 7).map(|s| s.to_string()).as_deref(),
            Some("i9")
        );
        assert_eq!(
            (h2.offset(2, 0), h2.offset(0, -3), h2.offset(0, 8)),
            (None, None, None)
        );
        assert_eq!(
            (Square::new(90), Square::at(9, 0), Square::at(0, 10)),
            (None, None, None)
        );
        assert_eq!(Square::wrapping(91), Square::ALL[1]);
    }
}
