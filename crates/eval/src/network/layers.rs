//! The layers above the hidden layer of a layered network: 2N -> 16 -> 32 -> 1, or in pairs N -> 16 -> 32 -> 1.
//!
//! Inputs are the hidden units of both sides, clamped to 0 to 1 and squared, or the products of two of them, as in
//! Stockfish's networks:
//!
//! - second layer: z = bias + sum of w x², or of w x y;
//! - third layer: y = bias + sum of w clamp(z, 0, 1) + sum of v min(z², 1);
//! - output: bias + sum of w clamp(y, 0, 1).
//!
//! The second layer is computed in integers, the rest in floats of 32 bits, multiplied and added one by one in a fixed order:
//! the same values on every processor.

use super::block::{BYTES, Block, Bytes, LANES as UNITS};

/// Units of the second layer.
pub const SECOND: usize = 16;
/// Units of the third layer.
pub const THIRD: usize = 32;
/// Inputs of the third layer: each unit of the second clamped, then each squared.
const THIRD_INPUTS: usize = 2 * SECOND;
/// Units of the third layer that are worked on together.
const LANES: usize = 8;
/// Numbers above the second layer of an output bucket: for each input of the third layer the weights to its units, their
/// biases, the weights of the output, its bias.
pub const UPPER: usize = THIRD_INPUTS * THIRD + THIRD + THIRD + 1;

/// 1 of the second layer, in the units of its integer sums: 127 for an input of 1 times 256 for a weight of 1.
pub const SECOND_UNIT: i64 = 127 * 256;
/// What turns these sums into floats.
pub(super) const SECOND_FACTOR: f32 = 1.0 / SECOND_UNIT as f32;

/// What is above the second layer.
#[derive(Clone, Copy, Debug)]
pub struct Upper<'a> {
    third: &'a [[f32; THIRD]; THIRD_INPUTS],
    third_bias: &'a [f32; THIRD],
    output: &'a [f32; THIRD],
    output_bias: f32,
}

impl<'a> Upper<'a> {
    /// The layers of these numbers, in the order of [`UPPER`].
    #[must_use]
    #[inline(always)]
    pub fn of(numbers: &'a [f32; UPPER]) -> Upper<'a> {
        let (rows, _) = numbers.as_chunks::<THIRD>();
        let (third, rest) = rows.split_first_chunk().expect("a row for each input");
        let [third_bias, output] = rest else {
            unreachable!("UPPER has a row of biases and one of weights");
        };
        Upper {
            third,
            third_bias,
            output,
            output_bias: numbers[UPPER - 1],
        }
    }

    /// The weights of the third layer, by its inputs.
    #[must_use]
    #[inline(always)]
    pub fn third_weights(&self) -> &'a [[f32; THIRD]; THIRD_INPUTS] {
        self.third
    }

    /// The biases of the third layer.
    #[must_use]
    #[inline(always)]
    pub fn third_bias(&self) -> &'a [f32; THIRD] {
        self.third_bias
    }

    /// The weights of the output.
    #[must_use]
    #[inline(always)]
    pub fn output_weights(&self) -> &'a [f32; THIRD] {
        self.output
    }

    /// The bias of the output.
    #[must_use]
    #[inline(always)]
    pub fn output_bias(&self) -> f32 {
        self.output_bias
    }

    /// The inputs of the third layer.
    #[must_use]
    #[inline(always)]
    pub fn inputs(second: &[f32; SECOND]) -> [f32; THIRD_INPUTS] {
        let mut inputs = [0.0; THIRD_INPUTS];
        for (unit, &z) in second.iter().enumerate() {
            inputs[unit] = z.clamp(0.0, 1.0);
            inputs[SECOND + unit] = (z * z).min(1.0);
        }
        inputs
    }

    /// The third layer before its activation. Even and odd inputs are summed apart: two chains of additions wait less.
    #[must_use]
    #[inline(always)]
    pub fn third(&self, inputs: &[f32; THIRD_INPUTS]) -> [f32; THIRD] {
        let mut third = [0.0; THIRD];
        let (parts, _) = third.as_chunks_mut::<LANES>();
        for (part, third) in parts.iter_mut().enumerate() {
            let mut even = self.third_bias.as_chunks::<LANES>().0[part];
            let mut odd = [0.0; LANES];
            let pairs = inputs.as_chunks::<2>().0.iter();
            for (inputs, weights) in pairs.zip(self.third.as_chunks::<2>().0) {
                let [first, second] = weights;
                let first = &first.as_chunks::<LANES>().0[part];
                let second = &second.as_chunks::<LANES>().0[part];
                for lane in 0..LANES {
                    even[lane] += inputs[0] * first[lane];
                    odd[lane] += inputs[1] * second[lane];
                }
            }
            for lane in 0..LANES {
                third[lane] = even[lane] + odd[lane];
            }
        }
        third
    }

    /// The output, from the third layer before its activation.
    #[must_use]
    #[inline(always)]
    pub fn output(&self, third: &[f32; THIRD]) -> f32 {
        let mut lanes = [0.0f32; LANES];
        let (third, _) = third.as_chunks::<LANES>();
        let (weights, _) = self.output.as_chunks::<LANES>();
        for (units, weights) in third.iter().zip(weights) {
            for ((lane, unit), weight) in lanes.iter_mut().zip(units).zip(weights) {
                *lane += unit.clamp(0.0, 1.0) * weight;
            }
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        ((a + b) + (c + d)) + ((e + f) + (g + h)) + self.output_bias
    }
}

