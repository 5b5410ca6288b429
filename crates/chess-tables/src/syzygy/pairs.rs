//! The coded values of a sub-table with one side to move: blocks of Huffman codes of symbols, each of which stands for a
//! row of values.
//!
//! A symbol is a value or a pair of symbols (Re-Pair; Larsson & Moffat, DCC 1999). An index table leads to the block of
//! the middle of each span of values, a table of sizes from there to the right one.

use std::sync::atomic::{AtomicU64, Ordering};

use super::reader::{Damaged, Reader};

/// No leaf and no pair: the right part of a leaf.
const LEAF: u16 = 0xFFF;

/// The bits that are looked at together. More would skip more symbols at once, but so much less of the tables of many
/// files would stay in a processor's cache.
const LOOK_BITS: u32 = 10;
/// The looks for which one word of the file has the bits.
const LOOKS: u32 = (64 - 7) / LOOK_BITS;

/// What the next [`LOOK_BITS`] bits hold: the codes that end there, and the first of them. From the lowest bit on: all
/// their values, at most 256 a code (12 bits); the bits of all (4); the first symbol (12); the bits of its code (4).
/// Zero where the first code is longer.
#[derive(Clone, Copy, Default, Debug)]
struct Look(u32);

impl Look {
    const fn new(values: u32, bits: u32, symbol: u16, len: u32) -> Look {
        Look(values | bits << 12 | (symbol as u32) << 16 | len << 28)
    }

    const fn values(self) -> u32 {
        self.0 & 0xFFF
    }

    const fn bits(self) -> u32 {
        self.0 >> 12 & 0xF
    }

    const fn first(self) -> (usize, u32) {
        ((self.0 >> 16 & 0xFFF) as usize, self.0 >> 28)
    }
}

/// Where codes begin in a block, found when it was first read: in the second, third and last quarter of its bytes. Of
/// each 16 bits with the values before it and 5 bits with the bits since the quarter's begin; zero where there is none.
#[derive(Clone, Copy, Default, Debug)]
struct Marks(u64);

impl Marks {
    /// The highest bit: the marks are known.
    const KNOWN: u64 = 1 << 63;
    const BITS: u32 = 21;

    /// Values before mark `n`, 1 to 3; 0 if there is none.
    const fn values(self, n: u32) -> u32 {
        (self.0 >> (Marks::BITS * (n - 1))) as u32 & 0xFFFF
    }

    /// Of the last mark at or before a value: its number, or 0; the values before it; its bits since the quarter's begin.
    #[inline]
    fn before(self, value: u32) -> (usize, u32, usize) {
        let behind = |n| u32::from(self.values(n).wrapping_sub(1) < value);
        let n = behind(1) + behind(2) + behind(3);
        if n == 0 {
            return (0, 0, 0);
        }
        let mark = self.0 >> (Marks::BITS * (n - 1));
        (n as usize, mark as u32 & 0xFFFF, (mark >> 16 & 31) as usize)
    }

    /// Sets mark `n`.
    fn set(&mut self, n: u32, values: u32, bits: usize) {
        self.0 |= (u64::from(values) | (bits as u64) << 16) << (Marks::BITS * (n - 1));
    }
}

/// Blocks of a sub-table that may have marks; larger tables are not kept in memory.
const MARKED_BLOCKS: u32 = 1 << 20;

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
    looks: Box<[Look; 1 << LOOK_BITS]>,
    /// Where the three tables begin in the file.
    index: usize,
    sizes: usize,
    data: usize,
    /// [`Marks`] of blocks.
    marks: Box<[AtomicU64]>,
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
        if symbols > usize::from(LEAF) {
            return Err(Damaged("number of symbols"));
        }
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
            looks: Box::new([Look::default(); 1 << LOOK_BITS]),
            index: 0,
            sizes: 0,
            data: 0,
            marks: Box::default(),
        };
        coded.fill_looks();
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
        reader.skip(u64::from(coded.blocks) << coded.block_bits)?;
        // Zeroed memory takes room only when it is written.
        if coded.blocks <= MARKED_BLOCKS {
            coded.marks = bytemuck::zeroed_slice_box(coded.blocks as usize);
        }
        Ok(())
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

    fn fill_looks(&mut self) {
        for prefix in 0..self.looks.len() {
            let start = (prefix as u64) << (64 - LOOK_BITS);
            let Some((symbol, len)) = self.code(start).filter(|code| code.1 <= LOOK_BITS) else {
                continue;
            };
            let (mut bits, mut values) = (len, u32::from(self.more[symbol]) + 1);
            while let Some((symbol, len)) = self.code(start << bits)
                && bits + len <= LOOK_BITS
            {
                bits += len;
                values += u32::from(self.more[symbol]) + 1;
            }
            self.looks[prefix] = Look::new(values, bits, symbol as u16, len);
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
        let bytes = file.get(start..)?;
        // Asks for the block while its marks are awaited: most blocks are one line of a processor's cache.
        std::hint::black_box(bytes.first().copied());
        let marks = match self.marks.get(block) {
            Some(marks) => match marks.load(Ordering::Relaxed) {
                0 => {
                    let found = self.find_marks(bytes, size(block)? as u32)?;
                    marks.store(found.0, Ordering::Relaxed);
                    found
                }
                known => Marks(known),
            },
            None => Marks::default(),
        };
        self.in_block(bytes, left as u32, marks)
    }

    /// The 57 bits or more behind a place in bits. Behind every block stands the checksum at least, so there are bits,
    /// though of other things.
    #[inline]
    fn bits_at(bytes: &[u8], at: usize) -> Option<u64> {
        let word = bytes.get(at >> 3..)?.first_chunk()?;
        Some(u64::from_be_bytes(*word) << (at & 7))
    }

    /// Reads a block of so many values through to find its marks.
    #[cold]
    fn find_marks(&self, bytes: &[u8], size: u32) -> Option<Marks> {
        let quarter = 2usize << self.block_bits;
        let (mut at, mut values, mut next) = (0, 0, 1);
        let mut marks = Marks(Marks::KNOWN);
        while values < size && at < 4 * quarter {
            if at >= next * quarter {
                marks.set(next as u32, values, at - next * quarter);
                next += 1;
            }
            let (symbol, len) = self.code(Self::bits_at(bytes, at)?)?;
            values += u32::from(self.more[symbol]) + 1;
            at += len as usize;
        }
        Some(marks)
    }

    /// The value `left` places behind the first of the block that begins here.
    #[inline]
    fn in_block(&self, bytes: &[u8], mut left: u32, marks: Marks) -> Option<u16> {
        let quarter = 2usize << self.block_bits;
        let (n, values, bits) = marks.before(left);
        left -= values;
        let mut at = n * quarter + bits;
        let symbol = 'found: loop {
            let mut bits = Self::bits_at(bytes, at)?;
            for _ in 0..LOOKS {
                let look = self.looks[(bits >> (64 - LOOK_BITS)) as usize];
                // Of a long code there are no values.
                if look.values().wrapping_sub(1) >= left {
                    break;
                }
                left -= look.values();
                bits <<= look.bits();
                at += look.bits() as usize;
            }
            // One code more, as it is long or the wanted value may be in it.
            let bits = Self::bits_at(bytes, at)?;
            let look = self.looks[(bits >> (64 - LOOK_BITS)) as usize];
            let (symbol, len) = if look.values() > 0 {
                look.first()
            } else {
                self.code(bits)?
            };
            let more = u32::from(self.more[symbol]);
            if left <= more {
                break 'found symbol;
            }
            left -= more + 1;
            at += len as usize;
            if at >= 4 * quarter {
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
