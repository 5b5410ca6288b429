//! Forward and backward pass of a block of positions over the tiles of hidden units.
//!
//! Forward, for each half of the hidden layer: x = bias + the sum of the features' rows, a = clamp(x, 0, 1),
//! z = bias + the sum of w a². Backward, from the slope s of the loss by z: w gets s a², x gets 2 s w a where
//! 0 < x < 1, and every feature's row gets what x gets. Either there is one z, the output, or there are those of the second
//! layer, on which the layers above go on (`upper`). In pairs there is a product a b for the two squares.
//!
//! The loops have fixed lengths so that compilers turn them into vectors. They add and multiply one by one (never
//! fused), so they give the same numbers on every processor.

use super::shape::{HALF, Parts, PartsMut, Row, Shape, TILE};
use super::vector::{Work, across};
use duchamp_eval::network::{SECOND, THIRD};

/// Positions worked on together: their sums stay in the processor's second cache.
pub(super) const BLOCK: usize = 128;

/// Partial sums of an output.
const LANES: usize = 8;

/// A position unpacked.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Each piece's feature in the perspectives of the side to move and of the opponent.
    pub(super) features: [[u16; 2]; 32],
    pub(super) pieces: usize,
    /// The output bucket.
    pub(super) bucket: usize,
    /// The target.
    pub(super) target: f32,
    /// The output.
    pub(super) out: f32,
    /// The derivative of the loss by the output.
    pub(super) slope: f32,
    /// The sums that the hidden units go into: the units of the second layer, or the output alone.
    pub(super) sums: [f32; SECOND],
    /// The derivatives of the loss by these sums.
    pub(super) slopes: [f32; SECOND],
    /// The third layer before its activation.
    pub(super) third: [f32; THIRD],
    lanes: [[f32; LANES]; SECOND],
}

impl Entry {
    pub(super) const EMPTY: Entry = Entry {
        features: [[0; 2]; 32],
        pieces: 0,
        bucket: 0,
        target: 0.0,
        out: 0.0,
        slope: 0.0,
        sums: [0.0; SECOND],
        slopes: [0.0; SECOND],
        third: [0.0; THIRD],
        lanes: [[0.0; LANES]; SECOND],
    };

    #[inline(always)]
    fn features(&self) -> &[[u16; 2]] {
        &self.features[..self.pieces.min(32)]
    }
}

/// The sums of a block: by tile, then by position, both halves of the hidden layer.
pub(super) type Sums = Vec<[Row; 2]>;

/// Room for the sums of a block.
pub(super) fn sums(shape: &Shape) -> Sums {
    vec![[[0.0; TILE]; 2]; shape.tiles() * BLOCK]
}

/// The forward pass of at most [`BLOCK`] entries, from the features to the sums that the hidden units go into.
pub(super) struct Forward<'a> {
    pub(super) shape: &'a Shape,
    pub(super) parameters: Parts<'a>,
    pub(super) entries: &'a mut [Entry],
    pub(super) sums: &'a mut Sums,
}

impl Work for Forward<'_> {
    #[inline(always)]
    fn run(self) {
        let (tiles, features) = (self.shape.tiles(), self.shape.features());
        let (units, paired) = (self.shape.units(), self.shape.head().is_paired());
        for entry in self.entries.iter_mut() {
            entry.lanes[..units].fill([0.0; LANES]);
        }
        for tile in 0..tiles {
            let rows = &self.parameters.hidden[tile * features..][..features];
            let bias = &self.parameters.bias[tile];
            let sums = &mut self.sums[tile * BLOCK..][..BLOCK];
            for (entry, sum) in self.entries.iter_mut().zip(sums) {
                *sum = add_rows(rows, bias, entry.features());
                let place = (entry.bucket * tiles + tile) * self.shape.output_rows();
                let mut weights = self.parameters.output[place..].chunks_exact(units);
                if paired {
                    let weights = weights.next().expect("a row for each unit");
                    weigh(&products(sum), weights, &mut entry.lanes);
                } else {
                    for (sum, weights) in sum.iter().zip(weights) {
                        weigh(&squares(sum), weights, &mut entry.lanes);
                    }
                }
            }
        }
        for entry in self.entries.iter_mut() {
            let biases = &self.parameters.output_bias[entry.bucket * units..][..units];
            let sums = entry.sums.iter_mut().zip(&entry.lanes);
            for ((sum, lanes), bias) in sums.zip(biases) {
                *sum = across(lanes) + bias;
            }
        }
    }
}

/// The sums of the features' rows, for both halves.
#[inline(always)]
fn add_rows(rows: &[Row], bias: &Row, features: &[[u16; 2]]) -> [Row; 2] {
    let (mut us, mut them) = (*bias, *bias);
    for &[ours, theirs] in features {
        let (ours, theirs) = (&rows[usize::from(ours)], &rows[usize::from(theirs)]);
        for i in 0..TILE {
            us[i] += ours[i];
            them[i] += theirs[i];
        }
    }
    [us, them]
}

/// The squares of a tile of one half.
#[inline(always)]
fn squares(sum: &Row) -> Row {
    let mut squares = [0.0; TILE];
    for i in 0..TILE {
        let a = sum[i].clamp(0.0, 1.0);
        squares[i] = a * a;
    }
    squares
}

