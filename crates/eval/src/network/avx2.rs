//! The inner loops for AVX2. Compilers find the vectors of all but the multiplications of pairs and the third layer.
#![allow(unsafe_code)]

use super::block::{Block, Bytes};
use super::features::Perspective;
use super::layers::{Layers, SECOND, SECOND_FACTOR, THIRD, Upper};
use super::portable::{self, Difference, SUM_LANES};
use std::arch::x86_64::{
    __m256, __m256i, _mm_add_ss, _mm_cvtss_f32, _mm256_add_epi16, _mm256_add_epi32, _mm256_add_ps,
    _mm256_castps256_ps128, _mm256_cvtepi32_ps, _mm256_extractf128_ps, _mm256_hadd_epi32,
    _mm256_hadd_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi16,
    _mm256_max_ps, _mm256_min_epi16, _mm256_min_ps, _mm256_mul_ps, _mm256_mullo_epi16,
    _mm256_packus_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_set1_ps,
    _mm256_setzero_ps, _mm256_setzero_si256, _mm256_srli_epi16,
};

/// Units of the second layer whose sums stay in registers.
const UNITS: usize = 8;
/// Vectors of a row of the third layer.
const PARTS: usize = THIRD / 8;

#[target_feature(enable = "avx2")]
pub(super) fn change(
    from: &[Block],
    to: &mut [Block],
    weights: &[Block],
    difference: &Difference,
    view: Perspective,
) {
    portable::change(from, to, weights, difference, view);
}

#[target_feature(enable = "avx2")]
pub(super) fn output(ours: &[Block], theirs: &[Block], weights: &[Block]) -> i64 {
    let (mine, other) = weights.split_at(ours.len().min(weights.len()));
    let mut sums = [_mm256_setzero_si256(); 2];
    for (row, weights) in [(ours, mine), (theirs, other)] {
        for (block, weight) in row.iter().zip(weights) {
            for ((sum, x), weight) in sums.iter_mut().zip(halves(&block.0)).zip(halves(&weight.0)) {
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

#[target_feature(enable = "avx2")]
pub(super) fn layers(ours: &[Block], theirs: &[Block], layers: &Layers<'_>) -> f32 {
    let (mine, other) = layers.sides();
    let mut sums = [0; SECOND];
    let (parts, _) = sums.as_chunks_mut::<UNITS>();
    for (part, sums) in parts.iter_mut().enumerate() {
        let mut lanes = [_mm256_setzero_si256(); UNITS];
        for (row, weights) in [(ours, mine), (theirs, other)] {
            if layers.paired {
                for (blocks, weights) in row.as_chunks::<4>().0.iter().zip(weights) {
                    let inputs = blocks.each_ref().map(|block| {
                        let [x, y] = halves(&block.0);
                        activation(x, y)
                    });
                    weigh(&mut lanes, inputs, &weights.as_chunks().0[part]);
                }
            } else {
                for (blocks, weights) in row.as_chunks::<2>().0.iter().zip(weights) {
                    let [[a, b], [c, d]] = blocks.each_ref().map(|block| halves(&block.0));
                    let inputs = [a, b, c, d].map(|x| activation(x, x));
                    weigh(&mut lanes, inputs, &weights.as_chunks().0[part]);
                }
            }
        }
        *sums = across(lanes);
    }
    let inputs = inputs(&sums, layers.bias);
    upper_output(&layers.upper, third(&layers.upper, &inputs))
}

/// [`Upper::inputs`] of [`Layers::second`].
#[inline]
#[target_feature(enable = "avx2")]
fn inputs(sums: &[i32; SECOND], bias: &[i32; SECOND]) -> [f32; 2 * SECOND] {
    // SAFETY: an array of integers has the size of its vectors.
    let [sums, bias] = [sums, bias]
        .map(|numbers| unsafe { std::mem::transmute::<[i32; SECOND], [__m256i; 2]>(*numbers) });
    let [a, b] = [0, 1].map(|half| {
        let [sum, bias] = [sums[half], bias[half]].map(|numbers| _mm256_cvtepi32_ps(numbers));
        _mm256_mul_ps(_mm256_add_ps(sum, bias), _mm256_set1_ps(SECOND_FACTOR))
    });
    let [c, d] = [a, b].map(|z| _mm256_min_ps(_mm256_mul_ps(z, z), _mm256_set1_ps(1.0)));
    let inputs = [clamp(a), clamp(b), c, d];
    // SAFETY: both are 128 bytes without padding.
    unsafe { std::mem::transmute(inputs) }
}

/// Between 0 and 1.
#[inline]
#[target_feature(enable = "avx2")]
fn clamp(x: __m256) -> __m256 {
    _mm256_min_ps(_mm256_max_ps(x, _mm256_setzero_ps()), _mm256_set1_ps(1.0))
}

/// [`Upper::third`], in the same order, with all sums in registers.
#[inline]
#[target_feature(enable = "avx2")]
fn third(upper: &Upper<'_>, inputs: &[f32; 2 * SECOND]) -> [__m256; PARTS] {
    let mut even = vectors(upper.third_bias());
    let mut odd = [_mm256_setzero_ps(); PARTS];
    let pairs = inputs.as_chunks::<2>().0.iter();
    for (inputs, weights) in pairs.zip(upper.third_weights().as_chunks::<2>().0) {
        for ((sums, input), weights) in [&mut even, &mut odd].into_iter().zip(inputs).zip(weights) {
            let input = _mm256_set1_ps(*input);
            for (sum, weights) in sums.iter_mut().zip(vectors(weights)) {
                *sum = _mm256_add_ps(*sum, _mm256_mul_ps(input, weights));
            }
        }
    }
    for (sum, odd) in even.iter_mut().zip(odd) {
        *sum = _mm256_add_ps(*sum, odd);
    }
    even
}

/// [`Upper::output`], in the same order.
#[inline]
#[target_feature(enable = "avx2")]
fn upper_output(upper: &Upper<'_>, third: [__m256; PARTS]) -> f32 {
    let mut lanes = _mm256_setzero_ps();
    for (units, weights) in third.into_iter().zip(vectors(upper.output_weights())) {
        lanes = _mm256_add_ps(lanes, _mm256_mul_ps(clamp(units), weights));
    }
    let pairs = _mm256_hadd_ps(lanes, lanes);
    let fours = _mm256_hadd_ps(pairs, pairs);
    let high = _mm256_extractf128_ps::<1>(fours);
    _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(fours), high)) + upper.output_bias()
}

/// A row of the third layer.
#[inline]
fn vectors(row: &[f32; THIRD]) -> [__m256; PARTS] {
    // SAFETY: an array of floats has the size of its vectors.
    unsafe { std::mem::transmute(*row) }
}

/// Adds weighted inputs to the sums of some units.
#[inline]
#[target_feature(enable = "avx2")]
fn weigh(lanes: &mut [__m256i; UNITS], [a, b, c, d]: [__m256i; 4], weights: &[Bytes; UNITS]) {
    // Two vectors become one lane by lane, and their quarters then go where they belong.
    let [x, y] =
        [(a, b), (c, d)].map(|(a, b)| _mm256_permute4x64_epi64::<0xD8>(_mm256_packus_epi16(a, b)));
    for (lanes, weights) in lanes.iter_mut().zip(weights) {
        let [v, w] = halves(&weights.0);
        // A sum of two fits 16 bits: 2 * 127 * 127 at most.
        let [x, y] = [(x, v), (y, w)]
            .map(|(x, w)| _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), _mm256_set1_epi16(1)));
        *lanes = _mm256_add_epi32(*lanes, _mm256_add_epi32(x, y));
    }
}

