//! What the work on one part of a pawn ending may take.

use duchamp_proofs::pawns::{Budget, Spent};
use std::time::Duration;

/// What the work on one part may take: the value, the moves, the corresponding squares, or the plan.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// By the clock.
    Time(Duration),
    /// A number of steps, for answers that do not depend on the machine.
    Steps(usize),
}

impl Limit {
    /// Nothing may be worked out: what is known already.
    pub(super) const NOTHING: Limit = Limit::Steps(0);

    pub(super) fn budget(self, structures: usize) -> Budget {
        let (time, steps) = match self {
            Limit::Time(time) => (Some(time), None),
            Limit::Steps(steps) => (None, Some(steps)),
        };
        Budget {
            structures,
            time,
            steps,
        }
    }
}

/// What the work on a pawn ending may take, as the user said it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PawnLimits {
    /// For each part.
    pub(super) limit: Limit,
    /// The most pawn structures, for each side.
    pub(super) structures: usize,
    /// The most variations of a plan; 0: no plan.
    pub(super) lines: usize,
}

impl PawnLimits {
    /// That something is not determined, why, and what to type for more.
    pub(super) fn not_determined(self, spent: Option<Spent>) -> String {
        let why = match (spent, self.limit) {
            (Some(Spent::Time), Limit::Time(time)) => {
                let seconds = time.as_secs_f64();
                let more = (4.0 * seconds).max(1.0).ceil();
                format!("in {seconds} s; try --seconds {more}")
            }
            (Some(Spent::Structures), _) => {
                let more = self.structures.saturating_mul(4).max(1_000);
                format!(
                    "with {} pawn structures; try --structures {more}",
                    self.structures
                )
            }
            (Some(Spent::Stopped), _) => "because it was stopped".into(),
            (Some(Spent::Memory), _) => {
                "with the memory that the system gives (see `ulimit -v`)".into()
            }
            (Some(Spent::Time | Spent::Steps), _) => "with so many steps".into(),
            (None, _) => "by any method of this program".into(),
        };
        format!("not determined {why}")
    }
}
