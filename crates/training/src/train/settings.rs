//! The hyperparameters of a training.

use super::Shape;
use duchamp_eval::network::MAX_SCALE;
use serde::{Deserialize, Serialize};

/// The hyperparameters of a training.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TrainSettings {
    /// The sizes of the network.
    pub shape: Shape,
    /// The WDL weight (lambda) of the game's result in the target, 0 to 1; the rest is the search score.
    #[serde(alias = "share")]
    pub wdl_weight: f32,
    /// The scale of the sigmoid, in centipawns: the score with an expected result of 73 %.
    pub scale: i32,
    /// The exponent of the loss.
    pub power: f32,
    /// The number of epochs.
    pub epochs: u32,
    /// The batch size, in positions.
    pub batch: usize,
    /// The learning rate after warm-up.
    pub rate: f32,
    /// The final learning rate.
    pub final_rate: f32,
    /// The weight decay of AdamW: the fraction that a step at rate 1 removes.
    pub decay: f32,
    /// The decay of what features of one piece on one square, in several king buckets or with threats, and second layers of
    /// several output buckets have apart from their mean: the fraction that a step at rate 1 removes.
    pub decay_apart: f32,
    /// The seed of the initial weights and the order of positions.
    pub seed: u64,
}

/// A setting out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadSetting(&'static str);

impl TrainSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// The setting that is out of range.
    pub fn check(&self) -> Result<(), BadSetting> {
        let rules = [
            (
                (0.0..=1.0).contains(&self.wdl_weight),
                "the WDL weight must be from 0 to 1",
            ),
            (
                (1..=MAX_SCALE).contains(&self.scale),
                "the scale must be from 1 to 100000",
            ),
            (
                (1.0..=8.0).contains(&self.power),
                "the power must be from 1 to 8",
            ),
            (self.epochs > 0, "there must be at least one epoch"),
            (
                (1..=1 << 24).contains(&self.batch),
                "a batch must have 1 to 16777216 positions",
            ),
            (
                self.rate > 0.0 && self.rate <= 1.0,
                "the learning rate must be above 0 and at most 1",
            ),
            (
                (0.0..=self.rate).contains(&self.final_rate),
                "the final learning rate must be from 0 to the learning rate",
            ),
            (
                (0.0..=100.0).contains(&self.decay),
                "the weight decay must be from 0 to 100",
            ),
            (
                (0.0..=100.0).contains(&self.decay_apart),
                "the decay of what weights have apart must be from 0 to 100",
            ),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, told)) => Err(BadSetting(told)),
            None => Ok(()),
        }
    }
}
