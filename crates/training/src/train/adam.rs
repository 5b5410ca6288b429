//! AdamW: Adam with decay of weights apart from the gradient (Loshchilov & Hutter 2019).

use super::shape::{Section, Shape};
use super::vector::{Work, widest};
use rayon::prelude::*;

/// How much of the old means of slopes and of their squares a step keeps.
const KEEP: [f32; 2] = [0.9, 0.999];
const SMALL: f32 = 1e-8;

/// Weights stay within this, as 127 quantised output weights do (127 / 64), so that a clamped unit times a weight fits
/// 16 bits. It keeps hidden sums small, too: 32 features and the bias are at most 33 * 1.98 * 255 = 16,662 < 32,767.
pub(super) const LIMIT: f32 = 1.98;

/// Parameters that a thread changes at a time.
const PIECE: usize = 1 << 12;

/// The means of slopes and of their squares.
#[derive(Clone, Debug)]
pub(super) struct Adam {
    pub(super) means: Vec<f32>,
    pub(super) squares: Vec<f32>,
}

/// How far a step goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stride {
    /// The number of the step, from 1.
    pub(super) number: u64,
    pub(super) rate: f32,
    /// The share of a weight that decays at a rate of 1.
    pub(super) decay: f32,
}

impl Adam {
    pub(super) fn new(parameters: usize) -> Adam {
        Adam {
            means: vec![0.0; parameters],
            squares: vec![0.0; parameters],
        }
    }

    /// Changes the parameters by the sum of the gradients, which are added in their order.
    pub(super) fn step(
        &mut self,
        shape: &Shape,
        parameters: &mut [f32],
        gradients: &[&[f32]],
        stride: Stride,
    ) {
        for section in Section::ALL {
            let range = shape.section(section);
            let weights = matches!(section, Section::Hidden | Section::Output);
            let rule = Rule {
                rate: stride.rate,
                shrink: if weights {
                    1.0 - stride.rate * stride.decay
                } else {
                    1.0
                },
                limit: if section == Section::OutputBias {
                    f32::MAX
                } else {
                    LIMIT
                },
                unbias: KEEP.map(|keep| {
                    (1.0 / (1.0 - libm::pow(f64::from(keep), stride.number as f64))) as f32
                }),
            };
            let pieces = parameters[range.clone()]
                .par_chunks_mut(PIECE)
                .zip(self.means[range.clone()].par_chunks_mut(PIECE))
                .zip(self.squares[range.clone()].par_chunks_mut(PIECE));
            pieces
                .enumerate()
                .for_each(|(number, ((parameters, means), squares))| {
                    let start = range.start + number * PIECE;
                    widest(Piece {
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
}

#[derive(Clone, Copy)]
struct Rule {
    rate: f32,
    shrink: f32,
    limit: f32,
    unbias: [f32; 2],
}

/// A stretch of parameters with their means.
struct Piece<'a> {
    rule: Rule,
    parameters: &'a mut [f32],
    means: &'a mut [f32],
    squares: &'a mut [f32],
    gradients: &'a [&'a [f32]],
    start: usize,
}

impl Work for Piece<'_> {
    #[inline(always)]
    fn run(self) {
        let Rule {
            rate,
            shrink,
            limit,
            unbias,
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
            *mean = KEEP[0] * *mean + (1.0 - KEEP[0]) * slope;
            *square = KEEP[1] * *square + (1.0 - KEEP[1]) * (slope * slope);
            let step = (*mean * unbias[0]) / ((*square * unbias[1]).sqrt() + SMALL);
            *parameter = (*parameter * shrink - rate * step).clamp(-limit, limit);
        }
    }
}
