//! The checksum at the end of Syzygy files, which probers ignore: CityHashCrc128 of the CityHashCrc256 sums of pieces of
//! 16 MiB.
//!
//! Sources: CityHash 1.0 (Geoff Pike and Jyrki Alakuijala, Google, MIT licence) for the functions; the reference
//! generator's `tbcheck`, for the facts of what they are applied to.

/// Bytes that are summed at once.
const PIECE: usize = 1 << 24;
/// Bytes of the checksum.
pub(crate) const CHECKSUM_LEN: usize = 16;

const K0: u64 = 0xC3A5_C85C_97CB_3127;
const K1: u64 = 0xB492_B66F_BE98_F273;
const K3: u64 = 0xC949_D7C7_509E_6557;

/// CRC-32C of a byte that has 0 to 7 bytes behind it.
const CRC: [[u32; 256]; 8] = crc_tables();

const fn crc_tables() -> [[u32; 256]; 8] {
    /// Castagnoli's polynomial, bits reversed.
    const POLYNOMIAL: u32 = 0x82F6_3B78;
    let (mut tables, mut n) = ([[0; 256]; 8], 0);
    while n < 256 {
        let (mut crc, mut bit) = (n as u32, 0);
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 != 0 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        tables[0][n] = crc;
        n += 1;
    }
    let mut behind = 1;
    while behind < 8 {
        let mut n = 0;
        while n < 256 {
            let crc = tables[behind - 1][n];
            tables[behind][n] = crc >> 8 ^ tables[0][(crc & 0xFF) as usize];
            n += 1;
        }
        behind += 1;
    }
    tables
}

/// CRC-32C of eight bytes more. As processors' instruction: only the lower half of `crc` counts.
#[inline]
fn crc(crc: u64, word: u64) -> u64 {
    let bytes = ((crc & 0xFFFF_FFFF) ^ word).to_le_bytes();
    let each = bytes.iter().rev().zip(&CRC);
    each.fold(0, |sum, (&byte, table)| sum ^ table[usize::from(byte)])
        .into()
}

/// The checksum of a file's bytes, those of the checksum left out.
pub(crate) fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_LEN] {
    let mut sums = Vec::new();
    for piece in bytes.chunks(PIECE) {
        sums.extend(crc256(piece).iter().flat_map(|sum| sum.to_le_bytes()));
    }
    let [low, high] = crc128(&sums);
    let mut checksum = [0; CHECKSUM_LEN];
    checksum[..8].copy_from_slice(&low.to_le_bytes());
    checksum[8..].copy_from_slice(&high.to_le_bytes());
    checksum
}

/// Eight bytes at a place.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..]
        .first_chunk()
        .map_or(0, |word| u64::from_le_bytes(*word))
}

#[inline]
fn mix(value: u64) -> u64 {
    value ^ value >> 47
}

#[inline]
fn hash_pair(low: u64, high: u64) -> u64 {
    const FACTOR: u64 = 0x9DDF_EA08_EB38_2D69;
    let a = mix((low ^ high).wrapping_mul(FACTOR));
    mix((high ^ a).wrapping_mul(FACTOR)).wrapping_mul(FACTOR)
}

/// CityHashCrc128: short input, as the sums of files below 449 MiB are, goes another way than long input.
fn crc128(bytes: &[u8]) -> [u64; 2] {
    const SHORT: usize = 900;
    if bytes.len() > SHORT {
        let [_, _, low, high] = crc256(bytes);
        return [low, high];
    }
    let Some((seed, rest)) = bytes.split_at_checked(16) else {
        // No file is empty.
        return [K0, K1];
    };
    let seed = [word(seed, 0) ^ K3, word(seed, 8)];
    if rest.len() < 128 {
        murmur(rest, seed)
    } else {
        city128(rest, seed)
    }
}

/// CityMurmur of a multiple of 16 bytes, at least 16.
fn murmur(bytes: &[u8], [mut a, mut b]: [u64; 2]) -> [u64; 2] {
    let len = bytes.len();
    let (mut c, mut d);
    if len <= 16 {
        a = mix(a.wrapping_mul(K1)).wrapping_mul(K1);
        let last = word(bytes, len - 8);
        let rotated = last.wrapping_add(len as u64).rotate_right(len as u32);
        c = b
            .wrapping_mul(K1)
            .wrapping_add(hash_pair(word(bytes, 0), rotated) ^ last);
        d = mix(a.wrapping_add(word(bytes, 0)));
    } else {
        c = hash_pair(word(bytes, len - 8).wrapping_add(K1), a);
        d = hash_pair(
            b.wrapping_add(len as u64),
            c.wrapping_add(word(bytes, len - 16)),
        );
        a = a.wrapping_add(d);
        // The last 16 are in already.
        for pair in bytes[..len - 16].chunks_exact(16) {
            a = (a ^ mix(word(pair, 0).wrapping_mul(K1)).wrapping_mul(K1)).wrapping_mul(K1);
            b ^= a;
            c = (c ^ mix(word(pair, 8).wrapping_mul(K1)).wrapping_mul(K1)).wrapping_mul(K1);
            d ^= c;
        }
    }
    a = hash_pair(a, c);
    b = hash_pair(d, b);
    [a ^ b, hash_pair(b, a)]
}

