//! The sizes of a network, and where its parameters lie in one flat list of floats.
//!
//! Hidden units come in tiles of [`TILE`]: all features' weights to one tile lie together, so that a pass over many
//! positions works on one tile at a time, which stays in the processor's second cache.

use super::floats::{Floats, Row, TILE};
use duchamp_eval::network::{self, Head, Inputs, NetworkError, UPPER};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Half of a tile: in pairs, each of the first half is multiplied with one of the second.
pub(super) const HALF: usize = TILE / 2;

/// What makes a network's shape impossible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ShapeError {
    /// The engine has no such networks.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// There is no map for so many.
    #[error("there is a map for 1, 2, 4 or 8 king buckets, not for {0}")]
    Kings(usize),
}

/// The sizes of a network.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Sizes", into = "Sizes")]
pub struct Shape {
    hidden: usize,
    outputs: usize,
    inputs: Inputs,
    head: Head,
}

/// A shape as it is written down.
#[derive(Serialize, Deserialize)]
struct Sizes {
    hidden: usize,
    outputs: usize,
    kings: usize,
    mirrored: bool,
    threats: bool,
    layered: bool,
    #[serde(default)]
    paired: bool,
}

impl TryFrom<Sizes> for Shape {
    type Error = ShapeError;
    fn try_from(sizes: Sizes) -> Result<Shape, ShapeError> {
        let shape = Shape::new(sizes.hidden, sizes.outputs, sizes.kings, sizes.mirrored)?;
        shape
            .threats(sizes.threats)
            .with_head(match (sizes.layered, sizes.paired) {
                (false, _) => Head::Output,
                (true, false) => Head::Layers,
                (true, true) => Head::PairedLayers,
            })
    }
}

impl From<Shape> for Sizes {
    fn from(shape: Shape) -> Sizes {
        Sizes {
            hidden: shape.hidden,
            outputs: shape.outputs,
            kings: shape.inputs.king_buckets(),
            mirrored: shape.inputs.is_mirrored(),
            threats: shape.inputs.has_threats(),
            layered: shape.head.is_layered(),
            paired: shape.head.is_paired(),
        }
    }
}

/// Maps of king buckets, for files a to d; e to h are like them. The own back rank comes first.
const MAPS: [(usize, [&[u8; 4]; 8]); 4] = [
    (1, [b"0000"; 8]),
    (
        2,
        [
            b"0000", b"0000", b"1111", b"1111", b"1111", b"1111", b"1111", b"1111",
        ],
    ),
    (
        4,
        [
            b"0011", b"2222", b"3333", b"3333", b"3333", b"3333", b"3333", b"3333",
        ],
    ),
    (
        8,
        [
            b"0123", b"4455", b"6666", b"6666", b"7777", b"7777", b"7777", b"7777",
        ],
    ),
];

