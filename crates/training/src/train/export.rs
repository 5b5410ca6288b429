//! Quantisation: floats to the integers of the engine's network. `begin` goes back.

use super::shape::{HALF, Shape};
use super::shard::Objective;
use super::{Packed, Trainer, ValidationLoss, ValidationSet};
use duchamp_eval::network::{Network, NetworkError, Parameters, QA, QB, QB_SECOND, SECOND_UNIT};
use duchamp_eval::{Evaluator, EvaluatorFactory};
use rayon::prelude::*;

impl Trainer {
    /// The quantised network. `label` describes its training.
    ///
    /// # Errors
    /// If the label is too long, or a number is beyond the format.
    pub fn network(&self, label: &str) -> Result<Network, NetworkError> {
        let settings = self.settings();
        let shape = &settings.shape;
        let parts = shape.parts(&self.parameters);
        let tiles = shape.tiles();
        let hidden = hidden_order(shape, tiles).map(|row| &parts.hidden[row].0);
        let halves: &[[f32; HALF]] = bytemuck::cast_slice(parts.output);
        let output = output_order(shape, tiles).map(|half| &halves[half]);
        let [weight, unit] = output_units(shape);
        let parameters = Parameters {
            hidden_weights: rounded(hidden, QA),
            hidden_bias: rounded(parts.bias.iter().map(|row| &row.0), QA),
            output_weights: rounded(output, weight),
            output_bias: parts
                .output_bias
                .iter()
                .map(|&bias| (f64::from(bias) * unit as f64).round() as i32)
                .collect(),
            upper: parts.upper.as_flattened().to_vec(),
        };
        Network::new(shape.of_network(settings.scale), label, &parameters)
    }

    /// The validation loss of an evaluation, such as a quantised network.
    #[must_use]
    pub fn validation_loss_of(
        &self,
        make: &EvaluatorFactory,
        validation: &ValidationSet,
    ) -> ValidationLoss {
        let (objective, scale) = (
            Objective::new(self.settings()),
            self.settings().scale as f32,
        );
        validation.each(|positions| {
            let loss = |evaluator: &mut Box<dyn Evaluator>, packed: &Packed| {
                let out = packed.evaluated_by(evaluator.as_mut())? as f32 / scale;
                let (loss, _) = objective.loss(out, objective.target(packed));
                Some(f64::from(loss))
            };
            // Summed in a fixed order.
            let losses = positions.par_iter().map_init(|| make(), loss);
            let losses: Vec<f64> = losses.flatten().collect();
            losses.iter().sum::<f64>() / losses.len().max(1) as f64
        })
    }
}

/// The rows of the hidden weights of a network of so many tiles, in its order: here by tile, then by feature; there all
/// units of a feature together.
pub(super) fn hidden_order(shape: &Shape, tiles: usize) -> impl Iterator<Item = usize> + use<> {
    let features = shape.features();
    (0..features).flat_map(move |feature| (0..tiles).map(move |tile| tile * features + feature))
}

/// The half rows of the output weights: here by tile, then by side, then by unit of the second layer, or in pairs by tile, by unit
/// and then by side; there by unit, then by side, then by tile.
pub(super) fn output_order(shape: &Shape, tiles: usize) -> impl Iterator<Item = usize> + use<> {
    let (all, units, paired) = (shape.tiles(), shape.units(), shape.head().is_paired());
    let sides = move |sum| (0..2).map(move |side| (sum / units, sum % units, side));
    let sums = (0..shape.outputs() * units).flat_map(sides);
    sums.flat_map(move |(bucket, unit, side)| {
        (0..tiles).flat_map(move |tile| {
            let place = bucket * all + tile;
            let (first, count) = if paired {
                ((place * units + unit) * 2 + side, 1)
            } else {
                (((place * 2 + side) * units + unit) * 2, 2)
            };
            first..first + count
        })
    })
}

/// The units of one over which output weights and biases are rounded to.
pub(super) fn output_units(shape: &Shape) -> [i64; 2] {
    if shape.head().is_layered() {
        [QB_SECOND, SECOND_UNIT]
    } else {
        [QB, QA * QB]
    }
}

/// Rows in units of one over `unit`.
fn rounded<'a, const L: usize>(rows: impl Iterator<Item = &'a [f32; L]>, unit: i64) -> Vec<i16> {
    let round = |row: &[f32; L]| row.map(|weight| (weight * unit as f32).round() as i16);
    let rows: Vec<[i16; L]> = rows.map(round).collect();
    rows.into_flattened()
}
