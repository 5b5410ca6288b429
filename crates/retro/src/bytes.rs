//! Operations on the 64 bytes of a word's values and the 64 bits of a word's set.
//!
//! SSE2 belongs to every x86-64, so its intrinsics need no detection; AVX2 is asked for; elsewhere plain loops do the
//! same.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::vectors::has_avx2;

/// For each byte a mask: byte `i` of `SPREAD[bits]` is 255 where bit `i` is set.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut i = 0;
        while i < 8 {
            if bits >> i & 1 != 0 {
                table[bits] |= 0xFF << (8 * i);
            }
            i += 1;
        }
        bits += 1;
    }
    table
};

/// Writes `value` where `set` has a bit.
#[inline(always)]
pub(crate) fn write(bytes: &mut [u8; 64], set: u64, value: u8) {
    if set.count_ones() <= 6 {
        for bit in super::sets::Bits(set) {
            bytes[bit] = value;
        }
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has just been asked.
        return unsafe { avx2::write(bytes, set, value) };
    }
    let value = u64::from_ne_bytes([value; 8]);
    let (groups, _) = bytes.as_chunks_mut::<8>();
    for (group, bits) in groups.iter_mut().zip(set.to_le_bytes()) {
        let mask = SPREAD[usize::from(bits)];
        // Little-endian on purpose: byte i of the mask belongs to bit i.
        let old = u64::from_le_bytes(*group);
        *group = (old & !mask | value & mask).to_le_bytes();
    }
}

/// A byte for each bit: 255 where `set` has it, else 0.
#[inline(always)]
#[must_use]
pub fn spread(set: u64) -> [u8; 64] {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has just been asked.
        return unsafe { avx2::spread(set) };
    }
    let mut mask = [0; 64];
    let (groups, _) = mask.as_chunks_mut::<8>();
    for (group, bits) in groups.iter_mut().zip(set.to_le_bytes()) {
        *group = SPREAD[usize::from(bits)].to_le_bytes();
    }
    mask
}

/// Raises the bytes where `set` has a bit to at least those of `with`.
#[inline(always)]
pub(crate) fn raise(bytes: &mut [u8; 64], with: &[u8; 64], set: u64) {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has just been asked.
        return unsafe { avx2::raise(bytes, with, set) };
    }
    let mask = spread(set);
    for ((byte, with), mask) in bytes.iter_mut().zip(with).zip(mask) {
        *byte = (*byte).max(with & mask);
    }
}

/// The bits of the bytes equal to `value`.
#[inline(always)]
#[must_use]
pub(crate) fn equal(bytes: &[u8; 64], value: u8) -> u64 {
    compare(bytes, value, Comparison::Equal)
}

/// The bits of the bytes that are `value` or more.
#[inline(always)]
#[must_use]
pub(crate) fn at_least(bytes: &[u8; 64], value: u8) -> u64 {
    compare(bytes, value, Comparison::AtLeast)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    AtLeast,
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn compare(bytes: &[u8; 64], value: u8, comparison: Comparison) -> u64 {
    if has_avx2() {
        // SAFETY: the processor has just been asked.
        return unsafe { avx2::compare(bytes, value, comparison) };
    }
    // SAFETY: every x86-64 has SSE2.
    unsafe { compare_sse2(bytes, value, comparison) }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn compare_sse2(bytes: &[u8; 64], value: u8, comparison: Comparison) -> u64 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_max_epu8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8,
    };
    let value = _mm_set1_epi8(value as i8);
    let (quarters, _) = bytes.as_chunks::<16>();
    let mut set = 0;
    for (i, quarter) in quarters.iter().enumerate() {
        let whole = u128::from_le_bytes(*quarter);
        let x = _mm_set_epi64x((whole >> 64) as i64, whole as i64);
        let hit = match comparison {
            Comparison::Equal => _mm_cmpeq_epi8(x, value),
            Comparison::AtLeast => _mm_cmpeq_epi8(_mm_max_epu8(x, value), x),
        };
        set |= u64::from(_mm_movemask_epi8(hit) as u16) << (16 * i);
    }
    set
}

