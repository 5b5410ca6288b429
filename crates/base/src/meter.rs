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

/// Measures a job of known size: how much is done, how fast, how long it will still take.
#[derive(Clone, Debug)]
pub struct Meter {
    start: Instant,
    done: u64,
    total: u64,
}

impl Meter {
    /// A job of `total` units of work (any unit that stands for time).
    #[must_use]
    pub fn new(total: u64) -> Meter {
        Meter {
            start: Instant::now(),
            done: 0,
            total,
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

    /// The done share of the work, 0 to 1; an empty job is done.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.total == 0 {
            1.0
        } else {
            self.done as f64 / self.total as f64
        }
    }

    /// Share and time left if `units` of the parts at work count as done too.
    #[must_use]
    pub fn with(&self, units: u64) -> (f64, Option<Duration>) {
        let mut meter = self.clone();
        meter.add(units);
        (meter.share(), meter.left())
    }

    /// Units of work a second so far.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.done as f64 / self.elapsed().as_secs_f64().max(1e-9)
    }

    /// The time left at the rate so far; `None` while nothing is done.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let share = self.share();
        (share > 0.0).then(|| self.elapsed().mul_f64((1.0 - share) / share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_time_left() {
        let mut meter = Meter::new(4);
        assert_eq!(meter.left(), None);
        meter.add(4);
        assert_eq!(meter.left(), Some(Duration::ZERO));
        assert!((meter.share() - 1.0).abs() < 1e-12 && meter.rate() > 0.0);
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
