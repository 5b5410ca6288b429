//! Huffman codes for symbols, and blocks of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

use super::pairing::{Dictionary, Meaning};

/// The values of a block, at most: its size less one takes 16 bits.
const MOST_VALUES: u32 = 1 << 16;

/// The coded values of a sub-table with one side to move.
#[derive(Clone, Debug)]
pub(in super::super) enum CodedPairs {
    /// All have this value.
    Single(u8),
    Blocks(CodedBlocks),
}

/// Blocks of codes and what it takes to read them.
#[derive(Clone, Debug)]
pub(in super::super) struct CodedBlocks {
    /// Bits of the size of blocks and spans.
    block_bits: u8,
    span_bits: u8,
    shortest: u8,
    /// By length of codes from the shortest on.
    lowest_symbol: Vec<u16>,
    /// Left and right parts by symbol number in the file.
    tree: Vec<[u16; 2]>,
    /// Values of each block, minus one.
    sizes: Vec<u16>,
    /// Sizes without blocks, so that the last span has a middle.
    padding: u8,
    /// Block and place in it, of the middle of each span.
    index: Vec<(u32, u16)>,
    data: Vec<u8>,
}

/// The right part of a leaf.
const LEAF: u16 = 0xFFF;

/// The most bits of a code that readers take.
const LONGEST_CODE: u8 = 32;

/// Codes for the symbols of a dictionary.
#[derive(Debug)]
struct Codes {
    /// By symbol of the dictionary: code and length; 0 bits where it does not occur.
    codes: Vec<(u32, u8)>,
    /// The symbols in the order of the file.
    order: Vec<u16>,
    shortest: u8,
    lowest_symbol: Vec<u16>,
}

/// The lengths of Huffman codes for symbols that occur so often; 0 where one does not.
fn lengths(counts: &[u64]) -> Vec<u8> {
    let used: Vec<usize> = (0..counts.len()).filter(|&n| counts[n] > 0).collect();
    let mut lengths = vec![0; counts.len()];
    if let [only] = used[..] {
        lengths[only] = 1;
        return lengths;
    }
    // Nodes: the symbols used, then inner ones. Each knows its parent.
    let mut parents = vec![0usize; 2 * used.len()];
    let nodes = used.iter().enumerate();
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = nodes
        .map(|(n, &symbol)| Reverse((counts[symbol], n)))
        .collect();
    let mut next = used.len();
    while let (Some(Reverse(one)), Some(Reverse(other))) = (heap.pop(), heap.pop()) {
        parents[one.1] = next;
        parents[other.1] = next;
        heap.push(Reverse((one.0 + other.0, next)));
        next += 1;
        if heap.len() == 1 {
            break;
        }
    }
    let root = next - 1;
    let mut depths = vec![0u8; next];
    for node in (0..root).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    for (n, &symbol) in used.iter().enumerate() {
        lengths[symbol] = depths[n];
    }
    lengths
}

impl Codes {
    /// Canonical codes: the longest begin at zero and have the first symbols.
    fn new(counts: &[u64]) -> Codes {
        let mut lengths = lengths(counts);
        let mut counts = counts.to_vec();
        while lengths.iter().any(|&length| length > LONGEST_CODE) {
            // Flatter counts give shorter codes, at last all of about the same length.
            counts
                .iter_mut()
                .for_each(|count| *count = count.div_ceil(2));
            lengths = self::lengths(&counts);
        }
        let mut order: Vec<u16> = (0..counts.len() as u16).collect();
        // Symbols without codes, parts of others only, come last.
        order.sort_by_key(|&symbol| {
            let length = lengths[usize::from(symbol)];
            (length == 0, Reverse(length), symbol)
        });
        let used = order
            .iter()
            .filter(|&&symbol| lengths[usize::from(symbol)] > 0);
        let used = used.count();
        let length = |place: usize| lengths[usize::from(order[place])];
        let (longest, shortest) = (length(0), length(used - 1));
        let mut codes = vec![(0, 0); counts.len()];
        let mut lowest_symbol = vec![0; usize::from(longest - shortest) + 1];
        let (mut code, mut place) = (0u32, 0);
        for bits in (shortest..=longest).rev() {
            lowest_symbol[usize::from(bits - shortest)] = place as u16;
            while place < used && length(place) == bits {
                codes[usize::from(order[place])] = (code, bits);
                code += 1;
                place += 1;
            }
            code >>= 1;
        }
        Codes {
            codes,
            order,
            shortest,
            lowest_symbol,
        }
    }
}

