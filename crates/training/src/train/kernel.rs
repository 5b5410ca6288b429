//! Forward and backward pass of a block of positions over the tiles of hidden units.
//!
//! Forward, for each half h of the hidden layer: x = bias + the sum of the features' rows, a = clamp(x, 0, 1),
//! out = bias + the sum of w a². Backward, from the slope s of the loss by out: w gets s a², x gets 2 s w a where
//! 0 < x < 1, and every feature's row gets what x gets.
//!
//! The loops have fixed lengths so that compilers turn them into vectors. They add and multiply one by one (never
//! fused), so they give the same numbers on every processor.

use super::shape::{Parts, PartsMut, Row, Shape, TILE};

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
    /// The value that a residual output is added to.
    pub(super) base: f32,
    /// The target.
    pub(super) target: f32,
    /// The output.
    pub(super) out: f32,
    /// The derivative of the loss by the output.
    pub(super) slope: f32,
    lanes: [f32; LANES],
}

impl Entry {
    pub(super) const EMPTY: Entry = Entry {
        features: [[0; 2]; 32],
        pieces: 0,
        bucket: 0,
        target: 0.0,
        base: 0.0,
        out: 0.0,
        slope: 0.0,
        lanes: [0.0; LANES],
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

/// The forward pass of at most [`BLOCK`] entries.
pub(super) struct Forward<'a> {
    pub(super) shape: &'a Shape,
    pub(super) parameters: Parts<'a>,
    pub(super) entries: &'a mut [Entry],
    pub(super) sums: &'a mut Sums,
}

impl super::vector::Work for Forward<'_> {
    #[inline(always)]
    fn run(self) {
        let (tiles, features) = (self.shape.tiles(), self.shape.features());
        for entry in self.entries.iter_mut() {
            entry.lanes = [0.0; LANES];
        }
        for tile in 0..tiles {
            let rows = &self.parameters.hidden[tile * features..][..features];
            let bias = &self.parameters.bias[tile];
            let sums = &mut self.sums[tile * BLOCK..][..BLOCK];
            for (entry, sum) in self.entries.iter_mut().zip(sums) {
                *sum = add_rows(rows, bias, entry.features());
                let output = (entry.bucket * tiles + tile) * 2;
                let weights = &self.parameters.output[output..][..2];
                for (sum, weights) in sum.iter().zip(weights) {
                    weigh(sum, weights, &mut entry.lanes);
                }
            }
        }
        for entry in self.entries.iter_mut() {
            let [a, b, c, d, e, f, g, h] = entry.lanes;
            let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
            entry.out = sum + self.parameters.output_bias[entry.bucket];
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

/// Adds what a tile gives to an output.
#[inline(always)]
fn weigh(sum: &Row, weights: &Row, lanes: &mut [f32; LANES]) {
    let (sums, _) = sum.as_chunks::<LANES>();
    let (weights, _) = weights.as_chunks::<LANES>();
    for (sums, weights) in sums.iter().zip(weights) {
        for ((lane, sum), weight) in lanes.iter_mut().zip(sums).zip(weights) {
            let a = sum.clamp(0.0, 1.0);
            *lane += a * a * weight;
        }
    }
}

/// The backward pass of the entries of a [`Forward`] pass, whose slopes are known by now.
pub(super) struct Backward<'a> {
    pub(super) shape: &'a Shape,
    pub(super) parameters: Parts<'a>,
    pub(super) gradient: PartsMut<'a>,
    pub(super) entries: &'a [Entry],
    pub(super) sums: &'a Sums,
}

impl super::vector::Work for Backward<'_> {
    #[inline(always)]
    fn run(self) {
        let (tiles, features) = (self.shape.tiles(), self.shape.features());
        let gradient = self.gradient;
        for tile in 0..tiles {
            let rows = &mut gradient.hidden[tile * features..][..features];
            let bias = &mut gradient.bias[tile];
            let sums = &self.sums[tile * BLOCK..][..BLOCK];
            for (entry, sum) in self.entries.iter().zip(sums) {
                let output = (entry.bucket * tiles + tile) * 2;
                let [us, them] = [0, 1].map(|half| {
                    let weights = &self.parameters.output[output + half];
                    let out = &mut gradient.output[output + half];
                    descend(&sum[half], weights, entry.slope, out)
                });
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
            gradient.output_bias[entry.bucket] += entry.slope;
        }
    }
}

/// Adds to the gradient of output weights; gives that of the sums.
#[inline(always)]
fn descend(sum: &Row, weights: &Row, slope: f32, out: &mut Row) -> Row {
    let mut down = [0.0; TILE];
    for i in 0..TILE {
        let a = sum[i].clamp(0.0, 1.0);
        out[i] += slope * (a * a);
        let open = if sum[i] < 1.0 { 2.0 * a } else { 0.0 };
        down[i] = slope * weights[i] * open;
    }
    down
}

#[inline(always)]
fn add(row: &mut Row, by: &Row) {
    for i in 0..TILE {
        row[i] += by[i];
    }
}
