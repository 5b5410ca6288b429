//! The network itself: its architecture, its parameters, and the reference forward pass.

use super::block::{BYTES, Block, Bytes, LANES};
use super::features::{Inputs, output_bucket};
use super::layers::{Layers, SECOND, UPPER, Upper, activation};
use super::limits::{
    MAX_HIDDEN, MAX_LABEL, MAX_OUTPUTS, MAX_SCALE, MAX_UPPER, MAX_WEIGHT, NetworkError,
};
use crate::Score;
use duchamp_base::Buffer;
use duchamp_chess::{Board, Color, Position, Role, Square};

/// Quantisation of activations: 1 of the float model.
pub const QA: i64 = 255;
/// Quantisation of output weights: they are in units of one over this.
pub const QB: i64 = 64;
/// Quantisation of the weights of the second layer.
pub const QB_SECOND: i64 = 256;

/// The architecture of a network: its sizes, without parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Architecture {
    /// The features.
    pub inputs: Inputs,
    /// Hidden units of each side: a multiple of 32.
    pub hidden: usize,
    /// Output buckets, by the number of pieces: 1 to 8.
    pub outputs: usize,
    /// Hundredths of a pawn for an output of 1.
    pub scale: i32,
    /// What is above the hidden layer.
    pub head: Head,
}

/// What is above the hidden layer of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Head {
    /// The output, of the squares of the hidden units of both sides.
    #[default]
    Output,
    /// Two more layers, of these squares.
    Layers,
    /// Two more layers, of products of two hidden units each: half as many inputs, at half the price. Of every 32 units
    /// each of the first 16 is multiplied with the one 16 places later.
    PairedLayers,
}

impl Head {
    /// Whether there are more layers between the hidden layer and the output.
    #[must_use]
    pub const fn is_layered(self) -> bool {
        !matches!(self, Head::Output)
    }

    /// Whether hidden units are multiplied in pairs.
    #[must_use]
    pub const fn is_paired(self) -> bool {
        matches!(self, Head::PairedLayers)
    }
}

/// The numbers of a network, quantised, in the order of the file.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Parameters {
    /// For each feature the weights to all hidden units, in units of 1/255.
    pub hidden_weights: Vec<i16>,
    /// For each hidden unit, in units of 1/255.
    pub hidden_bias: Vec<i16>,
    /// For each output bucket the weights from the mover's hidden units, then from the other side's, in
    /// units of 1/64; of a layered network for each unit of the second layer, in units of 1/256. All within ± 127.
    pub output_weights: Vec<i16>,
    /// For each output bucket, in units of 1/(255 * 64); of a layered network for each unit of the second layer, in units of
    /// 1/(127 * 256).
    pub output_bias: Vec<i32>,
    /// Of a layered network, for each output bucket what is above the second layer ([`UPPER`]).
    pub upper: Vec<f32>,
}

/// A network ready for use.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    shape: Architecture,
    label: String,
    /// In pages that are looked up fast, as each move needs other rows.
    hidden_weights: Buffer<Block>,
    hidden_bias: Vec<Block>,
    /// Of a network without layers.
    output_weights: Vec<Block>,
    /// Of a layered one: for every [`BYTES`] inputs their weights to all units of the second layer together.
    second_weights: Vec<Bytes>,
    output_bias: Vec<i32>,
    upper: Vec<f32>,
}

impl Network {
    /// A network of these parameters; `label` describes its training.
    ///
    /// # Errors
    /// If anything is beyond the limits of the format, or the numbers are too few or too many.
    pub fn new(
        shape: Architecture,
        label: &str,
        parameters: &Parameters,
    ) -> Result<Network, NetworkError> {
        shape.check()?;
        if label.len() > MAX_LABEL {
            return Err(NetworkError::Label);
        }
        let Parameters {
            hidden_weights,
            hidden_bias,
            output_weights,
            output_bias,
            upper,
        } = parameters;
        let lengths = [
            hidden_weights.len(),
            hidden_bias.len(),
            output_weights.len(),
            output_bias.len(),
            upper.len(),
        ];
        if lengths != shape.lengths() {
            return Err(NetworkError::Numbers);
        }
        let too_large = |weight: &&i16| weight.unsigned_abs() > MAX_WEIGHT;
        if let Some(&weight) = output_weights.iter().find(too_large) {
            return Err(NetworkError::Weight(weight));
        }
        if !upper.iter().all(|number| number.abs() <= MAX_UPPER) {
            return Err(NetworkError::Upper);
        }
        let layered = shape.head.is_layered();
        let lines = shape.inputs_of_sums() / BYTES;
        Ok(Network {
            label: label.to_owned(),
            hidden_weights: {
                let mut rows = Buffer::in_huge_pages(hidden_weights.len().div_ceil(LANES));
                rows.copy_from_slice(&blocks(hidden_weights));
                rows
            },
            hidden_bias: blocks(hidden_bias),
            output_weights: if layered {
                Vec::new()
            } else {
                blocks(output_weights)
            },
            second_weights: if layered {
                transposed(&bytes(output_weights), shape.units(), lines)
            } else {
                Vec::new()
            },
            output_bias: output_bias.clone(),
            upper: upper.clone(),
            shape,
        })
    }

