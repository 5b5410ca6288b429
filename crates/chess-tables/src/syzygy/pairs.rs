//! The coded values of a sub-table with one side to move: blocks of Huffman codes of symbols, each of which stands for a
//! row of values.
//!
//! A symbol is a value or a pair of symbols (Re-Pair; Larsson & Moffat, DCC 1999). An index table leads to the block of
//! the middle of each span of values, a table of sizes from there to the right one.

use super::reader::Reader;

/// Why a file cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("damaged Syzygy file: {0}")]
pub(super) struct Damaged(pub(super) &'static str);

/// The bits of a code that find its symbol at once.
const QUICK_BITS: u32 = 9;
/// No leaf and no pair: the right part of a leaf.
const LEAF: u16 = 0xFFF;

/// The bits that are skipped at once if their codes end before the wanted value.
const SKIP_BITS: u32 = 12;
/// Of four such steps the bits are at hand after one look into the file.
const STEPS: u32 = (64 - 7) / SKIP_BITS;

/// A symbol found by the first bits of a code.
#[derive(Clone, Copy, Default, Debug)]
struct Quick {
    symbol: u16,
    /// The code's bits; 0 if it is longer.
    bits: u8,
    /// Values of the symbol minus one.
    more: u8,
}

/// The codes that end within the next [`SKIP_BITS`] bits: their bits, and the values of their symbols, at most 256 each.
#[derive(Clone, Copy, Default, Debug)]
struct Skip(u16);

impl Skip {
    const fn new(bits: u32, values: u32) -> Skip {
        Skip((bits << 12 | values) as u16)
    }

    const fn bits(self) -> u32 {
        self.0 as u32 >> 12
    }

    const fn values(self) -> u32 {
        self.0 as u32 & 0xFFF
    }
}

/// A symbol: the parts of a pair with the values of the first minus one; or [`LEAF`] and a value, if all of its
/// values are equal.
#[derive(Clone, Copy, Debug)]
struct Node(u32);

impl Node {
    const fn new(one: u16, other: u16, more: u8) -> Node {
        Node(one as u32 | (other as u32) << 12 | (more as u32) << 24)
    }

    const fn one(self) -> u16 {
        self.0 as u16 & 0xFFF
    }

    const fn other(self) -> u16 {
        (self.0 >> 12) as u16 & 0xFFF
    }

    const fn more(self) -> u32 {
        self.0 >> 24
    }
}

/// How the values of a sub-table with one side to move are stored.
#[derive(Debug)]
pub(super) enum Pairs {
    /// All have this value.
    Single(u8),
    /// Blocks.
    Coded(Box<Coded>),
}

/// Blocks of codes.
#[derive(Debug)]
pub(super) struct Coded {
    len: u64,
    block_bits: u8,
    span_bits: u8,
    /// Blocks with data, and those with their padding.
    blocks: u32,
    sizes_len: u32,
    shortest: u8,
    /// By length of codes from the shortest on: the lowest code, left-aligned, and its symbol.
    lowest_code: Vec<u64>,
    lowest_symbol: Vec<u16>,
    tree: Vec<Node>,
    /// Values of each symbol minus one.
    more: Vec<u8>,
    quick: Box<[Quick; 1 << QUICK_BITS]>,
    skip: Box<[Skip; 1 << SKIP_BITS]>,
    /// Where the three tables begin in the file.
    index: usize,
    sizes: usize,
    data: usize,
}

impl Pairs {
    /// Reads the description of `len` values; gives the flags too.
    pub(super) fn read(reader: &mut Reader<'_>, len: u64) -> Result<(u8, Pairs), Damaged> {
        const SINGLE: u8 = 0x80;
        let flags = reader.u8()?;
        if flags & SINGLE != 0 {
            return Ok((flags, Pairs::Single(reader.u8()?)));
        }
        let (block_bits, span_bits) = (reader.u8()?, reader.u8()?);
        if !(4..=20).contains(&block_bits) || !(1..=40).contains(&span_bits) {
            return Err(Damaged("sizes of blocks"));
        }
        let padding = reader.u8()?;
        let blocks = reader.u32()?;
        let sizes_len = blocks
            .checked_add(padding.into())
            .ok_or(Damaged("number of blocks"))?;
        let (longest, shortest) = (reader.u8()?, reader.u8()?);
        if shortest == 0 || longest < shortest || longest > 32 {
            return Err(Damaged("lengths of codes"));
        }
        let lengths = usize::from(longest - shortest) + 1;
        let lowest_symbol: Vec<u16> = (0..lengths)
            .map(|_| reader.u16())
            .collect::<Result<_, _>>()?;
        let symbols = usize::from(reader.u16()?);
        let tree: Vec<[u16; 2]> = (0..symbols)
            .map(|_| {
                let bytes = reader.bytes(3)?;
                let [a, b, c] = [bytes[0], bytes[1], bytes[2]].map(u16::from);
                Ok([a | (b & 0xF) << 8, b >> 4 | c << 4])
            })
            .collect::<Result<_, Damaged>>()?;
        reader.align(2);
        let (tree, more) = nodes_of(&tree)?;
        let lowest_code = codes_of(&lowest_symbol, shortest, symbols)?;
        let mut coded = Coded {
            len,
            block_bits,
            span_bits,
            blocks,
            sizes_len,
            shortest,
            lowest_code,
            lowest_symbol,
            tree,
            more,
            quick: Box::new([Quick::default(); 1 << QUICK_BITS]),
            skip: Box::new([Skip::default(); 1 << SKIP_BITS]),
            index: 0,
            sizes: 0,
            data: 0,
        };
        coded.fill_quick();
        coded.fill_skip();
        Ok((flags, Pairs::Coded(Box::new(coded))))
    }

    /// Takes the place of the index table.
    pub(super) fn place_index(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        let Pairs::Coded(coded) = self else {
            return Ok(());
        };
        coded.index = reader.at();
        let entries = coded.len.div_ceil(1 << coded.span_bits);
        reader.skip(entries.checked_mul(6).ok_or(Damaged("index"))?)
    }

    /// Takes the place of the table of sizes.
    pub(super) fn place_sizes(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        let Pairs::Coded(coded) = self else {
            return Ok(());
        };
        coded.sizes = reader.at();
        reader.skip(u64::from(coded.sizes_len) * 2)
    }

    /// Takes the place of the blocks.
    pub(super) fn place_data(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        let Pairs::Coded(coded) = self else {
            return Ok(());
        };
        reader.align(64);
        coded.data = reader.at();
        reader.skip(u64::from(coded.blocks) << coded.block_bits)
    }

    /// The stored value at an index, which must be below the length.
    #[inline]
    pub(super) fn value(&self, file: &[u8], index: u64) -> Result<u16, Damaged> {
        match self {
            Pairs::Single(value) => Ok((*value).into()),
            Pairs::Coded(coded) => coded.value(file, index).ok_or(Damaged("blocks")),
        }
    }
}

impl Coded {
    /// The symbol of the code that begins `bits`, and the code's bits. Those behind the code do not matter.
    #[inline]
    fn code(&self, bits: u64) -> Option<(usize, u32)> {
        let length = self.lowest_code.iter().position(|&code| bits >= code)?;
        let len = u32::from(self.shortest) + length as u32;
        let code = (bits - self.lowest_code[length]) >> (64 - len);
        let symbol = usize::from(self.lowest_symbol[length]) + code as usize;
        (symbol < self.tree.len()).then_some((symbol, len))
    }

    /// The symbols whose codes are short.
    fn fill_quick(&mut self) {
        for prefix in 0..self.quick.len() {
            if let Some((symbol, len)) = self.code((prefix as u64) << (64 - QUICK_BITS))
                && len <= QUICK_BITS
            {
                self.quick[prefix] = Quick {
                    symbol: symbol as u16,
                    bits: len as u8,
                    more: self.more[symbol],
                };
            }
        }
    }

    /// What short rows of codes stand for.
    fn fill_skip(&mut self) {
        for prefix in 0..self.skip.len() {
            let start = (prefix as u64) << (64 - SKIP_BITS);
            let (mut bits, mut values) = (0, 0);
            while let Some((symbol, len)) = self.code(start << bits)
                && bits + len <= SKIP_BITS
            {
                bits += len;
                values += u32::from(self.more[symbol]) + 1;
            }
            self.skip[prefix] = Skip::new(bits, values);
        }
    }

    #[inline]
    fn value(&self, file: &[u8], index: u64) -> Option<u16> {
        let span = index >> self.span_bits;
        let entry = file.get(self.index + span as usize * 6..)?.get(..6)?;
        let mut block = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]) as usize;
        let offset = i64::from(u16::from_le_bytes([entry[4], entry[5]]));
        let inside = (index & ((1 << self.span_bits) - 1)) as i64;
        let mut left = inside - (1 << (self.span_bits - 1)) + offset;
        let sizes = file.get(self.sizes..)?.get(..self.sizes_len as usize * 2)?;
        let sizes = sizes.as_chunks::<2>().0;
        let size = |block: usize| {
            let bytes = sizes.get(block)?;
            Some(i64::from(u16::from_le_bytes(*bytes)) + 1)
        };
        while left < 0 {
            block = block.checked_sub(1)?;
            left += size(block)?;
        }
        loop {
            let size = size(block)?;
            if left < size {
                break;
            }
            left -= size;
            block += 1;
        }
        if block >= self.blocks as usize {
            return None;
        }
        let start = self.data + (block << self.block_bits);
        self.in_block(file.get(start..)?, left as u32)
    }

    /// The value `left` places behind the first of the block that begins here.
    #[inline]
    fn in_block(&self, bytes: &[u8], mut left: u32) -> Option<u16> {
        let end = 8usize << self.block_bits;
        let mut at = 0;
        // Behind every block stands the checksum at least, so there are bits, though of other things.
        let bits_at = |at: usize| {
            let word = bytes.get(at >> 3..)?.first_chunk()?;
            Some(u64::from_be_bytes(*word) << (at & 7))
        };
        let symbol = 'found: loop {
            let mut bits = bits_at(at)?;
            for _ in 0..STEPS {
                let skip = self.skip[(bits >> (64 - SKIP_BITS)) as usize];
                let values = skip.values();
                if values > left || values == 0 {
                    break;
                }
                left -= values;
                bits <<= skip.bits();
                at += skip.bits() as usize;
            }
            // One code; or none, if there are more to skip.
            let bits = bits_at(at)?;
            let quick = self.quick[(bits >> (64 - QUICK_BITS)) as usize];
            let (symbol, len, more) = if quick.bits > 0 {
                (
                    usize::from(quick.symbol),
                    u32::from(quick.bits),
                    u32::from(quick.more),
                )
            } else {
                let (symbol, len) = self.code(bits)?;
                (symbol, len, u32::from(self.more[symbol]))
            };
            if left <= more {
                break 'found symbol;
            }
            left -= more + 1;
            at += len as usize;
            if at >= end {
                return None;
            }
        };
        // The tree has no loops: parts are shorter than the whole.
        let mut node = self.tree[symbol];
        while node.other() != LEAF {
            let behind = left > node.more();
            left -= if behind { node.more() + 1 } else { 0 };
            let part = if behind { node.other() } else { node.one() };
            node = self.tree[usize::from(part)];
        }
        Some(node.one())
    }
}

