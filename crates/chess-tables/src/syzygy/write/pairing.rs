//! Symbols for rows of values: Re-Pair.
//!
//! Frequent pairs of symbols become symbols, again and again (Larsson & Moffat, "Offline Dictionary-Based Compression",
//! DCC 1999), many pairs at a time. Runs of one value come as symbols of powers of two from the start.

use super::counter::Counter;
use super::rules::{Rules, key};

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
    rules: Rules,
}

impl Dictionary {
    /// The runs of these values.
    pub(super) fn new(values: impl Iterator<Item = u8>) -> Dictionary {
        let mut dictionary = Dictionary {
            meanings: Vec::new(),
            lens: Vec::new(),
            runs: vec![None; 256],
            rules: Rules::default(),
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

    /// Makes symbols of the frequent pairs of a sample, until there are `most` symbols, and replaces them there.
    pub(super) fn learn(&mut self, sample: &mut Vec<u16>, most: usize) {
        let mut counts = Frequencies::new(sample);
        while self.meanings.len() < most {
            let pairs = self.frequent(&counts, sample.len(), most);
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
            let pass = Replacement::new(&new, self.meanings.len());
            counts.replace(&pass, sample);
            self.rules.add_pass(&new, self.meanings.len());
        }
    }

    /// What was learnt.
    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The pairs that become symbols next: those that gain most, none of which overlaps another.
    fn frequent(&self, counts: &Frequencies, symbols: usize, most: usize) -> Vec<(u16, u16)> {
        let room = most.saturating_sub(self.meanings.len());
        let log = |x: f64| if x > 0.0 { x * x.log2() } else { 0.0 };
        let t = symbols as f64;
        let singles: Vec<(f64, f64)> = counts
            .single
            .iter()
            .map(|&count| (count.into(), log(count.into())))
            .collect();
        let log_t = log(t);
        let gain = |a: u16, b: u16, count: u32| -> f64 {
            let ((ca, log_a), (cb, log_b)) = (singles[usize::from(a)], singles[usize::from(b)]);
            let c = f64::from(count);
            if a == b {
                log_t - log_a - (log(t - c) - log(ca - 2.0 * c) - log(c))
            } else {
                log_t - log_a - log_b - (log(t - c) - log(ca - c) - log(cb - c) - log(c))
            }
        };
        // No pair gains more bits for each time it occurs.
        let most = t.max(2.0).log2() + 2.0;
        let mut frequent: Vec<(f64, u16, u16)> = Vec::new();
        let mut top = 0.0f64;
        for (a, b, count) in counts.iter() {
            let least = (top / SPREAD).max(LEAST_GAIN);
            let fits = self.lens[usize::from(a)] + self.lens[usize::from(b)] <= MAX_LEN;
            if count < 2 || f64::from(count) * most < least || !fits {
                continue;
            }
            let gain = gain(a, b, count);
            // Where pieces of a sample meet, pairs stand that are learnt already.
            if gain >= least && self.rules.find(a, b).is_none() {
                top = top.max(gain);
                frequent.push((gain, a, b));
            }
        }
        frequent.retain(|g| g.0 >= top / SPREAD);
        frequent.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let mut left = vec![false; self.meanings.len()];
        let mut right = left.clone();
        let mut chosen = Vec::new();
        for (_, a, b) in frequent {
            let (first, second) = (usize::from(a), usize::from(b));
            let alike = a == b && (left[first] || right[first]);
            if right[first] || left[second] || alike {
                continue;
            }
            left[first] = true;
            right[second] = true;
            chosen.push((a, b));
            if chosen.len() == room.min(AT_A_TIME) {
                break;
            }
        }
        chosen
    }
}

/// How often symbols and pairs of them occur in a sample, kept up to date while pairs become symbols.
#[derive(Debug)]
struct Frequencies {
    single: Vec<u32>,
    /// By symbol: pairs of it with itself that do not overlap.
    alike: Vec<u32>,
    /// Pairs of unlike symbols.
    pairs: Counter,
}

impl Frequencies {
    fn new(symbols: &[u16]) -> Frequencies {
        let mut counts = Frequencies {
            single: vec![0; MAX_SYMBOLS],
            alike: vec![0; MAX_SYMBOLS],
            pairs: Counter::new(1 << 12),
        };
        for &symbol in symbols {
            counts.single[usize::from(symbol)] += 1;
        }
        for pair in symbols.windows(2) {
            if pair[0] != pair[1] {
                counts.pairs.add(key(pair[0], pair[1]), 1);
            }
        }
        let mut runs = Runs::default();
        for &symbol in symbols {
            runs.push(symbol, &mut counts.alike);
        }
        counts
    }

    /// Pairs and how often they occur.
    fn iter(&self) -> impl Iterator<Item = (u16, u16, u32)> + '_ {
        let alike = self.alike.iter().enumerate();
        let alike = alike.map(|(symbol, &count)| (symbol as u16, symbol as u16, count));
        let unlike = self.pairs.iter();
        alike
            .filter(|pair| pair.2 > 0)
            .chain(unlike.map(|(key, count)| ((key >> 16) as u16, key as u16, count)))
    }

    /// Replaces pairs in the sample.
    fn replace(&mut self, pass: &Replacement, symbols: &mut Vec<u16>) {
        self.alike.fill(0);
        let mut runs = Runs::default();
        // What was written last, and the last of the symbols that it stands for.
        let mut before: Option<(u16, u16)> = None;
        let (mut from, mut to) = (0, 0);
        while from < symbols.len() {
            let first = symbols[from];
            from += 1;
            let (mut last, mut written) = (first, first);
            if let Some(&next) = symbols.get(from)
                && let Some(pair) = pass.find(first, next)
            {
                (last, written) = (next, pair);
                from += 1;
                self.single[usize::from(first)] -= 1;
                self.single[usize::from(next)] -= 1;
                self.single[usize::from(pair)] += 1;
                if first != next {
                    self.pairs.subtract(key(first, next), 1);
                }
            }
            if let Some((old, new)) = before
                && (old != new || first != written)
            {
                if old != first {
                    self.pairs.subtract(key(old, first), 1);
                }
                if new != written {
                    self.pairs.add(key(new, written), 1);
                }
            }
            before = Some((last, written));
            runs.push(written, &mut self.alike);
            symbols[to] = written;
            to += 1;
        }
        symbols.truncate(to);
    }
}

/// Counts pairs of like symbols that do not overlap.
#[derive(Default)]
struct Runs {
    last: Option<u16>,
    odd: bool,
}

impl Runs {
    #[inline(always)]
    fn push(&mut self, symbol: u16, alike: &mut [u32]) {
        if self.last == Some(symbol) {
            self.odd = !self.odd;
            alike[usize::from(symbol)] += u32::from(self.odd);
        } else {
            (self.last, self.odd) = (Some(symbol), false);
        }
    }
}

/// Pairs that are replaced in one pass.
#[derive(Clone, Debug)]
struct Replacement {
    /// Symbols that begin one.
    first: Vec<bool>,
    pairs: Counter,
}

impl Replacement {
    /// Pairs and what they become, of so many symbols.
    fn new(pairs: &[(u16, u16, u16)], symbols: usize) -> Replacement {
        let mut replacement = Replacement {
            first: vec![false; symbols],
            pairs: Counter::new(pairs.len()),
        };
        for &(a, b, pair) in pairs {
            replacement.first[usize::from(a)] = true;
            replacement.pairs.add(key(a, b), pair.into());
        }
        replacement
    }

    /// What a pair becomes.
    #[inline(always)]
    fn find(&self, a: u16, b: u16) -> Option<u16> {
        if !self.first[usize::from(a)] {
            return None;
        }
        // A pair is never the first symbol.
        let pair = self.pairs.get(key(a, b));
        (pair != 0).then_some(pair as u16)
    }
}
