//! Symbols for rows of values: Re-Pair.
//!
//! Frequent pairs of symbols become symbols, again and again (Larsson & Moffat, "Offline Dictionary-Based Compression",
//! DCC 1999), many pairs at a time. Runs of one value come as symbols of powers of two from the start.

use super::counter::Counter;

/// The most symbols: numbers have 12 bits, and the last one marks leaves.
pub(super) const MAX_SYMBOLS: usize = 4095;
/// The most values of a symbol.
pub(super) const MAX_LEN: u16 = 256;
/// Runs of up to 2^8 values are symbols from the start.
const RUN_BITS: usize = 9;
/// Pairs that become symbols at a time: at most so many, and such as gain at least this share of the best one's.
const AT_A_TIME: usize = 64;
const SPREAD: f64 = 4.0;
/// Bits that a new symbol must gain; it takes 24 in the file, but longer ones come of it.
const LEAST_GAIN: f64 = 20.0;

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Value(u8),
    Pair(u16, u16),
}

/// Symbols and the rows of values that they stand for.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    meanings: Vec<Meaning>,
    lens: Vec<u16>,
    /// By value: the symbols of its runs of 1, 2, 4 ... values; none for a value that does not occur.
    runs: Vec<Option<[u16; RUN_BITS]>>,
    /// The pairs that became symbols, pass by pass.
    passes: Vec<Vec<(u16, u16, u16)>>,
}

impl Dictionary {
    /// The runs of these values.
    pub(super) fn new(values: impl Iterator<Item = u8>) -> Dictionary {
        let mut dictionary = Dictionary {
            meanings: Vec::new(),
            lens: Vec::new(),
            runs: vec![None; 256],
            passes: Vec::new(),
        };
        for value in values {
            let mut symbol = dictionary.add(Meaning::Value(value), 1);
            let mut runs = [symbol; RUN_BITS];
            for slot in &mut runs[1..] {
                let len = 2 * dictionary.lens[usize::from(symbol)];
                symbol = dictionary.add(Meaning::Pair(symbol, symbol), len);
                *slot = symbol;
            }
            dictionary.runs[usize::from(value)] = Some(runs);
        }
        dictionary
    }

    fn add(&mut self, meaning: Meaning, len: u16) -> u16 {
        self.meanings.push(meaning);
        self.lens.push(len);
        (self.meanings.len() - 1) as u16
    }

    /// By symbol.
    pub(super) fn meanings(&self) -> &[Meaning] {
        &self.meanings
    }

    /// By symbol: the number of values.
    pub(super) fn lens(&self) -> &[u16] {
        &self.lens
    }

    /// The symbols of a run.
    #[inline]
    pub(super) fn push_run(&self, value: u8, mut len: u64, into: &mut Vec<u16>) {
        let Some(runs) = &self.runs[usize::from(value)] else {
            debug_assert!(false, "the value {value} has no symbol");
            return;
        };
        let longest = RUN_BITS - 1;
        while len >> longest != 0 {
            into.push(runs[longest]);
            len -= 1 << longest;
        }
        for bit in (0..longest).rev() {
            if len >> bit & 1 != 0 {
                into.push(runs[bit]);
            }
        }
    }

    /// Makes symbols of the frequent pairs of a sample and replaces them there.
    pub(super) fn learn(&mut self, sample: &mut Vec<u16>) {
        while self.meanings.len() < MAX_SYMBOLS {
            let pairs = self.frequent(sample);
            if pairs.is_empty() {
                return;
            }
            let new: Vec<(u16, u16, u16)> = pairs
                .into_iter()
                .map(|(a, b)| {
                    let len = self.lens[usize::from(a)] + self.lens[usize::from(b)];
                    (a, b, self.add(Meaning::Pair(a, b), len))
                })
                .collect();
            self.replacement(&new).apply(sample);
            self.passes.push(new);
        }
    }

    /// Replaces in other symbols what was learnt.
    pub(super) fn apply(&self, symbols: &mut Vec<u16>) {
        for pass in &self.passes {
            self.replacement(pass).apply(symbols);
        }
    }

