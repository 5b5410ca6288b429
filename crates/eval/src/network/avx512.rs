//! The layers above the hidden layer for AVX-512 with VNNI (Ice Lake, Zen 4 and later): a cache line is one vector, and a product
//! of pairs and its addition are one instruction.
#![allow(unsafe_code)]

use super::block::Block;
use super::layers::{Layers, SECOND, THIRD, Upper};
use std::arch::x86_64::{
    __m512, __m512i, _mm512_add_epi32, _mm512_add_ps, _mm512_dpwssd_epi32, _mm512_load_si512,
    _mm512_max_epi16, _mm512_min_epi16, _mm512_mul_ps, _mm512_mullo_epi16, _mm512_set1_epi16,
    _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_shuffle_i32x4,
    _mm512_srli_epi16, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32,
    _mm512_unpacklo_epi64,
};

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
            for (pair, weights) in row.as_chunks::<2>().0.iter().zip(weights) {
                let [a, b] = pair.each_ref().map(|block| load(block));
                // The first halves of both, and the second.
                let first = _mm512_shuffle_i32x4::<0b01_00_01_00>(a, b);
                let second = _mm512_shuffle_i32x4::<0b11_10_11_10>(a, b);
                weigh(&mut lanes, activation(first, second), weights);
            }
        } else {
            for (block, weights) in row.iter().zip(weights) {
                let x = load(block);
                weigh(&mut lanes, activation(x, x), weights);
            }
        }
    }
    let inputs = Upper::inputs(&layers.second(&across(lanes)));
    layers.upper.output(&third(&layers.upper, &inputs))
}

/// Adds weighted inputs to the sums of the second layer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn weigh(lanes: &mut [__m512i; SECOND], inputs: __m512i, weights: &[Block; SECOND]) {
    for (lanes, weights) in lanes.iter_mut().zip(weights) {
        *lanes = _mm512_dpwssd_epi32(*lanes, inputs, load(weights));
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
    _mm512_srli_epi16::<3>(_mm512_mullo_epi16(x, y))
}

/// The sum of the lanes of each vector: first within the fours of lanes, then of the fours.
#[inline]
#[target_feature(enable = "avx512f")]
fn across(lanes: [__m512i; SECOND]) -> [i32; SECOND] {
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
    // SAFETY: both are 64 bytes without padding, and any bits are good integers.
    unsafe { std::mem::transmute(pair(first, second)) }
}

/// [`Upper::third`], in the same order, with all sums in registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn third(upper: &Upper<'_>, inputs: &[f32; 2 * SECOND]) -> [f32; THIRD] {
    const PARTS: usize = THIRD / 16;
    // SAFETY: an array of floats has the size of its vectors.
    let vectors =
        |row: &[f32; THIRD]| unsafe { std::mem::transmute::<[f32; THIRD], [__m512; PARTS]>(*row) };
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
    // SAFETY: as above.
    unsafe { std::mem::transmute(even) }
}

/// The numbers of a block.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &Block) -> __m512i {
    // SAFETY: the 64 bytes of a block are readable and aligned to 64 bytes.
    unsafe { _mm512_load_si512(block.0.as_ptr().cast()) }
}
