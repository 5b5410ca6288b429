//! Forward and backward pass of a block of positions over the tiles of hidden units.
//!
//! Forward, for each half of the hidden layer: x = bias + the sum of the features' rows, a = clamp(x, 0, 1),
//! z = bias + the sum of w a². Backward, from the slope s of the loss by z: w gets s a², x gets 2 s w a where
//! 0 < x < 1, and every feature's row gets what x gets. Either there is one z, the output, or there are those of the second
//! layer, on which the layers above go on (`upper`). In pairs there is a product a b for the two squares.
//!
//! The loops have fixed lengths so that compilers turn them into vectors. They add and multiply one by one (never
//! fused), so they give the same numbers on every processor.

use super::floats::{Row, TILE};
use super::shape::{HALF, Parts, PartsMut, Shape};
use super::vector::{Lanes, Register, Work, across};
use duchamp_base::prefetch;
use duchamp_eval::network::{SECOND, THIRD};

/// Positions worked on together: their sums stay in the processor's second cache.
pub(super) const BLOCK: usize = 128;

/// Floats of a cache line.
const LINE: usize = 16;

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
    lanes: [Lanes; SECOND],
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
        lanes: [Lanes::ZERO; SECOND],
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
    vec![[Row::ZERO; 2]; shape.tiles() * BLOCK]
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
    fn run<R: Register>(self) {
        let (tiles, features) = (self.shape.tiles(), self.shape.features());
        let (units, paired) = (self.shape.units(), self.shape.head().is_paired());
        for entry in self.entries.iter_mut() {
            entry.lanes[..units].fill(Lanes::ZERO);
        }
        for tile in 0..tiles {
            let rows = &self.parameters.hidden[tile * features..][..features];
            let bias = &self.parameters.bias[tile];
            let sums = &mut self.sums[tile * BLOCK..][..BLOCK];
            for (number, sum) in sums.iter_mut().enumerate().take(self.entries.len()) {
                if let Some(next) = self.entries.get(number + 1) {
                    fetch(rows, next.features());
                }
                let entry = &mut self.entries[number];
                *sum = add_rows(rows, bias, entry.features());
                let place = (entry.bucket * tiles + tile) * self.shape.output_rows();
                let mut weights = self.parameters.output[place..].chunks_exact(units);
                if paired {
                    let weights = weights.next().expect("a row for each unit");
                    weigh::<R>(&products(sum), weights, &mut entry.lanes);
                } else {
                    for (sum, weights) in sum.iter().zip(weights) {
                        weigh::<R>(&squares(sum), weights, &mut entry.lanes);
                    }
                }
            }
        }
        for entry in self.entries.iter_mut() {
            let biases = &self.parameters.output_bias[entry.bucket * units..][..units];
            let sums = entry.sums.iter_mut().zip(&entry.lanes);
            for ((sum, lanes), bias) in sums.zip(biases) {
                *sum = across(&lanes.0) + bias;
            }
        }
    }
}

/// Starts fetching the rows of an entry, while the one before is worked on.
#[inline(always)]
fn fetch(rows: &[Row], features: &[[u16; 2]]) {
    for feature in features.as_flattened() {
        let (lines, _) = rows[usize::from(*feature)].0.as_chunks::<LINE>();
        lines.iter().for_each(prefetch);
    }
}

/// The sums of the features' rows, for both halves.
#[inline(always)]
fn add_rows(rows: &[Row], bias: &Row, features: &[[u16; 2]]) -> [Row; 2] {
    let (mut us, mut them) = (*bias, *bias);
    for &[ours, theirs] in features {
        let (ours, theirs) = (&rows[usize::from(ours)], &rows[usize::from(theirs)]);
        for i in 0..TILE {
            us.0[i] += ours.0[i];
            them.0[i] += theirs.0[i];
        }
    }
    [us, them]
}

/// The squares of a tile of one half.
#[inline(always)]
fn squares(sum: &Row) -> Row {
    let mut squares = Row::ZERO;
    for i in 0..TILE {
        let a = sum.0[i].clamp(0.0, 1.0);
        squares.0[i] = a * a;
    }
    squares
}

/// The products of a tile of both halves.
#[inline(always)]
fn products(sums: &[Row; 2]) -> Row {
    let mut products = Row::ZERO;
    let (parts, _) = products.0.as_chunks_mut::<HALF>();
    for (part, sum) in parts.iter_mut().zip(sums) {
        let (first, second) = sum.0.split_at(HALF);
        for ((product, x), y) in part.iter_mut().zip(first).zip(second) {
            *product = x.clamp(0.0, 1.0) * y.clamp(0.0, 1.0);
        }
    }
    products
}