/// The same with 32 bytes at a time.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Comparison;
    use bytemuck::cast;
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi8, _mm256_max_epu8,
        _mm256_movemask_epi8, _mm256_set_epi64x, _mm256_set1_epi8, _mm256_set1_epi32,
        _mm256_set1_epi64x, _mm256_shuffle_epi8,
    };

    /// 255 in each byte whose bit `set` has.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn mask(set: u32) -> __m256i {
        // Byte i gets the byte of the set that holds its bit, and of this one bit.
        let place = _mm256_set_epi64x(
            0x0303_0303_0303_0303,
            0x0202_0202_0202_0202,
            0x0101_0101_0101_0101,
            0,
        );
        let one = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(set as i32), place);
        _mm256_cmpeq_epi8(_mm256_and_si256(bytes, one), one)
    }

    /// The halves of a set, with those of its bytes.
    #[inline(always)]
    fn halves(set: u64) -> [u32; 2] {
        [set as u32, (set >> 32) as u32]
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn write(bytes: &mut [u8; 64], set: u64, value: u8) {
        let value = _mm256_set1_epi8(value as i8);
        for (half, set) in bytes.as_chunks_mut::<32>().0.iter_mut().zip(halves(set)) {
            let old: __m256i = cast(*half);
            *half = cast(_mm256_blendv_epi8(old, value, mask(set)));
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn raise(bytes: &mut [u8; 64], with: &[u8; 64], set: u64) {
        let pairs = bytes.as_chunks_mut::<32>().0.iter_mut();
        let pairs = pairs.zip(with.as_chunks::<32>().0);
        for ((half, with), set) in pairs.zip(halves(set)) {
            let raised = _mm256_and_si256(cast(*with), mask(set));
            *half = cast(_mm256_max_epu8(cast(*half), raised));
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn spread(set: u64) -> [u8; 64] {
        cast(halves(set).map(|set| mask(set)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn compare(bytes: &[u8; 64], value: u8, comparison: Comparison) -> u64 {
        let value = _mm256_set1_epi8(value as i8);
        let mut set = 0;
        for half in bytes.as_chunks::<32>().0.iter().rev() {
            let half: __m256i = cast(*half);
            let hit = match comparison {
                Comparison::Equal => _mm256_cmpeq_epi8(half, value),
                Comparison::AtLeast => _mm256_cmpeq_epi8(_mm256_max_epu8(half, value), half),
            };
            set = set << 32 | u64::from(_mm256_movemask_epi8(hit) as u32);
        }
        set
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn compare(bytes: &[u8; 64], value: u8, comparison: Comparison) -> u64 {
    let pass = |byte: u8| match comparison {
        Comparison::Equal => byte == value,
        Comparison::AtLeast => byte >= value,
    };
    bytes
        .iter()
        .rev()
        .fold(0, |set, &byte| set << 1 | u64::from(pass(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_follow_bits() {
        let mut bytes = [0u8; 64];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = (i * 37 + 11) as u8;
        }
        for set in [
            0,
            1,
            1 << 63,
            0x8000_0000_0000_0101,
            0xDEAD_BEEF_1234_5678,
            !0,
        ] {
            let has = |i: usize| set >> i & 1 != 0;
            let mut written = bytes;
            write(&mut written, set, 7);
            let mask = spread(set);
            for i in 0..64 {
                assert_eq!(written[i], if has(i) { 7 } else { bytes[i] });
                assert_eq!(mask[i], if has(i) { 255 } else { 0 });
            }
        }
        for value in [0, 11, 128, 255] {
            for i in 0..64 {
                assert_eq!(equal(&bytes, value) >> i & 1 != 0, bytes[i] == value);
                assert_eq!(at_least(&bytes, value) >> i & 1 != 0, bytes[i] >= value);
            }
        }
    }
}
