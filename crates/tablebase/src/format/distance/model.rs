//! Which differences are likely in which context, learnt from the table itself.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::super::odds::{Code, EVEN, best, code_of, odds_of, saved, shares};
use super::super::rans::Odds;
use super::grid::{CELLS, COARSE, Coder, Context, TAILS, coarse_of};

/// To tell what a sample takes, a whole context of fewer cells shares the odds of its coarse part.
const RARE: u32 = 32;
/// Bits that the number of a context takes in a file, compressed.
const NUMBER: f64 = 12.0;
/// Bytes that a decompressed model may take at most.
const MAX_BYTES: usize = 1 << 23;
/// The most contexts that have odds of their own: so many fit.
const MAX_CONTEXTS: usize = 500_000;
/// Zstandard's level for the model: small, and compressed once.
const LEVEL: i32 = 12;

/// Of the first digit, and of the second by the first.
type Counts = [[u32; 3]; 3];
type Shares = [[f64; 3]; 3];
type Codes = [Code; 3];

/// Spreads the numbers of contexts over the table.
#[derive(Clone, Copy, Default)]
pub(super) struct Scatter(u64);

impl Hasher for Scatter {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        let product = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ product >> 32;
    }
}

type ByContext<T> = HashMap<u32, T, BuildHasherDefault<Scatter>>;

/// Counts of the digits in each context of a sample.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    whole: ByContext<Counts>,
    /// The context entered last.
    at: u32,
    tails: Vec<[u32; 3]>,
    /// Numbers, by size, of some cells.
    numbers: Vec<u32>,
    plain: u64,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample {
            whole: HashMap::default(),
            at: 0,
            tails: vec![[0; 3]; TAILS],
            numbers: vec![0; 1 << 10],
            plain: 0,
        }
    }
}

fn is_rare(counts: &Counts) -> bool {
    counts[0].iter().sum::<u32>() < RARE
}

/// The bits of digits with these counts, each row with odds of its own.
fn entropy(rows: &[[u32; 3]]) -> f64 {
    let row = |counts: &[u32; 3]| {
        let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
        let seen = counts.iter().filter(|&&count| count > 0);
        seen.map(|&count| f64::from(count) * (total / f64::from(count)).log2())
            .sum::<f64>()
    };
    rows.iter().map(row).sum()
}

fn add<const N: usize>(sum: &mut [[u32; 3]; N], counts: &[[u32; 3]; N]) {
    for (sum, count) in sum.iter_mut().flatten().zip(counts.iter().flatten()) {
        *sum = sum.saturating_add(*count);
    }
}

impl Sample {
    /// Counts the first number of a block, to know what is expected where nothing came before.
    pub(super) fn note(&mut self, class: &[u64], numbers: &[u16; CELLS]) {
        if let Some(n) = class.iter().position(|&word| word != 0) {
            let number = numbers[64 * n + class[n].trailing_zeros() as usize];
            let last = self.numbers.len() - 1;
            self.numbers[usize::from(number).min(last)] += 1;
        }
    }

    /// The bits that the sample takes with a model of its own.
    pub(super) fn bits(&self) -> f64 {
        let mut rest = vec![Counts::default(); COARSE];
        let mut bits = 0.0;
        // In order: a sum of fractions depends on it in the last place.
        let mut whole: Vec<_> = self.whole.iter().collect();
        whole.sort_unstable_by_key(|(context, _)| **context);
        for (&context, counts) in whole {
            if is_rare(counts) {
                add(&mut rest[coarse_of(context)], counts);
            } else {
                bits += entropy(counts);
            }
        }
        let rest: f64 = rest.iter().map(|counts| entropy(counts)).sum();
        bits + rest + entropy(&self.tails) + self.plain as f64 * 3_f64.log2()
    }

    /// Both samples together.
    pub(super) fn merged(mut self, other: &Sample) -> Sample {
        for (&context, counts) in &other.whole {
            add(self.whole.entry(context).or_default(), counts);
        }
        let pairs = self.tails.iter_mut().zip(&other.tails);
        pairs
            .for_each(|(sum, counts)| add(std::array::from_mut(sum), std::array::from_ref(counts)));
        let pairs = self.numbers.iter_mut().zip(&other.numbers);
        pairs.for_each(|(sum, count)| *sum += count);
        self.plain += other.plain;
        self
    }

    /// The middle one of the numbers.
    fn median(&self) -> u16 {
        let all: u32 = self.numbers.iter().sum();
        let mut before = 0;
        let middle = self.numbers.iter().position(|&count| {
            before += count;
            2 * before >= all
        });
        middle.unwrap_or(0) as u16
    }

