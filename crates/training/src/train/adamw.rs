//! AdamW: Adam with decoupled weight decay (Loshchilov & Hutter 2019).

use super::shape::{Section, Shape};
use super::vector::{Work, widest};
use crate::adam::{Adam, Stride};
use rayon::prelude::*;

/// Adam's epsilon.
const SMALL: f32 = 1e-8;

/// Weights stay within this, as 127 quantised output weights do (127 / 64), so that a clamped unit times a weight fits
/// 16 bits. It keeps hidden sums small, too: 32 features and the bias are at most 33 * 1.98 * 255 = 16,662 < 32,767.
pub(super) const LIMIT: f32 = 1.98;

/// Parameters that a thread changes at a time.
const PIECE: usize = 1 << 12;

/// The learning rate and weight decay of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepRate {
    /// The number of the step, from 1.
    pub(super) number: u64,
    pub(super) rate: f32,
    /// The fraction of a weight that decays at a rate of 1.
    pub(super) decay: f32,
}

/// Changes the parameters by the sum of the gradients, which are added in their order.
pub(super) fn descend(
    adam: &mut Adam,
    shape: &Shape,
    parameters: &mut [f32],
    gradients: &[&[f32]],
    rate: StepRate,
) {
    let stride = Stride::new(rate.number, rate.rate, SMALL);
    for section in Section::ALL {
        let range = shape.section(section);
        let weights = matches!(section, Section::Hidden | Section::Output);
        let rule = Rule {
            stride,
            shrink: if weights {
                1.0 - rate.rate * rate.decay
            } else {
                1.0
            },
            limit: if section == Section::OutputBias {
                f32::MAX
            } else {
                LIMIT
            },
        };
        let pieces = parameters[range.clone()]
            .par_chunks_mut(PIECE)
            .zip(adam.means[range.clone()].par_chunks_mut(PIECE))
            .zip(adam.squares[range.clone()].par_chunks_mut(PIECE));
        pieces
            .enumerate()
            .for_each(|(number, ((parameters, means), squares))| {
                let start = range.start + number * PIECE;
                widest(Chunk {
                    rule,
                    parameters,
                    means,
                    squares,
                    gradients,
                    start,
                });
            });
    }
}
#[derive(Clone, Copy)]
struct Rule {
    stride: Stride,
    shrink: f32,
    limit: f32,
}

/// A stretch of parameters with their means.
struct Chunk<'a> {
    rule: Rule,
    parameters: &'a mut [f32],
    means: &'a mut [f32],
    squares: &'a mut [f32],
    gradients: &'a [&'a [f32]],
    start: usize,
}

impl Work for Chunk<'_> {
    #[inline(always)]
    fn run(self) {
        let Rule {
            stride,
            shrink,
            limit,
        } = self.rule;
        let length = self.parameters.len();
        let mut slopes = [0.0f32; PIECE];
        for gradient in self.gradients {
            for (slope, part) in slopes.iter_mut().zip(&gradient[self.start..][..length]) {
                *slope += part;
            }
        }
        let states = self.means.iter_mut().zip(self.squares);
        for ((parameter, slope), (mean, square)) in
            self.parameters.iter_mut().zip(slopes).zip(states)
        {
            let step = stride.change(mean, square, slope);
            *parameter = (*parameter * shrink - step).clamp(-limit, limit);
        }
    }
}
