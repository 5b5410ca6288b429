//! Which values are likely in which context, learnt from the table itself.

use super::rans::{Odds, TOTAL};
use super::walk::PLACES;
use crate::index::Settings;

/// A setting of fewer cells in the sample shares the odds of all that have its common part.
const RARE: u32 = 100;
/// Common parts of settings: they are below this.
const COMMON: usize = 128;
/// Bytes that the decompressed model of a side may take at most.
const MAX_BYTES: usize = 1 << 22;
/// Zstandard's level for the model: small, and compressed once.
const LEVEL: i32 = 12;

/// Counts of the values in the contexts of a setting.
type Counts = [[u32; 3]; PLACES];

/// Counts of the values in each context of a sample.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Per setting the number of its counts, 0 if it has none yet.
    rows: Vec<u32>,
    counts: Vec<Counts>,
}

impl Sample {
    pub(crate) fn new(shape: Settings) -> Sample {
        Sample {
            rows: vec![0; 1 << shape.bits],
            counts: vec![[[0; 3]; PLACES]],
        }
    }

    #[inline]
    pub(crate) fn add(&mut self, setting: u16, place: usize, value: u8) {
        self.row(usize::from(setting))[place][usize::from(value)] += 1;
    }

    #[inline]
    fn row(&mut self, setting: usize) -> &mut Counts {
        let row = &mut self.rows[setting];
        if *row == 0 {
            *row = self.counts.len() as u32;
            self.counts.push([[0; 3]; PLACES]);
        }
        &mut self.counts[*row as usize]
    }

    /// The settings that occur, in order, with their counts.
    fn settings(&self) -> impl Iterator<Item = (usize, &Counts)> {
        let all = self.rows.iter().enumerate().filter(|&(_, &row)| row != 0);
        all.map(|(setting, &row)| (setting, &self.counts[row as usize]))
    }

    /// Both samples together.
    pub(crate) fn merged(mut self, other: &Sample) -> Sample {
        for (setting, counts) in other.settings() {
            add(self.row(setting), counts);
        }
        self
    }
}

fn add(sum: &mut Counts, counts: &Counts) {
    for (sum, count) in sum.iter_mut().flatten().zip(counts.iter().flatten()) {
        *sum = sum.saturating_add(*count);
    }
}

/// The odds of every context of one side of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Model {
    /// Row of each setting; the first [`COMMON`] are those of the common parts.
    rows: Vec<u16>,
    odds: Vec<Odds>,
}

impl Model {
    #[inline(always)]
    pub(crate) fn odds(&self, setting: u16, place: usize) -> Odds {
        let row = self.rows[usize::from(setting)];
        self.odds[usize::from(row) * PLACES + place]
    }

    /// The model of a sample, as the file will store it.
    pub(crate) fn learn(shape: Settings, sample: &Sample) -> Vec<u8> {
        let mut common_counts: Vec<Counts> = vec![[[0; 3]; PLACES]; COMMON];
        for (setting, counts) in sample.settings() {
            add(
                &mut common_counts[usize::from(setting as u16 & shape.common)],
                counts,
            );
        }
        let mut used = vec![0_u8; (1_usize << shape.bits).div_ceil(8)];
        let bases: Vec<[Code; PLACES]> = common_counts
            .iter()
            .map(|counts| counts.map(|counts| code_of(counts).unwrap_or(EVEN)))
            .collect();
        let mut bytes: Vec<u8> = bases.iter().flatten().flatten().copied().collect();
        for (setting, counts) in sample.settings() {
            if counts.iter().flatten().sum::<u32>() >= RARE {
                used[setting / 8] |= 1 << (setting % 8);
                let base = &bases[usize::from(setting as u16 & shape.common)];
                for (&counts, &base) in counts.iter().zip(base) {
                    let code = code_of(counts).unwrap_or(base);
                    bytes.extend((0..3).map(|n| code[n].wrapping_sub(base[n])));
                }
            }
        }
        let mut all = used;
        // Like bytes side by side.
        for part in 0..3 {
            all.extend(bytes.iter().skip(part).step_by(3));
        }
        zstd::bulk::compress(&all, LEVEL).unwrap_or_default()
    }

    /// Reads a model; `None` if it is damaged.
    pub(crate) fn read(shape: Settings, bytes: &[u8]) -> Option<Model> {
        let all = zstd::bulk::decompress(bytes, MAX_BYTES).ok()?;
        let settings = 1_usize << shape.bits;
        let (used, bytes) = all.split_at_checked(settings.div_ceil(8))?;
        let mut count = COMMON as u16;
        let rows: Vec<u16> = (0..settings)
            .map(|setting| {
                if used[setting / 8] >> (setting % 8) & 1 == 0 {
                    return setting as u16 & shape.common;
                }
                count += 1;
                count - 1
            })
            .collect();
        let contexts = usize::from(count) * PLACES;
        if bytes.len() != 3 * contexts {
            return None;
        }
        let mut codes: Vec<Code> = (0..contexts)
            .map(|n| [bytes[n], bytes[contexts + n], bytes[2 * contexts + n]])
            .collect();
        for (setting, &row) in rows.iter().enumerate() {
            if usize::from(row) >= COMMON {
                let base = usize::from(setting as u16 & shape.common) * PLACES;
                for place in 0..PLACES {
                    let base = codes[base + place];
                    let code = &mut codes[usize::from(row) * PLACES + place];
                    *code = std::array::from_fn(|n| code[n].wrapping_add(base[n]));
                }
            }
        }
        let odds = codes.into_iter().map(odds_of).collect::<Option<_>>()?;
        Some(Model { rows, odds })
    }
}

/// Odds in three bytes: the order of the values, and the frequencies of the two less likely ones.
type Code = [u8; 3];
/// All alike.
const EVEN: Code = [0, 8 * STEPS, 8 * STEPS];
/// A context of fewer cells in the sample has the odds of its common part.
const FEW: u32 = 4;

/// The orders of the three values.
const ORDERS: [[u8; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// The odds of these counts; `None` if they are too few.
fn code_of(counts: [u32; 3]) -> Option<Code> {
    let total: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    if total < u64::from(FEW) {
        return None;
    }
    // What has not been seen may still come.
    let share = |value: u8| (f64::from(counts[usize::from(value)]) + 0.04) / (total as f64 + 0.12);
    let order =
        (0..ORDERS.len()).max_by_key(|&n| ORDERS[n].map(|value| counts[usize::from(value)]))?;
    let [_, second, third] = ORDERS[order];
    Some([order as u8, to_byte(share(second)), to_byte(share(third))])
}

fn odds_of([order, second, third]: [u8; 3]) -> Option<Odds> {
    let values = *ORDERS.get(usize::from(order))?;
    Odds::new(values, from_byte(second)?, from_byte(third)?)
}

/// The steps in which frequencies are stored: eight to an octave.
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
