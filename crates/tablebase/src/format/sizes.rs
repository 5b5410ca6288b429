//! The lengths of the blocks of a group, or small numbers that tell them, in as few bits as their usual size needs.
//!
//! ```text
//! parameter k (1 byte), bytes of the code that follows (1 byte)
//! each length: its part above k bits in ones and a zero, then its k lowest bits, from the lowest bit of each byte on
//! ```
//! Rice's code (1979): nearly as short as the lengths are uncertain, where they fall off like those of blocks do.

/// The greatest parameter.
const MOST: u32 = 12;
/// The greatest length.
const GREATEST: u32 = (1 << 16) - 1;

/// The lengths of a group's blocks, at most 64 of less than 65,536, as a group stores them.
pub(super) fn write(lengths: &[u32]) -> Vec<u8> {
    let bits = |k: u32| -> u32 {
        let each = lengths.iter().map(|&length| (length >> k) + 1 + k);
        each.sum()
    };
    let k = (0..=MOST).min_by_key(|&k| bits(k)).unwrap_or(0);
    let mut code = Bits::default();
    for &length in lengths {
        (0..length >> k).for_each(|_| code.push(1, 1));
        code.push(0, 1);
        code.push(length, k);
    }
    let mut bytes = vec![k as u8, code.bytes.len() as u8];
    bytes.extend_from_slice(&code.bytes);
    bytes
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: u32,
}

impl Bits {
    fn push(&mut self, value: u32, bits: u32) {
        for bit in 0..bits {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> bit & 1) as u8) << (self.count % 8);
            }
            self.count += 1;
        }
    }
}

/// Where block `block` begins among the blocks of a group, its number, and what comes after the code; `size` is the length that
/// a number tells. `None` if the bytes are none that [`write`] makes.
pub(super) fn find(
    bytes: &[u8],
    block: usize,
    size: impl Fn(u32) -> u32,
) -> Option<(usize, u32, &[u8])> {
    let (&[k, length], rest) = bytes.split_first_chunk()?;
    let (code, rest) = rest.split_at_checked(usize::from(length))?;
    if u32::from(k) > MOST {
        return None;
    }
    let mut reader = Reader { code, at: 0 };
    let mut start = 0;
    for _ in 0..block {
        start += size(reader.next(u32::from(k))?) as usize;
    }
    Some((start, reader.next(u32::from(k))?, rest))
}

struct Reader<'a> {
    code: &'a [u8],
    /// Bits that are read.
    at: usize,
}

impl Reader<'_> {
    /// The next 32 bits and more; beyond the end come zeros.
    #[inline]
    fn look(&self) -> u64 {
        let bytes = self.code.get(self.at / 8..).unwrap_or_default();
        let word = match bytes.first_chunk::<8>() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => {
                let mut all = [0; 8];
                all[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(all)
            }
        };
        word >> (self.at % 8)
    }

    #[inline]
    fn next(&mut self, k: u32) -> Option<u32> {
        let mut above = 0;
        loop {
            let ones = self.look().trailing_ones().min(32);
            above += ones;
            self.at += ones as usize;
            if ones < 32 {
                break;
            }
            if above > GREATEST {
                return None;
            }
        }
        self.at += 1;
        let low = self.look() as u32 & ((1 << k) - 1);
        self.at += k as usize;
        let value = above.checked_shl(k)?.checked_add(low)?;
        (self.at <= 8 * self.code.len() && above <= GREATEST >> k).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_base::Random;

    #[test]
    fn what_is_written_is_found() {
        let mut random = Random::new(5);
        for round in 0..400 {
            let count = 1 + random.below(64);
            let most = 1 << (round % 17);
            let mut lengths: Vec<u32> = (0..count).map(|_| random.below(most) as u32).collect();
            if round % 5 == 0 {
                lengths[count / 2] = GREATEST;
            }
            let mut bytes = write(&lengths);
            assert!(bytes.len() < 258, "{lengths:?}");
            bytes.extend([7, 7]);
            let mut start = 0;
            for (n, &length) in lengths.iter().enumerate() {
                let found = find(&bytes, n, |length| length).expect("a length");
                assert_eq!(found, (start, length, &[7, 7][..]), "{lengths:?}");
                start += length as usize;
            }
        }
    }

    #[test]
    fn any_bytes_are_read_to_an_end() {
        let mut random = Random::new(6);
        for _ in 0..2_000 {
            let bytes: Vec<u8> = (0..random.below(40))
                .map(|_| random.below(256) as u8)
                .collect();
            let _ = find(&bytes, random.below(64), |length| length);
        }
        let mut ones = vec![0, 255];
        ones.extend([255; 255]);
        for bytes in [&ones[..], &[13, 1, 0], &[3]] {
            assert_eq!(find(bytes, 0, |length| length), None);
        }
    }
}
