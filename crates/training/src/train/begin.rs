//! Beginning with a network instead of random numbers.

use super::export::{hidden_order, output_order, output_units};
use super::floats::{Row, TILE};
use super::shape::{HALF, PartsMut, Shape};
use super::shard::{Objective, Shard};
use super::trainer::first_hidden;
use super::{Packed, Trainer};
use duchamp_base::Random;
use duchamp_eval::network::{
    Architecture, FEATURES, Head, Inputs, MAX_UPPER, Network, Parameters, QA, QB, QB_SECOND,
    SECOND, THIRD,
};

/// A network that a trainer cannot begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the network to begin with has more hidden units, or is otherwise of another shape or scale"
)]
pub struct OtherShape;

/// Units of layers that begin with the output of a network without hold so much of it each. Its quantised weights are
/// divided by this, and stay whole numbers.
const REACH: f32 = (QB_SECOND / QB) as f32;
/// How many units hold it: its positive part up to [`REACH`], its negative part likewise, and what is beyond, up to twice
/// as much.
const HOLDERS: usize = 4;

/// At most so many positions say which hidden units are idle.
const SAMPLE: usize = 100_000;
/// A hidden unit is idle that is active less than once in so many positions, each seen by both sides.
const RARE: usize = 1000;
/// The number of the stream of random numbers for idle units.
const RENEWED: u64 = u64::MAX;

impl Trainer {
    /// Begins with the numbers of a network instead of random ones, so that the first output is that network's. It may have
    /// fewer hidden units: the others begin at random and count nothing at first. One without layers may be begun with for
    /// [`Head::Layers`], whatever the scale; for [`Head::PairedLayers`] only its hidden layer is taken.
    ///
    /// # Errors
    /// If it has more hidden units, or is otherwise of another shape or scale.
    pub fn begin_with(&mut self, network: &Network) -> Result<(), OtherShape> {
        let settings = self.settings().clone();
        let (shape, theirs) = (&settings.shape, network.shape());
        let same_head = theirs.head == shape.head();
        let scale = if same_head {
            theirs.scale
        } else {
            settings.scale
        };
        let grown = Architecture {
            hidden: shape.hidden(),
            inputs: shape.inputs().clone(),
            head: shape.head(),
            scale,
            ..theirs.clone()
        };
        // What is learnt of a piece goes at first for all its standings, and for all king buckets.
        let (threats, ours) = (theirs.inputs.has_threats(), shape.inputs());
        let simple = theirs.inputs == Inputs::new(ours.is_mirrored()).with_threats(threats);
        let inputs = theirs.inputs == *ours || simple && (!threats || ours.has_threats());
        let other_head = theirs.head.is_layered() && !same_head;
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
        let hidden = hidden_order(shape, tiles);
        let rows = bytemuck::cast_slice_mut::<Row, [f32; TILE]>;
        restore(rows(parts.hidden), hidden, &numbers.hidden_weights, QA);
        restore(rows(parts.bias), 0..tiles, &numbers.hidden_bias, QA);
        let parts = shape.parts_mut(&mut self.parameters);
        if same_head {
            begin_head(parts, shape, tiles, &numbers);
        } else if shape.head() == Head::Layers {
            let scale = theirs.scale as f32 / settings.scale as f32;
            begin_layers(parts, shape, tiles, &numbers, scale);
        }
        Ok(())
    }

    /// Gives hidden units that are hardly ever active in these positions random weights again, as they would learn nothing
    /// any more; at first these units count nothing. How many there are.
    pub fn renew_idle_units(&mut self, positions: &[Packed]) -> usize {
        let settings = self.settings().clone();
        let (shape, objective) = (&settings.shape, Objective::new(&settings));
        let step = positions.len().div_ceil(SAMPLE).max(1);
        let sample = positions.iter().step_by(step);
        let seen = 2 * sample.len();
        let parts = shape.parts(&self.parameters);
        let active = Shard::forward_only(shape).active_units(shape, parts, objective, sample);
        let idle = (0..shape.hidden()).filter(|&unit| active[unit] * RARE < seen);
        let idle: Vec<usize> = idle.collect();
        let mut random = Random::of(settings.seed, RENEWED);
        for &unit in &idle {
            let parts = shape.parts_mut(&mut self.parameters);
            renew(parts, shape, unit, || first_hidden(&mut random));
        }
        idle.len()
    }
}

