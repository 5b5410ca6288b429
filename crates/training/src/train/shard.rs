//! A part of a batch with a gradient of its own.

use super::floats::{Floats, TILE};
use super::kernel::{self, BLOCK, Backward, Entry, Forward};
use super::shape::Parts;
use super::upper;
use super::vector::widest;
use super::{Packed, Shape, TrainSettings};

/// Into how many parts every batch is cut: fixed, so that sums do not depend on the number of threads.
pub(super) const SHARDS: usize = 8;

/// The objective: target and loss of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    wdl_weight: f32,
    scale: f32,
    power: f32,
}

impl Objective {
    pub(super) fn new(settings: &TrainSettings) -> Objective {
        Objective {
            wdl_weight: settings.wdl_weight,
            scale: settings.scale as f32,
            power: settings.power,
        }
    }

    /// The target: expected score mixed with the game's result by the WDL weight.
    #[inline]
    pub(super) fn target(&self, position: &Packed) -> f32 {
        let expected = logistic(f32::from(position.score()) / self.scale);
        match position.result() {
            Some(result) => self.wdl_weight * result + (1.0 - self.wdl_weight) * expected,
            None => expected,
        }
    }

    /// The loss of an output, and how it changes with the output.
    #[inline]
    pub(super) fn loss(&self, out: f32, target: f32) -> (f32, f32) {
        let expected = logistic(out);
        let error = expected - target;
        let bend = expected * (1.0 - expected);
        if self.power == 2.0 {
            (error * error, 2.0 * error * bend)
        } else {
            let size = libm::powf(error.abs(), self.power - 1.0);
            let slope = self.power * size * error.signum() * bend;
            (size * error.abs(), slope)
        }
    }
}

/// `libm`'s exponential is the same on all machines; the system's may differ in the last bit.
#[inline]
pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

/// Room for a part of a batch.
pub(super) struct Shard {
    entries: Vec<Entry>,
    sums: kernel::Sums,
    /// The gradient of the loss, one float a parameter; empty for forward passes only.
    pub(super) gradient: Floats,
    /// The sum of the losses.
    pub(super) loss: f64,
}

impl Shard {
    /// A shard with a gradient.
    pub(super) fn new(shape: &Shape) -> Shard {
        Shard {
            gradient: Floats::zeros(shape.parameters()),
            ..Shard::forward_only(shape)
        }
    }

    /// A shard for forward passes only.
    pub(super) fn forward_only(shape: &Shape) -> Shard {
        Shard {
            entries: vec![Entry::EMPTY; BLOCK],
            sums: kernel::sums(shape),
            gradient: Floats::zeros(0),
            loss: 0.0,
        }
    }

    /// Losses of the positions and, in a shard with a gradient, their gradient times `weight`.
    pub(super) fn run<'a>(
        &mut self,
        shape: &Shape,
        parameters: Parts<'_>,
        objective: Objective,
        positions: impl Iterator<Item = &'a Packed>,
        weight: f32,
    ) {
        self.loss = 0.0;
        self.gradient.fill(0.0);
        let mut positions = positions;
        loop {
            let count = self.unpack(shape, objective, &mut positions);
            if count == 0 {
                return;
            }
            self.block(shape, parameters, objective, count, weight);
        }
    }

    /// How often each hidden unit is above 0 in these positions, for the side to move or for the other one.
    pub(super) fn active_units<'a>(
        &mut self,
        shape: &Shape,
        parameters: Parts<'_>,
        objective: Objective,
        mut positions: impl Iterator<Item = &'a Packed>,
    ) -> Vec<usize> {
        let mut active = vec![0; shape.hidden()];
        loop {
            let count = self.unpack(shape, objective, &mut positions);
            if count == 0 {
                return active;
            }
            widest(Forward {
                shape,
                parameters,
                entries: &mut self.entries[..count],
                sums: &mut self.sums,
            });
            let tiles = self.sums.chunks_exact(BLOCK);
            for (sums, active) in tiles.zip(active.chunks_exact_mut(TILE)) {
                for side in sums[..count].as_flattened() {
                    for (active, sum) in active.iter_mut().zip(side.0) {
                        *active += usize::from(sum > 0.0);
                    }
                }
            }
        }
    }

    /// Unpacks as many positions as make a block; how many these are.
    fn unpack<'a>(
        &mut self,
        shape: &Shape,
        objective: Objective,
        positions: &mut impl Iterator<Item = &'a Packed>,
    ) -> usize {
        let mut count = 0;
        for (entry, position) in self.entries.iter_mut().zip(positions) {
            entry.pieces = position.features(shape.inputs(), &mut entry.features);
            entry.bucket = shape.output_bucket(entry.pieces);
            entry.target = objective.target(position);
            count += 1;
        }
        count
    }

    fn block(
        &mut self,
        shape: &Shape,
        parameters: Parts<'_>,
        objective: Objective,
        count: usize,
        weight: f32,
    ) {
        let entries = &mut self.entries[..count];
        widest(Forward {
            shape,
            parameters,
            entries,
            sums: &mut self.sums,
        });
        upper::forward(shape, parameters, entries);
        for entry in entries.iter_mut() {
            let (loss, slope) = objective.loss(entry.out, entry.target);
            self.loss += f64::from(loss);
            entry.slope = slope * weight;
        }
        if !self.gradient.is_empty() {
            let mut gradient = shape.parts_mut(&mut self.gradient);
            upper::backward(shape, parameters, &mut gradient, entries);
            widest(Backward {
                shape,
                parameters,
                gradient: &mut gradient,
                entries,
                sums: &self.sums,
            });
        }
    }
}
