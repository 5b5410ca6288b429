//! Scores: what search and evaluation compare.
//!
//! One signed number holds everything, so that alpha-beta can compare without branching:
//!
//! | value | means |
//! |---|---|
//! | 0 | draw |
//! | ± 1 to [`Score::MAX_EVAL`] | static evaluation, in centipawns |
//! | ± ([`Score::TABLE_WIN`] − n) | tablebase win n plies from the root, of unknown mate distance |
//! | ± ([`Score::MATE`] − n) | mate n plies from the root |
//! | ± [`Score::INFINITE`] | outside every window |
//!
//! Scores are as the side to move sees them. All fit `i16`, for hash tables.

use duchamp_base::Plies;
use std::fmt;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A score as the side to move sees it; see the module heading for the ranges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(pub i32);

impl Score {
    /// How far down the mate and table ranges reach, in plies.
    pub const REACH: i32 = 1500;
    /// A draw.
    pub const DRAW: Score = Score(0);
    /// The side to move gives mate at once; a mate in n plies is this minus n.
    pub const MATE: Score = Score(32_000);
    /// Greater than any score.
    pub const INFINITE: Score = Score(32_001);
    /// A tablebase win at the root; one n plies away is this minus n.
    pub const TABLE_WIN: Score = Score(Score::MATE.0 - Score::REACH - 500);
    /// The greatest static evaluation.
    pub const MAX_EVAL: Score = Score(Score::TABLE_WIN.0 - Score::REACH - 500);

    /// The side to move mates `plies` from here (mate in one move: 1 ply).
    #[must_use]
    #[inline]
    pub const fn mate_in(plies: Plies) -> Score {
        Score(Score::MATE.0 - plies.0 as i32)
    }

    /// The side to move is mated `plies` from here (mated already: 0).
    #[must_use]
    #[inline]
    pub const fn mated_in(plies: Plies) -> Score {
        Score(plies.0 as i32 - Score::MATE.0)
    }

    /// A tablebase win `plies` from here.
    #[must_use]
    #[inline]
    pub const fn table_win_in(plies: Plies) -> Score {
        Score(Score::TABLE_WIN.0 - plies.0 as i32)
    }

    /// A tablebase loss `plies` from here.
    #[must_use]
    #[inline]
    pub const fn table_loss_in(plies: Plies) -> Score {
        Score(plies.0 as i32 - Score::TABLE_WIN.0)
    }

    /// A static evaluation, clamped to its range.
    #[must_use]
    #[inline]
    pub fn eval(value: i32) -> Score {
        Score(value.clamp(-Score::MAX_EVAL.0, Score::MAX_EVAL.0))
    }

    /// Whether it is a mate score, of either side.
    #[must_use]
    #[inline]
    pub const fn is_mate(self) -> bool {
        self.0.abs() >= Score::MATE.0 - Score::REACH && self.0.abs() <= Score::MATE.0
    }

    /// Whether it is a proved win for the side to move, by mate or by a table.
    #[must_use]
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 > Score::MAX_EVAL.0
    }

    /// Whether it is a proved loss for the side to move, by mate or by a table.
    #[must_use]
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 < -Score::MAX_EVAL.0
    }

    /// Whether it is a proved win or loss, so that margins must not be added to it.
    #[must_use]
    #[inline]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() > Score::MAX_EVAL.0
    }

    /// Plies to mate, for either side; `None` if it is no mate score.
    #[must_use]
    #[inline]
    pub const fn mate_plies(self) -> Option<Plies> {
        if self.is_mate() {
            Some(Plies((Score::MATE.0 - self.0.abs()) as u16))
        } else {
            None
        }
    }

    /// Mate in moves as UCI wants it: positive if the side to move mates, negative if it is mated.
    #[must_use]
    #[inline]
    pub const fn mate_moves(self) -> Option<i32> {
        match self.mate_plies() {
            Some(plies) if self.0 > 0 => Some(plies.moves() as i32),
            Some(plies) => Some(-(plies.moves() as i32)),
            None => None,
        }
    }

    /// From a distance counted at the root to one counted at a node `ply` plies below it, as a hash table
    /// stores it. Other scores than wins and losses stay as they are.
    #[must_use]
    #[inline]
    pub const fn to_hash(self, ply: Plies) -> Score {
        if self.is_win() {
            Score(self.0 + ply.0 as i32)
        } else if self.is_loss() {
            Score(self.0 - ply.0 as i32)
        } else {
            self
        }
    }

    /// The inverse of [`Score::to_hash`]: what a hash table stored, counted from the root again.
    #[must_use]
    #[inline]
    pub const fn from_hash(stored: Score, ply: Plies) -> Score {
        if stored.is_win() {
            Score(stored.0 - ply.0 as i32)
        } else if stored.is_loss() {
            Score(stored.0 + ply.0 as i32)
        } else {
            stored
        }
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    #[inline]
    fn add(self, other: i32) -> Score {
        Score(self.0 + other)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    #[inline]
    fn sub(self, other: i32) -> Score {
        Score(self.0 - other)
    }
}

/// The difference of two scores, a plain number.
impl Sub for Score {
    type Output = i32;
    #[inline]
    fn sub(self, other: Score) -> i32 {
        self.0 - other.0
    }
}

impl AddAssign<i32> for Score {
    #[inline]
    fn add_assign(&mut self, other: i32) {
        self.0 += other;
    }
}

impl SubAssign<i32> for Score {
    #[inline]
    fn sub_assign(&mut self, other: i32) {
        self.0 -= other;
    }
}

/// As UCI writes it: `cp 31` or `mate -4`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_moves() {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Score({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_do_not_overlap() {
        let far = Plies(Score::REACH as u16);
        let order = [
            Score::DRAW,
            Score::MAX_EVAL,
            Score::table_win_in(far),
            Score::TABLE_WIN,
            Score::mate_in(far),
            Score::mate_in(Plies(1)),
            Score::MATE,
            Score::INFINITE,
        ];
        assert!(order.windows(2).all(|w| w[0] < w[1] && -w[0] > -w[1]));
        assert!(i16::try_from(Score::INFINITE.0).is_ok());
        assert!(!Score::MAX_EVAL.is_decisive() && !Score::TABLE_WIN.is_mate());
        assert!(Score::table_loss_in(far).is_loss() && Score::mated_in(far).is_mate());
        assert!(!Score::INFINITE.is_mate());
    }

    #[test]
    fn mate_counts_moves() {
        assert_eq!(Score::mate_in(Plies(1)).mate_moves(), Some(1));
        assert_eq!(Score::mate_in(Plies(3)).to_string(), "mate 2");
        assert_eq!(Score::mated_in(Plies(2)).to_string(), "mate -1");
        assert_eq!(Score::mated_in(Plies(4)).mate_plies(), Some(Plies(4)));
        assert_eq!(Score(-31).to_string(), "cp -31");
    }

    #[test]
    fn hash_adjustment_is_undone() {
        let ply = Plies(17);
        for s in [
            Score(5),
            Score::mate_in(Plies(20)),
            Score::mated_in(Plies(20)),
            Score::table_win_in(Plies(18)),
        ] {
            assert_eq!(Score::from_hash(s.to_hash(ply), ply), s);
        }
        assert_eq!(
            Score::mate_in(Plies(20)).to_hash(ply),
            Score::mate_in(Plies(3))
        );
    }
}
