//! Time management: a soft limit, after which no new iteration begins, and a hard limit, which ends the search at once.
//!
//! The soft limit is a fraction of the clock, scaled after each iteration by best move effort (its fraction of the
//! nodes), best move stability (iterations without a change) and falling score.

use super::control::SearchControl;
use super::limits::{Limits, SearchOptions};
use duchamp_chess::Color;
use duchamp_eval::Score;
use std::time::{Duration, Instant};

/// Move horizon: moves that the remaining time is divided by in sudden death.
const HORIZON: u32 = 22;
/// The shortest time limit, in milliseconds.
const MIN_MS: u64 = 1;

/// The limits of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Budget {
    /// No new iteration after this (before scaling).
    pub(super) soft: Duration,
    /// The search stops.
    pub(super) hard: Duration,
    /// Whether `soft` is scaled by the search's results.
    pub(super) adjustable: bool,
}

/// The time budget of the side to move; `None`: no time limit.
pub(super) fn budget(limits: &Limits, side: Color, options: &SearchOptions) -> Option<Budget> {
    let overhead = options.move_overhead.as_millis() as u64;
    if limits.infinite {
        return None;
    }
    let fixed = limits.move_time.map(|t| {
        let ms = t.as_millis() as u64;
        ms.saturating_sub(overhead).max(ms / 2).max(MIN_MS)
    });
    let clock = clock_budget(limits, side, overhead);
    match (fixed, clock) {
        (None, clock) => clock,
        (Some(ms), clock) => {
            let hard = Duration::from_millis(ms);
            Some(clock.map_or(
                Budget {
                    soft: hard,
                    hard,
                    adjustable: false,
                },
                |c| Budget {
                    soft: c.soft.min(hard),
                    hard: c.hard.min(hard),
                    adjustable: c.adjustable,
                },
            ))
        }
    }
}

/// The time budget by the clock. Where only the opponent's time was given, ours is taken to be the same.
fn clock_budget(limits: &Limits, side: Color, overhead: u64) -> Option<Budget> {
    let time = limits.time[side].or(limits.time[!side])?.max(0) as u64;
    let increment = limits.increment[side].max(0) as u64;
    let left = time.saturating_sub(overhead);
    let (optimum, maximum) = match limits.moves_to_go {
        Some(moves) if moves > 0 => {
            // Overhead is lost at each of the moves to come, too.
            let moves = u64::from(moves.min(50));
            let usable = left.saturating_sub(overhead * (moves - 1).min(10));
            let optimum = usable / (moves + u64::from(moves > 1)) + increment * 3 / 4;
            (optimum, if moves == 1 { left } else { left * 3 / 5 })
        }
        _ => (left / u64::from(HORIZON) + increment * 3 / 4, left / 2),
    };
    // With the clock nearly empty the engine plays on the increment.
    let maximum = maximum.max((left + increment).min(time) / 4).min(left);
    let soft = optimum.min(maximum).max(MIN_MS);
    let hard = (optimum * 5).min(maximum).max(MIN_MS);
    Some(Budget {
        soft: Duration::from_millis(soft),
        hard: Duration::from_millis(hard),
        adjustable: true,
    })
}

/// The results of an iteration that scale the soft limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct IterationStats {
    /// The fraction of this thread's nodes searched below the best move, 0 to 1.
    pub(super) best_move_effort: f64,
    /// Iterations since the best move changed.
    pub(super) best_move_stability: u32,
    /// Its score.
    pub(super) score: Score,
    /// Its score averaged over earlier iterations.
    pub(super) average: Score,
}

/// The factor of the soft limit.
pub(super) fn stretch(stats: &IterationStats) -> f64 {
    // 1 at an effort of 0.655; docs/lab/search.md has the measured Elo of the slope.
    let nodes = 2.31 - 2.0 * stats.best_move_effort.clamp(0.0, 1.0);
    let stability = 1.25 - 0.05 * f64::from(stats.best_move_stability.min(9));
    let falling = if stats.score.is_decisive() || stats.average.is_decisive() {
        1.0
    } else {
        (1.0 + f64::from(stats.average - stats.score) * 0.010).clamp(0.80, 1.45)
    };
    (nodes * stability * falling).clamp(0.20, 2.8)
}

