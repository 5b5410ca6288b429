//! Which values are likely in which context, learnt from the table itself.

use super::plane::{PLACES, common, setting_bits};
use super::rans::{Odds, TOTAL};
use crate::tablebase::layout::Layout;

/// A setting of fewer cells in the sample shares the odds of all that have its common part.
const RARE: u32 = 24;
/// Settings of [`common`] parts: of five bits.
const COMMON: usize = 32;
/// Bytes that the decompressed model of a side may take at most.
const MAX_BYTES: usize = 1 << 22;
/// Zstandard's level for the model: small, and compressed once.
const LEVEL: i32 = 12;

/// Counts of the values in each context of a sample.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    counts: Vec<[[u32; 3]; PLACES]>,
}

impl Sample {
    pub(super) fn new(layout: &Layout) -> Sample {
        Sample {
            counts: vec![Default::default(); 1 << setting_bits(layout)],
        }
    }

    #[inline]
    pub(super) fn add(&mut self, setting: u16, place: usize, value: u8) {
        self.counts[usize::from(setting)][place][usize::from(value)] += 1;
    }

    /// Both samples together.
    pub(super) fn merged(mut self, other: &Sample) -> Sample {
        for (mine, theirs) in self
            .counts
            .iter_mut()
            .flatten()
            .flatten()
            .zip(other.counts.iter().flatten().flatten())
        {
            *mine += theirs;
        }
        self
    }
}

/// The odds of every context of one side of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Model {
    /// Row of each setting; the first [`COMMON`] are those of the common parts.
    rows: Vec<u16>,
    odds: Vec<[Odds; PLACES]>,
}

impl Model {
    #[inline(always)]
    pub(super) fn odds(&self, setting: u16, place: usize) -> Odds {
        let row = self.rows[usize::from(setting)];
        self.odds[usize::from(row)][place]
    }

    /// The model of a sample, as the file will tell it.
    pub(super) fn learn(layout: &Layout, sample: &Sample) -> Vec<u8> {
        let mut common_counts = vec![[[0_u32; 3]; PLACES]; COMMON];
        for (setting, counts) in sample.counts.iter().enumerate() {
            let sum = &mut common_counts[usize::from(common(setting as u16))];
            for (sum, count) in sum.iter_mut().flatten().zip(counts.iter().flatten()) {
                *sum = sum.saturating_add(*count);
            }
        }
        let mut used = vec![0_u8; sample.counts.len().div_ceil(8)];
        let mut bytes = Vec::new();
        let mut row = |counts: &[[u32; 3]; PLACES], fallback: &[[u32; 3]; PLACES]| {
            for (counts, fallback) in counts.iter().zip(fallback) {
                bytes.extend(code_of(*counts, *fallback));
            }
        };
        for counts in &common_counts {
            row(counts, counts);
        }
        for (setting, counts) in sample.counts.iter().enumerate() {
            if counts.iter().flatten().sum::<u32>() >= RARE {
                used[setting / 8] |= 1 << (setting % 8);
                row(counts, &common_counts[usize::from(common(setting as u16))]);
            }
        }
        debug_assert!(sample.counts.len() == 1 << setting_bits(layout));
        let mut all = used;
        // Like bytes side by side.
        for part in 0..3 {
            all.extend(bytes.iter().skip(part).step_by(3));
        }
        zstd::bulk::compress(&all, LEVEL).unwrap_or_default()
    }

    /// Reads a model; `None` if it is damaged.
    pub(super) fn read(layout: &Layout, bytes: &[u8]) -> Option<Model> {
        let all = zstd::bulk::decompress(bytes, MAX_BYTES).ok()?;
        let settings = 1_usize << setting_bits(layout);
        let (used, bytes) = all.split_at_checked(settings.div_ceil(8))?;
        let mut count = COMMON as u16;
        let rows: Vec<u16> = (0..settings)
            .map(|setting| {
                if used[setting / 8] >> (setting % 8) & 1 == 0 {
                    return common(setting as u16);
                }
                count += 1;
                count - 1
            })
            .collect();
        let contexts = usize::from(count) * PLACES;
        if bytes.len() != 3 * contexts {
            return None;
        }
        let odds: Option<Vec<Odds>> = (0..contexts)
            .map(|n| odds_of([bytes[n], bytes[contexts + n], bytes[2 * contexts + n]]))
            .collect();
        let (odds, _) = odds.as_ref()?.as_chunks::<PLACES>();
        Some(Model {
            rows,
            odds: odds.to_vec(),
        })
    }
}

/// The orders of the three values.
const ORDERS: [[u8; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Three bytes for the odds of these counts: the order, and the frequencies of the two less likely values.
fn code_of(counts: [u32; 3], fallback: [u32; 3]) -> [u8; 3] {
    // A little of the fallback's odds, so that nothing is impossible.
    let sum = |counts: [u32; 3]| counts.iter().map(|&n| u64::from(n)).sum::<u64>();
    let prior = (sum(fallback) + 3) as f64;
    let total = sum(counts) as f64 + 1.0;
    let odds: [f64; 3] = std::array::from_fn(|v| {
        (f64::from(counts[v]) + (f64::from(fallback[v]) + 1.0) / prior) / total
    });
    let order = (0..6)
        .max_by(|&a, &b| {
            let key = |n: usize| ORDERS[n].map(|v| odds[usize::from(v)]);
            key(a)
                .partial_cmp(&key(b))
                .unwrap_or(std::cmp::Ordering::Equal)
        })
        .unwrap_or(0);
    let rare = |n: usize| to_byte(odds[usize::from(ORDERS[order][n])]);
    [order as u8, rare(1), rare(2)]
}

fn odds_of([order, second, third]: [u8; 3]) -> Option<Odds> {
    let values = *ORDERS.get(usize::from(order))?;
    Odds::new(values, from_byte(second)?, from_byte(third)?)
}

/// The steps in which frequencies are told: eight to an octave.
const STEPS: u8 = 8;

/// The largest byte whose frequency is not above a share (of at most one half) of [`TOTAL`].
fn to_byte(share: f64) -> u8 {
    let wanted = (share * f64::from(TOTAL)).min(f64::from(TOTAL) / 2.0 - 1.0);
    let mut best = 0;
    for byte in 0..=u8::MAX {
        match from_byte(byte) {
            Some(frequency) if f64::from(frequency) <= wanted => best = byte,
            _ => break,
        }
    }
    best
}

/// The frequency of a byte: 1 to 8 by ones, then [`STEPS`] to an octave; `None` above half of [`TOTAL`].
fn from_byte(byte: u8) -> Option<u32> {
    let (octave, step) = (u32::from(byte / STEPS), u32::from(byte % STEPS));
    let frequency = if octave == 0 {
        step + 1
    } else {
        (u32::from(STEPS) + step + 1).checked_shl(octave - 1)?
    };
    (frequency < TOTAL / 2).then_some(frequency)
}
