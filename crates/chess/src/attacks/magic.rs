//! Magic bitboards: the attacks of rooks and bishops by one multiplication and one look-up.
//!
//! For each square a factor maps the pieces on the inner squares of its lines to an index without
//! harmful collisions (Kannan, "Magic Move-Bitboard Generation in Computer Chess", 2007).
//! Provenance: the factors below were found by `search` in this file's tests, which finds them
//! again on every run.
//!
//! The table is built at compile time. A rook's index is a product with the sum of what stands on
//! its rank and its file, so the products of both lines are computed once and only added.

use super::super::{Bitboard, Square};

/// How to find the attacks of one slider on one square.
#[derive(Clone, Copy)]
struct Magic {
    mask: u64,
    factor: u64,
    offset: u32,
    shift: u32,
}

const ROOK_ENTRIES: usize = 102_400;
const BISHOP_ENTRIES: usize = 5_248;

static ROOKS: [Magic; 64] = magics(&ROOK_FACTORS, ROOK_STEPS, 0);
static BISHOPS: [Magic; 64] = magics(&BISHOP_FACTORS, BISHOP_STEPS, ROOK_ENTRIES as u32);
static TABLE: [Bitboard; ROOK_ENTRIES + BISHOP_ENTRIES] = table();

/// The squares a rook attacks, the first piece on each line included.
#[must_use]
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&ROOKS[square.index()], occupied)
}

/// The squares a bishop attacks, the first piece on each line included.
#[must_use]
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&BISHOPS[square.index()], occupied)
}

#[inline]
fn look_up(magic: &Magic, occupied: Bitboard) -> Bitboard {
    let index = (occupied.0 & magic.mask).wrapping_mul(magic.factor) >> magic.shift;
    TABLE[magic.offset as usize + index as usize]
}

/// A step along a line, in files and ranks.
type Step = (i32, i32);

/// One direction of each of a slider's two lines; the other is its negative.
const ROOK_STEPS: [Step; 2] = [(1, 0), (0, 1)];
const BISHOP_STEPS: [Step; 2] = [(1, 1), (1, -1)];

/// The squares from `square` in one direction up to the first of `occupied`; without the last
/// square before the edge if `inner`.
const fn ray(square: usize, occupied: u64, step: Step, inner: bool) -> u64 {
    let mut set = 0;
    let mut file = (square & 7) as i32 + step.0;
    let mut rank = (square >> 3) as i32 + step.1;
    while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        let (f, r) = (file + step.0, rank + step.1);
        if inner && !(f >= 0 && f < 8 && r >= 0 && r < 8) {
            break;
        }
        let bit = 1 << (rank * 8 + file);
        set |= bit;
        if occupied & bit != 0 {
            break;
        }
        file = f;
        rank = r;
    }
    set
}

const fn both_ways(square: usize, occupied: u64, step: Step, inner: bool) -> u64 {
    ray(square, occupied, step, inner) | ray(square, occupied, (-step.0, -step.1), inner)
}

const fn mask(square: usize, steps: [Step; 2]) -> u64 {
    both_ways(square, 0, steps[0], true) | both_ways(square, 0, steps[1], true)
}

const fn magics(factors: &[u64; 64], steps: [Step; 2], first: u32) -> [Magic; 64] {
    let mut magics = [Magic {
        mask: 0,
        factor: 0,
        offset: 0,
        shift: 0,
    }; 64];
    let mut offset = first;
    let mut square = 0;
    while square < 64 {
        let mask = mask(square, steps);
        let bits = mask.count_ones();
        magics[square] = Magic {
            mask,
            factor: factors[square],
            offset,
            shift: 64 - bits,
        };
        offset += 1 << bits;
        square += 1;
    }
    magics
}

/// What can stand on one line through a square: the share of the product and the attacks.
const fn line(square: usize, factor: u64, step: Step) -> ([u64; 64], [u64; 64], usize) {
    let mask = both_ways(square, 0, step, true);
    let (mut products, mut attacks) = ([0; 64], [0; 64]);
    let mut count = 0;
    let mut subset = 0u64;
    loop {
        products[count] = subset.wrapping_mul(factor);
        attacks[count] = both_ways(square, subset, step, false);
        count += 1;
        subset = subset.wrapping_sub(mask) & mask;
        if subset == 0 {
            return (products, attacks, count);
        }
    }
}

