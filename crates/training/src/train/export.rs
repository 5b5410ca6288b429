//! Quantisation: floats to the integers of the engine's network, and back.

use super::floats::{Row, TILE};
use super::shape::{HALF, Shape};
use super::shard::Objective;
use super::{Packed, Trainer, ValidationLoss, ValidationSet};
use duchamp_eval::network::{
    Inputs, Network, NetworkError, Parameters, QA, QB, QB_SECOND, SECOND_UNIT,
};
use duchamp_eval::{Evaluator, EvaluatorFactory};
use rayon::prelude::*;

/// A network that a trainer cannot begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the network to begin with has more hidden units, or is otherwise of another shape or scale"
)]
pub struct OtherShape;

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

    /// Begins with the numbers of a network instead of random ones. It may have fewer hidden units; what they lack stays
    /// random, as do the layers above if only it has none.
    ///
    /// # Errors
    /// If it has more hidden units, or is otherwise of another shape or scale.
    pub fn begin_with(&mut self, network: &Network) -> Result<(), OtherShape> {
        let settings = self.settings().clone();
        let (shape, theirs) = (&settings.shape, network.shape());
        let grown = duchamp_eval::network::Architecture {
            hidden: shape.hidden(),
            inputs: shape.inputs().clone(),
            head: shape.head(),
            ..theirs.clone()
        };
        // What is learnt of a piece goes at first for all its standings, and for all king buckets.
        let (threats, ours) = (theirs.inputs.has_threats(), shape.inputs());
        let simple = theirs.inputs == Inputs::new(ours.is_mirrored()).with_threats(threats);
        let inputs = theirs.inputs == *ours || simple && (!threats || ours.has_threats());
        let other_head = theirs.head.is_layered() && theirs.head != shape.head();
        let larger = theirs.hidden > shape.hidden() || other_head;
        if larger || !inputs || grown != shape.of_network(settings.scale) {
            return Err(OtherShape);
        }
        let mut numbers = network.parameters();
        if theirs.inputs != *shape.inputs() {
            let sets = shape.inputs().count() / theirs.inputs.count();
            numbers.hidden_weights = numbers.hidden_weights.repeat(sets);
        }
        let tiles = theirs.hidden / TILE;
        let parts = shape.parts_mut(&mut self.parameters);
        let (hidden, output) = (hidden_order(shape, tiles), output_order(shape, tiles));
        let rows = bytemuck::cast_slice_mut::<Row, [f32; TILE]>;
        restore(rows(parts.hidden), hidden, &numbers.hidden_weights, QA);
        restore(rows(parts.bias), 0..tiles, &numbers.hidden_bias, QA);
        if theirs.head == shape.head() {
            let [weight, unit] = output_units(shape);
            let halves = bytemuck::cast_slice_mut::<Row, [f32; HALF]>(parts.output);
            restore(halves, output, &numbers.output_weights, weight);
            for (bias, &number) in parts.output_bias.iter_mut().zip(&numbers.output_bias) {
                *bias = number as f32 / unit as f32;
            }
            let upper = parts.upper.as_flattened_mut();
            upper.copy_from_slice(&numbers.upper);
        }
        Ok(())
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
                let position = packed.position()?;
                evaluator.reset(&position);
                let out = evaluator.evaluate(&position).0 as f32 / scale;
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
fn hidden_order(shape: &Shape, tiles: usize) -> impl Iterator<Item = usize> + use<> {
    let features = shape.features();
    (0..features).flat_map(move |feature| (0..tiles).map(move |tile| tile * features + feature))
}

/// The half rows of the output weights: here by tile, then by side, then by unit of the second layer, or in pairs by tile, by unit
/// and then by side; there by unit, then by side, then by tile.
fn output_order(shape: &Shape, tiles: usize) -> impl Iterator<Item = usize> + use<> {
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
fn output_units(shape: &Shape) -> [i64; 2] {
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

/// Puts numbers in units of one over `unit` into the rows that `order` names.
fn restore<const L: usize>(
    rows: &mut [[f32; L]],
    order: impl Iterator<Item = usize>,
    numbers: &[i16],
    unit: i64,
) {
    for (row, numbers) in order.zip(numbers.as_chunks::<L>().0) {
        rows[row] = numbers.map(|number| f32::from(number) / unit as f32);
    }
}
