//! Progress of the work on pawn endings, and its end by an interrupt.

use super::Failure;
use super::crew::{self, Watch};
use super::pawns_find::Part;
use super::progress::{Display, ProgressArguments};
use duchamp_base::human;
use duchamp_proofs::pawns::ProverHandle;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The time between two looks at how far the work is, and whether it was interrupted.
const TICK: Duration = Duration::from_millis(50);

/// The work on one position, or on a list of positions.
pub(super) struct Course {
    watch: Watch,
    handle: Arc<ProverHandle>,
    display: Display,
    /// The part at work, since when, and the most time that it takes.
    part: Mutex<Option<(Part, Instant, Duration)>>,
}

impl Course {
    pub(super) fn new(progress: &ProgressArguments) -> Result<Course, Failure> {
        Ok(Course {
            watch: Watch::new(Some(2))?,
            handle: Arc::default(),
            display: progress.start("pawns", "positions"),
            part: Mutex::new(None),
        })
    }

    /// What the provers of this work are to be created with.
    pub(super) fn handle(&self) -> &Arc<ProverHandle> {
        &self.handle
    }

    /// Whether an interrupt ended the work.
    pub(super) fn is_stopped(&self) -> bool {
        self.handle.is_stopped()
    }

    /// A part of the work on the only position begins, which takes `time` at most.
    pub(super) fn begin(&self, part: Part, time: Duration) {
        *crew::locked(&self.part) = Some((part, Instant::now(), time));
    }

    /// So many positions of a list are done.
    pub(super) fn count(&self, done: usize, total: usize) {
        self.display.update(|report| {
            report.done = done as u64;
            report.total = Some(total as u64);
        });
    }

    /// Does the work while progress is shown and an interrupt is passed on to the provers.
    pub(super) fn watched<T>(&self, work: impl FnOnce() -> T) -> T {
        crew::with_watcher(TICK, || self.look(), work)
    }

    fn look(&self) {
        if self.watch.control.is_cancelled() {
            self.handle.stop();
        }
        let part = *crew::locked(&self.part);
        let structures = human::grouped(self.handle.structures() as u64, ',');
        self.display.update(|report| {
            report.text = format!("{structures} pawn structures");
            if let Some((part, since, time)) = part {
                let (number, name) = match part {
                    Part::Value => (0.0, "value"),
                    Part::Moves => (1.0, "moves"),
                    Part::Squares => (2.0, "corresponding squares"),
                    Part::Plan => (3.0, "plan"),
                };
                let share = since.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-3);
                report.share = Some((number + share.min(1.0)) / 4.0);
                report.text = format!("{name}, {structures} pawn structures");
            }
        });
    }

    /// Ends the display; the failure if an interrupt ended the work.
    pub(super) fn finish(self) -> Result<(), Failure> {
        if !self.is_stopped() {
            self.display.finish();
            return Ok(());
        }
        Err(Failure::Failed(format!(
            "stopped: the answer says what was proved until then, and nothing is kept. To start again: {}",
            crew::this_command()
        )))
    }
}