/// Adds what a tile gives to the sums.
#[inline(always)]
fn weigh<R: Register>(inputs: &Row, weights: &[Row], sums: &mut [Lanes]) {
    let inputs = inputs.lanes().each_ref().map(R::load);
    for (lanes, weights) in sums.iter_mut().zip(weights) {
        let mut sum = R::load(lanes);
        for (input, weights) in inputs.iter().zip(weights.lanes()) {
            sum = sum.add(input.mul(R::load(weights)));
        }
        sum.store(lanes);
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
    fn run<R: Register>(self) {
        let (tiles, features) = (self.shape.tiles(), self.shape.features());
        let (units, paired) = (self.shape.units(), self.shape.head().is_paired());
        let output_rows = self.shape.output_rows();
        let gradient = self.gradient;
        for tile in 0..tiles {
            let rows = &mut gradient.hidden[tile * features..][..features];
            let bias = &mut gradient.bias[tile];
            let sums = &self.sums[tile * BLOCK..][..BLOCK];
            for (number, (entry, sum)) in self.entries.iter().zip(sums).enumerate() {
                if let Some(next) = self.entries.get(number + 1) {
                    fetch(rows, next.features());
                }
                let place = (entry.bucket * tiles + tile) * output_rows;
                let weights = &self.parameters.output[place..][..output_rows];
                let out = &mut gradient.output[place..][..output_rows];
                let [us, them] = if paired {
                    descend_in_pairs::<R>(sum, weights, &entry.slopes, out)
                } else {
                    let (weights, others) = weights.split_at(units);
                    let (out, other) = out.split_at_mut(units);
                    [
                        descend::<R>(&sum[0], weights, &entry.slopes, out),
                        descend::<R>(&sum[1], others, &entry.slopes, other),
                    ]
                };
                for i in 0..TILE {
                    bias.0[i] += us.0[i] + them.0[i];
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
fn spread<R: Register>(inputs: &Row, weights: &[Row], slopes: &[f32], out: &mut [Row]) -> Row {
    let inputs = inputs.lanes().each_ref().map(R::load);
    let mut back = inputs.map(|_| R::splat(0.0));
    for ((&slope, weights), out) in slopes.iter().zip(weights).zip(out) {
        let slope = R::splat(slope);
        for (part, back) in back.iter_mut().enumerate() {
            let out = &mut out.lanes_mut()[part];
            R::load(out).add(slope.mul(inputs[part])).store(out);
            *back = back.add(slope.mul(R::load(&weights.lanes()[part])));
        }
    }
    let mut row = Row::ZERO;
    for (lanes, back) in row.lanes_mut().iter_mut().zip(back) {
        back.store(lanes);
    }
    row
}

/// The gradient of the hidden units of one half, and of the weights above them.
#[inline(always)]
fn descend<R: Register>(sum: &Row, weights: &[Row], slopes: &[f32], out: &mut [Row]) -> Row {
    let mut down = spread::<R>(&squares(sum), weights, slopes, out);
    for i in 0..TILE {
        let open = if sum.0[i] < 1.0 {
            2.0 * sum.0[i].clamp(0.0, 1.0)
        } else {
            0.0
        };
        down.0[i] *= open;
    }
    down
}

/// The same in pairs, for both halves.
#[inline(always)]
fn descend_in_pairs<R: Register>(
    sums: &[Row; 2],
    weights: &[Row],
    slopes: &[f32],
    out: &mut [Row],
) -> [Row; 2] {
    let back = spread::<R>(&products(sums), weights, slopes, out);
    let mut down = [Row::ZERO; 2];
    for ((down, sum), back) in down.iter_mut().zip(sums).zip(back.0.as_chunks::<HALF>().0) {
        let units = sum.0[..HALF].iter().zip(&sum.0[HALF..]);
        let (first, second) = down.0.split_at_mut(HALF);
        let slopes = first.iter_mut().zip(second);
        for (((to_x, to_y), (&x, &y)), back) in slopes.zip(units).zip(back) {
            let (a, b) = (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0));
            *to_x = if x > 0.0 && x < 1.0 { back * b } else { 0.0 };
            *to_y = if y > 0.0 && y < 1.0 { back * a } else { 0.0 };
        }
    }
    down
}

#[inline(always)]
fn add(row: &mut Row, by: &Row) {
    for i in 0..TILE {
        row.0[i] += by.0[i];
    }
}
