//! Which values are likely in which context, learnt from the table itself.

use super::super::odds::{Code, EVEN, best, code_of, odds_of, saved, shares};
use super::super::rans::Odds;
use super::walk::PLACES;
use crate::index::Settings;

/// Common parts of settings: they are below this.
const COMMON: usize = 128;
/// Bytes that the decompressed model of a side may take at most.
const MAX_BYTES: usize = 1 << 22;
/// The most settings that have odds of their own: so many fit.
const MAX_SETTINGS: usize = 20_000;
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

    /// The counts of a setting; none if it does not occur.
    fn counts_of(&self, setting: usize) -> &Counts {
        &self.counts[self.rows[setting] as usize]
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

    /// The model of a sample of one cell in `step`, as the file will store it.
    pub(crate) fn learn(shape: Settings, sample: &Sample, step: usize) -> Vec<u8> {
        let mut common_counts: Vec<Counts> = vec![[[0; 3]; PLACES]; COMMON];
        for (setting, counts) in sample.settings() {
            add(
                &mut common_counts[usize::from(setting as u16 & shape.common)],
                counts,
            );
        }
        let mut used = vec![0_u8; (1_usize << shape.bits).div_ceil(8)];
        // What is never seen may still come, but is not expected.
        let bases: Vec<[[f64; 3]; PLACES]> = common_counts
            .iter()
            .map(|counts| counts.map(|counts| shares(counts, EVEN)))
            .collect();
        let mut bytes: Vec<u8> = bases
            .iter()
            .flatten()
            .flat_map(|&base| code_of(base))
            .collect();
        let base_of = |setting: usize| &bases[usize::from(setting as u16 & shape.common)];
        let own_of = |setting: usize, counts: &Counts| -> [[f64; 3]; PLACES] {
            let base = base_of(setting);
            std::array::from_fn(|place| shares(counts[place], base[place]))
        };
        let paying = sample.settings().filter_map(|(setting, counts)| {
            let (own, base) = (own_of(setting, counts), base_of(setting));
            let each = (0..PLACES).map(|place| saved(counts[place], own[place], base[place], step));
            let saved: f64 = each.sum();
            (saved > 0.0).then_some((saved, setting))
        });
        for setting in best(paying.collect(), MAX_SETTINGS) {
            used[setting / 8] |= 1 << (setting % 8);
            let own = own_of(setting, sample.counts_of(setting));
            for (&own, &base) in own.iter().zip(base_of(setting)) {
                let (code, base) = (code_of(own), code_of(base));
                bytes.extend((0..3).map(|n| code[n].wrapping_sub(base[n])));
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
        let mut count = COMMON;
        let rows = (0..settings)
            .map(|setting| {
                if used[setting / 8] >> (setting % 8) & 1 == 0 {
                    return Some(setting as u16 & shape.common);
                }
                count += 1;
                u16::try_from(count - 1).ok()
            })
            .collect::<Option<Vec<u16>>>()?;
        let contexts = count * PLACES;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A model whose every setting has odds of its own has more rows than there are numbers for them.
    #[test]
    fn more_rows_than_numbers_are_refused() {
        let shape = Settings {
            bits: 16,
            common: 0x5F,
        };
        let model = |settings: usize| {
            let mut all = vec![0_u8; (1 << 16) / 8];
            (0..settings).for_each(|setting| all[setting / 8] |= 1 << (setting % 8));
            all.resize(all.len() + 3 * PLACES * (COMMON + settings), 0);
            zstd::bulk::compress(&all, 1).expect("compressed")
        };
        assert!(Model::read(shape, &model(1 << 16)).is_none());
        // As the numbers would wrap: the codes of the common part alone.
        let mut wrapped = vec![255_u8; (1 << 16) / 8];
        wrapped.resize(wrapped.len() + 3 * PLACES * COMMON, 0);
        let wrapped = zstd::bulk::compress(&wrapped, 1).expect("compressed");
        assert!(Model::read(shape, &wrapped).is_none());
        assert!(Model::read(shape, &model(1000)).is_some());
    }
}