    /// Its architecture.
    #[must_use]
    pub fn shape(&self) -> &Architecture {
        &self.shape
    }

    /// The description of its training.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Its parameters.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        let flat = |blocks: &[Block]| blocks.iter().flat_map(|block| block.0).collect();
        let output_weights = if self.shape.head.is_layered() {
            let lines = self.shape.inputs_of_sums() / BYTES;
            let lines = transposed(&self.second_weights, lines, self.shape.units());
            let wide = |line: Bytes| line.0.map(i16::from);
            lines.into_iter().flat_map(wide).collect()
        } else {
            flat(&self.output_weights)
        };
        Parameters {
            hidden_weights: flat(&self.hidden_weights),
            hidden_bias: flat(&self.hidden_bias),
            output_weights,
            output_bias: self.output_bias.clone(),
            upper: self.upper.clone(),
        }
    }

    /// Blocks in a row of hidden units.
    #[inline]
    pub(super) fn width(&self) -> usize {
        self.hidden_bias.len()
    }

    /// The weights of all features, row after row.
    #[inline]
    pub(super) fn rows(&self) -> &[Block] {
        &self.hidden_weights
    }

    /// The weights of a feature.
    #[inline]
    pub(super) fn row(&self, feature: usize) -> &[Block] {
        &self.hidden_weights[feature * self.width()..][..self.width()]
    }

    #[inline]
    pub(super) fn bias(&self) -> &[Block] {
        &self.hidden_bias
    }

    /// The layers above the hidden layer of an output bucket, in a layered network.
    #[inline]
    pub(super) fn layers(&self, bucket: usize) -> Option<Layers<'_>> {
        let upper = self.upper.as_chunks::<UPPER>().0.get(bucket)?;
        let (second, _) = self.second_weights.as_chunks::<SECOND>();
        let lines = self.shape.inputs_of_sums() / BYTES;
        Some(Layers {
            paired: self.shape.head.is_paired(),
            weights: &second[bucket * lines..][..lines],
            bias: &self.output_bias.as_chunks::<SECOND>().0[bucket],
            upper: Upper::of(upper),
        })
    }

    /// The weights of an output bucket: the mover's half and the other's.
    #[inline]
    pub(super) fn output_row(&self, bucket: usize) -> &[Block] {
        let width = 2 * self.width();
        &self.output_weights[bucket * width..][..width]
    }

    /// The value for the side to move, from the sum of weighted squares of the hidden units.
    #[inline]
    pub(super) fn finish(&self, sum: i64, bucket: usize) -> Score {
        let output = sum / QA + i64::from(self.output_bias[bucket]);
        let value = output * i64::from(self.shape.scale) / (QA * QB);
        let limit = i64::from(Score::MAX_EVAL.0);
        Score::eval(value.clamp(-limit, limit) as i32)
    }

    /// The value for the side to move, from the output of a layered network.
    #[inline]
    pub(super) fn scaled(&self, output: f32) -> Score {
        let limit = Score::MAX_EVAL.0 as f32;
        let value = output * self.shape.scale as f32;
        Score::eval(value.clamp(-limit, limit) as i32)
    }

    /// The value for the side to move by the reference forward pass, slow and simple; [`super::NetworkEvaluator`] must
    /// agree with it.
    #[must_use]
    pub fn value(&self, position: &Position) -> Score {
        self.value_of(position.board(), position.turn())
    }

    /// The value of a board for the side to move, whether such a position can be or not.
    pub(super) fn value_of(&self, board: &Board, us: Color) -> Score {
        let bucket = output_bucket(board.men(), self.shape.outputs);
        let seen = [us, !us].map(|side| self.hidden(board, side)).concat();
        if let Some(layers) = self.layers(bucket) {
            let inputs: Vec<u8> = if layers.paired {
                let products = |units: &[i16; LANES]| -> [u8; LANES / 2] {
                    std::array::from_fn(|n| activation(units[n], units[n + LANES / 2]))
                };
                seen.as_chunks().0.iter().flat_map(products).collect()
            } else {
                seen.iter().map(|&x| activation(x, x)).collect()
            };
            let mut sums = [0i32; SECOND];
            for (number, &x) in inputs.iter().enumerate() {
                let weights = &layers.weights[number / BYTES];
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum += i32::from(x) * i32::from(weights.0[number % BYTES]);
                }
            }
            return self.scaled(layers.output(&sums));
        }
        let weights = self.output_row(bucket).iter().flat_map(|block| block.0);
        let sum = seen
            .into_iter()
            .zip(weights)
            .map(|(x, weight)| {
                let x = i64::from(x).clamp(0, QA);
                x * x * i64::from(weight)
            })
            .sum();
        self.finish(sum, bucket)
    }

    /// What each piece but the kings is worth to its side, in centipawns: how much less the evaluation is without it.
    pub(super) fn piece_values(&self, position: &Position) -> Vec<(Square, Score)> {
        let (board, us) = (position.board(), position.turn());
        let whole = self.value_of(board, us);
        let pieces = board.occupied() - board.role(Role::King);
        let value = |square: Square| {
            let mut rest = *board;
            let piece = rest.take(square)?;
            let lost = whole - self.value_of(&rest, us);
            Some((square, Score(if piece.color == us { lost } else { -lost })))
        };
        pieces.into_iter().filter_map(value).collect()
    }

    /// The hidden units of one side before activation. Sums that leave 16 bits wrap around, here as in
    /// any order of additions and subtractions.
    fn hidden(&self, board: &Board, side: Color) -> Vec<i16> {
        let mut units: Vec<i16> = self.hidden_bias.iter().flat_map(|block| block.0).collect();
        for feature in self.shape.inputs.active(board, side) {
            let row = self.row(feature).iter().flat_map(|block| block.0);
            for (unit, weight) in units.iter_mut().zip(row) {
                *unit = unit.wrapping_add(weight);
            }
        }
        units
    }
}

