//! Time management: a soft limit, after which no new iteration begins, and a hard limit, which ends the search at once.
//!
//! The soft limit is a fraction of the clock, scaled after each iteration by best move effort (its fraction of the
//! nodes), best move stability (iterations without a change), falling score and how long the score has not moved.

use super::control::SearchControl;
use super::limits::{Limits, SearchOptions};
use duchamp_chess::Position;
use duchamp_eval::Score;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Moves that the remaining time and the increments of as many moves are divided by in sudden death, in the opening: early moves are
/// known best and matter least.
const FIRST_HORIZON: u64 = 44;
/// What they are divided by late in a game.
const LAST_HORIZON: u64 = 25;
/// The shortest time for a move, in microseconds: two or three iterations.
const LEAST: u64 = 100;
/// The shortest time for a move that is told its time, in microseconds.
const LEAST_FIXED: u64 = 1_000;

/// The limits of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Budget {
    /// No new iteration after this (before scaling).
    pub(super) soft: Duration,
    /// The search stops.
    pub(super) hard: Duration,
    /// Whether `soft` is scaled by the search's results.
    pub(super) adjustable: bool,
    /// How long after `hard` a line may still be made longer: never more than half the overhead, and little where little is left,
    /// or the reserve would not fill up again.
    pub(super) slack: Duration,
}

/// The time budget of the side to move; `None`: no time limit.
pub(super) fn budget(
    limits: &Limits,
    position: &Position,
    options: &SearchOptions,
) -> Option<Budget> {
    let overhead = options.move_overhead.as_micros() as u64;
    if limits.infinite {
        return None;
    }
    let fixed = limits.move_time.map(|time| {
        let time = time.as_micros() as u64;
        time.saturating_sub(overhead).max(time / 2).max(LEAST_FIXED)
    });
    let clock = clock_budget(limits, position, overhead);
    let fixed_slack = limits
        .move_time
        .map_or(Duration::MAX, |time| slack(time, overhead));
    match (fixed, clock) {
        (None, clock) => clock,
        (Some(fixed), clock) => {
            let hard = Duration::from_micros(fixed);
            Some(clock.map_or(
                Budget {
                    soft: hard,
                    hard,
                    adjustable: false,
                    slack: fixed_slack,
                },
                |c| Budget {
                    soft: c.soft.min(hard),
                    hard: c.hard.min(hard),
                    adjustable: c.adjustable,
                    slack: c.slack.min(fixed_slack),
                },
            ))
        }
    }
}

/// The time budget by the clock, with an overhead in microseconds. Where only the opponent's time was given, ours is
/// taken to be the same.
///
/// The overhead is a reserve against a machine or a GUI that is late. It is not spent, and once the clock comes near it
/// the increments fill it up again.
fn clock_budget(limits: &Limits, position: &Position, overhead: u64) -> Option<Budget> {
    let side = position.turn();
    let micros = |ms: i64| (ms.max(0) as u64).saturating_mul(1_000);
    let time = micros(limits.time[side].or(limits.time[!side])?);
    let left = time.saturating_sub(overhead);
    let whole = micros(limits.increment[side]);
    // All of it while twice the overhead is on the clock.
    let increment = match overhead {
        0 => whole,
        _ => (u128::from(whole) * u128::from(left.min(overhead)) / u128::from(overhead)) as u64,
    };
    let (optimum, maximum) = match limits.moves_to_go {
        Some(moves) if moves > 0 => {
            // Overhead is lost at each of the moves to come, too.
            let moves = u64::from(moves.min(50));
            let usable = left.saturating_sub(overhead * (moves - 1).min(10));
            let optimum = usable / (moves + u64::from(moves > 1));
            let optimum = optimum.saturating_add(increment / 4 * 3);
            (optimum, if moves == 1 { left } else { left / 5 * 3 })
        }
        _ => {
            let half = u64::from(position.fullmoves() / 2);
            let horizon = FIRST_HORIZON.saturating_sub(half).max(LAST_HORIZON);
            let expected = left.saturating_add(increment.saturating_mul(FIRST_HORIZON));
            // Much of the clock at once only where the increment brings it back.
            let most = (left / 5).max(increment / 4 * 3);
            ((expected / horizon).min(most), left / 2)
        }
    };
    // With the clock nearly empty the engine plays on the increment.
    let maximum = maximum
        .max(left.saturating_add(increment).min(time) / 4)
        .min(left);
    let soft = optimum.min(maximum).max(LEAST);
    let hard = optimum.saturating_mul(5).min(maximum).max(LEAST);
    Some(Budget {
        soft: Duration::from_micros(soft),
        hard: Duration::from_micros(hard),
        adjustable: true,
        slack: slack(Duration::from_micros(time), overhead),
    })
}

/// The slack of a move with so much time, the overhead in microseconds included.
fn slack(time: Duration, overhead: u64) -> Duration {
    (time / 8).min(Duration::from_micros(overhead / 2))
}