impl Shape {
    /// A shape, if it is possible.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn new(
        hidden: usize,
        outputs: usize,
        kings: usize,
        mirrored: bool,
    ) -> Result<Shape, ShapeError> {
        let (_, rows) = MAPS
            .iter()
            .find(|(number, _)| *number == kings)
            .ok_or(ShapeError::Kings(kings))?;
        let bucket_of = std::array::from_fn(|square| {
            let file = (square % 8).min(7 - square % 8);
            rows[square / 8][file] - b'0'
        });
        let shape = Shape {
            hidden,
            outputs,
            inputs: Inputs::with_king_buckets(mirrored, kings, bucket_of)?,
            head: Head::Output,
        };
        shape.of_network(1).check()?;
        Ok(shape)
    }

    /// The same shape, with pieces that are attacked or defended as other features, or not.
    #[must_use]
    pub fn threats(self, threats: bool) -> Shape {
        Shape {
            inputs: self.inputs.with_threats(threats),
            ..self
        }
    }

    /// The same shape with another head.
    ///
    /// # Errors
    /// If there are too few hidden units for pairs.
    pub fn with_head(self, head: Head) -> Result<Shape, ShapeError> {
        let shape = Shape { head, ..self };
        shape.of_network(1).check()?;
        Ok(shape)
    }

    /// What is above the hidden layer.
    #[must_use]
    pub fn head(&self) -> Head {
        self.head
    }

    /// Hidden units of each side.
    #[must_use]
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Output buckets.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The features.
    #[must_use]
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The shape of the engine's network whose output of 1 is worth `scale` hundredths of a pawn.
    pub(super) fn of_network(&self, scale: i32) -> network::Architecture {
        network::Architecture {
            inputs: self.inputs.clone(),
            hidden: self.hidden,
            outputs: self.outputs,
            scale,
            head: self.head,
        }
    }

    /// Sums that the hidden units go into, for each output bucket: units of the second layer, or the output.
    pub(super) fn units(&self) -> usize {
        self.of_network(1).units()
    }

    /// Rows of output weights of a tile, for each output bucket.
    pub(super) fn output_rows(&self) -> usize {
        if self.head.is_paired() {
            self.units()
        } else {
            2 * self.units()
        }
    }

    /// The output bucket of a number of pieces.
    #[inline]
    pub(super) fn output_bucket(&self, pieces: usize) -> usize {
        network::output_bucket(pieces as u32, self.outputs)
    }

    /// Features of one side.
    pub(super) fn features(&self) -> usize {
        self.inputs.count()
    }

    pub(super) fn tiles(&self) -> usize {
        self.hidden / TILE
    }

    /// All parameters.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.section(Section::Upper).end
    }

    /// Where a kind of parameters lies.
    pub(super) fn section(&self, section: Section) -> Range<usize> {
        let sizes = self.of_network(1).lengths();
        let index = section as usize;
        let start = sizes[..index].iter().sum();
        start..start + sizes[index]
    }

    /// The parameters by kind.
    pub(super) fn parts<'a>(&self, flat: &'a Floats) -> Parts<'a> {
        Parts {
            hidden: bytemuck::cast_slice(&flat[self.section(Section::Hidden)]),
            bias: bytemuck::cast_slice(&flat[self.section(Section::Bias)]),
            output: bytemuck::cast_slice(&flat[self.section(Section::Output)]),
            output_bias: &flat[self.section(Section::OutputBias)],
            upper: flat[self.section(Section::Upper)].as_chunks().0,
        }
    }

    /// As [`Shape::parts`], to be changed.
    pub(super) fn parts_mut<'a>(&self, flat: &'a mut Floats) -> PartsMut<'a> {
        let (hidden, rest) = flat.split_at_mut(self.section(Section::Hidden).len());
        let (bias, rest) = rest.split_at_mut(self.section(Section::Bias).len());
        let (output, rest) = rest.split_at_mut(self.section(Section::Output).len());
        let (output_bias, upper) = rest.split_at_mut(self.section(Section::OutputBias).len());
        PartsMut {
            hidden: bytemuck::cast_slice_mut(hidden),
            bias: bytemuck::cast_slice_mut(bias),
            output: bytemuck::cast_slice_mut(output),
            output_bias,
            upper: upper.as_chunks_mut().0,
        }
    }
}

/// The kinds of parameters, in the order of the flat list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Section {
    /// Features to hidden units: by tile, then by feature.
    Hidden,
    /// Of hidden units.
    Bias,
    /// Hidden units to outputs: by output bucket, then by tile, then the mover's half and the opponent's. Of a layered
    /// network to the units of the second layer, a row for each within a half; in pairs a row for each has 16 weights to the mover's
    /// products and as many to the opponent's.
    Output,
    /// Of outputs, or of the units of the second layer.
    OutputBias,
    /// What is above the second layer: by output bucket.
    Upper,
}

#[cfg(test)]
impl Section {
    pub(super) const ALL: [Section; 5] = [
        Section::Hidden,
        Section::Bias,
        Section::Output,
        Section::OutputBias,
        Section::Upper,
    ];
}

/// Parameters by kind; see [`Section`].
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) hidden: &'a [Row],
    pub(super) bias: &'a [Row],
    pub(super) output: &'a [Row],
    pub(super) output_bias: &'a [f32],
    pub(super) upper: &'a [[f32; UPPER]],
}

/// Gradients by kind; see [`Section`].
pub(super) struct PartsMut<'a> {
    pub(super) hidden: &'a mut [Row],
    pub(super) bias: &'a mut [Row],
    pub(super) output: &'a mut [Row],
    pub(super) output_bias: &'a mut [f32],
    pub(super) upper: &'a mut [[f32; UPPER]],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_shapes_are_refused() {
        let told = |hidden, outputs, kings| {
            let shape = Shape::new(hidden, outputs, kings, true);
            shape.err().map_or(String::new(), |error| error.to_string())
        };
        for hidden in [0, 48, 4096] {
            assert!(told(hidden, 1, 1).starts_with(&format!("{hidden} hidden units")));
        }
        assert!(told(64, 0, 1).starts_with("0 output buckets"));
        assert!(told(64, 9, 1).starts_with("9 output buckets"));
        assert!(told(64, 1, 3).ends_with("not for 3"));
        assert_eq!(told(64, 8, 8), "");
    }

    #[test]
    fn king_buckets_are_all_used() {
        for (number, _) in MAPS {
            let shape = Shape::new(32, 1, number, true).expect("possible");
            let used = shape.inputs().bucket_of();
            assert!((0..number).all(|bucket| used.contains(&(bucket as u8))));
            assert!(used.iter().all(|&bucket| usize::from(bucket) < number));
        }
    }
}