/// The products of a tile of both halves.
#[inline(always)]
fn products(sums: &[Row; 2]) -> Row {
    let mut products = [0.0; TILE];
    let (parts, _) = products.as_chunks_mut::<HALF>();
    for (part, sum) in parts.iter_mut().zip(sums) {
        for i in 0..HALF {
            part[i] = sum[i].clamp(0.0, 1.0) * sum[HALF + i].clamp(0.0, 1.0);
        }
    }
    products
}

/// Adds what a tile gives to the sums.
#[inline(always)]
fn weigh(inputs: &Row, weights: &[Row], lanes: &mut [[f32; LANES]]) {
    let (inputs, _) = inputs.as_chunks::<LANES>();
    for (lanes, weights) in lanes.iter_mut().zip(weights) {
        let (weights, _) = weights.as_chunks::<LANES>();
        let mut sums = *lanes;
        for (inputs, weights) in inputs.iter().zip(weights) {
            for lane in 0..LANES {
                sums[lane] += inputs[lane] * weights[lane];
            }
        }
        *lanes = sums;
    }
}

/// The backward pass of the entries of a [`Forward`] pass, from the slopes of these sums down to the features.
pub(super) struct Backward<'a, 'g> {
    pub(super) shape: &'a Shape,
    pub(super) parameters: Parts<'a>,
    pub(super) gradient: &'a mut PartsMut<'g>,
    pub(super) entries: &'a [Entry],
    pub(super) sums: &'a Sums,
}

impl Work for Backward<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let (tiles, features) = (self.shape.tiles(), self.shape.features());
        let (units, paired) = (self.shape.units(), self.shape.head().is_paired());
        let output_rows = self.shape.output_rows();
        let gradient = self.gradient;
        for tile in 0..tiles {
            let rows = &mut gradient.hidden[tile * features..][..features];
            let bias = &mut gradient.bias[tile];
            let sums = &self.sums[tile * BLOCK..][..BLOCK];
            for (entry, sum) in self.entries.iter().zip(sums) {
                let place = (entry.bucket * tiles + tile) * output_rows;
                let weights = &self.parameters.output[place..][..output_rows];
                let out = &mut gradient.output[place..][..output_rows];
                let [us, them] = if paired {
                    descend_in_pairs(sum, weights, &entry.slopes, out)
                } else {
                    let (weights, others) = weights.split_at(units);
                    let (out, other) = out.split_at_mut(units);
                    [
                        descend(&sum[0], weights, &entry.slopes, out),
                        descend(&sum[1], others, &entry.slopes, other),
                    ]
                };
                for i in 0..TILE {
                    bias[i] += us[i] + them[i];
                }
                for &[ours, theirs] in entry.features() {
                    add(&mut rows[usize::from(ours)], &us);
                    add(&mut rows[usize::from(theirs)], &them);
                }
            }
        }
        for entry in self.entries {
            let biases = &mut gradient.output_bias[entry.bucket * units..][..units];
            for (bias, slope) in biases.iter_mut().zip(&entry.slopes) {
                *bias += slope;
            }
        }
    }
}

/// Adds to the gradient of the weights of the sums; gives that of their inputs.
#[inline(always)]
fn spread(inputs: &Row, weights: &[Row], slopes: &[f32], out: &mut [Row]) -> Row {
    let mut back = [0.0; TILE];
    let (parts, _) = back.as_chunks_mut::<LANES>();
    let (inputs, _) = inputs.as_chunks::<LANES>();
    for (part, (back, inputs)) in parts.iter_mut().zip(inputs).enumerate() {
        for ((slope, weights), out) in slopes.iter().zip(weights).zip(out.iter_mut()) {
            // Copies, so that no write can be taken for one of what is read after it.
            let weights = weights.as_chunks::<LANES>().0[part];
            let out = &mut out.as_chunks_mut::<LANES>().0[part];
            let mut sums = *out;
            for lane in 0..LANES {
                sums[lane] += slope * inputs[lane];
                back[lane] += slope * weights[lane];
            }
            *out = sums;
        }
    }
    back
}

/// The gradient of the hidden units of one half, and of the weights above them.
#[inline(always)]
fn descend(sum: &Row, weights: &[Row], slopes: &[f32], out: &mut [Row]) -> Row {
    let mut down = spread(&squares(sum), weights, slopes, out);
    for i in 0..TILE {
        let open = if sum[i] < 1.0 {
            2.0 * sum[i].clamp(0.0, 1.0)
        } else {
            0.0
        };
        down[i] *= open;
    }
    down
}

/// The same in pairs, for both halves.
#[inline(always)]
fn descend_in_pairs(sums: &[Row; 2], weights: &[Row], slopes: &[f32], out: &mut [Row]) -> [Row; 2] {
    let back = spread(&products(sums), weights, slopes, out);
    let mut down = [[0.0; TILE]; 2];
    for ((down, sum), back) in down.iter_mut().zip(sums).zip(back.as_chunks::<HALF>().0) {
        for i in 0..HALF {
            let (x, y) = (sum[i], sum[HALF + i]);
            let (a, b) = (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0));
            down[i] = if x > 0.0 && x < 1.0 { back[i] * b } else { 0.0 };
            down[HALF + i] = if y > 0.0 && y < 1.0 { back[i] * a } else { 0.0 };
        }
    }
    down
}

#[inline(always)]
fn add(row: &mut Row, by: &Row) {
    for i in 0..TILE {
        row[i] += by[i];
    }
}