/// The results of an iteration that scale the soft limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct IterationStats {
    /// The fraction of this thread's nodes searched below the best move, 0 to 1.
    pub(super) best_move_effort: f64,
    /// Iterations since the best move changed.
    pub(super) best_move_stability: u32,
    /// How many of the last iterations changed the score by next to nothing, one after the other.
    pub(super) calm: u32,
    /// The best move's score.
    pub(super) score: Score,
    /// The best score some iterations earlier.
    pub(super) earlier: Score,
    /// The average score of the search for the last move.
    pub(super) last_move: Score,
}

/// The factor of the soft limit, 0.18 to 3.1.
pub(super) fn stretch(stats: &IterationStats) -> f64 {
    // 1 at an effort of 0.656; docs/lab/search.md has the measured Elo of the slope.
    let nodes = (2.64 - 2.5 * stats.best_move_effort.clamp(0.0, 1.0)).max(0.2);
    let stability = 1.25 - 0.05 * f64::from(stats.best_move_stability.min(9));
    let fall = |before: Score| {
        let decisive = stats.score.is_decisive() || before.is_decisive();
        f64::from(if decisive { 0 } else { before - stats.score })
    };
    let falling =
        (0.95 + 0.011 * fall(stats.last_move) + 0.009 * fall(stats.earlier)).clamp(0.70, 1.60);
    let calm = 1.12 - 0.03 * f64::from(stats.calm.min(8));
    (nodes * stability * falling).clamp(0.20, 2.8) * calm
}

/// The running clock of a search.
pub(super) struct Timer<'a> {
    start: Instant,
    budget: Option<Budget>,
    ponder: bool,
    /// Whether the soft limit was reached while pondering.
    ripe: AtomicBool,
    control: &'a SearchControl,
}

