//! The numbers of the search that are a matter of measurement, and the reduction table.
//!
//! Scores are in centipawns, depths in plies, reductions in 1024ths of a ply.

use once_cell::sync::Lazy;

/// A ply, in the unit of reductions.
pub(super) const PLY: i32 = 1024;

/// Reverse futility: margin a ply of depth.
pub(super) const RFP_MARGIN: i32 = 78;
/// Reverse futility: deepest depth.
pub(super) const RFP_DEPTH: i32 = 9;
/// Razoring: margin for depth 0, and for each ply squared.
pub(super) const RAZOR_BASE: i32 = 280;
/// Razoring: margin growth.
pub(super) const RAZOR_GROWTH: i32 = 190;
/// Null move: depth from which a cutoff is verified.
pub(super) const NULL_VERIFY_DEPTH: i32 = 14;
/// ProbCut: how far above beta.
pub(super) const PROBCUT_MARGIN: i32 = 180;
/// Futility of quiet moves: base and growth a ply.
pub(super) const FUTILITY_BASE: i32 = 90;
/// Futility growth.
pub(super) const FUTILITY_GROWTH: i32 = 85;
/// History pruning: limit a ply of depth.
pub(super) const HISTORY_PRUNE: i32 = 3600;
/// SEE pruning of quiet moves: limit, times depth squared.
pub(super) const SEE_QUIET: i32 = 22;
/// SEE pruning of captures: limit a ply of depth.
pub(super) const SEE_NOISY: i32 = 95;
/// Quiescence: what a capture may lack to alpha.
pub(super) const QS_FUTILITY: i32 = 180;
/// Quiet history that is worth one ply of reduction.
pub(super) const LMR_HISTORY: i32 = 10_500;
/// First half width of the aspiration window.
pub(super) const ASPIRATION: i32 = 13;

/// Base reductions by depth and move number, in 1024ths.
static REDUCTIONS: Lazy<[[i32; 64]; 64]> = Lazy::new(|| {
    let mut table = [[0; 64]; 64];
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, entry) in row.iter_mut().enumerate().skip(1) {
            let logs = (depth as f64).ln() * (number as f64).ln();
            *entry = ((0.80 + logs / 1.95) * f64::from(PLY)) as i32;
        }
    }
    table
});

/// The base reduction of the move of this number at this depth, in 1024ths of a ply.
#[inline]
pub(super) fn base_reduction(depth: i32, number: usize) -> i32 {
    REDUCTIONS[depth.clamp(0, 63) as usize][number.min(63)]
}

/// How many moves are worth a look at shallow depth.
#[inline]
pub(super) fn late_move_limit(depth: i32, improving: bool) -> usize {
    let depth = depth as usize;
    let full = 3 + depth * depth;
    if improving { full } else { full / 2 }
}

/// The reward for a move that caused a cutoff at this depth.
#[inline]
pub(super) fn history_bonus(depth: i32) -> i32 {
    (160 * depth - 80).min(1700)
}

/// The blame for a move that was tried in vain before one that caused a cutoff.
#[inline]
pub(super) fn history_malus(depth: i32) -> i32 {
    (220 * depth - 60).min(1500)
}
