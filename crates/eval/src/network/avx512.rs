//! The layers above the hidden layer for AVX-512 with VNNI (Ice Lake, Zen 4 and later): a cache line is one vector, and four
//! products and their addition are one instruction.
#![allow(unsafe_code)]

use super::block::{Block, Bytes};
use super::layers::{Layers, SECOND, SECOND_FACTOR, THIRD, Upper};
use std::arch::x86_64::{
    __m512, __m512i, _mm_add_ss, _mm_cvtss_f32, _mm256_add_ps, _mm256_castpd_ps,
    _mm256_castps256_ps128, _mm256_extractf128_ps, _mm256_hadd_ps, _mm256_setzero_ps,
    _mm512_add_epi16, _mm512_add_epi32, _mm512_add_ps, _mm512_castps_pd, _mm512_cvtepi32_ps,
    _mm512_dpbusd_epi32, _mm512_extractf64x4_pd, _mm512_loadu_si512, _mm512_max_epi16,
    _mm512_max_ps, _mm512_min_epi16, _mm512_min_ps, _mm512_mul_ps, _mm512_mullo_epi16,
    _mm512_packus_epi16, _mm512_permutexvar_epi64, _mm512_set1_epi16, _mm512_set1_ps,
    _mm512_setr_epi64, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_shuffle_i32x4,
    _mm512_srli_epi16, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32,
    _mm512_unpacklo_epi64,
};

/// Vectors of a row of the third layer.
const PARTS: usize = THIRD / 16;

/// Whether this processor has all that is used here.
pub(super) fn is_detected() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni")
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn layers(ours: &[Block], theirs: &[Block], layers: &Layers<'_>) -> f32 {
    let (mine, other) = layers.sides();
    let mut lanes = [_mm512_setzero_si512(); SECOND];
    for (row, weights) in [(ours, mine), (theirs, other)] {
        if layers.paired {
            for (blocks, weights) in row.as_chunks::<4>().0.iter().zip(weights) {
                let [a, b, c, d] = blocks.each_ref().map(|block| load(&block.0));
                let inputs = [(a, b), (c, d)].map(|(a, b)| {
                    // The first halves of both, and the second.
                    let first = _mm512_shuffle_i32x4::<0b01_00_01_00>(a, b);
                    activation(first, _mm512_shuffle_i32x4::<0b11_10_11_10>(a, b))
                });
                weigh(&mut lanes, inputs, weights);
            }
        } else {
            for (blocks, weights) in row.as_chunks::<2>().0.iter().zip(weights) {
                let inputs = blocks.each_ref().map(|block| {
                    let x = load(&block.0);
                    activation(x, x)
                });
                weigh(&mut lanes, inputs, weights);
            }
        }
    }
    let second = second(across(lanes), layers.bias);
    // Through memory, as loads that fill a vector with one number are cheaper than shuffles.
    let inputs = std::hint::black_box(inputs(second));
    output(&layers.upper, third(&layers.upper, &inputs))
}

/// Adds weighted inputs to the sums of the second layer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn weigh(lanes: &mut [__m512i; SECOND], [a, b]: [__m512i; 2], weights: &[Bytes; SECOND]) {
    // Two vectors become one lane by lane, and their eighths then go where they belong.
    let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    let inputs = _mm512_permutexvar_epi64(order, _mm512_packus_epi16(a, b));
    for (lanes, weights) in lanes.iter_mut().zip(weights) {
        *lanes = _mm512_dpbusd_epi32(*lanes, inputs, load(&weights.0));
    }
}

/// [`activation`](super::layers::activation) of vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn activation(x: __m512i, y: __m512i) -> __m512i {
    let [x, y] = [x, y].map(|x| {
        let x = _mm512_max_epi16(x, _mm512_setzero_si512());
        _mm512_min_epi16(x, _mm512_set1_epi16(255))
    });
    let product = _mm512_add_epi16(_mm512_mullo_epi16(x, y), _mm512_set1_epi16(256));
    _mm512_srli_epi16::<9>(product)
}

