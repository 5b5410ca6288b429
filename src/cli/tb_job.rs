//! A job of a plan: one table to be generated.

use super::tb_game::TableGame;
use duchamp_tablebase::{Estimate, Metric, TableKey};

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
            cost: G::estimate(material, distances),
        }
    }

    /// MiB of memory that the job is to be given.
    pub(super) fn mib(&self) -> u64 {
        // What is below matters to no scheduler.
        self.cost.memory.div_ceil(1 << 20).max(128)
    }
}
