//! What results of pairs of games say about two players.
//!
//! A pair shares its opening, so its two games are not independent; pairs are. With the mean and variance of
//! the pairs' scores everything follows as for a normal distribution: the generalised sequential
//! probability ratio test (M. Van den Bergh, "A practical introduction to the GSPRT", 2020).

/// Pairs of games by the half points of the first player, 0 to 4.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pairs(pub [u64; 5]);

/// The share of points that a difference of ratings promises.
#[must_use]
pub fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The difference of ratings that a share of points stands for; limited to ± 1000.
#[must_use]
pub fn elo(share: f64) -> f64 {
    let share = share.clamp(1e-9, 1.0 - 1e-9);
    (-400.0 * (1.0 / share - 1.0).log10()).clamp(-1000.0, 1000.0)
}

impl Pairs {
    /// Counts a pair.
    pub fn add(&mut self, half_points: u8) {
        self.0[usize::from(half_points.min(4))] += 1;
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Share of the points of the first player, and its variance for one pair. A little is added to every
    /// count, so that there is always some variance.
    #[must_use]
    pub fn score(&self) -> (f64, f64) {
        let counts = self.0.map(|n| n as f64 + 1e-3);
        let total: f64 = counts.iter().sum();
        let weighted = |f: &dyn Fn(f64) -> f64| {
            let sum = (0..5).map(|i| counts[i] * f(i as f64 / 4.0)).sum::<f64>();
            sum / total
        };
        let mean = weighted(&|x| x);
        (mean, weighted(&|x| (x - mean) * (x - mean)))
    }

    /// The difference of ratings and half the width of its 95 % interval.
    #[must_use]
    pub fn elo(&self) -> (f64, f64) {
        let (mean, variance) = self.score();
        let error = 1.96 * (variance / self.count().max(1) as f64).sqrt();
        let half = (elo(mean + error) - elo(mean - error)) / 2.0;
        (elo(mean), half)
    }

    /// The logarithm of how much likelier the results are if the difference is `more` than if it is `less`.
    #[must_use]
    pub fn log_ratio(&self, less: f64, more: f64) -> f64 {
        let (mean, variance) = self.score();
        let (low, high) = (expected(less), expected(more));
        self.count() as f64 * (high - low) * (2.0 * mean - low - high) / (2.0 * variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_ratings_are_inverse() {
        for rating in [-300.0, -5.0, 0.0, 20.0, 191.0] {
            assert!((elo(expected(rating)) - rating).abs() < 1e-6);
        }
        assert!((expected(400.0) - 10.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn results_tell_the_difference() {
        let even = Pairs([10, 20, 40, 20, 10]);
        let (rating, error) = even.elo();
        // By hand: variance (2 * 10 / 4 + 2 * 20 / 16) / 100 = 0.075; 1.96 * sqrt(0.075 / 100) = 0.0537,
        // 37.4 points at 695 a share of points.
        assert!(rating.abs() < 0.01 && (error - 37.4).abs() < 0.6, "{error}");
        assert!(even.log_ratio(0.0, 5.0) < 0.0);
        let better = Pairs([5, 15, 40, 25, 15]);
        assert!(better.elo().0 > 25.0 && better.log_ratio(0.0, 5.0) > 0.0);
        let mut none = Pairs::default();
        assert!(none.elo().1 > 100.0);
        none.add(3);
        assert_eq!((none.0[3], none.count()), (1, 1));
    }
}