/// Mixes 32 bytes into two seeds.
fn weak_hash(bytes: &[u8], mut a: u64, mut b: u64) -> [u64; 2] {
    let [w, x, y, z] = [0, 8, 16, 24].map(|at| word(bytes, at));
    a = a.wrapping_add(w);
    b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    a = a.wrapping_add(x).wrapping_add(y);
    b = b.wrapping_add(a.rotate_right(44));
    [a.wrapping_add(z), b.wrapping_add(c)]
}

/// CityHash128WithSeed of at least 128 bytes.
fn city128(bytes: &[u8], [mut x, mut y]: [u64; 2]) -> [u64; 2] {
    let mut z = (bytes.len() as u64).wrapping_mul(K1);
    let turn = |value: u64, by: u32| value.rotate_right(by);
    let first = turn(y ^ K1, 49)
        .wrapping_mul(K1)
        .wrapping_add(word(bytes, 0));
    let second = turn(first, 42).wrapping_mul(K1);
    let mut v = [first, second.wrapping_add(word(bytes, 8))];
    let mut w = [
        turn(y.wrapping_add(z), 35).wrapping_mul(K1).wrapping_add(x),
        turn(x.wrapping_add(word(bytes, 88)), 53).wrapping_mul(K1),
    ];
    let blocks = bytes.len() / 128;
    let (body, tail) = bytes.split_at(blocks * 128);
    for block in body.chunks_exact(64) {
        let sum = x.wrapping_add(y).wrapping_add(v[0]);
        x = turn(sum.wrapping_add(word(block, 8)), 37).wrapping_mul(K1);
        let sum = y.wrapping_add(v[1]).wrapping_add(word(block, 48));
        y = turn(sum, 42).wrapping_mul(K1);
        x ^= w[1];
        y = y.wrapping_add(v[0]).wrapping_add(word(block, 40));
        z = turn(z.wrapping_add(w[0]), 33).wrapping_mul(K1);
        v = weak_hash(block, v[1].wrapping_mul(K1), x.wrapping_add(w[0]));
        let sum = y.wrapping_add(word(block, 16));
        w = weak_hash(&block[32..], z.wrapping_add(w[1]), sum);
        (x, z) = (z, x);
    }
    x = x.wrapping_add(turn(v[0].wrapping_add(z), 49).wrapping_mul(K0));
    z = z.wrapping_add(turn(w[0], 37).wrapping_mul(K0));
    // The tail from its end, 32 bytes at once; the last piece may reach into the body.
    let mut done = 0;
    while done < tail.len() {
        done += 32;
        let piece = &bytes[bytes.len() - done..];
        y = turn(x.wrapping_add(y), 42)
            .wrapping_mul(K0)
            .wrapping_add(v[1]);
        w[0] = w[0].wrapping_add(word(piece, 16));
        x = x.wrapping_mul(K0).wrapping_add(w[0]);
        z = z.wrapping_add(w[1]).wrapping_add(word(piece, 0));
        w[1] = w[1].wrapping_add(v[0]);
        v = weak_hash(piece, v[0].wrapping_add(z), v[1]);
    }
    x = hash_pair(x, v[0]);
    y = hash_pair(y.wrapping_add(z), w[0]);
    [
        hash_pair(x.wrapping_add(v[1]), w[1]).wrapping_add(y),
        hash_pair(x.wrapping_add(w[1]), y.wrapping_add(v[1])),
    ]
}

/// The state of CityHashCrc256: six words and five checksums.
struct State {
    words: [u64; 6],
    sums: [u64; 5],
}

impl State {
    /// Takes 40 bytes in, one of two ways.
    #[inline(always)]
    fn take(&mut self, bytes: &[u8], plain: bool) {
        let factor = if plain { 1 } else { K0 };
        let z = u32::from(plain);
        let [a, b, c, d, e, t] = self.words;
        let next = |value: u64, turn: u32, at: usize| {
            value
                .rotate_right(turn ^ z)
                .wrapping_mul(factor)
                .wrapping_add(word(bytes, at))
        };
        self.words = [
            next(b, 41, 0),
            next(c, 27, 8),
            next(d, 41, 16),
            next(e, 33, 24),
            next(t, 25, 32),
            a,
        ];
        for (sum, &word) in self.sums.iter_mut().zip(&self.words) {
            *sum = crc(*sum, word);
        }
    }
}

