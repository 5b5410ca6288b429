//! The inner loops: rows of the hidden layer added and subtracted, and the output's weighted squares.
//!
//! Written once for any processor, and compiled a second time for AVX2, which is chosen at run time.
//! Additions wrap around, and no sum of the output can leave its 32-bit lane, so both give the same
//! result for any numbers. Compiled for 512-bit vectors, rows were no faster on Zen 4.
#![allow(unsafe_code)]

use super::features::{Perspective, PieceFeature};
use super::limits::MAX_HIDDEN;
use super::weights::{Block, LANES};
use arrayvec::ArrayVec;

/// Blocks that the AVX2 registers hold while many rows are added.
const TILE: usize = 4;

/// The largest square of an activation times the largest output weight.
const LARGEST_TERM: i64 = 255 * 255 * 127;
/// Lanes of 32 bits in which the output is summed, by the path that has fewer.
const SUM_LANES: usize = 16;
const _: () = assert!((2 * MAX_HIDDEN / SUM_LANES) as i64 * LARGEST_TERM <= i32::MAX as i64);

/// The features by which two boards differ.
#[derive(Clone, Default, Debug)]
pub(super) struct Difference {
    pub(super) added: ArrayVec<PieceFeature, 64>,
    pub(super) removed: ArrayVec<PieceFeature, 64>,
}

/// Which compiled version of the loops is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kernels(Path);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Path {
    Portable,
    /// Used only where AVX2 is detected.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

/// Whether networks are evaluated with AVX2 on this processor.
#[must_use]
pub fn uses_avx2() -> bool {
    !matches!(Kernels::detect(), Kernels(Path::Portable))
}

impl Kernels {
    /// For any processor.
    pub(super) const PORTABLE: Kernels = Kernels(Path::Portable);

    /// The fastest that this processor can do.
    pub(super) fn detect() -> Kernels {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Kernels(Path::Avx2);
        }
        Kernels::PORTABLE
    }

    /// `to = from` and the rows of the added features in a perspective less those of the removed ones; rows of `weights` are
    /// as long as `from` and `to`.
    #[inline]
    pub(super) fn change(
        self,
        from: &[Block],
        to: &mut [Block],
        weights: &[Block],
        difference: &Difference,
        view: Perspective,
    ) {
        match self.0 {
            Path::Portable => change(from, to, weights, difference, view),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where AVX2 was detected.
            Path::Avx2 => unsafe { avx2::change(from, to, weights, difference, view) },
        }
    }

    /// The sum of `weight * clamp(x, 0, 255)²` over both rows, `weights` being as long as both.
    #[inline]
    pub(super) fn output(self, ours: &[Block], theirs: &[Block], weights: &[Block]) -> i64 {
        match self.0 {
            Path::Portable => output(ours, theirs, weights),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where AVX2 was detected.
            Path::Avx2 => unsafe { avx2::output(ours, theirs, weights) },
        }
    }
}

#[inline(always)]
fn change(
    from: &[Block],
    to: &mut [Block],
    weights: &[Block],
    difference: &Difference,
    view: Perspective,
) {
    let length = from.len();
    let mut start = 0;
    let (tiles, rest) = from.as_chunks::<TILE>();
    let (to_tiles, to_rest) = to.as_chunks_mut::<TILE>();
    for (from, to) in tiles.iter().zip(to_tiles) {
        *to = changed(*from, &weights[start..], length, difference, view);
        start += TILE;
    }
    for (from, to) in rest.iter().zip(to_rest) {
        [*to] = changed([*from], &weights[start..], length, difference, view);
        start += 1;
    }
}

/// Some blocks of a row after the changes; they stay in registers meanwhile.
#[inline(always)]
fn changed<const T: usize>(
    mut blocks: [Block; T],
    weights: &[Block],
    length: usize,
    difference: &Difference,
    view: Perspective,
) -> [Block; T] {
    for &feature in &difference.added {
        let row = &weights[view.index(feature) * length..][..T];
        for (block, weight) in blocks.iter_mut().zip(row) {
            add(block, weight);
        }
    }
    for &feature in &difference.removed {
        let row = &weights[view.index(feature) * length..][..T];
        for (block, weight) in blocks.iter_mut().zip(row) {
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

#[inline(always)]
fn output(ours: &[Block], theirs: &[Block], weights: &[Block]) -> i64 {
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

/// The same loops for AVX2. Compilers find the vectors of all but the output's multiplication of pairs.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Block, Difference, Perspective, SUM_LANES};
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_load_si256, _mm256_madd_epi16, _mm256_max_epi16,
        _mm256_min_epi16, _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
    };

    #[target_feature(enable = "avx2")]
    pub(super) fn change(
        from: &[Block],
        to: &mut [Block],
        weights: &[Block],
        difference: &Difference,
        view: Perspective,
    ) {
        super::change(from, to, weights, difference, view);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn output(ours: &[Block], theirs: &[Block], weights: &[Block]) -> i64 {
        let (mine, other) = weights.split_at(ours.len().min(weights.len()));
        let mut sums = [_mm256_setzero_si256(); 2];
        for (row, weights) in [(ours, mine), (theirs, other)] {
            for (block, weight) in row.iter().zip(weights) {
                for ((sum, x), weight) in sums.iter_mut().zip(halves(block)).zip(halves(weight)) {
                    let x = _mm256_max_epi16(x, _mm256_setzero_si256());
                    let x = _mm256_min_epi16(x, _mm256_set1_epi16(255));
                    // Fits 16 bits: 255 * 127 at most.
                    let weighted = _mm256_mullo_epi16(x, weight);
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(weighted, x));
                }
            }
        }
        // SAFETY: both are 64 bytes without padding, and any bits are good integers.
        let lanes: [i32; SUM_LANES] = unsafe { std::mem::transmute(sums) };
        lanes.into_iter().map(i64::from).sum()
    }

    /// The numbers of a block as two vectors.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn halves(block: &Block) -> [__m256i; 2] {
        let (pairs, _) = block.0.as_chunks::<16>();
        [0, 1].map(|half| {
            // SAFETY: the 32 bytes of a half are readable, and aligned as blocks are to 64 bytes.
            unsafe { _mm256_load_si256(pairs[half].as_ptr().cast()) }
        })
    }
}