const fn fill<const N: usize>(
    mut table: [Bitboard; N],
    magics: &[Magic; 64],
    steps: [Step; 2],
) -> [Bitboard; N] {
    let mut square = 0;
    while square < 64 {
        let Magic {
            factor,
            offset,
            shift,
            ..
        } = magics[square];
        let (products_a, attacks_a, count_a) = line(square, factor, steps[0]);
        let (products_b, attacks_b, count_b) = line(square, factor, steps[1]);
        let mut a = 0;
        while a < count_a {
            let (product, attacks) = (products_a[a], attacks_a[a]);
            let mut b = 0;
            while b < count_b {
                let index = product.wrapping_add(products_b[b]) >> shift;
                table[offset as usize + index as usize] = Bitboard(attacks | attacks_b[b]);
                b += 1;
            }
            a += 1;
        }
        square += 1;
    }
    table
}

// A million steps, well under a second; the lint only warns that it is not instantaneous.
#[allow(long_running_const_eval)]
const fn table() -> [Bitboard; ROOK_ENTRIES + BISHOP_ENTRIES] {
    let table = [Bitboard::EMPTY; ROOK_ENTRIES + BISHOP_ENTRIES];
    let rooks = magics(&ROOK_FACTORS, ROOK_STEPS, 0);
    let bishops = magics(&BISHOP_FACTORS, BISHOP_STEPS, ROOK_ENTRIES as u32);
    fill(fill(table, &rooks, ROOK_STEPS), &bishops, BISHOP_STEPS)
}

#[rustfmt::skip]
const ROOK_FACTORS: [u64; 64] = [
    0x0380_0480_1120_C004, 0x0440_0620_0010_0040, 0x0200_0840_2600_8010, 0x0100_0438_2150_0100,
    0x6A80_0694_0080_2800, 0x0300_0400_0A01_0008, 0x0080_0200_0100_0080, 0x8600_0428_8041_0402,
    0x0200_8020_8000_4000, 0x4001_8080_2000_4000, 0x0000_8010_0020_0083, 0x4082_0010_4008_2201,
    0x0808_8008_0080_0400, 0x8080_8002_0080_0400, 0x00C2_0008_7401_0200, 0x0061_0008_A051_0002,
    0x4405_0600_2080_4200, 0x0010_0340_0044_2000, 0x0300_4200_2200_1080, 0x0022_8480_0800_1000,
    0x1030_8080_0400_0800, 0x0000_8080_0200_0401, 0x0080_8400_6108_0210, 0x0800_0600_0402_8161,
    0x4240_4002_8000_8028, 0x0180_2000_4010_0040, 0x0110_0400_2008_0020, 0x4000_4202_0010_0A20,
    0x0000_0801_0004_1100, 0x0400_0200_8080_0400, 0x2100_0104_002A_5810, 0x0088_2C0A_0004_8351,
    0x0040_0080_4280_0020, 0x2020_0030_0140_014A, 0x0000_8120_0480_1000, 0x4000_8010_0280_0800,
    0x0200_0800_8180_2401, 0x4300_0200_8080_0400, 0x0800_1150_2400_0288, 0x0000_4400_4200_0081,
    0x0000_2080_4012_8000, 0x0620_0080_4001_0100, 0x0000_2000_1000_8080, 0x100A_0049_C012_0020,
    0x0000_0800_0400_8080, 0x0402_0010_0802_0004, 0x0001_0142_1044_0008, 0x0000_3181_0242_0004,
    0x0021_0200_5880_2200, 0x8140_2080_4009_0100, 0x0060_0070_0800_4140, 0x0010_4800_8110_0180,
    0x00C0_0800_0400_8080, 0x0801_0024_0008_8300, 0x0800_C805_1032_0C00, 0x8154_0040_9411_0200,
    0x100A_0100_2094_8142, 0x9006_02A0_4111_0782, 0x2200_0D11_0020_0041, 0x0190_3000_8500_2119,
    0x2001_0008_0004_0211, 0x1002_0090_0C23_1806, 0x8000_5002_0800_C104, 0x0003_0018_4020_8201,
];