/// CityHashCrc256.
fn crc256(bytes: &[u8]) -> [u64; 4] {
    const LONG: usize = 240;
    if bytes.len() >= LONG {
        return crc256_long(bytes, 0);
    }
    let mut padded = [0; LONG];
    padded[..bytes.len()].copy_from_slice(bytes);
    crc256_long(&padded, !(bytes.len() as u32))
}

fn crc256_long(bytes: &[u8], seed: u32) -> [u64; 4] {
    let (len, seed) = (bytes.len() as u64, u64::from(seed));
    let b = word(bytes, 96).wrapping_add(K0);
    let c = hash_pair(b, len);
    let d = word(bytes, 120).wrapping_mul(K0).wrapping_add(len);
    let mut state = State {
        words: [
            word(bytes, 56).wrapping_add(K0),
            b,
            c,
            d,
            word(bytes, 184).wrapping_add(seed),
            c.wrapping_add(d),
        ],
        sums: [seed, 0, 0, 0, 0],
    };
    let rows = bytes.chunks_exact(240);
    let rest = rows.remainder();
    for row in rows {
        for pair in row.chunks_exact(80) {
            state.take(&pair[..40], true);
            state.take(&pair[40..], false);
        }
    }
    let pieces = rest.chunks_exact(40);
    let left = !pieces.remainder().is_empty();
    for piece in pieces {
        state.take(piece, false);
    }
    if left {
        state.take(&bytes[bytes.len() - 40..], false);
    }
    finish(&state, [c, d])
}

fn finish(state: &State, [mut first, mut second]: [u64; 2]) -> [u64; 4] {
    let [mut a, mut b, mut c, mut d, mut e, t] = state.words;
    let [mut f, mut g, mut h, mut i, mut j] = state.sums;
    j = j.wrapping_add(i << 32);
    a = hash_pair(a, j);
    h = h.wrapping_add(g << 32);
    b = b.wrapping_add(h);
    c = hash_pair(c, f).wrapping_add(i);
    d = hash_pair(d, e.wrapping_add(first));
    j = j.wrapping_add(e);
    i = i.wrapping_add(hash_pair(h, t));
    e = hash_pair(a, d).wrapping_add(j);
    f = hash_pair(b, c).wrapping_add(a);
    g = hash_pair(j, i).wrapping_add(c);
    let spread = |value: u64| mix(value.wrapping_mul(K0)).wrapping_mul(K0);
    first = e.wrapping_add(f).wrapping_add(g).wrapping_add(h);
    a = spread(a.wrapping_add(g)).wrapping_add(b);
    second = second.wrapping_add(a).wrapping_add(first);
    a = spread(a).wrapping_add(c);
    let third = a.wrapping_add(second);
    a = spread(a.wrapping_add(e));
    [first, second, third, a.wrapping_add(third)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_is_castagnolis() {
        // RFC 3720, B.4: 32 bytes of zeros, and 32 of ones.
        let all = |word: u64| (0..4).fold(0xFFFF_FFFF, |sum, _| crc(sum, word)) ^ 0xFFFF_FFFF;
        assert_eq!(all(0), 0x8A91_36AA);
        assert_eq!(all(u64::MAX), 0x62A8_AB43);
    }

    #[test]
    fn sums_of_sums_go_three_ways() {
        // From Google's C code: of 1, 4, 5, 28 and 29 pieces.
        let bytes: Vec<u8> = (0..928u32).map(|n| (n * 7 + n / 256) as u8).collect();
        for (len, sums) in [
            (32, [0xFC63_F6C0_3869_2042, 0x1150_D302_1274_10D7]),
            (128, [0x7742_7771_50CD_6E44, 0x35EE_AFD9_D16B_93D8]),
            (160, [0xD452_EADC_FD05_90B2, 0x4F5E_3806_88CE_01E8]),
            (896, [0x2889_EBEC_C8E5_A077, 0xDF0A_4802_44DF_2583]),
            (928, [0xEDF8_7FA2_2CB8_6BD4, 0x4FC8_D1EF_78AF_6214]),
        ] {
            assert_eq!(crc128(&bytes[..len]), sums, "{len}");
        }
    }

    #[test]
    fn reference_files_end_with_their_checksums() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/syzygy");
        let files = std::fs::read_dir(folder).expect("a folder");
        let mut seen = 0;
        for path in files.map(|entry| entry.expect("a file").path()) {
            if path.extension().is_some_and(|end| end != "md") {
                let bytes = std::fs::read(&path).expect("readable");
                let (rest, told) = bytes.split_last_chunk().expect("a checksum");
                assert_eq!(checksum(rest), *told, "{}", path.display());
                seen += 1;
            }
        }
        assert!(seen >= 10);
    }
}
