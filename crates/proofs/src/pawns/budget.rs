//! What the work on a question may take, what ended it, and how other threads watch and stop it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// How much may be spent on a question.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Structures to be held in memory, of 3 KB each. Tables with a queen (64 KB each with the attacker's, 96 KB with the
    /// defender's) are bounded by it, too: 1,000 of them and one for every 20 structures; and the positions looked into
    /// one by one: 200 for each structure that may be added. Tables with both queens (4 MB each): one for every 4,000.
    pub structures: usize,
    /// Time; `None`: no limit.
    pub time: Option<Duration>,
    /// Steps, each of which works one thing out; the same number from the same state always does the same. `None`: no limit.
    pub steps: Option<usize>,
}

/// What ended the work on a question that is still open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spent {
    /// [`ProverHandle::stop`] was called.
    Stopped,
    /// The time.
    Time,
    /// The structures, or the positions that they allow.
    Structures,
    /// The steps.
    Steps,
    /// The memory that the system gives.
    Memory,
}

/// Through which other threads see a prover at work and stop it; several provers may share one.
#[derive(Debug, Default)]
pub struct ProverHandle {
    stopped: AtomicBool,
    pub(super) structures: AtomicUsize,
}

impl ProverHandle {
    /// Ends the work on this and all later questions as soon as possible.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Whether [`ProverHandle::stop`] was called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Pawn structures examined so far.
    #[must_use]
    pub fn structures(&self) -> usize {
        self.structures.load(Relaxed)
    }
}
