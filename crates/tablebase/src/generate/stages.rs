//! How far a large table is: stages one after another, each with an estimate of its work and a gauge.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::large_plan::Missing;
use super::plan::NANOSECONDS;
use super::subs::{all_below, cells};
use crate::format::Metric;
use crate::game::Game;
use crate::index::TableKey;
use duchamp_base::{Control, Gauge};

/// What is done in a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Sub-tables are solved: counted by their cells.
    Subs,
    /// Rows are described, their exits above all: counted by rows.
    Rows,
    /// Levels are solved. Their number is unknown beforehand: estimated by the time.
    Levels,
    /// Slices are solved, one after another or some at a time: counted.
    Slices,
    /// What larger tables need is written: counted by blocks.
    Sub,
    /// A file is written, or values are counted: by words.
    File,
}

/// Nanoseconds of one thread that a cell takes: in [`Stage::Rows`], [`Stage::Levels`] and [`Stage::File`]. Measured on
/// KRBvKR and KQRvKQ, solved as large tables.
const ROWS: u64 = 6;
const LEVELS: u64 = 12;
const RESULTS: u64 = 24;
const DISTANCES: u64 = 8;
const SUB: u64 = 4;
const COUNT: u64 = 2;

/// The stages of a table, written by those who work, read by those who watch.
#[derive(Debug)]
pub(super) struct Stages {
    stages: Vec<(Stage, u64, Gauge)>,
    /// How many have begun.
    begun: AtomicUsize,
}

impl Stages {
    /// The stages of generating what is missing of a large table, with an export that takes so many nanoseconds of one
    /// thread for a cell, and an inspection of what is counted that takes so many in all.
    pub(super) fn of<G: Game>(
        key: G::Key,
        missing: &Missing,
        export: Option<u64>,
        inspection: u64,
    ) -> Stages {
        let (wanted, left) = (&missing.files, &missing.subs);
        let below = all_below(key).into_iter().filter(|&sub| !G::is_large(sub));
        let subs = below.map(|sub| cells::<G>(sub) * NANOSECONDS[(sub.pawns() as usize).min(3)]);
        let subs = subs.sum();
        let own = cells::<G>(key);
        let mut stages = Vec::new();
        for wanted_files in [
            &[Metric::Wdl, Metric::Dtm][..],
            &[Metric::Dtc],
            &[Metric::Dtz],
        ] {
            let zeroing = wanted_files == [Metric::Dtz];
            let files = wanted_files.iter().filter(|metric| wanted.contains(metric));
            let mut files: Vec<u64> = files
                .map(|metric| match metric {
                    Metric::Wdl => RESULTS,
                    _ => DISTANCES,
                })
                .collect();
            if let Some(export) = export.filter(|_| zeroing) {
                // One stage: the values are read once.
                files = vec![files.iter().sum::<u64>() + export];
            }
            let to_mate = wanted_files.contains(&Metric::Dtm);
            if to_mate && missing.count {
                files.push(COUNT);
            }
            let sub =
                to_mate && left.contains(&Metric::Dtm) || zeroing && left.contains(&Metric::Dtz);
            if !files.is_empty() || sub {
                stages.push((Stage::Subs, subs));
                if key.pawns() > 0 {
                    stages.push((Stage::Slices, own * (ROWS + LEVELS)));
                } else {
                    stages.push((Stage::Rows, own * ROWS));
                    stages.push((Stage::Levels, own * LEVELS));
                }
                if sub {
                    stages.push((Stage::Sub, own * SUB));
                }
                stages.extend(files.iter().map(|time| (Stage::File, own * time)));
                if to_mate && missing.count && inspection > 0 {
                    stages.push((Stage::File, inspection / 2));
                }
            }
        }
        Stages::new(stages)
    }

    /// Stages with the nanoseconds that they take for one side to move.
    fn new(stages: Vec<(Stage, u64)>) -> Stages {
        let stages = stages.into_iter();
        Stages {
            stages: stages
                .map(|(stage, time)| (stage, 2 * time / 1000, Gauge::default()))
                .collect(),
            begun: AtomicUsize::new(0),
        }
    }