/// The running clock of a search.
pub(super) struct Timer<'a> {
    start: Instant,
    budget: Option<Budget>,
    ponder: bool,
    control: &'a SearchControl,
}

impl Timer<'_> {
    pub(super) fn new<'a>(
        limits: &Limits,
        side: Color,
        options: &SearchOptions,
        control: &'a SearchControl,
    ) -> Timer<'a> {
        Timer {
            start: limits.start,
            budget: budget(limits, side, options),
            ponder: limits.ponder,
            control,
        }
    }

    /// Time since the request.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The optimum time for the move, the unscaled soft limit; `None`: no time limit.
    pub(super) fn optimum(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.soft)
    }

    /// Whether the search ponders, so that no time limit applies.
    fn pondering(&self) -> bool {
        self.ponder && !self.control.is_ponderhit()
    }

    /// Whether the hard limit is reached. It counts from the ponderhit if there was one.
    pub(super) fn is_over(&self) -> bool {
        let Some(budget) = self.budget else {
            return false;
        };
        if !self.ponder {
            return self.start.elapsed() >= budget.hard;
        }
        match self.control.hit_at() {
            Some(hit) => hit.elapsed() >= budget.hard,
            None => false,
        }
    }

    /// Whether the scaled soft limit is reached; a `hurry` (a forced or decided move) divides it by ten.
    pub(super) fn is_enough(&self, stats: &IterationStats, hurry: bool) -> bool {
        let Some(budget) = self.budget else {
            return false;
        };
        if self.pondering() {
            return false;
        }
        let mut soft = budget.soft;
        if budget.adjustable {
            soft = soft.mul_f64(stretch(stats));
            if hurry {
                soft /= 10;
            }
        }
        self.start.elapsed() >= soft || self.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::ByColor;

    fn clock(time: i64, increment: i64, moves_to_go: Option<u32>) -> Limits {
        Limits {
            time: ByColor([Some(time), None]),
            increment: ByColor([increment, 0]),
            moves_to_go,
            ..Limits::default()
        }
    }

    fn ms(limits: &Limits, side: Color) -> (u64, u64) {
        let b = budget(limits, side, &SearchOptions::default()).unwrap();
        (b.soft.as_millis() as u64, b.hard.as_millis() as u64)
    }

    #[test]
    fn never_more_than_the_clock() {
        for time in [-500, 0, 1, 5, 21, 50, 100, 1000, 60_000, 7_200_000] {
            for increment in [0, 10, 1000, 30_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let (soft, hard) = ms(&clock(time, increment, moves), Color::White);
                    assert!(
                        soft >= MIN_MS && soft <= hard,
                        "{time} {increment} {moves:?}"
                    );
                    let left = (time.max(0) as u64).saturating_sub(20).max(MIN_MS);
                    assert!(hard <= left, "{time} {increment} {moves:?}: {hard}");
                }
            }
        }
    }

    #[test]
    fn clock_budgets_are_sensible() {
        let (soft, hard) = ms(&clock(60_000, 0, None), Color::White);
        assert!((2_000..4_000).contains(&soft) && hard <= 30_000);
        let (last, _) = ms(&clock(60_000, 0, Some(1)), Color::White);
        assert!(last > 50_000);
        // Only White's time was given, but Black has to move.
        assert!(ms(&clock(1_000, 0, None), Color::Black).0 > 10);
    }

    #[test]
    fn fixed_time_is_kept() {
        let limits = Limits {
            move_time: Some(Duration::from_millis(500)),
            ..Limits::default()
        };
        assert_eq!(ms(&limits, Color::White), (480, 480));
        assert!(budget(&Limits::default(), Color::White, &SearchOptions::default()).is_none());
    }

    #[test]
    fn unstable_best_moves_get_more_time() {
        let calm = IterationStats {
            best_move_effort: 0.95,
            best_move_stability: 10,
            score: Score(20),
            average: Score(20),
        };
        let alarmed = IterationStats {
            best_move_effort: 0.2,
            best_move_stability: 0,
            score: Score(-40),
            average: Score(20),
        };
        assert!(stretch(&calm) < 0.6 && stretch(&alarmed) > 1.5);
    }
}