impl Timer<'_> {
    pub(super) fn new<'a>(
        limits: &Limits,
        position: &Position,
        options: &SearchOptions,
        control: &'a SearchControl,
    ) -> Timer<'a> {
        Timer {
            start: limits.start,
            budget: budget(limits, position, options),
            ponder: limits.ponder,
            ripe: AtomicBool::new(false),
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

    /// Nodes after which the clock is to be looked at again: fewer where there is little time.
    pub(super) fn patience(&self) -> u64 {
        match self.budget {
            Some(budget) if budget.hard < Duration::from_millis(10) => 128,
            _ => 1024,
        }
    }

    /// Whether the hard limit and the slack after it are over. What only makes a line longer ends then.
    pub(super) fn is_late(&self) -> bool {
        let Some(budget) = self.budget else {
            return false;
        };
        let begun = match self.ponder {
            true => self.control.hit_at(),
            false => Some(self.start),
        };
        begun.is_some_and(|begun| begun.elapsed() >= budget.hard + budget.slack)
    }

    /// Whether the hard limit is reached. It counts from the ponderhit if there was one; a move that was found good enough before is
    /// played at once.
    pub(super) fn is_over(&self) -> bool {
        let Some(budget) = self.budget else {
            return false;
        };
        if !self.ponder {
            return self.start.elapsed() >= budget.hard;
        }
        match self.control.hit_at() {
            Some(hit) => self.ripe.load(Relaxed) || hit.elapsed() >= budget.hard,
            None => false,
        }
    }

    /// Whether the scaled soft limit is reached; a `hurry` (a forced or decided move) divides it by ten.
    pub(super) fn is_enough(&self, stats: &IterationStats, hurry: bool) -> bool {
        let Some(budget) = self.budget else {
            return false;
        };
        let mut soft = budget.soft;
        if budget.adjustable {
            soft = soft.mul_f64(stretch(stats));
            if hurry {
                soft /= 10;
            }
        }
        let enough = self.start.elapsed() >= soft;
        if self.pondering() {
            self.ripe.store(enough, Relaxed);
            return false;
        }
        enough || self.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::{ByColor, Color};

    fn clock(time: i64, increment: i64, moves_to_go: Option<u32>) -> Limits {
        Limits {
            time: ByColor([Some(time), None]),
            increment: ByColor([increment, 0]),
            moves_to_go,
            ..Limits::default()
        }
    }

    /// The soft and the hard limit in microseconds, at the first move.
    fn micros(limits: &Limits, side: Color) -> (u64, u64) {
        let start = Position::start();
        let position = match side {
            Color::White => start,
            Color::Black => start.play(start.legal_moves()[0]),
        };
        let b = budget(limits, &position, &SearchOptions::default()).unwrap();
        (b.soft.as_micros() as u64, b.hard.as_micros() as u64)
    }

    #[test]
    fn never_more_than_the_clock() {
        for time in [-500, 0, 1, 5, 21, 50, 100, 1000, 60_000, 7_200_000] {
            for increment in [0, 10, 1000, 30_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let (soft, hard) = micros(&clock(time, increment, moves), Color::White);
                    assert!(
                        soft >= LEAST && soft <= hard,
                        "{time} {increment} {moves:?}"
                    );
                    let left = (time.max(0) as u64 * 1_000).saturating_sub(20_000);
                    assert!(
                        hard <= left.max(LEAST),
                        "{time} {increment} {moves:?}: {hard}"
                    );
                }
            }
        }
    }

    #[test]
    fn clock_budgets_are_sensible() {
        let (soft, hard) = micros(&clock(60_000, 0, None), Color::White);
        assert!((1_000_000..3_000_000).contains(&soft) && hard <= 30_000_000);
        let (last, _) = micros(&clock(60_000, 0, Some(1)), Color::White);
        assert!(last > 50_000_000);
        // Only White's time was given, but Black has to move.
        assert!(micros(&clock(1_000, 0, None), Color::Black).0 > 10_000);
    }

    #[test]
    fn the_overhead_fills_up_again() {
        for increment in [1, 10, 100] {
            for time in 0..=22 {
                let (soft, _) = micros(&clock(time, increment, None), Color::White);
                assert!(
                    soft < increment as u64 * 200,
                    "{time} ms left, {increment} ms a move: {soft} us"
                );
            }
            // Far from the overhead most of the increment is spent.
            let with = micros(&clock(1_000, increment, None), Color::White).0;
            let without = micros(&clock(1_000, 0, None), Color::White).0;
            assert!(with - without >= increment as u64 * 700);
        }
    }

    #[test]
    fn fixed_time_is_kept() {
        let limits = Limits {
            move_time: Some(Duration::from_millis(500)),
            ..Limits::default()
        };
        assert_eq!(micros(&limits, Color::White), (480_000, 480_000));
        assert!(
            budget(
                &Limits::default(),
                &Position::start(),
                &SearchOptions::default()
            )
            .is_none()
        );
    }

    /// Where the clock stands at the overhead, lines must not use up what the increments bring.
    #[test]
    fn lines_leave_the_overhead_to_fill_up() {
        let slack = |time: i64| {
            let limits = clock(time, 5, None);
            budget(&limits, &Position::start(), &SearchOptions::default())
                .expect("a clock")
                .slack
        };
        assert_eq!(slack(20), Duration::from_micros(2_500));
        assert_eq!([slack(80), slack(60_000)], [Duration::from_millis(10); 2]);
    }

    /// A line goes on into the overhead, but not through it.
    #[test]
    fn lines_end_when_the_move_is_due() {
        let control = SearchControl::new();
        let is_late = |ago: u64, move_time: Option<Duration>, ponder: bool| {
            let limits = Limits {
                start: Instant::now()
                    .checked_sub(Duration::from_secs(ago))
                    .expect("the clock has run so long"),
                move_time,
                ponder,
                ..Limits::default()
            };
            let options = SearchOptions::default();
            Timer::new(&limits, &Position::start(), &options, &control).is_late()
        };
        let minute = Some(Duration::from_secs(60));
        assert!(is_late(61, minute, false) && !is_late(0, minute, false));
        assert!(!is_late(61, None, false) && !is_late(61, minute, true));
    }

    /// What was thought while pondering need not be thought again.
    #[test]
    fn a_move_that_pondering_found_good_enough_is_played_at_the_hit() {
        for (pondered, at_once) in [(30, true), (0, false)] {
            let limits = Limits {
                ponder: true,
                start: Instant::now()
                    .checked_sub(Duration::from_secs(pondered))
                    .expect("the clock has run so long"),
                ..clock(60_000, 0, None)
            };
            let control = SearchControl::new();
            let timer = Timer::new(
                &limits,
                &Position::start(),
                &SearchOptions::default(),
                &control,
            );
            let stats = IterationStats {
                best_move_effort: 0.5,
                best_move_stability: 3,
                calm: 3,
                score: Score(20),
                earlier: Score(20),
                last_move: Score(20),
            };
            assert!(!timer.is_enough(&stats, false) && !timer.is_over());
            control.ponderhit();
            assert_eq!(timer.is_over(), at_once);
        }
    }

    /// Where the increment is large beside the clock, most of it is spent at each move.
    #[test]
    fn large_increments_are_spent() {
        for seconds in [1, 30] {
            let (soft, hard) = micros(&clock(seconds * 1000, seconds * 1000, None), Color::White);
            assert!(soft * 5 > seconds as u64 * 2_000_000 && hard <= seconds as u64 * 500_000);
        }
        let (soft, hard) = micros(&clock(i64::MAX, i64::MAX, Some(2)), Color::White);
        assert!(soft <= hard);
    }

    #[test]
    fn scores_that_stand_still_get_less_time() {
        let factor = |calm| {
            stretch(&IterationStats {
                best_move_effort: 0.656,
                best_move_stability: 5,
                calm,
                score: Score(20),
                earlier: Score(20),
                last_move: Score(20),
            })
        };
        assert!(factor(0) > factor(4) && factor(4) > factor(8));
        assert_eq!(factor(8).to_bits(), factor(80).to_bits());
    }

    #[test]
    fn unstable_best_moves_get_more_time() {
        let settled = IterationStats {
            best_move_effort: 0.95,
            best_move_stability: 10,
            calm: 8,
            score: Score(20),
            earlier: Score(20),
            last_move: Score(20),
        };
        let alarmed = IterationStats {
            best_move_effort: 0.2,
            best_move_stability: 0,
            calm: 0,
            score: Score(-40),
            earlier: Score(20),
            last_move: Score(20),
        };
        assert!(stretch(&settled) < 0.6 && stretch(&alarmed) > 1.5);
    }
}
