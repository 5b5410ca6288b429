//! A job of a plan: one table to be generated.

use duchamp_chess_tables::{Estimate, Material, Metric, estimate};

/// One table to be generated.
pub(super) struct Job {
    pub(super) material: Material,
    /// The tables that must be present before.
    pub(super) needs: Vec<Material>,
    pub(super) cost: Estimate,
}

impl Job {
    pub(super) fn new(material: Material, distances: &[Metric]) -> Job {
        Job {
            material,
            needs: material.children(),
            cost: estimate(material, distances),
        }
    }

    /// MiB of memory that the job is to be given.
    pub(super) fn mib(&self) -> u64 {
        // What is below matters to no scheduler.
        self.cost.memory.div_ceil(1 << 20).max(128)
    }
}
