//! AdamW: Adam with decoupled weight decay (Loshchilov & Hutter 2019).

use super::floats::TILE;
use super::shape::{Section, Shape};
use super::vector::{Register, Work, widest};
use crate::adam::{Adam, Stride};
use duchamp_eval::network::{FEATURES, MAX_UPPER, MAX_WEIGHT, QB_SECOND};
use rayon::prelude::*;

/// Adam's epsilon.
const SMALL: f32 = 1e-8;

/// Weights stay within this, as 127 quantised output weights do (127 / 64), so that a clamped unit times a weight fits
/// 16 bits. It keeps hidden sums small, too: 32 features and the bias are at most 33 * 1.98 * 255 = 16,662 < 32,767.
pub(super) const LIMIT: f32 = 1.98;
/// The same for weights of the second layer, 8 bits each.
const SECOND_LIMIT: f32 = MAX_WEIGHT as f32 / QB_SECOND as f32;

/// Parameters that are changed at a time.
const PIECE: usize = 1 << 10;
const _: () = assert!((FEATURES * TILE).is_multiple_of(PIECE));

/// The learning rate and weight decay of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepRate {
    /// The number of the step, from 1.
    pub(super) number: u64,
    pub(super) rate: f32,
    /// The fraction of a weight that decays at a rate of 1.
    pub(super) decay: f32,
    /// The same of what features of one piece on one square, or output buckets, have apart from their mean.
    pub(super) decay_apart: f32,
}

/// Changes the parameters by the sum of the gradients, which are added in their order.
///
/// What several features have in common, the same piece on the same square in whatever king bucket and however it stands,
/// is a parameter of its own, added to each of theirs (a factoriser): what is learnt of one goes for all. Such parameters
/// need not be kept, for their steps and their decay can be taken by the sums; `adam` holds their moments after all others.
/// What they have apart decays besides, towards their mean. The second layers of output buckets are alike in the same way.
pub(super) fn descend(
    adam: &mut Adam,
    shape: &Shape,
    parameters: &mut [f32],
    gradients: &[&[f32]],
    rate: StepRate,
) {
    let stride = Stride::new(rate.number, rate.rate, SMALL);
    let rule = |section: Section| Rule {
        stride,
        shrink: match section {
            Section::Hidden | Section::Output => 1.0 - rate.rate * rate.decay,
            Section::Bias | Section::OutputBias | Section::Upper => 1.0,
        },
        limit: match section {
            Section::Output if shape.head().is_layered() => SECOND_LIMIT,
            Section::Hidden | Section::Bias | Section::Output => LIMIT,
            Section::OutputBias => f32::MAX,
            Section::Upper => MAX_UPPER,
        },
    };
    let hidden = shape.section(Section::Hidden).len();
    let (means, common_means) = adam.means.split_at_mut(parameters.len());
    let (squares, common_squares) = adam.squares.split_at_mut(parameters.len());
    let of_features = FEATURES * shape.hidden();
    let (common_means, output_means) = common_means.split_at_mut(of_features);
    let (common_squares, output_squares) = common_squares.split_at_mut(of_features);
    let keep_apart = (1.0 - rate.rate * rate.decay_apart).max(0.0);
    let tile = shape.features() * TILE;
    let tiles = parameters[..hidden]
        .par_chunks_mut(tile)
        .zip(means[..hidden].par_chunks_mut(tile))
        .zip(squares[..hidden].par_chunks_mut(tile));
    let common = common_means
        .par_chunks_mut(FEATURES * TILE)
        .zip(common_squares.par_chunks_mut(FEATURES * TILE));
    tiles.zip(common).enumerate().for_each(
        |(number, (((parameters, means), squares), (common_means, common_squares)))| {
            widest(Sets {
                rule: rule(Section::Hidden),
                parameters,
                means,
                squares,
                common_means,
                common_squares,
                keep_apart,
                gradients,
                start: number * tile,
            });
        },
    );
    for section in [
        Section::Bias,
        Section::Output,
        Section::OutputBias,
        Section::Upper,
    ] {
        let range = shape.section(section);
        let (rule, start) = (rule(section), range.start);
        let parameters = &mut parameters[range.clone()];
        let (means, squares) = (&mut means[range.clone()], &mut squares[range]);
        if section == Section::Output && shape.head().is_layered() {
            widest(Sets {
                rule,
                parameters,
                means,
                squares,
                common_means: &mut *output_means,
                common_squares: &mut *output_squares,
                keep_apart,
                gradients,
                start,
            });
        } else {
            widest(Chunk {
                rule,
                parameters,
                means,
                squares,
                gradients,
                start,
            });
        }
    }
}

