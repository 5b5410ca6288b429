//! Rows of floats, and flat lists of them that begin whole cache lines.

use super::vector::{LANES, Lanes};
use bytemuck::{Pod, Zeroable};
use duchamp_base::Buffer;
use std::ops::{Deref, DerefMut};

/// Hidden units that are worked on together.
pub(super) const TILE: usize = 32;

/// The weights of a feature, or of an output, to the hidden units of a tile.
///
/// Whole cache lines, which compilers know: otherwise they load and store each register in two halves.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [f32; TILE]);

impl Row {
    pub(super) const ZERO: Row = Row([0.0; TILE]);

    /// The same as registers.
    #[inline(always)]
    pub(super) fn lanes(&self) -> &[Lanes; TILE / LANES] {
        bytemuck::cast_ref(self)
    }

    /// The same as registers, to be changed.
    #[inline(always)]
    pub(super) fn lanes_mut(&mut self) -> &mut [Lanes; TILE / LANES] {
        bytemuck::cast_mut(self)
    }
}

/// A flat list of floats that can be seen as rows from any multiple of [`TILE`] on.
#[derive(Debug)]
pub(super) struct Floats {
    /// The last row is filled up with zeros. In large pages, as the rows that a position needs are far apart.
    rows: Buffer<Row>,
    len: usize,
}

impl Floats {
    /// Zeros, `len` of them.
    pub(super) fn zeros(len: usize) -> Floats {
        Floats {
            rows: Buffer::in_huge_pages(len.div_ceil(TILE)),
            len,
        }
    }
}

impl Deref for Floats {
    type Target = [f32];
    #[inline]
    fn deref(&self) -> &[f32] {
        &bytemuck::cast_slice(&self.rows)[..self.len]
    }
}

impl DerefMut for Floats {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut bytemuck::cast_slice_mut(&mut self.rows)[..self.len]
    }
}