impl CodedBlocks {
    /// Codes symbols into blocks of 2^n bytes, of the numbers `block_bits` that which takes least.
    ///
    /// # Panics
    /// Without symbols.
    pub(super) fn new(
        dictionary: &Dictionary,
        symbols: &[u16],
        block_bits: RangeInclusive<u8>,
    ) -> CodedBlocks {
        let mut counts = vec![0u64; dictionary.meanings().len()];
        for &symbol in symbols {
            counts[usize::from(symbol)] += 1;
        }
        let codes = Codes::new(&counts);
        let block_bits = cheapest(dictionary, symbols, &codes, block_bits);
        let mut blocks = CodedBlocks {
            block_bits,
            span_bits: 0,
            shortest: codes.shortest,
            lowest_symbol: codes.lowest_symbol.clone(),
            tree: tree(dictionary, &codes, &counts),
            sizes: Vec::new(),
            padding: 0,
            index: Vec::new(),
            data: Vec::new(),
        };
        blocks.fill(dictionary, symbols, &codes);
        blocks.make_index();
        blocks
    }

    fn fill(&mut self, dictionary: &Dictionary, symbols: &[u16], codes: &Codes) {
        let room = 8u32 << self.block_bits;
        let (mut used, mut values) = (0, 0);
        let (mut bits, mut have) = (0u64, 0);
        let end = |blocks: &mut CodedBlocks, bits: &mut u64, have: &mut u32, values: &mut u32| {
            // What is left, then zeros to the end.
            while *have > 0 {
                blocks.data.push((*bits >> 56) as u8);
                *bits <<= 8;
                *have = have.saturating_sub(8);
            }
            blocks.sizes.push((*values - 1) as u16);
            blocks
                .data
                .resize(blocks.sizes.len() << blocks.block_bits, 0);
            (*bits, *values) = (0, 0);
        };
        for &symbol in symbols {
            let (code, length) = codes.codes[usize::from(symbol)];
            let (length, len) = (
                u32::from(length),
                u32::from(dictionary.lens()[usize::from(symbol)]),
            );
            if used + length > room || values + len > MOST_VALUES {
                end(self, &mut bits, &mut have, &mut values);
                used = 0;
            }
            bits |= u64::from(code) << (64 - length - have);
            have += length;
            while have >= 8 {
                self.data.push((bits >> 56) as u8);
                bits <<= 8;
                have -= 8;
            }
            used += length;
            values += len;
        }
        end(self, &mut bits, &mut have, &mut values);
    }

    /// Sixteen blocks a span, about.
    fn make_index(&mut self) {
        let total: u64 = self.sizes.iter().map(|&size| u64::from(size) + 1).sum();
        let average = total.div_ceil(self.sizes.len() as u64);
        self.span_bits = (16 * average).ilog2().clamp(1, 20) as u8;
        let span = 1u64 << self.span_bits;
        let (mut block, mut first) = (0, 0);
        for entry in 0..total.div_ceil(span) {
            let middle = entry * span + span / 2;
            loop {
                let size = match self.sizes.get(block) {
                    Some(&size) => u64::from(size) + 1,
                    None => {
                        // Behind the last value.
                        self.sizes.push(u16::MAX);
                        self.padding += 1;
                        MOST_VALUES.into()
                    }
                };
                if middle < first + size {
                    break;
                }
                first += size;
                block += 1;
            }
            self.index.push((block as u32, (middle - first) as u16));
        }
    }
}

/// The size of blocks that takes least, tables included; the largest of equals.
fn cheapest(
    dictionary: &Dictionary,
    symbols: &[u16],
    codes: &Codes,
    block_bits: RangeInclusive<u8>,
) -> u8 {
    let mut sizes: Vec<Filling> = block_bits.rev().map(Filling::new).collect();
    for &symbol in symbols {
        let symbol = usize::from(symbol);
        let (bits, values) = (
            u32::from(codes.codes[symbol].1),
            u32::from(dictionary.lens()[symbol]),
        );
        for filling in &mut sizes {
            filling.add(bits, values);
        }
    }
    let cheapest = sizes.iter().min_by_key(|filling| filling.cost());
    cheapest.map_or(6, |filling| filling.block_bits)
}