/// [`activation`](super::layers::activation) of vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn activation(x: __m256i, y: __m256i) -> __m256i {
    let [x, y] = [x, y].map(|x| {
        let x = _mm256_max_epi16(x, _mm256_setzero_si256());
        _mm256_min_epi16(x, _mm256_set1_epi16(255))
    });
    let product = _mm256_add_epi16(_mm256_mullo_epi16(x, y), _mm256_set1_epi16(256));
    _mm256_srli_epi16::<9>(product)
}

/// The sum of the lanes of each vector.
#[inline]
#[target_feature(enable = "avx2")]
fn across([a, b, c, d, e, f, g, h]: [__m256i; UNITS]) -> [i32; UNITS] {
    let fours = |a, b, c, d| {
        let (ab, cd) = (_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        _mm256_hadd_epi32(ab, cd)
    };
    // SAFETY: both are 64 bytes without padding, and any bits are good integers.
    let sums: [[i32; 4]; 4] =
        unsafe { std::mem::transmute([fours(a, b, c, d), fours(e, f, g, h)]) };
    std::array::from_fn(|unit| {
        let [low, high] = [
            sums[unit / 4 * 2][unit % 4],
            sums[unit / 4 * 2 + 1][unit % 4],
        ];
        low.wrapping_add(high)
    })
}

/// The numbers of a cache line as two vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn halves<T, const L: usize>(line: &[T; L]) -> [__m256i; 2] {
    const { assert!(size_of::<[T; L]>() == 64) };
    [0, 1].map(|half| {
        let place = line.as_ptr().cast::<__m256i>().wrapping_add(half);
        // SAFETY: the 32 bytes of each half are readable.
        unsafe { _mm256_loadu_si256(place) }
    })
}