    /// Counts of the coarse contexts.
    fn coarse(&self) -> Vec<Counts> {
        let mut coarse = vec![Counts::default(); COARSE];
        for (&context, counts) in &self.whole {
            add(&mut coarse[coarse_of(context)], counts);
        }
        coarse
    }
}

impl Coder for Sample {
    #[inline(always)]
    fn enter(&mut self, context: Context) {
        self.at = context.whole;
    }

    #[inline(always)]
    fn near(&mut self, place: usize, known: u8) -> u8 {
        let counts = self.whole.entry(self.at).or_default();
        counts[place][usize::from(known)] += 1;
        known
    }

    #[inline]
    fn tail(&mut self, context: usize, known: u8) -> u8 {
        self.tails[context][usize::from(known)] += 1;
        known
    }

    #[inline]
    fn plain(&mut self, known: u8) -> u8 {
        self.plain += 1;
        known
    }
}

/// The odds of whole contexts: a hash table in which a look-up touches one line of the cache as a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Whole {
    slots: Vec<Slot>,
    /// Bits that a hash is shifted down by.
    shift: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    /// The context; [`Whole::EMPTY`] if there is none.
    context: u32,
    odds: [Odds; 3],
}

impl Whole {
    const EMPTY: u32 = u32::MAX;

    /// An empty one for so many contexts, at most half full.
    fn with_room(count: usize) -> Whole {
        let size = (2 * count.max(1)).next_power_of_two();
        let empty = Slot {
            context: Whole::EMPTY,
            odds: [Odds::even(); 3],
        };
        Whole {
            slots: vec![empty; size],
            shift: 32 - size.trailing_zeros(),
        }
    }

    /// Where a context is, or the empty slot where it would be.
    #[inline(always)]
    fn find(&self, context: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (context.wrapping_mul(0x9E37_79B1) >> self.shift) as usize & mask;
        while self.slots[at].context != context && self.slots[at].context != Whole::EMPTY {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline(always)]
    fn get(&self, context: u32) -> Option<&[Odds; 3]> {
        let slot = &self.slots[self.find(context)];
        (slot.context == context).then_some(&slot.odds)
    }

    fn insert(&mut self, context: u32, odds: [Odds; 3]) {
        let at = self.find(context);
        self.slots[at] = Slot { context, odds };
    }
}

/// The odds of every context of one class of distances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Model {
    /// The number that is expected where nothing came before.
    pub(super) base: u16,
    whole: Whole,
    coarse: Vec<[Odds; 3]>,
    tails: Vec<Odds>,
}

impl Model {
    /// The odds of a context.
    #[inline(always)]
    pub(super) fn odds(&self, context: Context) -> &[Odds; 3] {
        let coarse = &self.coarse[usize::from(context.coarse)];
        self.whole.get(context.whole).unwrap_or(coarse)
    }

    /// The odds of a later digit.
    #[inline]
    pub(super) fn tail(&self, context: usize) -> Odds {
        self.tails[context]
    }

    /// The model of a sample of one cell in `step`, as the file will store it.
    pub(super) fn learn(sample: &Sample, step: usize) -> Vec<u8> {
        let expect = |counts: &Counts, base: &Shares| -> Shares {
            std::array::from_fn(|n| shares(counts[n], base[n]))
        };
        let counts = sample.coarse();
        let all = counts.iter().fold(Counts::default(), |mut all, counts| {
            add(&mut all, counts);
            all
        });
        let root = expect(&all, &[EVEN; 3]);
        let coarse: Vec<Shares> = counts.iter().map(|counts| expect(counts, &root)).collect();
        let own_of = |context: u32, counts: &Counts| expect(counts, &coarse[coarse_of(context)]);
        let paying = sample.whole.iter().filter_map(|(&context, counts)| {
            let (own, base) = (own_of(context, counts), &coarse[coarse_of(context)]);
            let each = (0..3).map(|n| saved(counts[n], own[n], base[n], step));
            let saved: f64 = each.sum();
            (saved > NUMBER).then_some((saved, context))
        });
        let whole: Vec<(u32, Shares)> = best(paying.collect(), MAX_CONTEXTS)
            .into_iter()
            .map(|context| (context, own_of(context, &sample.whole[&context])))
            .collect();
        let mut planes = Planes::default();
        root.iter()
            .for_each(|&row| planes.push(code_of(row), [0; 3]));
        for row in &coarse {
            (0..3).for_each(|n| planes.push(code_of(row[n]), code_of(root[n])));
        }
        for &counts in &sample.tails {
            planes.push(code_of(shares(counts, EVEN)), [0; 3]);
        }
        for (context, row) in &whole {
            let base = &coarse[coarse_of(*context)];
            (0..3).for_each(|n| planes.push(code_of(row[n]), code_of(base[n])));
        }
        let mut bytes = sample.median().to_le_bytes().to_vec();
        bytes.extend_from_slice(&(whole.len() as u32).to_le_bytes());
        let mut before = 0;
        let steps = whole.iter().map(|&(context, _)| {
            let step = context - before;
            before = context;
            step.to_le_bytes()
        });
        let steps: Vec<[u8; 4]> = steps.collect();
        for byte in 0..4 {
            bytes.extend(steps.iter().map(|step| step[byte]));
        }
        planes
            .0
            .iter()
            .for_each(|plane| bytes.extend_from_slice(plane));
        zstd::bulk::compress(&bytes, LEVEL).unwrap_or_default()
    }