/// The symbols with the values of each, minus one, which must fit into a byte.
fn nodes_of(pairs: &[[u16; 2]]) -> Result<(Vec<Node>, Vec<u8>), Damaged> {
    let more = lengths_of(pairs)?;
    let mut nodes: Vec<Node> = pairs
        .iter()
        .map(|&[one, other]| {
            let leaf = other == LEAF;
            Node::new(one, other, if leaf { 0 } else { more[usize::from(one)] })
        })
        .collect();
    // Short symbols first: their parts are done then.
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|&n| more[n]);
    for n in order {
        let node = nodes[n];
        if node.other() == LEAF {
            continue;
        }
        let [one, other] = [node.one(), node.other()].map(|part| nodes[usize::from(part)]);
        if one.other() == LEAF && other.other() == LEAF && one.one() == other.one() {
            nodes[n] = Node::new(one.one(), LEAF, 0);
        }
    }
    Ok((nodes, more))
}

/// The values of each symbol, minus one, which must fit into a byte.
fn lengths_of(tree: &[[u16; 2]]) -> Result<Vec<u8>, Damaged> {
    // Parts may stand before or behind their pair; a symbol that takes part in itself never gets a length.
    let mut lengths: Vec<Option<u8>> = tree
        .iter()
        .map(|pair| (pair[1] == LEAF).then_some(0))
        .collect();
    let mut open: Vec<usize> = (0..tree.len()).filter(|&n| lengths[n].is_none()).collect();
    while !open.is_empty() {
        let before = open.len();
        let mut fault = None;
        open.retain(|&n| {
            let part = |part: u16| lengths.get(usize::from(part)).copied();
            match (part(tree[n][0]), part(tree[n][1])) {
                (Some(Some(one)), Some(Some(other))) => {
                    let sum = u16::from(one) + u16::from(other) + 1;
                    match u8::try_from(sum) {
                        Ok(sum) => lengths[n] = Some(sum),
                        Err(_) => fault = Some(Damaged("a symbol is too long")),
                    }
                    fault.is_some()
                }
                (Some(_), Some(_)) => true,
                _ => {
                    fault = Some(Damaged("a symbol has parts that do not exist"));
                    true
                }
            }
        });
        if let Some(fault) = fault {
            return Err(fault);
        }
        if open.len() == before {
            return Err(Damaged("symbols in a circle"));
        }
    }
    Ok(lengths.into_iter().flatten().collect())
}

/// The lowest code of each length, left-aligned. Canonical codes: the longest ones begin at zero, and have the first
/// symbols.
fn codes_of(lowest: &[u16], shortest: u8, symbols: usize) -> Result<Vec<u64>, Damaged> {
    let mut codes = vec![0u64; lowest.len()];
    for n in (0..lowest.len() - 1).rev() {
        let longer = lowest[n].checked_sub(lowest[n + 1]);
        let longer = longer.ok_or(Damaged("order of symbols"))?;
        codes[n] = (codes[n + 1] + u64::from(longer)) / 2;
    }
    if usize::from(lowest[0]) > symbols {
        return Err(Damaged("symbols of codes"));
    }
    for (n, code) in codes.iter_mut().enumerate() {
        let bits = u32::from(shortest) + n as u32;
        if bits < 64 && *code >> bits != 0 {
            return Err(Damaged("lengths of codes"));
        }
        *code <<= 64 - bits;
    }
    Ok(codes)
}
