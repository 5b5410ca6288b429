//! What a training is told besides its data.

use super::Shape;
use duchamp_eval::network::MAX_SCALE;
use serde::{Deserialize, Serialize};

/// What decides how a network comes out, besides the data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The sizes of the network.
    pub shape: Shape,
    /// The share of the game's result in what is learnt; the rest is the score of search.
    pub share: f32,
    /// The score, in hundredths of a pawn, at which 73 of 100 points are expected.
    pub scale: i32,
    /// The power of the error that is the loss.
    pub power: f32,
    /// Times to go through the data.
    pub epochs: u32,
    /// Positions a step.
    pub batch: usize,
    /// The greatest rate of learning, after the first steps.
    pub rate: f32,
    /// The rate in the end.
    pub final_rate: f32,
    /// The share of a weight that a step at rate 1 takes away.
    pub decay: f32,
    /// Where randomness begins: the first weights and the order of positions.
    pub seed: u64,
}

/// A setting that makes no sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadSetting(&'static str);

impl Settings {
    /// Whether they make sense.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), BadSetting> {
        let rules = [
            (
                (0.0..=1.0).contains(&self.share),
                "the share must be from 0 to 1",
            ),
            (
                (1..=MAX_SCALE).contains(&self.scale),
                "the scale must be from 1 to 100000",
            ),
            (
                (1.0..=8.0).contains(&self.power),
                "the power must be from 1 to 8",
            ),
            (self.epochs > 0, "there must be an epoch at least"),
            (
                (1..=1 << 24).contains(&self.batch),
                "a batch must have 1 to 16777216 positions",
            ),
            (
                self.rate > 0.0 && self.rate <= 1.0,
                "the rate must be above 0 and at most 1",
            ),
            (
                (0.0..=self.rate).contains(&self.final_rate),
                "the final rate must be from 0 to the rate",
            ),
            (
                (0.0..=100.0).contains(&self.decay),
                "the decay must be from 0 to 100",
            ),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, told)) => Err(BadSetting(told)),
            None => Ok(()),
        }
    }
}