/// The sum of the lanes of each vector: first within the fours of lanes, then of the fours.
#[inline]
#[target_feature(enable = "avx512f")]
fn across(lanes: [__m512i; SECOND]) -> __m512i {
    let fours = |[a, b, c, d]: [__m512i; 4]| {
        let [ab, cd] = [(a, b), (c, d)].map(|(a, b)| {
            _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b))
        });
        _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd))
    };
    let pair = |a, b| {
        _mm512_add_epi32(
            _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b),
            _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b),
        )
    };
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = lanes;
    let first = pair(fours([a, b, c, d]), fours([e, f, g, h]));
    let second = pair(fours([i, j, k, l]), fours([m, n, o, p]));
    pair(first, second)
}

/// [`Layers::second`].
#[inline]
#[target_feature(enable = "avx512f")]
fn second(sums: __m512i, bias: &[i32; SECOND]) -> __m512 {
    let [sums, bias] = [sums, load(bias)].map(|numbers| _mm512_cvtepi32_ps(numbers));
    _mm512_mul_ps(_mm512_add_ps(sums, bias), _mm512_set1_ps(SECOND_FACTOR))
}

/// [`Upper::inputs`].
#[inline]
#[target_feature(enable = "avx512f")]
fn inputs(second: __m512) -> [f32; 2 * SECOND] {
    let squared = _mm512_min_ps(_mm512_mul_ps(second, second), _mm512_set1_ps(1.0));
    let inputs = [clamp(second), squared];
    // SAFETY: both are 128 bytes without padding.
    unsafe { std::mem::transmute(inputs) }
}

/// Between 0 and 1.
#[inline]
#[target_feature(enable = "avx512f")]
fn clamp(x: __m512) -> __m512 {
    _mm512_min_ps(_mm512_max_ps(x, _mm512_setzero_ps()), _mm512_set1_ps(1.0))
}

/// [`Upper::third`], in the same order, with all sums in registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn third(upper: &Upper<'_>, inputs: &[f32; 2 * SECOND]) -> [__m512; PARTS] {
    let mut even = vectors(upper.third_bias());
    let mut odd = [_mm512_setzero_ps(); PARTS];
    let pairs = inputs.as_chunks::<2>().0.iter();
    for (inputs, weights) in pairs.zip(upper.third_weights().as_chunks::<2>().0) {
        for ((sums, input), weights) in [&mut even, &mut odd].into_iter().zip(inputs).zip(weights) {
            let input = _mm512_set1_ps(*input);
            for (sum, weights) in sums.iter_mut().zip(vectors(weights)) {
                *sum = _mm512_add_ps(*sum, _mm512_mul_ps(input, weights));
            }
        }
    }
    for (sum, odd) in even.iter_mut().zip(odd) {
        *sum = _mm512_add_ps(*sum, odd);
    }
    even
}

/// [`Upper::output`], in the same order: the halves of the vectors one after the other.
#[inline]
#[target_feature(enable = "avx512f")]
fn output(upper: &Upper<'_>, third: [__m512; PARTS]) -> f32 {
    let mut lanes = _mm256_setzero_ps();
    for (units, weights) in third.into_iter().zip(vectors(upper.output_weights())) {
        let weighted = _mm512_castps_pd(_mm512_mul_ps(clamp(units), weights));
        let low = _mm512_extractf64x4_pd::<0>(weighted);
        let high = _mm512_extractf64x4_pd::<1>(weighted);
        lanes = _mm256_add_ps(lanes, _mm256_castpd_ps(low));
        lanes = _mm256_add_ps(lanes, _mm256_castpd_ps(high));
    }
    let pairs = _mm256_hadd_ps(lanes, lanes);
    let fours = _mm256_hadd_ps(pairs, pairs);
    let high = _mm256_extractf128_ps::<1>(fours);
    _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(fours), high)) + upper.output_bias()
}

/// A row of the third layer.
#[inline]
fn vectors(row: &[f32; THIRD]) -> [__m512; PARTS] {
    // SAFETY: an array of floats has the size of its vectors.
    unsafe { std::mem::transmute(*row) }
}

/// The numbers of a cache line.
#[inline]
#[target_feature(enable = "avx512f")]
fn load<T, const L: usize>(line: &[T; L]) -> __m512i {
    const { assert!(size_of::<[T; L]>() == 64) };
    // SAFETY: the 64 bytes are readable.
    unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
}