/// Takes over what is above the hidden layer of a network of so many tiles with the same head.
fn begin_head(parts: PartsMut<'_>, shape: &Shape, tiles: usize, numbers: &Parameters) {
    let [weight, unit] = output_units(shape);
    parts.output.fill(Row::ZERO);
    let halves = bytemuck::cast_slice_mut::<Row, [f32; HALF]>(parts.output);
    let order = output_order(shape, tiles);
    restore(halves, order, &numbers.output_weights, weight);
    for (bias, &number) in parts.output_bias.iter_mut().zip(&numbers.output_bias) {
        *bias = number as f32 / unit as f32;
    }
    let upper = parts.upper.as_flattened_mut();
    upper.copy_from_slice(&numbers.upper);
}

/// Lets layers begin with the output of a network without, of so many tiles and of `scale` times the scale.
///
/// With that output v and R for [`REACH`] the first units of the second layer are v / R, -v / R, v / R - 1 and -v / R - 1.
/// The third layer takes each clamped and alone, and the output is R times their sum with the signs of v: v up to ±2 R. The
/// other units are random, as otherwise they would learn alike, but the output does not count them yet.
fn begin_layers(
    parts: PartsMut<'_>,
    shape: &Shape,
    tiles: usize,
    numbers: &Parameters,
    scale: f32,
) {
    let sign = |unit: usize| -> f32 { if unit.is_multiple_of(2) { 1.0 } else { -1.0 } };
    let (weights, _) = numbers.output_weights.as_chunks::<TILE>();
    let (places, _) = parts.output.as_chunks_mut::<SECOND>();
    for (place, rows) in places.iter_mut().enumerate() {
        let (side, place) = (place % 2, place / 2);
        let (tile, bucket) = (place % shape.tiles(), place / shape.tiles());
        let known = tile < tiles;
        let known = known.then(|| weights[(2 * bucket + side) * tiles + tile]);
        let weights = known.unwrap_or([0; TILE]);
        for (unit, row) in rows[..HOLDERS].iter_mut().enumerate() {
            row.0 = weights.map(|weight| sign(unit) * f32::from(weight) / QB_SECOND as f32);
        }
    }
    let (biases, _) = parts.output_bias.as_chunks_mut::<SECOND>();
    for (biases, &number) in biases.iter_mut().zip(&numbers.output_bias) {
        let whole = number as f32 / (QA * QB_SECOND) as f32;
        for (unit, bias) in biases[..HOLDERS].iter_mut().enumerate() {
            *bias = sign(unit) * whole - (unit / 2) as f32;
        }
    }
    let most = (REACH * scale).min(MAX_UPPER);
    for upper in parts.upper {
        // A row for each input, the biases, the weights of the output; then its bias.
        let (rows, bias) = upper.as_chunks_mut::<THIRD>();
        for (input, row) in rows.iter_mut().enumerate() {
            row[..HOLDERS].fill(0.0);
            if input < HOLDERS {
                row[input] = 1.0;
            }
        }
        if let Some(output) = rows.last_mut() {
            output.fill(0.0);
            for (unit, weight) in output[..HOLDERS].iter_mut().enumerate() {
                *weight = sign(unit) * most;
            }
        }
        bias.fill(0.0);
    }
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

/// Gives a hidden unit random weights, those of all features of one piece on one square alike, and what is above no weights
/// to it.
fn renew(parts: PartsMut<'_>, shape: &Shape, unit: usize, mut random: impl FnMut() -> f32) {
    let (tile, lane, features) = (unit / TILE, unit % TILE, shape.features());
    let rows = &mut parts.hidden[tile * features..][..features];
    for feature in 0..FEATURES {
        let weight = random();
        for row in rows[feature..].iter_mut().step_by(FEATURES) {
            row.0[lane] = weight;
        }
    }
    parts.bias[tile].0[lane] = 0.0;
    let places = parts.output.chunks_exact_mut(shape.output_rows());
    for rows in places.skip(tile).step_by(shape.tiles()) {
        for row in rows {
            if shape.head().is_paired() {
                // Of the product that it is part of, the mover's and the opponent's.
                row.0[lane % HALF] = 0.0;
                row.0[HALF + lane % HALF] = 0.0;
            } else {
                row.0[lane] = 0.0;
            }
        }
    }
}
