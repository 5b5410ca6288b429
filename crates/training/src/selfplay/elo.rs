//! Elo difference and SPRT from pentanomial results.
//!
//! The two games of a pair share an opening, so they are not independent; pairs are. With the mean and variance of
//! the pairs' scores everything follows as for a normal distribution: the generalised sequential
//! probability ratio test (M. Van den Bergh, "A practical introduction to the GSPRT", 2020).

/// Pentanomial counts: game pairs by the half points of the first player, 0 to 4.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pentanomial(pub [u64; 5]);

/// The least number of pairs by which a test may decide: fewer say little about the variance.
pub const MIN_PAIRS: u64 = 8;
/// The least number of pairs among them that are not level: from fewer no variance can be told.
pub const MIN_UNEVEN: u64 = 5;

/// The expected score of an Elo difference, 0 to 1.
#[must_use]
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference of a score from 0 to 1; limited to ± 1000.
#[must_use]
pub fn elo(score: f64) -> f64 {
    let score = score.clamp(1e-9, 1.0 - 1e-9);
    (-400.0 * (1.0 / score - 1.0).log10()).clamp(-1000.0, 1000.0)
}

impl Pentanomial {
    /// Counts a pair.
    pub fn add(&mut self, half_points: u8) {
        self.0[usize::from(half_points.min(4))] += 1;
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The mean score of the first player, 0 to 1; one half before the first pair.
    #[must_use]
    pub fn score(&self) -> f64 {
        if self.count() == 0 {
            return 0.5;
        }
        moments(self.0.map(|n| n as f64)).0
    }

    /// The Elo difference, infinite if one player won every game, and half the width of its 95 %
    /// interval. There is no interval as long as the results have no variance: with fewer than two pairs, or
    /// if all pairs ended alike.
    #[must_use]
    pub fn elo(&self) -> (f64, Option<f64>) {
        let mean = self.score();
        let difference = match mean {
            0.0 => f64::NEG_INFINITY,
            1.0 => f64::INFINITY,
            _ => elo(mean),
        };
        let counts = self.0.map(|n| n as f64);
        let pairs: f64 = counts.iter().sum();
        if pairs < 2.0 {
            return (difference, None);
        }
        // Of a sample: one degree of freedom went into the mean.
        let variance = moments(counts).1 * pairs / (pairs - 1.0);
        let error = 1.96 * (variance / pairs).sqrt();
        let half = (elo(mean + error) - elo(mean - error)) / 2.0;
        (difference, (variance > 0.0).then_some(half))
    }

    /// The log-likelihood ratio (LLR) of a difference of `elo1` against one of `elo0`; `None` below
    /// [`MIN_PAIRS`] pairs, or below [`MIN_UNEVEN`] that are not level. A little is added to every count, so that there is
    /// always some variance.
    #[must_use]
    pub fn llr(&self, elo0: f64, elo1: f64) -> Option<f64> {
        let [_, _, level, _, _] = self.0;
        if self.count() < MIN_PAIRS || self.count() - level < MIN_UNEVEN {
            return None;
        }
        let (mean, variance) = moments(self.0.map(|n| n as f64 + 1e-3));
        let (low, high) = (expected_score(elo0), expected_score(elo1));
        Some(self.count() as f64 * (high - low) * (2.0 * mean - low - high) / (2.0 * variance))
    }
}

/// Mean and variance of the score of a pair, 0 to 1, by how often each of the five scores came.
fn moments(counts: [f64; 5]) -> (f64, f64) {
    let total: f64 = counts.iter().sum();
    let weighted = |f: &dyn Fn(f64) -> f64| {
        let sum = (0..5).map(|i| counts[i] * f(i as f64 / 4.0)).sum::<f64>();
        sum / total
    };
    let mean = weighted(&|x| x);
    (mean, weighted(&|x| (x - mean) * (x - mean)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_ratings_are_inverse() {
        for rating in [-300.0, -5.0, 0.0, 20.0, 191.0] {
            assert!((elo(expected_score(rating)) - rating).abs() < 1e-6);
        }
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn results_show_the_difference() {
        let even = Pentanomial([10, 20, 40, 20, 10]);
        let (rating, error) = even.elo();
        // Calculated: variance (2 * 10 / 4 + 2 * 20 / 16) / 99 = 0.0758; 1.96 * sqrt(0.0758 / 100) = 0.0540,
        // 37.6 Elo at 695 for a score of 1.
        let error = error.expect("an interval");
        assert!(rating.abs() < 0.01 && (error - 37.6).abs() < 0.3, "{error}");
        assert!(even.llr(0.0, 5.0) < Some(0.0));
        let better = Pentanomial([5, 15, 40, 25, 15]);
        assert!(better.elo().0 > 25.0 && better.llr(0.0, 5.0) > Some(0.0));
        let mut one = Pentanomial::default();
        one.add(3);
        assert_eq!((one.0[3], one.count()), (1, 1));
    }

    #[test]
    fn without_variance_there_is_no_interval() {
        assert_eq!(Pentanomial::default().elo(), (0.0, None));
        assert_eq!(Pentanomial([0, 0, 1, 0, 0]).elo(), (0.0, None));
        assert_eq!(Pentanomial([0, 0, 0, 0, 1]).elo(), (f64::INFINITY, None));
        assert_eq!(
            Pentanomial([3, 0, 0, 0, 0]).elo(),
            (f64::NEG_INFINITY, None)
        );
        assert_eq!(Pentanomial([0, 0, 500, 0, 0]).elo(), (0.0, None));
        let (rating, error) = Pentanomial([0, 0, 0, 1, 0]).elo();
        assert!((rating - elo(0.75)).abs() < 1e-9 && error.is_none());
        assert!(Pentanomial([0, 0, 1, 1, 0]).elo().1.expect("an interval") > 50.0);
        // One pair won is no evidence, many are.
        assert_eq!(Pentanomial([0, 0, 0, 0, 1]).llr(0.0, 5.0), None);
        assert_eq!(Pentanomial([0, 0, 0, 0, MIN_PAIRS - 1]).llr(0.0, 5.0), None);
        assert!(Pentanomial([0, 0, 0, 0, MIN_PAIRS]).llr(0.0, 5.0) > Some(3.0));
    }

    #[test]
    fn level_pairs_alone_decide_nothing() {
        for level in [MIN_PAIRS, 1000] {
            assert_eq!(Pentanomial([0, 0, level, 0, 0]).llr(-5.0, 0.0), None);
            let uneven = |uneven| Pentanomial([0, uneven, level, 0, 0]).llr(-5.0, 0.0);
            assert_eq!(uneven(MIN_UNEVEN - 1), None);
            assert!(uneven(MIN_UNEVEN).is_some());
        }
    }
}
