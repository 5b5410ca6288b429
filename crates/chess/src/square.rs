//! Squares, files and ranks.

use std::fmt;
use std::str::FromStr;

macro_rules! line {
    ($(#[$doc:meta])* $name:ident, $first:literal, $($variant:ident)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum $name { $($variant),* }

        impl $name {
            /// All eight, in order.
            pub const ALL: [$name; 8] = [$($name::$variant),*];

            /// 0 to 7.
            #[must_use]
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The line of index 0 to 7.
            ///
            /// # Panics
            /// Above 7.
            #[must_use]
            #[inline]
            pub const fn new(index: usize) -> $name {
                $name::ALL[index]
            }

            /// The line of the low three bits of `index`; never panics.
            #[must_use]
            #[inline]
            pub const fn wrapping(index: usize) -> $name {
                // A match, not `ALL[index]`: compilers see that it is the identity.
                $(if index & 7 == $name::$variant as usize { return $name::$variant; })*
                $name::ALL[7]
            }

            /// The character used in notation.
            #[must_use]
            pub const fn to_char(self) -> char {
                ($first + self as u8) as char
            }

            /// The line of a notation character.
            #[must_use]
            pub const fn from_char(c: char) -> Option<$name> {
                let i = (c as u32).wrapping_sub($first as u32);
                if i < 8 { Some($name::ALL[i as usize]) } else { None }
            }
        }
    };
}

line!(
    /// A file, `a` to `h`.
    File, b'a', A B C D E F G H
);
line!(
    /// A rank, `1` to `8`.
    Rank, b'1', R1 R2 R3 R4 R5 R6 R7 R8
);

/// A square; a1 = 0, b1 = 1, ..., h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[rustfmt::skip]
#[allow(missing_docs)]
pub enum Square {
    A1, B1, C1, D1, E1, F1, G1, H1,
    A2, B2, C2, D2, E2, F2, G2, H2,
    A3, B3, C3, D3, E3, F3, G3, H3,
    A4, B4, C4, D4, E4, F4, G4, H4,
    A5, B5, C5, D5, E5, F5, G5, H5,
    A6, B6, C6, D6, E6, F6, G6, H6,
    A7, B7, C7, D7, E7, F7, G7, H7,
    A8, B8, C8, D8, E8, F8, G8, H8,
}

impl Square {
    /// All 64, a1 first.
    #[rustfmt::skip]
    pub const ALL: [Square; 64] = {
        use Square::*;
        [
            A1, B1, C1, D1, E1, F1, G1, H1,
            A2, B2, C2, D2, E2, F2, G2, H2,
            A3, B3, C3, D3, E3, F3, G3, H3,
            A4, B4, C4, D4, E4, F4, G4, H4,
            A5, B5, C5, D5, E5, F5, G5, H5,
            A6, B6, C6, D6, E6, F6, G6, H6,
            A7, B7, C7, D7, E7, F7, G7, H7,
            A8, B8, C8, D8, E8, F8, G8, H8,
        ]
    };

    /// The square of index 0 to 63.
    ///
    /// # Panics
    /// Above 63.
    #[must_use]
    #[inline]
    pub const fn new(index: usize) -> Square {
        Square::ALL[index]
    }

    /// The square of the low six bits of `index`; never panics.
    #[must_use]
    #[inline]
    #[rustfmt::skip]
    pub const fn wrapping(index: usize) -> Square {
        // A match, not `ALL[index]`: compilers see that it is the identity and load nothing.
        use Square::*;
        match index & 63 {
            0 => A1, 1 => B1, 2 => C1, 3 => D1, 4 => E1, 5 => F1, 6 => G1, 7 => H1,
            8 => A2, 9 => B2, 10 => C2, 11 => D2, 12 => E2, 13 => F2, 14 => G2, 15 => H2,
            16 => A3, 17 => B3, 18 => C3, 19 => D3, 20 => E3, 21 => F3, 22 => G3, 23 => H3,
            24 => A4, 25 => B4, 26 => C4, 27 => D4, 28 => E4, 29 => F4, 30 => G4, 31 => H4,
            32 => A5, 33 => B5, 34 => C5, 35 => D5, 36 => E5, 37 => F5, 38 => G5, 39 => H5,
            40 => A6, 41 => B6, 42 => C6, 43 => D6, 44 => E6, 45 => F6, 46 => G6, 47 => H6,
            48 => A7, 49 => B7, 50 => C7, 51 => D7, 52 => E7, 53 => F7, 54 => G7, 55 => H7,
            56 => A8, 57 => B8, 58 => C8, 59 => D8, 60 => E8, 61 => F8, 62 => G8, _ => H8,
        }
    }

    /// The square where `file` and `rank` meet.
    #[must_use]
    #[inline]
    pub const fn at(file: File, rank: Rank) -> Square {
        Square::wrapping(rank as usize * 8 + file as usize)
    }

    /// 0 to 63.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its file.
    #[must_use]
    #[inline]
    pub const fn file(self) -> File {
        File::wrapping(self as usize)
    }

    /// Its rank.
    #[must_use]
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::wrapping(self as usize >> 3)
    }

    /// The square `df` files and `dr` ranks away, if it is on the board.
    #[must_use]
    #[inline]
    pub const fn offset(self, df: i8, dr: i8) -> Option<Square> {
        let f = (self as i8 & 7) + df;
        let r = (self as i8 >> 3) + dr;
        if f >= 0 && f < 8 && r >= 0 && r < 8 {
            Some(Square::ALL[(r * 8 + f) as usize])
        } else {
            None
        }
    }

    /// Mirrored top to bottom: a1 becomes a8.
    #[must_use]
    #[inline]
    pub const fn flip_rank(self) -> Square {
        Square::wrapping(self as usize ^ 56)
    }

    /// Mirrored left to right: a1 becomes h1.
    #[must_use]
    #[inline]
    pub const fn flip_file(self) -> Square {
        Square::wrapping(self as usize ^ 7)
    }

    /// Mirrored along the diagonal a1-h8: b1 becomes a2.
    #[must_use]
    #[inline]
    pub const fn flip_diagonal(self) -> Square {
        let s = self as usize;
        Square::wrapping((s >> 3) | ((s & 7) << 3))
    }

    /// As `color` sees it: itself for White, rank-flipped for Black.
    #[must_use]
    #[inline]
    pub const fn relative(self, color: super::Color) -> Square {
        Square::wrapping(self as usize ^ (56 * color as usize))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().to_char(), self.rank().to_char())
    }
}

/// A text that is not a square such as `e4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a square")]
pub struct ParseSquareError;

impl FromStr for Square {
    type Err = ParseSquareError;
    fn from_str(s: &str) -> Result<Square, ParseSquareError> {
        let mut chars = s.chars();
        match (
            chars.next().and_then(File::from_char),
            chars.next().and_then(Rank::from_char),
            chars.next(),
        ) {
            (Some(file), Some(rank), None) => Ok(Square::at(file, rank)),
            _ => Err(ParseSquareError),
        }
    }
}