    /// Reads a model; `None` if it is damaged.
    pub(super) fn read(bytes: &[u8]) -> Option<Model> {
        let bytes = zstd::bulk::decompress(bytes, MAX_BYTES).ok()?;
        let (base, bytes) = bytes.split_first_chunk()?;
        let (count, bytes) = bytes.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let codes = 3 + 3 * COARSE + TAILS + 3 * count;
        if Some(bytes.len()) != count.checked_mul(4)?.checked_add(codes.checked_mul(3)?) {
            return None;
        }
        let (steps, bytes) = bytes.split_at(4 * count);
        let mut rows = (0..codes).map(|n| [bytes[n], bytes[codes + n], bytes[2 * codes + n]]);
        let mut row = |base: &Codes| -> Option<Codes> {
            let mut row = [[0; 3]; 3];
            for (code, base) in row.iter_mut().zip(base) {
                *code = sum(rows.next()?, *base);
            }
            Some(row)
        };
        let root = row(&[[0; 3]; 3])?;
        let coarse = (0..COARSE)
            .map(|_| row(&root))
            .collect::<Option<Vec<_>>>()?;
        let mut tails = Vec::with_capacity(TAILS);
        for _ in 0..TAILS / 3 {
            tails.extend(row(&[[0; 3]; 3])?);
        }
        let mut whole = Whole::with_room(count);
        let mut context = 0_u32;
        for n in 0..count {
            let step = std::array::from_fn(|byte| steps[byte * count + n]);
            let step = u32::from_le_bytes(step);
            if step == 0 && n > 0 {
                return None;
            }
            context = context.checked_add(step)?;
            let base = coarse.get(coarse_of(context))?;
            whole.insert(context, odds(&row(base)?)?);
        }
        let coarse = coarse.iter().map(odds).collect::<Option<_>>()?;
        let tails = tails.into_iter().map(odds_of).collect::<Option<_>>()?;
        Some(Model {
            base: u16::from_le_bytes(*base),
            whole,
            coarse,
            tails,
        })
    }
}

const _: () = assert!(TAILS.is_multiple_of(3));

fn odds(codes: &Codes) -> Option<[Odds; 3]> {
    Some([odds_of(codes[0])?, odds_of(codes[1])?, odds_of(codes[2])?])
}

fn sum(a: Code, b: Code) -> Code {
    std::array::from_fn(|n| a[n].wrapping_add(b[n]))
}

/// Codes as differences, like bytes side by side.
#[derive(Default)]
struct Planes([Vec<u8>; 3]);

impl Planes {
    fn push(&mut self, code: Code, base: Code) {
        for (n, plane) in self.0.iter_mut().enumerate() {
            plane.push(code[n].wrapping_sub(base[n]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contexts are sorted, each once: many of them take a file that is large, too.
    #[test]
    fn contexts_that_come_twice_are_refused() {
        let model = |step: u8| {
            let count = 3;
            let mut bytes = vec![0, 0, count, 0, 0, 0];
            bytes.extend([0, step, step]);
            bytes.resize(bytes.len() + 9, 0);
            let codes = 3 + 3 * COARSE + TAILS + 3 * usize::from(count);
            bytes.resize(bytes.len() + 3 * codes, 0);
            Model::read(&zstd::bulk::compress(&bytes, 1).expect("compressed"))
        };
        assert!(model(0).is_none());
        assert!(model(1).is_some());
    }
}
