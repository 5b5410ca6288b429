//! Rate and time left of a long job, and how far a part of it is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How far one part of a job is: written by those who work, read by those who watch.
#[derive(Debug, Default)]
pub struct Gauge {
    done: AtomicU64,
    total: AtomicU64,
}

impl Gauge {
    /// The part has `total` units of work, none of them done.
    pub fn start(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// `units` more are done.
    pub fn add(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    /// The done share, 0 to 1; `None` before the start.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let total = self.total.load(Ordering::Relaxed);
        let done = self.done.load(Ordering::Relaxed).min(total);
        (total > 0).then(|| done as f64 / total as f64)
    }
}

/// How much of a job is taken to be done beforehand at the expected rate, so that its first units, which may be unlike the
/// others, do not decide the time left.
const PRIOR: f64 = 0.05;

/// Measures a job of known size: how much is done, how fast, how long it will still take.
#[derive(Clone, Debug)]
pub struct Meter {
    start: Instant,
    done: u64,
    total: u64,
    /// Units a second.
    expected: f64,
    /// The greatest share that was told.
    told: f64,
}

impl Meter {
    /// A job of `total` units of work (any unit that stands for time), of which `expected` are done in a second by an
    /// estimate made beforehand.
    #[must_use]
    pub fn new(total: u64, expected: f64) -> Meter {
        Meter {
            start: Instant::now(),
            done: 0,
            total,
            expected: expected.max(1e-9),
            told: 0.0,
        }
    }

    /// Notes that `units` more are done.
    pub fn add(&mut self, units: u64) {
        self.done = (self.done + units).min(self.total);
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The done share of the work, 0 to 1, and the time left, if `units` of the parts at work count as done too. The share
    /// never falls from one call to the next, although what is at work may be estimated anew; an empty job is done.
    pub fn with(&mut self, units: u64) -> (f64, Duration) {
        let done = (self.done + units).min(self.total);
        let share = if self.total == 0 {
            1.0
        } else {
            done as f64 / self.total as f64
        };
        self.told = self.told.max(share);
        let left = (self.total - done) as f64 / self.rate(units);
        let left = Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX);
        (self.told, left)
    }

    /// Units of work a second if `units` of the parts at work count as done too: what is expected at first, then more and
    /// more what was measured.
    #[must_use]
    pub fn rate(&self, units: u64) -> f64 {
        let prior = (self.total as f64 * PRIOR).max(1.0);
        let done = (self.done + units).min(self.total) as f64;
        (done + prior) / (self.elapsed().as_secs_f64() + prior / self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_time_left() {
        let mut meter = Meter::new(4000, 1.0);
        let (share, left) = meter.with(0);
        assert!(share == 0.0 && (3990..=4000).contains(&left.as_secs()));
        meter.add(4000);
        assert_eq!(meter.with(0), (1.0, Duration::ZERO));
        assert_eq!(Meter::new(0, 1.0).with(0), (1.0, Duration::ZERO));
    }

    #[test]
    fn first_units_that_are_slow_do_not_decide_the_time_left() {
        let mut meter = Meter::new(1000, 1.0);
        // A hundred seconds for what should have taken ten.
        meter.start -= Duration::from_secs(100);
        let (_, left) = meter.with(10);
        assert!((2400..2500).contains(&left.as_secs()), "{left:?}");
        // What was measured counts more and more.
        meter.start -= Duration::from_secs(4900);
        let (_, left) = meter.with(500);
        assert!((4550..4650).contains(&left.as_secs()), "{left:?}");
    }

    #[test]
    fn the_share_never_falls() {
        let mut meter = Meter::new(1000, 1.0);
        assert_eq!(meter.with(500).0, 0.5);
        assert_eq!(meter.with(300).0, 0.5);
        assert_eq!(meter.with(600).0, 0.6);
    }

    #[test]
    fn a_gauge_tells_its_share() {
        let gauge = Gauge::default();
        assert_eq!(gauge.share(), None);
        gauge.start(4);
        gauge.add(1);
        assert_eq!(gauge.share(), Some(0.25));
        gauge.add(9);
        assert_eq!(gauge.share(), Some(1.0));
    }
}
