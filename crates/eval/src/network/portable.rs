//! The inner loops in plain Rust, for any processor.

use super::block::{BYTES, Block, Bytes, LANES};
use super::features::{Perspective, PieceFeature};
use super::layers::{Layers, SECOND, products, squares};
use super::limits::MAX_HIDDEN;
use arrayvec::ArrayVec;

/// Blocks that the AVX2 registers hold while many rows are added.
const TILE: usize = 4;

/// The largest square of an activation times the largest output weight.
const LARGEST_TERM: i64 = 255 * 255 * 127;
/// Lanes of 32 bits in which the output is summed, by the path that has fewer.
pub(super) const SUM_LANES: usize = 16;
const _: () = assert!((2 * MAX_HIDDEN / SUM_LANES) as i64 * LARGEST_TERM <= i32::MAX as i64);

/// Features of a board, at most one for each square.
pub(super) type Features = ArrayVec<PieceFeature, 64>;

/// The features by which two boards differ.
#[derive(Clone, Default, Debug)]
pub(super) struct Difference {
    pub(super) added: Features,
    pub(super) removed: Features,
}

/// `to = from` and the rows of the added features less those of the removed ones in a perspective.
#[inline(always)]
pub(super) fn change(
    from: &[Block],
    to: &mut [Block],
    weights: &[Block],
    difference: &Difference,
    view: Perspective,
) {
    let length = from.len();
    // Where their rows begin: worked out once, not again for each tile.
    let mut added = ArrayVec::<usize, 64>::new();
    let mut removed = ArrayVec::<usize, 64>::new();
    for &feature in &difference.added {
        added.push(view.index(feature) * length);
    }
    for &feature in &difference.removed {
        removed.push(view.index(feature) * length);
    }
    let mut start = 0;
    let (tiles, rest) = from.as_chunks::<TILE>();
    let (to_tiles, to_rest) = to.as_chunks_mut::<TILE>();
    for (from, to) in tiles.iter().zip(to_tiles) {
        *to = changed(*from, &weights[start..], &added, &removed);
        start += TILE;
    }
    for (from, to) in rest.iter().zip(to_rest) {
        [*to] = changed([*from], &weights[start..], &added, &removed);
        start += 1;
    }
}

/// Some blocks of a row after the changes; they stay in registers meanwhile.
#[inline(always)]
fn changed<const T: usize>(
    mut blocks: [Block; T],
    weights: &[Block],
    added: &[usize],
    removed: &[usize],
) -> [Block; T] {
    for &row in added {
        for (block, weight) in blocks.iter_mut().zip(&weights[row..][..T]) {
            add(block, weight);
        }
    }
    for &row in removed {
        for (block, weight) in blocks.iter_mut().zip(&weights[row..][..T]) {
            subtract(block, weight);
        }
    }
    blocks
}

#[inline(always)]
fn add(block: &mut Block, weights: &Block) {
    for (x, weight) in block.0.iter_mut().zip(&weights.0) {
        *x = x.wrapping_add(*weight);
    }
}

#[inline(always)]
fn subtract(block: &mut Block, weights: &Block) {
    for (x, weight) in block.0.iter_mut().zip(&weights.0) {
        *x = x.wrapping_sub(*weight);
    }
}

/// The sum of `weight * clamp(x, 0, 255)²` over both rows.
#[inline(always)]
pub(super) fn output(ours: &[Block], theirs: &[Block], weights: &[Block]) -> i64 {
    let mut sums = [0i32; LANES];
    for (block, weight) in ours.iter().chain(theirs).zip(weights) {
        for ((sum, &x), &weight) in sums.iter_mut().zip(&block.0).zip(&weight.0) {
            let x = x.clamp(0, 255);
            // Fits 16 bits: 255 * 127 at most.
            *sum += i32::from(x.wrapping_mul(weight)) * i32::from(x);
        }
    }
    sums.into_iter().map(i64::from).sum()
}

/// The sums of the second layer, without its biases.
#[inline(always)]
pub(super) fn second(ours: &[Block], theirs: &[Block], layers: &Layers<'_>) -> [i32; SECOND] {
    let mut sums = [0; SECOND];
    let (mine, other) = layers.sides();
    for (row, weights) in [(ours, mine), (theirs, other)] {
        if layers.paired {
            for (blocks, weights) in row.as_chunks().0.iter().zip(weights) {
                weigh(&mut sums, &products(blocks), weights);
            }
        } else {
            for (blocks, weights) in row.as_chunks().0.iter().zip(weights) {
                weigh(&mut sums, &squares(blocks), weights);
            }
        }
    }
    sums
}

/// Adds weighted inputs to the sums of the second layer.
#[inline(always)]
fn weigh(sums: &mut [i32; SECOND], inputs: &[u8; BYTES], weights: &[Bytes; SECOND]) {
    for (sum, weights) in sums.iter_mut().zip(weights) {
        let products = inputs.iter().zip(&weights.0);
        // Fits 16 bits: 127 * 127 at most.
        *sum += products
            .map(|(&x, &weight)| i32::from(i16::from(x) * i16::from(weight)))
            .sum::<i32>();
    }
}
