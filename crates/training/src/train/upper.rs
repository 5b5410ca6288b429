//! Forward and backward pass of what is above the sums of the hidden units, position by position: the layers above the second
//! ([`Upper`]), or nothing.

use super::kernel::Entry;
use super::shape::{Parts, PartsMut, Shape};
use super::vector::{Register, Work, across, widest};
use duchamp_eval::network::{SECOND, THIRD, Upper};

/// The outputs of entries, from the sums of their hidden units.
pub(super) fn forward(shape: &Shape, parameters: Parts<'_>, entries: &mut [Entry]) {
    if shape.head().is_layered() {
        widest(Forward {
            parameters,
            entries,
        });
    } else {
        for entry in entries {
            entry.out = entry.sums[0];
        }
    }
}

/// The slopes of these sums, from those of the outputs.
pub(super) fn backward(
    shape: &Shape,
    parameters: Parts<'_>,
    gradient: &mut PartsMut<'_>,
    entries: &mut [Entry],
) {
    if shape.head().is_layered() {
        widest(Backward {
            parameters,
            gradient,
            entries,
        });
    } else {
        for entry in entries {
            entry.slopes[0] = entry.slope;
        }
    }
}

/// From the second layer to the output.
struct Forward<'a> {
    parameters: Parts<'a>,
    entries: &'a mut [Entry],
}

impl Work for Forward<'_> {
    #[inline(always)]
    fn run<R: Register>(self) {
        for entry in self.entries {
            let upper = Upper::of(&self.parameters.upper[entry.bucket]);
            entry.third = upper.third(&Upper::inputs(&entry.sums));
            entry.out = upper.output(&entry.third);
        }
    }
}

/// From the slope of the output to those of the second layer.
struct Backward<'a, 'g> {
    parameters: Parts<'a>,
    gradient: &'a mut PartsMut<'g>,
    entries: &'a mut [Entry],
}

impl Work for Backward<'_, '_> {
    #[inline(always)]
    fn run<R: Register>(self) {
        for entry in self.entries {
            let upper = Upper::of(&self.parameters.upper[entry.bucket]);
            descend(entry, upper, &mut self.gradient.upper[entry.bucket]);
        }
    }
}

#[inline(always)]
fn descend(entry: &mut Entry, upper: Upper<'_>, gradient: &mut [f32]) {
    let inputs = Upper::inputs(&entry.sums);
    let (rows, last) = gradient.as_chunks_mut::<THIRD>();
    let (third, rest) = rows.split_at_mut(inputs.len());
    let [bias, output] = rest else {
        unreachable!("a row of biases and one of weights follow");
    };
    let mut down = [0.0f32; THIRD];
    for unit in 0..THIRD {
        let y = entry.third[unit];
        output[unit] += entry.slope * y.clamp(0.0, 1.0);
        let open = if y > 0.0 && y < 1.0 { 1.0 } else { 0.0 };
        down[unit] = entry.slope * upper.output_weights()[unit] * open;
        bias[unit] += down[unit];
    }
    last[0] += entry.slope;
    let mut back = [0.0f32; 2 * SECOND];
    let weights = upper.third_weights().iter().zip(third);
    for (((weights, gradient), input), back) in weights.zip(&inputs).zip(&mut back) {
        let (weights, _) = weights.as_chunks::<8>();
        let (gradient, _) = gradient.as_chunks_mut::<8>();
        let (down, _) = down.as_chunks::<8>();
        let mut lanes = [0.0f32; 8];
        for ((weights, gradient), down) in weights.iter().zip(gradient).zip(down) {
            let (weights, mut sums) = (*weights, *gradient);
            for lane in 0..8 {
                sums[lane] += input * down[lane];
                lanes[lane] += weights[lane] * down[lane];
            }
            *gradient = sums;
        }
        *back = across(&lanes);
    }
    let (linear, squared) = back.split_at(SECOND);
    for unit in 0..SECOND {
        let z = entry.sums[unit];
        let open = if z > 0.0 && z < 1.0 { 1.0 } else { 0.0 };
        let bent = if z.abs() < 1.0 { 2.0 * z } else { 0.0 };
        entry.slopes[unit] = linear[unit] * open + squared[unit] * bent;
    }
}