impl Architecture {
    /// How many numbers there are of each kind, in the order of [`Parameters`].
    #[must_use]
    pub fn lengths(&self) -> [usize; 5] {
        [
            self.inputs.count() * self.hidden,
            self.hidden,
            self.inputs_of_sums() * self.outputs * self.units(),
            self.outputs * self.units(),
            if self.head.is_layered() {
                UPPER * self.outputs
            } else {
                0
            },
        ]
    }

    /// How many sums the hidden units go into, for each output bucket: the units of the second layer, or the output.
    #[must_use]
    pub const fn units(&self) -> usize {
        if self.head.is_layered() { SECOND } else { 1 }
    }

    /// How many numbers these sums are of: the hidden units of both sides, or half as many in pairs.
    #[must_use]
    pub const fn inputs_of_sums(&self) -> usize {
        if self.head.is_paired() {
            self.hidden
        } else {
            2 * self.hidden
        }
    }

    /// Whether it is within the limits of the format.
    ///
    /// # Errors
    /// What is not.
    pub fn check(&self) -> Result<(), NetworkError> {
        if self.hidden == 0 || self.hidden > MAX_HIDDEN || !self.hidden.is_multiple_of(LANES) {
            return Err(NetworkError::Hidden(self.hidden));
        }
        let multiple = match self.head {
            Head::Output => LANES,
            Head::Layers => BYTES,
            Head::PairedLayers => 2 * BYTES,
        };
        if !self.hidden.is_multiple_of(multiple) {
            return Err(NetworkError::Layered(self.hidden, multiple));
        }
        if !(1..=MAX_OUTPUTS).contains(&self.outputs) {
            return Err(NetworkError::Outputs(self.outputs));
        }
        if !(1..=MAX_SCALE).contains(&self.scale) {
            return Err(NetworkError::Scale(self.scale));
        }
        Ok(())
    }
}

fn blocks(numbers: &[i16]) -> Vec<Block> {
    let (blocks, _) = numbers.as_chunks::<LANES>();
    blocks.iter().map(|&block| Block(block)).collect()
}

/// Weights of at most 127.
fn bytes(weights: &[i16]) -> Vec<Bytes> {
    let (lines, _) = weights.as_chunks::<BYTES>();
    let line = |line: &[i16; BYTES]| Bytes(line.map(|weight| weight as i8));
    lines.iter().map(line).collect()
}

/// In every stretch of `rows * columns` lines, rows of columns become columns of rows.
fn transposed(lines: &[Bytes], rows: usize, columns: usize) -> Vec<Bytes> {
    let stretches = lines.chunks_exact(rows * columns);
    let of = |stretch: &[Bytes]| -> Vec<Bytes> {
        let column = |column: usize| stretch[column..].iter().step_by(columns);
        (0..columns).flat_map(column).copied().collect()
    };
    stretches.flat_map(of).collect()
}