/// How many moments are kept for what features and second layers have in common.
pub(super) fn common_parameters(shape: &Shape) -> usize {
    let second = if shape.head().is_layered() {
        shape.section(Section::Output).len() / shape.outputs()
    } else {
        0
    };
    FEATURES * shape.hidden() + second
}

#[derive(Clone, Copy)]
struct Rule {
    stride: Stride,
    shrink: f32,
    limit: f32,
}

/// A stretch of parameters with their moments.
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
    fn run<R: Register>(self) {
        let pieces = self
            .parameters
            .chunks_mut(PIECE)
            .zip(self.means.chunks_mut(PIECE))
            .zip(self.squares.chunks_mut(PIECE));
        for (number, ((parameters, means), squares)) in pieces.enumerate() {
            let slopes = added(
                self.gradients,
                self.start + number * PIECE,
                parameters.len(),
            );
            step(self.rule, parameters, means, squares, &slopes);
        }
    }
}

/// Sets of parameters of which each has its like in all of them, with their moments and those of what they have in common: the
/// weights to a tile of all features, or the second layers of all output buckets. A set has whole pieces.
struct Sets<'a> {
    rule: Rule,
    parameters: &'a mut [f32],
    means: &'a mut [f32],
    squares: &'a mut [f32],
    common_means: &'a mut [f32],
    common_squares: &'a mut [f32],
    /// What is left of what the sets have apart from their mean.
    keep_apart: f32,
    gradients: &'a [&'a [f32]],
    start: usize,
}

impl Work for Sets<'_> {
    #[inline(always)]
    fn run<R: Register>(self) {
        let Rule { stride, limit, .. } = self.rule;
        let set = self.common_means.len();
        let common = self
            .common_means
            .chunks_mut(PIECE)
            .zip(self.common_squares.chunks_mut(PIECE));
        for (number, (common_means, common_squares)) in common.enumerate() {
            let mut sums = [0.0f32; PIECE];
            let places = (number * PIECE..self.parameters.len()).step_by(set);
            for place in places.clone() {
                let slopes = added(self.gradients, self.start + place, PIECE);
                for (sum, slope) in sums.iter_mut().zip(slopes) {
                    *sum += slope;
                }
                let range = place..place + PIECE;
                step(
                    self.rule,
                    &mut self.parameters[range.clone()],
                    &mut self.means[range.clone()],
                    &mut self.squares[range],
                    &slopes,
                );
            }
            if places.len() == 1 {
                continue;
            }
            for ((sum, mean), square) in sums.iter_mut().zip(common_means).zip(common_squares) {
                *sum = stride.change(mean, square, *sum);
            }
            let middle = mean(self.parameters, places.clone());
            for place in places {
                let parameters = &mut self.parameters[place..][..PIECE];
                for ((parameter, step), middle) in parameters.iter_mut().zip(&sums).zip(&middle) {
                    let apart = (*parameter - middle) * self.keep_apart;
                    *parameter = (middle + apart - step).clamp(-limit, limit);
                }
            }
        }
    }
}

/// The mean of the stretches of parameters that begin at these places.
#[inline(always)]
fn mean(parameters: &[f32], places: impl ExactSizeIterator<Item = usize>) -> [f32; PIECE] {
    let share = 1.0 / places.len() as f32;
    let mut means = [0.0f32; PIECE];
    for place in places {
        for (mean, parameter) in means.iter_mut().zip(&parameters[place..][..PIECE]) {
            *mean += parameter * share;
        }
    }
    means
}