    /// The work of all stages, in microseconds of one thread.
    pub(super) fn work(&self) -> u64 {
        self.stages.iter().map(|stage| stage.1).sum()
    }

    /// The next stage of this kind begins: its gauge.
    pub(super) fn begin(&self, stage: Stage) -> &Gauge {
        let rest = self.stages.iter().enumerate();
        let mut rest = rest.skip(self.begun.load(Ordering::Relaxed));
        let next = rest.find(|(_, other)| other.0 == stage);
        let (at, (_, _, gauge)) = next.expect("a planned stage");
        self.begun.store(at + 1, Ordering::Relaxed);
        gauge
    }

    /// The stage at work, by its number. Levels begin where all rows are described.
    pub(super) fn at(&self) -> usize {
        let at = self.begun.load(Ordering::Relaxed).saturating_sub(1);
        match &self.stages[at] {
            (Stage::Rows, _, gauge) if gauge.share() == Some(1.0) => at + 1,
            _ => at,
        }
    }

    /// The work of the stages before one.
    pub(super) fn before(&self, at: usize) -> u64 {
        self.stages[..at].iter().map(|stage| stage.1).sum()
    }

    /// The work done when stage `at` is at work for so long, at so many units of work a second.
    pub(super) fn done(&self, at: usize, since: Duration, rate: f64) -> u64 {
        let (stage, work, gauge) = &self.stages[at];
        let share = match stage {
            Stage::Levels => guess(since, *work, rate),
            _ => gauge.share().unwrap_or(0.0),
        };
        self.before(at) + (share * *work as f64) as u64
    }
}

/// Units of work a second that the threads allowed are expected to do: microseconds of one thread.
pub(super) fn expected_rate(control: &Control) -> f64 {
    1e6 * control.threads() as f64
}

/// The done share of work that nobody counts, by the time that it has taken so far.
pub(super) fn guess(since: Duration, work: u64, rate: f64) -> f64 {
    let expected = work as f64 / rate.max(1e5);
    let share = since.as_secs_f64() / expected.max(1e-9);
    // Beyond what was expected it comes nearer to 1, ever more slowly.
    if share < 0.8 {
        share
    } else {
        1.0 - 0.16 / share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_by_stages_and_gauges() {
        let million = |stage| (stage, 500_000_000);
        let stages = [
            Stage::Subs,
            Stage::Rows,
            Stage::Levels,
            Stage::File,
            Stage::File,
        ];
        let stages = Stages::new(stages.map(million).to_vec());
        assert_eq!(stages.work(), 5_000_000);
        let done = || stages.done(stages.at(), Duration::ZERO, 1e6);
        assert_eq!(done(), 0);
        for (n, stage) in [Stage::Subs, Stage::Rows].into_iter().enumerate() {
            let before = n as u64 * 1_000_000;
            let gauge = stages.begin(stage);
            assert_eq!(done(), before, "{stage:?}");
            gauge.start(4);
            gauge.add(3);
            assert_eq!(done(), before + 750_000, "{stage:?}");
            gauge.add(1);
            assert_eq!(done(), before + 1_000_000, "{stage:?}");
        }
        // What nobody counts is estimated by the time.
        assert_eq!(stages.at(), 2);
        let later = stages.done(2, Duration::from_millis(500), 1e6);
        assert_eq!(later, 2_500_000);
        for n in [3, 4] {
            let gauge = stages.begin(Stage::File);
            gauge.start(2);
            assert_eq!((stages.at(), done()), (n, n as u64 * 1_000_000));
            gauge.add(2);
        }
        assert_eq!(done(), stages.work());
    }

    #[test]
    fn a_guess_grows_with_the_time_and_stays_below_one() {
        let guesses = (0..1000).map(|n| guess(Duration::from_millis(20 * n), 1_000_000, 1e6));
        let guesses: Vec<f64> = guesses.collect();
        assert!(guesses.is_sorted() && guesses[0] == 0.0 && guesses[999] < 1.0);
        assert!(guesses[999] > 0.9);
    }
}
