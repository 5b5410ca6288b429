//! Operations on the 64 bytes of a word's values and the 64 bits of a word's set.
//!
//! SSE2 belongs to every x86-64, so its intrinsics need no detection; elsewhere plain loops do the same.

#![allow(unsafe_code)]

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
    let mut mask = [0; 64];
    let (groups, _) = mask.as_chunks_mut::<8>();
    for (group, bits) in groups.iter_mut().zip(set.to_le_bytes()) {
        *group = SPREAD[usize::from(bits)].to_le_bytes();
    }
    mask
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
