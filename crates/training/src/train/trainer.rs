//! Epochs: shuffled batches, the learning rate schedule, losses.

use super::adamw::{StepRate, common_parameters, descend};
use super::floats::{Floats, TILE};
use super::order::Order;
use super::shape::Section;
use super::shard::{Objective, SHARDS, Shard};
use super::{Data, Packed, TrainSettings, ValidationLoss, ValidationSet};
use crate::adam::Adam;
use duchamp_base::{Cancelled, Control, Random};
use duchamp_eval::network::FEATURES;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Warm-up steps are one in this many of all, but at most [`MAX_WARM_UP`].
const WARM_UP_FRACTION: u64 = 50;
const MAX_WARM_UP: u64 = 500;

/// The initial range of feature weights. Of 0.02, 0.05, 0.1 and 0.2 it learnt best (3.8 million positions, 64 and
/// 128 units, 8 epochs).
const FIRST_HIDDEN: f32 = 0.05;

/// The initial range of what is above the second layer: that of 32 inputs whose sum is about as large as each.
const FIRST_UPPER: f32 = 0.3;

/// The results of an epoch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Epoch {
    /// The training loss: the mean loss of all positions, each before its step.
    #[serde(alias = "learnt")]
    pub training_loss: f64,
    /// The validation loss at the end of the epoch.
    #[serde(alias = "judged")]
    pub validation_loss: ValidationLoss,
    /// The learning rate at the end.
    pub rate: f64,
    /// How long it took, validation not included.
    pub seconds: f64,
}

/// How an epoch ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EpochEnd {
    /// The trainer was told to stop; it can go on from there.
    #[error("cancelled")]
    Cancelled,
    /// The loss is no number any more.
    #[error("the training has diverged: the loss is no number any more; try a smaller rate")]
    Diverged,
}

impl From<Cancelled> for EpochEnd {
    fn from(_: Cancelled) -> EpochEnd {
        EpochEnd::Cancelled
    }
}

/// The progress of the training.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct TrainingProgress {
    /// Batches of the current epoch that are done.
    pub(super) batches: u64,
    /// Their losses.
    pub(super) loss: f64,
    /// What they took.
    pub(super) seconds: f64,
    /// Epochs that are done.
    pub(super) epochs: Vec<Epoch>,
}

/// Trains a network.
pub struct Trainer {
    settings: TrainSettings,
    pub(super) parameters: Floats,
    pub(super) adam: Adam,
    pub(super) progress: TrainingProgress,
    shards: Vec<Shard>,
}

impl Trainer {
    /// A network with random weights.
    #[must_use]
    pub fn new(settings: TrainSettings) -> Trainer {
        let shape = &settings.shape;
        let mut random = Random::of(settings.seed, 0);
        let mut parameters = Floats::zeros(shape.parameters());
        let sizes = [
            (Section::Hidden, FIRST_HIDDEN),
            (Section::Output, 1.0 / (2.0 * shape.hidden() as f32).sqrt()),
            (Section::Upper, FIRST_UPPER),
        ];
        for (section, size) in sizes {
            parameters[shape.section(section)].fill_with(|| size * signed(&mut random));
        }
        for tile in parameters[shape.section(Section::Hidden)].chunks_mut(shape.features() * TILE) {
            alike(tile, FEATURES * TILE);
        }
        // What output buckets share means the same to all.
        if shape.head().is_layered() {
            for section in [Section::Output, Section::Upper] {
                let numbers = &mut parameters[shape.section(section)];
                let bucket = numbers.len() / shape.outputs();
                alike(numbers, bucket);
            }
        }
        Trainer {
            adam: Adam::new(parameters.len() + common_parameters(shape)),
            shards: (0..SHARDS).map(|_| Shard::new(shape)).collect(),
            parameters,
            progress: TrainingProgress::default(),
            settings,
        }
    }

    /// Its hyperparameters.
    #[must_use]
    pub fn settings(&self) -> &TrainSettings {
        &self.settings
    }

    /// The epochs that are done.
    #[must_use]
    pub fn epochs(&self) -> &[Epoch] {
        &self.progress.epochs
    }

