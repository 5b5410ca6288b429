//! A job of a plan: one table to be generated.

use super::tb_game::TableGame;
use duchamp_tablebase::{Estimate, Metric, TableKey};

/// Threads that the memory of a job is worked out for: a plan is the same on every machine.
const THREADS: usize = 2;

/// One table to be generated.
pub(super) struct Job<G: TableGame> {
    pub(super) material: G::Key,
    /// The tables that must be present before.
    pub(super) needs: Vec<G::Key>,
    pub(super) cost: Estimate,
}

impl<G: TableGame> Job<G> {
    pub(super) fn new(material: G::Key, distances: &[Metric]) -> Job<G> {
        Job {
            material,
            needs: material.children(),
            cost: G::estimate(material, distances, THREADS),
        }
    }

    /// MiB of memory that the job is to be given.
    pub(super) fn mib(&self) -> u64 {
        // What is below matters to no scheduler.
        self.cost.memory.div_ceil(1 << 20).max(128)
    }
}