#[rustfmt::skip]
const BISHOP_FACTORS: [u64; 64] = [
    0x0040_1001_0045_9180, 0x0220_0414_2242_4100, 0x8008_2801_0020_0100, 0x0088_2082_2000_0402,
    0x1102_0211_0012_008A, 0x4000_9010_0800_200C, 0x2889_0802_0220_0404, 0x8400_1201_1002_1101,
    0x4100_4410_3021_2500, 0x1080_2002_9602_022A, 0x0008_4850_A106_0009, 0x6001_580A_0620_0802,
    0x1048_4202_1001_0004, 0x0200_0101_0840_0120, 0x0010_1208_2208_0400, 0x0000_1230_8808_0880,
    0x0084_0040_0428_1228, 0x0A04_6030_0108_0500, 0x0030_0492_0082_0008, 0x0012_4004_0502_0080,
    0x1104_0102_20A0_0600, 0x0004_C00A_0110_0510, 0xA101_1040_8C01_2080, 0x2681_0141_4400_9482,
    0x8820_0800_20C3_0410, 0x0802_0900_0210_0424, 0x0A04_1404_0601_2400, 0x8040_0400_0441_0020,
    0x8309_00C0_0401_4040, 0x0041_0204_0100_4121, 0x6058_0C40_0904_2210, 0x1B04_2100_0041_0889,
    0x0870_0212_4508_1040, 0x8000_B044_2510_1404, 0x1562_2110_0001_0400, 0x0000_0808_0022_0A00,
    0x9C90_0200_8000_1004, 0x0102_0081_000A_0050, 0x0008_00A8_A814_0200, 0x0000_8121_0402_0080,
    0x0002_0202_4081_2021, 0x0060_8404_2002_4280, 0x8042_0928_0400_0800, 0x1008_4040_1040_2200,
    0x4000_4014_0820_0900, 0xA404_1080_8201_2104, 0x0310_1002_0440_10A9, 0x0088_0204_1420_0040,
    0x0080_7105_4DC0_0403, 0x4400_4042_6820_000D, 0x0008_0031_0808_0020, 0x8894_061A_8411_0014,
    0x0010_20C1_9041_0400, 0x0900_C004_0414_2920, 0x0540_0891_5400_9004, 0x0010_0240_A400_8400,
    0x6005_0104_8220_0300, 0xB008_4104_8484_6020, 0x1022_4211_0861_1000, 0x0000_19C0_0020_8811,
    0x3020_0084_2222_4400, 0x0800_4060_1810_9120, 0x0C04_4828_9808_0A40, 0x0840_8801_0042_0A40,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64 (Steele, Lea & Flood 2014).
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn attacks(square: usize, occupied: u64, steps: [Step; 2]) -> u64 {
        both_ways(square, occupied, steps[0], false) | both_ways(square, occupied, steps[1], false)
    }

    fn subsets(mask: u64) -> Vec<u64> {
        let mut all = vec![0u64];
        let mut subset = mask & mask.wrapping_neg();
        while subset != 0 {
            all.push(subset);
            subset = subset.wrapping_sub(mask) & mask;
        }
        all
    }

    /// The first factor with few bits, in the order of a generator seeded by the square, that maps
    /// all sets of blockers to an index of as many bits as there are inner squares.
    fn search(square: usize, steps: [Step; 2]) -> u64 {
        let mask = mask(square, steps);
        let bits = mask.count_ones();
        let sets: Vec<_> = subsets(mask)
            .into_iter()
            .map(|s| (s, attacks(square, s, steps)))
            .collect();
        let mut seen = vec![(0, 0); 1 << bits];
        let mut state = square as u64;
        for attempt in 1u32.. {
            let factor = next(&mut state) & next(&mut state) & next(&mut state);
            if (mask.wrapping_mul(factor) >> 56).count_ones() < 6 {
                continue;
            }
            let fits = sets.iter().all(|&(set, attacks)| {
                let entry = &mut seen[(set.wrapping_mul(factor) >> (64 - bits)) as usize];
                if entry.0 == attempt {
                    entry.1 == attacks
                } else {
                    *entry = (attempt, attacks);
                    true
                }
            });
            if fits {
                return factor;
            }
        }
        unreachable!("there are such factors")
    }

    #[test]
    fn the_search_finds_these_factors() {
        for square in 0..64 {
            assert_eq!(search(square, ROOK_STEPS), ROOK_FACTORS[square]);
            assert_eq!(search(square, BISHOP_STEPS), BISHOP_FACTORS[square]);
        }
    }

    #[test]
    fn every_set_of_blockers_is_right() {
        for s in Square::ALL {
            for set in subsets(mask(s.index(), ROOK_STEPS)) {
                assert_eq!(
                    rook(s, Bitboard(set)).0,
                    attacks(s.index(), set, ROOK_STEPS)
                );
            }
            for set in subsets(mask(s.index(), BISHOP_STEPS)) {
                assert_eq!(
                    bishop(s, Bitboard(set)).0,
                    attacks(s.index(), set, BISHOP_STEPS)
                );
            }
        }
    }
}
