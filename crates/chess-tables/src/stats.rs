//! Statistics of finished tables: [`duchamp_tablebase::side_stats`], and mutual zugzwangs.

use duchamp_base::Control;
use duchamp_chess::Position;
use duchamp_tablebase::{Counting, Metric};

use crate::aliases::{Store, VerifyError};
use crate::machinery::side_stats;
use crate::material::Material;
use crate::zugzwangs::{ZugzwangCounts, mutual_zugzwangs};

/// The values of a table with one side to move.
pub type SideStats = duchamp_tablebase::SideStats<Position>;

/// The statistics of a table.
///
/// Positions are counted without en-passant and castling rights, each symmetry class once (the eight symmetries of the
/// board without pawns, the mirror of the files with pawns). [`Counting`] says whether identical pieces are
/// distinguished.
#[derive(Clone, Debug)]
pub struct Stats {
    /// The material.
    pub material: Material,
    /// What the distances count.
    pub metric: Metric,
    /// White (the stronger side) to move.
    pub white: SideStats,
    /// Black to move; of a symmetric material the same with colours changed.
    pub black: SideStats,
    /// Mutual zugzwangs, identical pieces never distinguished.
    pub mutual_zugzwangs: ZugzwangCounts,
}

/// The statistics of a table in a metric, computed on the threads of the current rayon pool.
///
/// # Errors
/// When cancelled, or when the table or one that its moves lead to is missing or damaged, or has no
/// file of the metric.
pub fn stats(
    store: &Store,
    material: Material,
    metric: Metric,
    counting: Counting,
    control: &Control,
) -> Result<Stats, VerifyError> {
    let [white, black] = side_stats(store, material, metric, counting, control)?;
    Ok(Stats {
        material,
        metric,
        white,
        black,
        mutual_zugzwangs: mutual_zugzwangs(store, material, control)?,
    })
}
