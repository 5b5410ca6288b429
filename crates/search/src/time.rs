//! How long to think: a soft limit, after which no new iteration begins, and a hard one, which ends
//! the search wherever it is.
//!
//! The soft limit is a share of the clock, stretched or shortened after each iteration by how
//! settled the choice looks: the share of nodes spent on the best move, for how many iterations it
//! has been the best, and whether its score falls.

use super::control::SearchControl;
use super::limits::{Limits, SearchOptions};
use duchamp_chess::Color;
use duchamp_eval::Score;
use std::time::{Duration, Instant};

/// Moves that the rest of a game without time controls is planned to take.
const HORIZON: u32 = 22;
/// No time limit is shorter, in milliseconds.
const LEAST: u64 = 1;

/// The limits of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Budget {
    /// No new iteration after this (before stretching).
    pub(super) soft: Duration,
    /// Full stop.
    pub(super) hard: Duration,
    /// Whether `soft` may be stretched and shortened.
    pub(super) elastic: bool,
}

/// What the limits allow the side to move; `None`: no time limit.
pub(super) fn budget(limits: &Limits, side: Color, options: &SearchOptions) -> Option<Budget> {
    let overhead = options.move_overhead.as_millis() as u64;
    if limits.infinite {
        return None;
    }
    let fixed = limits.move_time.map(|t| {
        let ms = t.as_millis() as u64;
        ms.saturating_sub(overhead).max(ms / 2).max(LEAST)
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
                    elastic: false,
                },
                |c| Budget {
                    soft: c.soft.min(hard),
                    hard: c.hard.min(hard),
                    elastic: c.elastic,
                },
            ))
        }
    }
}

/// The share of the clock. Where only the opponent's time was told, ours is taken to be the same.
fn clock_budget(limits: &Limits, side: Color, overhead: u64) -> Option<Budget> {
    let time = limits.time[side].or(limits.time[!side])?.max(0) as u64;
    let increment = limits.increment[side].max(0) as u64;
    let left = time.saturating_sub(overhead);
    let (share, most) = match limits.moves_to_go {
        Some(moves) if moves > 0 => {
            // Overhead is lost at each of the moves to come, too.
            let moves = u64::from(moves.min(50));
            let usable = left.saturating_sub(overhead * (moves - 1).min(10));
            let share = usable / (moves + u64::from(moves > 1)) + increment * 3 / 4;
            (share, if moves == 1 { left } else { left * 3 / 5 })
        }
        _ => (left / u64::from(HORIZON) + increment * 3 / 4, left / 2),
    };
    // With the clock nearly empty the increment is what there is to live on.
    let most = most.max((left + increment).min(time) / 4).min(left);
    let soft = share.min(most).max(LEAST);
    let hard = (share * 5).min(most).max(LEAST);
    Some(Budget {
        soft: Duration::from_millis(soft),
        hard: Duration::from_millis(hard),
        elastic: true,
    })
}

/// What an iteration ended with, for judging how settled the choice is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// Share of this thread's nodes spent below the best move, 0 to 1.
    pub(super) share: f64,
    /// For how many iterations it has been the best.
    pub(super) stable: u32,
    /// Its score.
    pub(super) score: Score,
    /// Its score averaged over earlier iterations.
    pub(super) average: Score,
}

/// By how much to stretch the soft limit.
pub(super) fn stretch(verdict: &Verdict) -> f64 {
    // 1 at a share of 0.655; docs/lab/search.md tells what the slope is worth.
    let nodes = 2.31 - 2.0 * verdict.share.clamp(0.0, 1.0);
    let stability = 1.25 - 0.05 * f64::from(verdict.stable.min(9));
    let falling = if verdict.score.is_decisive() || verdict.average.is_decisive() {
        1.0
    } else {
        (1.0 + f64::from(verdict.average - verdict.score) * 0.010).clamp(0.80, 1.45)
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

    /// The time that is meant for the move; `None`: no time limit.
    pub(super) fn share(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.soft)
    }

    /// Whether no time limit holds now, as the opponent is thinking.
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

    /// Whether another iteration is not worth beginning; in a `hurry` there is little to decide.
    pub(super) fn is_enough(&self, verdict: &Verdict, hurry: bool) -> bool {
        let Some(budget) = self.budget else {
            return false;
        };
        if self.pondering() {
            return false;
        }
        let mut soft = budget.soft;
        if budget.elastic {
            soft = soft.mul_f64(stretch(verdict));
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
                        soft >= LEAST && soft <= hard,
                        "{time} {increment} {moves:?}"
                    );
                    let left = (time.max(0) as u64).saturating_sub(20).max(LEAST);
                    assert!(hard <= left, "{time} {increment} {moves:?}: {hard}");
                }
            }
        }
    }

    #[test]
    fn shares_are_sensible() {
        let (soft, hard) = ms(&clock(60_000, 0, None), Color::White);
        assert!((2_000..4_000).contains(&soft) && hard <= 30_000);
        let (last, _) = ms(&clock(60_000, 0, Some(1)), Color::White);
        assert!(last > 50_000);
        // Only White's time was told, but Black has to move.
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
    fn unsettled_choices_get_more_time() {
        let calm = Verdict {
            share: 0.95,
            stable: 10,
            score: Score(20),
            average: Score(20),
        };
        let alarmed = Verdict {
            share: 0.2,
            stable: 0,
            score: Score(-40),
            average: Score(20),
        };
        assert!(stretch(&calm) < 0.6 && stretch(&alarmed) > 1.5);
    }
}