/// The sum of all gradients of a stretch of `length` parameters, at most [`PIECE`].
#[inline(always)]
fn added(gradients: &[&[f32]], start: usize, length: usize) -> [f32; PIECE] {
    let mut slopes = [0.0f32; PIECE];
    for gradient in gradients {
        for (slope, part) in slopes.iter_mut().zip(&gradient[start..][..length]) {
            *slope += part;
        }
    }
    slopes
}

#[inline(always)]
fn step(
    rule: Rule,
    parameters: &mut [f32],
    means: &mut [f32],
    squares: &mut [f32],
    slopes: &[f32; PIECE],
) {
    let states = means.iter_mut().zip(squares);
    for ((parameter, slope), (mean, square)) in parameters.iter_mut().zip(slopes).zip(states) {
        let step = rule.stride.change(mean, square, *slope);
        *parameter = (*parameter * rule.shrink - step).clamp(-rule.limit, rule.limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_eval::network::Head;

    /// Parameters of two king buckets after a step that only one feature of the first asks for.
    fn stepped(decay_apart: f32) -> (Shape, Vec<f32>) {
        let shape = Shape::new(32, 1, 2, false).expect("a possible shape");
        stepped_at(shape, 5 * TILE, decay_apart)
    }

    /// Parameters after a step that only one of them asks for.
    fn stepped_at(shape: Shape, at: usize, decay_apart: f32) -> (Shape, Vec<f32>) {
        let mut parameters = vec![0.0; shape.parameters()];
        let mut adam = Adam::new(parameters.len() + common_parameters(&shape));
        let mut gradient = parameters.clone();
        gradient[at] = 0.3;
        let rate = StepRate {
            number: 1,
            rate: 0.01,
            decay: 0.0,
            decay_apart,
        };
        descend(&mut adam, &shape, &mut parameters, &[&gradient], rate);
        (shape, parameters)
    }

    #[test]
    fn what_is_learnt_of_a_feature_goes_for_those_like_it() {
        let (shape, parameters) = stepped(0.0);
        let changed = |at: usize| (parameters[at] * 1e4).round() as i32;
        // A step of its own and one in common; the other king bucket has the one in common.
        assert_eq!(changed(5 * TILE), -200);
        assert_eq!(changed((FEATURES + 5) * TILE), -100);
        let moved = parameters.iter().filter(|&&p| p != 0.0).count();
        assert_eq!((moved, shape.features()), (2, 2 * FEATURES));
    }

    /// Weights of the second layers of two output buckets after a step that only one weight of the first asks for.
    fn second_layers(head: Head, decay_apart: f32) -> [f32; 2] {
        let shape = Shape::new(128, 2, 1, false).expect("a possible shape");
        let shape = shape.with_head(head).expect("enough units");
        let output = shape.section(Section::Output);
        let at = [output.start + 7, output.start + output.len() / 2 + 7];
        let (_, parameters) = stepped_at(shape, at[0], decay_apart);
        let moved = parameters.iter().filter(|&&p| p != 0.0).count();
        assert_eq!(moved, if head.is_layered() { 2 } else { 1 });
        at.map(|at| (parameters[at] * 1e4).round())
    }

    #[test]
    fn what_one_second_layer_learns_goes_for_all() {
        for head in [Head::Layers, Head::PairedLayers] {
            assert_eq!(second_layers(head, 0.0), [-200.0, -100.0]);
            let [own, other] = second_layers(head, 100.0);
            assert_eq!(own, other);
        }
        assert_eq!(second_layers(Head::Output, 100.0), [-100.0, 0.0]);
    }

    #[test]
    fn what_features_have_apart_decays() {
        let (_, parameters) = stepped(100.0);
        assert_eq!(parameters[5 * TILE], parameters[(FEATURES + 5) * TILE]);
        assert!(parameters[5 * TILE] < -0.0149, "{}", parameters[5 * TILE]);
    }
}
