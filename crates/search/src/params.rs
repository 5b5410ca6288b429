//! The tunable parameters of the search, and the reduction table.
//!
//! Scores are in centipawns, depths in plies, reductions and depth factors in 1024ths of a ply.

/// The maximum ply.
pub(super) const MAX_PLY: usize = 128;

/// A ply, in the unit of reductions.
pub(super) const PLY: i32 = 1024;

/// Declares the parameters: name, value, limits.
macro_rules! params {
    ($($(#[$doc:meta])* $name:ident: $value:literal, $min:literal, $max:literal;)*) => {
        /// The tunable parameters of the search. Their names are stable: tuning files hold them.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Params {
            $($(#[$doc])* pub $name: i32,)*
        }

        impl Default for Params {
            fn default() -> Params {
                Params { $($name: $value,)* }
            }
        }

        impl Params {
            /// Name and limits of every parameter, in order.
            pub const ALL: &'static [(&'static str, i32, i32)] =
                &[$((stringify!($name), $min, $max),)*];

            /// The values, in the order of [`Params::ALL`].
            #[must_use]
            pub fn values(&self) -> Vec<i32> {
                vec![$(self.$name,)*]
            }

            /// Sets the values in the order of [`Params::ALL`], each brought within its limits. Values that
            /// are missing leave theirs as they are.
            pub fn set(&mut self, values: &[i32]) {
                let mut values = values.iter();
                $(if let Some(&value) = values.next() {
                    self.$name = value.clamp($min, $max);
                })*
            }
        }
    };
}

params! {
    /// Reverse futility: margin a ply at six plies; the whole grows with the square of the depth, too.
    rfp_margin: 83, 30, 150;
    /// Reverse futility: deepest depth.
    rfp_depth: 13, 5, 20;
    /// Razoring: margin for depth 0.
    razor_base: 280, 100, 600;
    /// Razoring: growth of the margin for each ply squared.
    razor_growth: 190, 50, 400;
    /// Null move: how far above beta the static evaluation must be, less 18 a ply.
    null_margin: 120, 50, 350;
    /// Null move: score above beta that is worth a ply of reduction.
    null_eval: 200, 80, 400;
    /// Null move: reduction at depth 0.
    null_base: 5120, 2048, 7168;
    /// Null move: reduction for each ply of depth.
    null_depth: 342, 150, 600;
    /// Null move: depth from which a cutoff is verified.
    null_verify_depth: 14, 10, 20;
    /// ProbCut: how far above beta.
    probcut_margin: 195, 80, 350;
    /// ProbCut: less of it while improving.
    probcut_improving: 50, 0, 120;
    /// ProbCut from the transposition table: how far above beta, for entries four plies less deep; a fifth less for each ply fewer.
    probcut_hash: 420, 200, 3000;
    /// Futility of quiet moves: margin at depth 0.
    futility_base: 90, 20, 250;
    /// Futility of quiet moves: growth a ply.
    futility_growth: 75, 30, 200;
    /// Futility of quiet moves: history that is worth a centipawn.
    futility_history: 180, 60, 500;
    /// History pruning: limit a ply of depth.
    history_prune: 3100, 1000, 8000;
    /// SEE pruning of quiet moves: limit, times depth squared.
    see_quiet: 20, 8, 60;
    /// SEE pruning of captures: limit a ply of depth.
    see_noisy: 82, 40, 200;
    /// SEE pruning of captures: history that is worth a centipawn.
    see_noisy_history: 64, 20, 200;
    /// Quiescence: what a capture may lack to alpha.
    qs_futility: 220, 60, 350;
    /// Late-move reduction at depth 1.
    lmr_base: 870, 0, 1600;
    /// Late-move reduction: growth with the product of the logarithms of depth and number.
    lmr_growth: 525, 300, 800;
    /// Late-move reduction: quiet history that is worth a ply.
    lmr_history: 10500, 4000, 20000;
    /// Late-move reduction: capture history that is worth a ply.
    lmr_capture_history: 7000, 3000, 20000;
    /// Late-move reduction: less for captures, beside a 1024th of a ply for each centipawn won.
    lmr_capture: 128, 0, 1500;
    /// Late-move reduction: less on the principal variation.
    lmr_pv: 1024, 0, 2048;
    /// Late-move reduction: less where the transposition table marks a former PV node.
    lmr_tt_pv: 768, 0, 2048;
    /// Late-move reduction at former PV nodes: less if the score of the entry is above alpha, more if not.
    lmr_tt_pv_score: 384, 0, 1024;
    /// Late-move reduction: more in expected cut nodes.
    lmr_cut: 1536, 500, 2800;
    /// Late-move reduction: more when not improving.
    lmr_worse: 512, 0, 1500;
    /// Late-move reduction: when not improving, for each centipawn of the static evaluation's fall since the side's last move (at most
    /// 200) more, less 30.
    lmr_decline: 5, 0, 20;
    /// Late-move reduction: more when the hash move is a capture.
    lmr_hash_noisy: 768, 0, 1800;
    /// Late-move reduction: less for checks.
    lmr_check: 1024, 0, 2048;
    /// Late-move reduction: more when the children had many cutoffs.
    lmr_cutoffs: 1024, 0, 2048;
    /// Re-search one ply deeper above the best score by this, and by two a ply of depth.
    deeper: 45, 10, 120;
    /// Re-search one ply less deep within this of the best score.
    shallower: 8, 0, 30;
    /// Singular extension: how far the others must be behind, for a ply of depth.
    singular_width: 1024, 400, 2500;
    /// Singular extension of a capture: behind by so much more, two plies.
    singular_double: 16, 0, 60;
    /// Singular extension: behind by so much more, three plies.
    singular_triple: 90, 40, 250;
    /// Hindsight depth reduction: sum of both sides' static evaluations.
    hindsight: 85, 50, 350;
    /// First half width of the aspiration window.
    aspiration: 13, 5, 40;
    /// History bonus of a cutoff for each ply of depth.
    bonus_growth: 200, 60, 350;
    /// History bonus of a cutoff: constant that is subtracted.
    bonus_base: 80, -100, 300;
    /// The greatest history bonus.
    bonus_max: 1700, 800, 3500;
    /// History malus for each ply of depth.
    malus_growth: 220, 60, 450;
    /// History malus: constant that is subtracted.
    malus_base: 60, -100, 300;
    /// The greatest history malus.
    malus_max: 1500, 600, 3500;
    /// Butterfly history bonus of a quiet move for each centipawn of static evaluation difference.
    gain_weight: 9, 0, 40;
    /// The loss of static evaluation that a quiet move may show without a malus, for the tempo.
    gain_loss: 25, 0, 80;
    /// The same for the pawn history.
    gain_pawn: 9, 0, 40;
    /// Malus of an early move that the transposition table refutes, in 1024ths of the usual malus.
    blame_early: 1024, 0, 3072;
    /// Move ordering bonus of quiet checks.
    order_check: 9500, 0, 30000;
    /// Reverse futility: less margin when the opponent's evaluation fell with its last move.
    rfp_worsening: 25, 0, 100;
    /// Reverse futility: more margin for each piece, two at most, that a lesser one attacks.
    rfp_threat: 60, 0, 150;
    /// Late-move reduction: less for each centipawn by which the static evaluation is corrected.
    lmr_correction: 6, 0, 30;
    /// Weight of the low-ply history, divided by ply + 1, in 1024ths.
    order_near_root: 4096, 0, 16384;
    /// Singular extension of a quiet move: behind by so much more, two plies.
    singular_quiet: 6, 0, 60;
    /// Correction history: what an error teaches for each ply of depth, in 1024ths.
    correction_speed: 215, 32, 512;
    /// Weight of the minor-piece correction history, in 1024ths.
    correction_minor: 50, 20, 140;
    /// Weight of the pawn correction history, in 1024ths.
    correction_pawn: 64, 20, 140;
    /// Weight of the non-pawn correction history, in 1024ths.
    correction_others: 58, 20, 140;
    /// Weight of the continuation correction history, in 1024ths.
    correction_moves: 58, 20, 140;
}

impl Params {
    /// The history bonus of a move that caused a cutoff at this depth.
    #[inline]
    pub(super) fn bonus(&self, depth: i32) -> i32 {
        (self.bonus_growth * depth - self.bonus_base).min(self.bonus_max)
    }

    /// The history malus of a move that was searched before the one that caused a cutoff.
    #[inline]
    pub(super) fn malus(&self, depth: i32) -> i32 {
        (self.malus_growth * depth - self.malus_base).min(self.malus_max)
    }
}

/// The parameters and the reduction table they define.
pub(super) struct Tuning {
    pub(super) params: Params,
    pub(super) reductions: Reductions,
}

impl Tuning {
    pub(super) fn new(params: Params) -> Tuning {
        Tuning {
            reductions: Reductions::new(&params),
            params,
        }
    }
}

/// Base reductions by depth and move number, in 1024ths of a ply.
pub(super) struct Reductions(Box<[[i32; 64]; 64]>);

impl Reductions {
    pub(super) fn new(params: &Params) -> Reductions {
        let mut table = Box::new([[0; 64]; 64]);
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, entry) in row.iter_mut().enumerate().skip(1) {
                let logs = (depth as f64).ln() * (number as f64).ln();
                *entry = params.lmr_base + (logs * f64::from(params.lmr_growth)) as i32;
            }
        }
        Reductions(table)
    }

    /// The base reduction of the move of this number at this depth.
    #[inline]
    pub(super) fn of(&self, depth: i32, number: usize) -> i32 {
        self.0[depth.clamp(0, 63) as usize][number.min(63)]
    }
}

/// Late move pruning: how many moves are searched at shallow depth, half as many more where the transposition table marks a former
/// PV node.
#[inline]
pub(super) fn late_move_count(depth: i32, improving: bool, tt_pv: bool) -> usize {
    let depth = depth as usize;
    let full = 3 + depth * depth;
    let count = if improving { full } else { full / 2 } + 1;
    if tt_pv { count + count / 2 } else { count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_set_by_place_and_kept_within_limits() {
        let mut params = Params::default();
        let values = params.values();
        assert_eq!(values.len(), Params::ALL.len());
        for (&value, &(name, min, max)) in values.iter().zip(Params::ALL) {
            assert!((min..=max).contains(&value), "{name}");
        }
        params.set(&[70, 1000]);
        assert_eq!((params.rfp_margin, params.rfp_depth), (70, 20));
        params.set(&values);
        assert_eq!(params, Params::default());
    }

    #[test]
    fn reductions_grow() {
        let table = Reductions::new(&Params::default());
        assert!(table.of(3, 3) < table.of(6, 3) && table.of(6, 3) < table.of(6, 20));
        assert_eq!(table.of(99, 300), table.of(63, 63));
    }
}