/// Blocks that are filled for a trial.
struct Filling {
    block_bits: u8,
    bits: u32,
    values: u32,
    blocks: u64,
}

impl Filling {
    fn new(block_bits: u8) -> Filling {
        Filling {
            block_bits,
            bits: 0,
            values: 0,
            blocks: 1,
        }
    }

    #[inline]
    fn add(&mut self, bits: u32, values: u32) {
        if self.bits + bits > 8 << self.block_bits || self.values + values > MOST_VALUES {
            self.blocks += 1;
            (self.bits, self.values) = (0, 0);
        }
        self.bits += bits;
        self.values += values;
    }

    /// In sixteenths of a byte: a block, its size, and a sixteenth of an entry of the index.
    fn cost(&self) -> u64 {
        self.blocks * (16 * ((1 << self.block_bits) + 2) + 6)
    }
}

/// The parts of each symbol, by number in the file.
fn tree(dictionary: &Dictionary, codes: &Codes, counts: &[u64]) -> Vec<[u16; 2]> {
    // Which symbols take part at all: later ones are made of earlier ones.
    let mut needed: Vec<bool> = counts.iter().map(|&count| count > 0).collect();
    for (symbol, &meaning) in dictionary.meanings().iter().enumerate().rev() {
        if let (true, Meaning::Pair(one, other)) = (needed[symbol], meaning) {
            needed[usize::from(one)] = true;
            needed[usize::from(other)] = true;
        }
    }
    let mut numbers = vec![0u16; counts.len()];
    let kept: Vec<u16> = codes
        .order
        .iter()
        .copied()
        .filter(|&symbol| needed[usize::from(symbol)])
        .collect();
    for (number, &symbol) in kept.iter().enumerate() {
        numbers[usize::from(symbol)] = number as u16;
    }
    let parts = |&symbol: &u16| match dictionary.meanings()[usize::from(symbol)] {
        Meaning::Value(value) => [value.into(), LEAF],
        Meaning::Pair(one, other) => [numbers[usize::from(one)], numbers[usize::from(other)]],
    };
    kept.iter().map(parts).collect()
}

impl CodedPairs {
    /// Writes the description, with the flags of the sub-table.
    pub(in super::super) fn describe(&self, flags: u8, into: &mut Vec<u8>) {
        match self {
            CodedPairs::Single(value) => into.extend([flags | 0x80, *value]),
            CodedPairs::Blocks(blocks) => {
                let lengths = blocks.lowest_symbol.len() as u8;
                let longest = blocks.shortest + lengths - 1;
                into.extend([flags, blocks.block_bits, blocks.span_bits, blocks.padding]);
                let real = blocks.sizes.len() - usize::from(blocks.padding);
                into.extend((real as u32).to_le_bytes());
                into.extend([longest, blocks.shortest]);
                for lowest in &blocks.lowest_symbol {
                    into.extend(lowest.to_le_bytes());
                }
                into.extend((blocks.tree.len() as u16).to_le_bytes());
                for [one, other] in &blocks.tree {
                    let both = u32::from(*one) | u32::from(*other) << 12;
                    into.extend(&both.to_le_bytes()[..3]);
                }
                if !into.len().is_multiple_of(2) {
                    into.push(0);
                }
            }
        }
    }

    /// Writes the index.
    pub(in super::super) fn write_index(&self, into: &mut Vec<u8>) {
        if let CodedPairs::Blocks(blocks) = self {
            for (block, place) in &blocks.index {
                into.extend(block.to_le_bytes());
                into.extend(place.to_le_bytes());
            }
        }
    }

    /// Writes the sizes of the blocks.
    pub(in super::super) fn write_sizes(&self, into: &mut Vec<u8>) {
        if let CodedPairs::Blocks(blocks) = self {
            for size in &blocks.sizes {
                into.extend(size.to_le_bytes());
            }
        }
    }

    /// The blocks.
    pub(in super::super) fn data(&self) -> &[u8] {
        match self {
            CodedPairs::Single(_) => &[],
            CodedPairs::Blocks(blocks) => &blocks.data,
        }
    }
}
