//! Cache lines of weights and sums.

/// Numbers that fill one cache line.
pub(super) const LANES: usize = 32;

/// A cache line of 16-bit numbers; rows of the hidden layer are made of whole ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(super) struct Block(pub(super) [i16; LANES]);

/// Numbers of 8 bits that fill one cache line.
pub(super) const BYTES: usize = 64;

/// A cache line of weights of the second layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(super) struct Bytes(pub(super) [i8; BYTES]);
