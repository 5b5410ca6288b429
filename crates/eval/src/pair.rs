//! Two scores in one word: for the middlegame and for the endgame.
//!
//! Both halves are added by one 32-bit addition; a borrow from the low half is undone when the
//! high half is read.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A middlegame and an endgame score, in hundredths of a pawn, each within `i16`.
///
/// Arithmetic wraps: a sum outside `i16`, which no legal position reaches, gives nonsense but no panic.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Pair(i32);

impl Pair {
    /// Nothing.
    pub const ZERO: Pair = Pair(0);

    /// The pair of two scores.
    #[must_use]
    #[inline]
    pub const fn new(middlegame: i16, endgame: i16) -> Pair {
        Pair(((middlegame as i32) << 16).wrapping_add(endgame as i32))
    }

    /// The middlegame half.
    #[must_use]
    #[inline]
    pub const fn middlegame(self) -> i32 {
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }

    /// The endgame half.
    #[must_use]
    #[inline]
    pub const fn endgame(self) -> i32 {
        self.0 as i16 as i32
    }
}

impl Add for Pair {
    type Output = Pair;
    #[inline]
    fn add(self, other: Pair) -> Pair {
        Pair(self.0.wrapping_add(other.0))
    }
}

impl Sub for Pair {
    type Output = Pair;
    #[inline]
    fn sub(self, other: Pair) -> Pair {
        Pair(self.0.wrapping_sub(other.0))
    }
}

impl Neg for Pair {
    type Output = Pair;
    #[inline]
    fn neg(self) -> Pair {
        Pair(self.0.wrapping_neg())
    }
}

impl Mul<i32> for Pair {
    type Output = Pair;
    #[inline]
    fn mul(self, factor: i32) -> Pair {
        Pair(self.0.wrapping_mul(factor))
    }
}

impl AddAssign for Pair {
    #[inline]
    fn add_assign(&mut self, other: Pair) {
        *self = *self + other;
    }
}

impl SubAssign for Pair {
    #[inline]
    fn sub_assign(&mut self, other: Pair) {
        *self = *self - other;
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.middlegame(), self.endgame())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_disturb_each_other() {
        for (a, b) in [(0, 0), (5, -7), (-300, 12), (-1, -1), (12_000, -12_000)] {
            for (c, d) in [(1, 1), (-9, 4), (77, -500)] {
                let sum = Pair::new(a, b) + Pair::new(c, d) * 3 - Pair::new(d, c);
                assert_eq!(sum.middlegame(), i32::from(a + 3 * c - d));
                assert_eq!(sum.endgame(), i32::from(b + 3 * d - c));
            }
        }
    }
}