    /// The pairs that become symbols next: the most frequent ones that do not overlap.
    fn frequent(&self, symbols: &[u16]) -> Vec<(u16, u16)> {
        let counts = self.counts(symbols);
        let room = MAX_SYMBOLS - self.meanings.len();
        let mut single = vec![0u32; self.meanings.len()];
        for &symbol in symbols {
            single[usize::from(symbol)] += 1;
        }
        let log = |x: f64| if x > 0.0 { x * x.log2() } else { 0.0 };
        let t = symbols.len() as f64;
        let gain = |pair: u32, count: u32| -> f64 {
            let (a, b) = ((pair >> 16) as usize, (pair & 0xFFFF) as usize);
            let (ca, cb, c) = (f64::from(single[a]), f64::from(single[b]), f64::from(count));
            if a == b {
                log(t) - log(ca) - (log(t - c) - log(ca - 2.0 * c) - log(c))
            } else {
                log(t) - log(ca) - log(cb) - (log(t - c) - log(ca - c) - log(cb - c) - log(c))
            }
        };
        let frequent = counts
            .iter()
            .filter(|&(_, count)| count > 1)
            .map(|(pair, count)| (gain(pair, count), pair));
        let mut frequent: Vec<(f64, u32)> = frequent.filter(|g| g.0 >= LEAST_GAIN).collect();
        let top = frequent.iter().map(|g| g.0).fold(0.0, f64::max);
        frequent.retain(|g| g.0 >= top / SPREAD);
        frequent.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (mut left, mut right) = (
            vec![false; room + self.meanings.len()],
            vec![false; MAX_SYMBOLS],
        );
        let mut chosen = Vec::new();
        for (_, pair) in frequent {
            let (a, b) = ((pair >> 16) as usize, (pair & 0xFFFF) as usize);
            let alike = a == b && (left[a] || right[a]);
            if right[a] || left[b] || alike {
                continue;
            }
            left[a] = true;
            right[b] = true;
            chosen.push((a as u16, b as u16));
            if chosen.len() == room.min(AT_A_TIME) {
                break;
            }
        }
        chosen
    }

    /// How often each pair occurs that may become a symbol, not counting overlaps of like symbols.
    fn counts(&self, symbols: &[u16]) -> Counter {
        let mut counts = Counter::new(1 << 12);
        let mut skip = false;
        for pair in symbols.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if a == b {
                skip = !skip;
                if !skip {
                    continue;
                }
            } else {
                skip = false;
            }
            if self.lens[usize::from(a)] + self.lens[usize::from(b)] <= MAX_LEN {
                counts.add(u32::from(a) << 16 | u32::from(b), 1);
            }
        }
        counts
    }

    fn replacement(&self, pairs: &[(u16, u16, u16)]) -> Replacement {
        let mut replacement = Replacement {
            first: vec![false; self.meanings.len()],
            pairs: Counter::new(pairs.len()),
        };
        for &(a, b, pair) in pairs {
            replacement.first[usize::from(a)] = true;
            let key = u32::from(a) << 16 | u32::from(b);
            replacement.pairs.add(key, pair.into());
        }
        replacement
    }
}

/// Pairs that are replaced in one pass.
struct Replacement {
    /// Symbols that begin one.
    first: Vec<bool>,
    pairs: Counter,
}

impl Replacement {
    fn apply(&self, symbols: &mut Vec<u16>) {
        let (mut from, mut to) = (0, 0);
        while from < symbols.len() {
            let mut symbol = symbols[from];
            from += 1;
            if self.first[usize::from(symbol)]
                && let Some(&next) = symbols.get(from)
            {
                // A pair is never the first symbol.
                let pair = self.pairs.get(u32::from(symbol) << 16 | u32::from(next));
                if pair != 0 {
                    symbol = pair as u16;
                    from += 1;
                }
            }
            symbols[to] = symbol;
            to += 1;
        }
        symbols.truncate(to);
    }
}