/// The layers of an output bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layers<'a> {
    /// Whether the inputs are products of hidden units in pairs.
    pub(super) paired: bool,
    /// The weights of the second layer in units of 1/256: for each [`BYTES`] inputs, the mover's first, those of each unit.
    pub(super) weights: &'a [[Bytes; SECOND]],
    /// Its biases in units of one over [`SECOND_UNIT`].
    pub(super) bias: &'a [i32; SECOND],
    pub(super) upper: Upper<'a>,
}

impl<'a> Layers<'a> {
    /// The weights to the mover's inputs, and to the other's.
    #[inline(always)]
    pub(super) fn sides(&self) -> (&'a [[Bytes; SECOND]], &'a [[Bytes; SECOND]]) {
        self.weights.split_at(self.weights.len() / 2)
    }

    /// The second layer before its activation, from its sums without biases.
    #[inline(always)]
    pub(super) fn second(&self, sums: &[i32; SECOND]) -> [f32; SECOND] {
        let mut second = [0.0; SECOND];
        for ((z, sum), bias) in second.iter_mut().zip(sums).zip(self.bias) {
            *z = (*sum as f32 + *bias as f32) * SECOND_FACTOR;
        }
        second
    }

    /// The output, from the sums of the second layer without its biases.
    #[inline(always)]
    pub(super) fn output(&self, sums: &[i32; SECOND]) -> f32 {
        let inputs = Upper::inputs(&self.second(sums));
        self.upper.output(&self.upper.third(&inputs))
    }
}

/// Two hidden units, or one twice, as an input of the second layer: clamped and multiplied, 127 for 1.
#[inline(always)]
pub(super) fn activation(x: i16, y: i16) -> u8 {
    let [x, y] = [x, y].map(|x| x.clamp(0, 255) as u16);
    // At most 65,025 + 256.
    ((x * y + 256) >> 9) as u8
}

/// The squares of two blocks of hidden units.
#[inline(always)]
pub(super) fn squares(blocks: &[Block; 2]) -> [u8; BYTES] {
    let mut inputs = [0; BYTES];
    for (inputs, block) in inputs.as_chunks_mut::<UNITS>().0.iter_mut().zip(blocks) {
        *inputs = block.0.map(|x| activation(x, x));
    }
    inputs
}

/// The products of four blocks of hidden units, in each the first half times the second.
#[inline(always)]
pub(super) fn products(blocks: &[Block; 4]) -> [u8; BYTES] {
    const HALF: usize = UNITS / 2;
    let mut inputs = [0; BYTES];
    for (inputs, block) in inputs.as_chunks_mut::<HALF>().0.iter_mut().zip(blocks) {
        let (first, second) = block.0.split_at(HALF);
        for ((input, &x), &y) in inputs.iter_mut().zip(first).zip(second) {
            *input = activation(x, y);
        }
    }
    inputs
}