    /// Whether all epochs are done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.progress.epochs.len() >= self.settings.epochs as usize
    }

    /// Goes through the data once, or on from where it was stopped, on the threads of the current pool. `told` is called
    /// after every step with the fraction of the epoch that is done.
    ///
    /// # Errors
    /// When `control` cancels, or the loss diverges.
    pub fn epoch(
        &mut self,
        data: &Data,
        control: &Control,
        mut told: impl FnMut(f64),
    ) -> Result<&Epoch, EpochEnd> {
        let done = self.progress.epochs.len() as u32;
        let order = Order::new(data.training.len(), self.settings.seed, done);
        let batches = data.training.len().div_ceil(self.settings.batch) as u64;
        let mut rate = 0.0;
        while self.progress.batches < batches {
            control.check()?;
            let start = Instant::now();
            let first = self.progress.batches as usize * self.settings.batch;
            let last = (first + self.settings.batch).min(data.training.len());
            let number = u64::from(done) * batches + self.progress.batches + 1;
            rate = self.rate(number, u64::from(self.settings.epochs) * batches);
            let step_rate = StepRate {
                number,
                rate: rate as f32,
                decay: self.settings.decay,
                decay_apart: self.settings.decay_apart,
            };
            self.progress.loss += self.batch(&data.training, &order, first..last, step_rate);
            // At once: a checkpoint of what has diverged would take the place of a good one.
            if !self.progress.loss.is_finite() {
                return Err(EpochEnd::Diverged);
            }
            self.progress.batches += 1;
            self.progress.seconds += start.elapsed().as_secs_f64();
            told(self.progress.batches as f64 / batches as f64);
        }
        let training_loss = self.progress.loss / data.training.len().max(1) as f64;
        let mut epochs = std::mem::take(&mut self.progress.epochs);
        epochs.push(Epoch {
            training_loss,
            validation_loss: self.validation_loss(&data.validation),
            rate,
            seconds: self.progress.seconds,
        });
        self.progress = TrainingProgress {
            epochs,
            ..TrainingProgress::default()
        };
        Ok(&self.progress.epochs[done as usize])
    }

    /// The learning rate of a step: linear warm-up, then cosine decay.
    fn rate(&self, step: u64, steps: u64) -> f64 {
        let most = f64::from(self.settings.rate);
        let least = f64::from(self.settings.final_rate);
        let warm = (steps / WARM_UP_FRACTION).min(MAX_WARM_UP);
        if step <= warm {
            return most * step as f64 / warm as f64;
        }
        let fraction = (step - warm) as f64 / (steps - warm).max(1) as f64;
        let height = (1.0 + libm::cos(std::f64::consts::PI * fraction.min(1.0))) / 2.0;
        least + (most - least) * height
    }

    /// Trains on a batch; returns the sum of its losses.
    fn batch(
        &mut self,
        positions: &[Packed],
        order: &Order,
        batch: std::ops::Range<usize>,
        step_rate: StepRate,
    ) -> f64 {
        let (shape, objective) = (&self.settings.shape, Objective::new(&self.settings));
        let parts = shape.parts(&self.parameters);
        let weight = 1.0 / batch.len() as f32;
        self.shards
            .par_iter_mut()
            .enumerate()
            .for_each(|(number, shard)| {
                let at = |number| batch.start + batch.len() * number / SHARDS;
                let part = (at(number)..at(number + 1)).map(|place| &positions[order.at(place)]);
                shard.run(shape, parts, objective, part, weight);
            });
        let gradients: Vec<&[f32]> = self.shards.iter().map(|s| &*s.gradient).collect();
        let parameters = &mut self.parameters;
        descend(&mut self.adam, shape, parameters, &gradients, step_rate);
        self.shards.iter().map(|shard| shard.loss).sum()
    }

    /// The validation loss.
    #[must_use]
    pub fn validation_loss(&self, validation: &ValidationSet) -> ValidationLoss {
        let (shape, objective) = (&self.settings.shape, Objective::new(&self.settings));
        let parts = shape.parts(&self.parameters);
        validation.each(|positions| {
            let losses: Vec<f64> = positions
                .par_chunks(1 << 13)
                .map_init(
                    || Shard::forward_only(shape),
                    |shard, part| {
                        shard.run(shape, parts, objective, part.iter(), 0.0);
                        shard.loss
                    },
                )
                .collect();
            losses.iter().sum::<f64>() / positions.len().max(1) as f64
        })
    }
}

/// Makes all sets of so many numbers like the first one.
fn alike(numbers: &mut [f32], set: usize) {
    let (first, others) = numbers.split_at_mut(set);
    for other in others.chunks_mut(set) {
        other.copy_from_slice(first);
    }
}

/// A random weight of a feature.
pub(super) fn first_hidden(random: &mut Random) -> f32 {
    FIRST_HIDDEN * signed(random)
}

/// Between -1 and 1.
fn signed(random: &mut Random) -> f32 {
    (random.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0
}
