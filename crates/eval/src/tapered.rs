//! Tapered scores: a middlegame and an endgame score in one word.
//!
//! Both halves are added by one 32-bit addition; a borrow from the low half is undone when the
//! high half is read.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A middlegame and an endgame score, in hundredths of a pawn, each within `i16`.
///
/// Arithmetic wraps: a sum outside `i16`, which no legal position reaches, gives nonsense but no panic.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct TaperedScore(i32);

impl TaperedScore {
    /// Zero.
    pub const ZERO: TaperedScore = TaperedScore(0);

    /// A tapered score of two scores.
    #[must_use]
    #[inline]
    pub const fn new(middlegame: i16, endgame: i16) -> TaperedScore {
        TaperedScore(((middlegame as i32) << 16).wrapping_add(endgame as i32))
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

impl Add for TaperedScore {
    type Output = TaperedScore;
    #[inline]
    fn add(self, other: TaperedScore) -> TaperedScore {
        TaperedScore(self.0.wrapping_add(other.0))
    }
}

impl Sub for TaperedScore {
    type Output = TaperedScore;
    #[inline]
    fn sub(self, other: TaperedScore) -> TaperedScore {
        TaperedScore(self.0.wrapping_sub(other.0))
    }
}

impl Neg for TaperedScore {
    type Output = TaperedScore;
    #[inline]
    fn neg(self) -> TaperedScore {
        TaperedScore(self.0.wrapping_neg())
    }
}

impl Mul<i32> for TaperedScore {
    type Output = TaperedScore;
    #[inline]
    fn mul(self, factor: i32) -> TaperedScore {
        TaperedScore(self.0.wrapping_mul(factor))
    }
}

impl AddAssign for TaperedScore {
    #[inline]
    fn add_assign(&mut self, other: TaperedScore) {
        *self = *self + other;
    }
}

impl SubAssign for TaperedScore {
    #[inline]
    fn sub_assign(&mut self, other: TaperedScore) {
        *self = *self - other;
    }
}

impl fmt::Debug for TaperedScore {
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
                let sum =
                    TaperedScore::new(a, b) + TaperedScore::new(c, d) * 3 - TaperedScore::new(d, c);
                assert_eq!(sum.middlegame(), i32::from(a + 3 * c - d));
                assert_eq!(sum.endgame(), i32::from(b + 3 * d - c));
            }
        }
    }
}
