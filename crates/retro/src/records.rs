//! Sparse sets of positions as bytes: what a level found, what comes due.
//!
//! A record is a word and its bits. The word is stored as its distance from the word before (a byte, or more
//! with the high bit set); then comes a byte: below 64 the only bit, 64 that a byte follows which gives the
//! bytes of the word that are not zero, and they themselves.

/// Says that several bits follow.
const MANY: u8 = 64;

/// Writes records of ascending words.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    /// The least word that may come next.
    next: usize,
}

impl Writer {
    /// Adds a word's bits, not none.
    #[inline]
    pub(super) fn push(&mut self, word: usize, bits: u64) {
        let mut skip = word - self.next;
        self.next = word + 1;
        while skip >= 128 {
            self.bytes.push(skip as u8 | 128);
            skip >>= 7;
        }
        self.bytes.push(skip as u8);
        if bits & (bits - 1) == 0 {
            self.bytes.push(bits.trailing_zeros() as u8);
            return;
        }
        // Room for the most that can come, so that one check of the length does for all.
        let mut eight = [0; 10];
        eight[0] = MANY;
        let mut n = 2;
        for (i, byte) in bits.to_le_bytes().into_iter().enumerate() {
            eight[1] |= u8::from(byte != 0) << i;
            eight[n] = byte;
            n += usize::from(byte != 0);
        }
        self.bytes.extend_from_slice(&eight[..n]);
    }

    /// The bytes so far; the next record is the first of new ones.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets all records.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.next = 0;
    }
}

/// Reads what a [`Writer`] wrote.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reader {
    at: usize,
    /// The least word that may come next.
    next: usize,
}

impl Reader {
    /// The next record, word and bits, if its word is below `end`.
    #[inline]
    pub(super) fn next_below(&mut self, bytes: &[u8], end: usize) -> Option<(usize, u64)> {
        let mut at = self.at;
        let mut take = || {
            let byte = bytes.get(at).copied();
            at += 1;
            byte
        };
        let (mut skip, mut shift) = (0, 0);
        loop {
            let byte = take()?;
            skip |= usize::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                break;
            }
        }
        let word = self.next + skip;
        if word >= end {
            return None;
        }
        let kind = take()?;
        let bits = if kind < MANY {
            1 << kind
        } else {
            let mut present = take()?;
            let mut bits = 0;
            while present != 0 {
                bits |= u64::from(take()?) << (8 * present.trailing_zeros());
                present &= present - 1;
            }
            bits
        };
        self.at = at;
        self.next = word + 1;
        Some((word, bits))
    }

    /// Calls `f` with the records of a row, words counted from the row's first. Rows before it are
    /// passed over.
    #[inline(always)]
    pub(super) fn row(
        &mut self,
        bytes: &[u8],
        row: usize,
        row_words: usize,
        mut f: impl FnMut(usize, u64),
    ) {
        let first = row * row_words;
        while let Some((word, set)) = self.next_below(bytes, first + row_words) {
            if word >= first {
                f(word - first, set);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut writer = Writer::default();
        for _ in 0..3 {
            let mut records = Vec::new();
            let mut word = 0;
            for i in 0..2000u64 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let bits = match state % 3 {
                    0 => 1 << (state >> 58),
                    1 => state & state.rotate_left(20) & state.rotate_left(41),
                    _ => [!0, 1 | 1 << 63, 0xFF00, state][i as usize % 4],
                };
                if bits != 0 {
                    writer.push(word, bits);
                    records.push((word, bits));
                }
                word +=
                    [1, 1, 2, 127, 128, 129, 300, 20_000, 3_000_000][(state >> 40) as usize % 9];
            }
            let mut reader = Reader::default();
            let mut found = Vec::new();
            for end in (0..word + 70_000).step_by(70_000) {
                while let Some((word, bits)) = reader.next_below(writer.bytes(), end) {
                    assert!(word < end);
                    found.push((word, bits));
                }
            }
            assert!(found == records);
            writer.clear();
        }
    }
}
