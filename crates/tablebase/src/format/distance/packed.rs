//! Wins in blocks compressed by Zstandard: the form of small tables.
//!
//! The numbers of the wins, in the order of their cells or, to zeroing, in one of two orders, are packed without gaps.
//! The place of a win in its block is a count of bits in the bitmap that the `.wdl` file has. Void cells that the `.wdl`
//! file counts as wins hold the number before them.
//!
//! To zeroing, *immediate wins* (in one ply: a mate, or a winning capture or pawn move) are omitted: the moves
//! show them (`rules::has_immediate_win`), so such a cell, too, holds the number before. The moves show the result
//! without the 50-move rule. A cell with a move that seems to win at once, but into a cursed win, is a *trap*: a block
//! with a trap stores all its wins, and is marked so.
//!
//! The other order: 64 words are *turned* like a matrix of bits, so the squares of another man come one after
//! another while the lane piece stands still. Each block has the order in which numbers change less often.
//!
//! A block is nothing at all if it has no win; else a byte that gives its form, then the numbers: as bytes,
//! or, where one does not fit, all low bytes and then all high bytes; plain or as a Zstandard frame; or
//! one number that all wins share.

use std::cell::RefCell;

use super::super::container::{Container, FormatError};
use super::super::metric::Metric;
use super::super::wdl_file::WdlFile;
use super::class::Class;
use crate::index::Index;
use duchamp_retro::Bits;

/// Blocks that each thread keeps decoded: 256 of at most 19 KB, in sets of [`WAYS`].
const SETS: usize = 64;
/// Places of a set: a probe of a lost position looks at some ten blocks, which must not push each
/// other out.
const WAYS: usize = 4;

/// Forms of a block: bits of its first byte.
const ZSTD: u8 = 1;
const TWO_BYTES: u8 = 2;
const ALL_EQUAL: u8 = 4;
const ALL_TOLD: u8 = 8;
const TURNED: u8 = 16;

/// Turns 64 words like a matrix: bit `b` of word `w` becomes bit `w` of word `b`.
fn turn(words: &mut [u64; 64]) {
    let (mut step, mut mask) = (32, u64::MAX >> 32);
    while step > 0 {
        for at in (0..64).filter(|at| at & step == 0) {
            let swapped = (words[at] >> step ^ words[at + step]) & mask;
            words[at] ^= swapped << step;
            words[at + step] ^= swapped;
        }
        step /= 2;
        mask ^= mask << step;
    }
}

/// Turns all words, filled up to a multiple of 64.
fn turn_all(words: &mut Vec<u64>) {
    words.resize(words.len().next_multiple_of(64), 0);
    words.as_chunks_mut().0.iter_mut().for_each(turn);
}

/// The word and bit of a cell in turned words, and back.
const fn turned(word: usize, bit: usize) -> (usize, usize) {
    (word & !63 | bit, word & 63)
}

/// The numbers of a block's wins in one order.
#[derive(Default)]
struct Numbers {
    list: Vec<u16>,
    /// All bits of a stored number.
    bits: u16,
    /// How often a number differs from the one before.
    changes: usize,
}

impl Numbers {
    /// The numbers of cells that are `won`; of those in `known`, given by `number_of(word, bit)`. Any
    /// other takes the number before.
    fn collect(
        &mut self,
        won: &[u64],
        known: &[u64],
        number_of: impl Fn(usize, usize) -> Option<u16>,
    ) {
        self.list.clear();
        (self.bits, self.changes) = (0, 0);
        let mut last = None;
        for (word, (&won, &known)) in won.iter().zip(known).enumerate() {
            for bit in Bits(won) {
                let told = (known >> bit & 1 != 0).then(|| number_of(word, bit));
                if let Some(number) = told.flatten() {
                    self.changes += usize::from(last.is_some_and(|last| last != number));
                    if last.is_none() {
                        self.list.fill(number);
                    }
                    last = Some(number);
                    self.bits |= number;
                }
                self.list.push(last.unwrap_or(0));
            }
        }
    }
}

/// Compresses blocks; keeps its working memory between them.
pub(crate) struct Encoder {
    context: zstd::bulk::Compressor<'static>,
    wins: [Numbers; 2],
    bytes: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new() -> std::io::Result<Encoder> {
        let mut context = zstd::bulk::Compressor::new(Metric::Dtm.spec().level)?;
        context.include_contentsize(false)?;
        context.include_checksum(false)?;
        Ok(Encoder {
            context,
            wins: Default::default(),
            bytes: Vec::new(),
        })
    }

    /// Encodes one block: per word its wins as the `.wdl` file stores them and those that are
    /// positions, and for each of the latter the plies of its win, given by `plies_of(cell)`. To
    /// zeroing immediate wins are omitted unless `all` are to be stored.
    pub(crate) fn encode(
        &mut self,
        metric: Metric,
        words: impl Iterator<Item = (u64, u64)>,
        plies_of: impl Fn(usize) -> u16,
        all: bool,
    ) -> std::io::Result<Vec<u8>> {
        let spec = metric.spec();
        let (mut won, mut known): (Vec<u64>, Vec<u64>) = words.unzip();
        let number_of = |word: usize, bit: usize| {
            let number = Class::Wins.number(metric, plies_of(word * 64 + bit));
            (number > 0 || all || !spec.omits_immediate_wins).then_some(number)
        };
        let [straight, other] = &mut self.wins;
        straight.collect(&won, &known, number_of);
        let (mut wins, mut order) = (straight, 0);
        if spec.omits_immediate_wins && wins.changes > 0 {
            turn_all(&mut won);
            turn_all(&mut known);
            other.collect(&won, &known, |word, bit| {
                let (word, bit) = turned(word, bit);
                number_of(word, bit)
            });
            if other.changes < wins.changes {
                (wins, order) = (other, TURNED);
            }
        }
        let (numbers, bits) = (&wins.list, wins.bits);
        let Some(&first) = numbers.first() else {
            return Ok(Vec::new());
        };
        let told = if spec.omits_immediate_wins && all {
            ALL_TOLD
        } else {
            0
        };
        let two = if bits > 255 { TWO_BYTES } else { 0 };
        let width = if two == 0 { 1 } else { 2 };
        let form = told | order | two;
        if wins.changes == 0 {
            let mut block = vec![form | ALL_EQUAL];
            block.extend_from_slice(&first.to_le_bytes()[..width]);
            return Ok(block);
        }
        self.bytes.clear();
        for byte in 0..width {
            let plane = numbers.iter().map(|number| number.to_le_bytes()[byte]);
            self.bytes.extend(plane);
        }
        self.context.set_compression_level(spec.level)?;
        let packed = self.context.compress(&self.bytes)?;
        let (form, bytes) = if packed.len() < self.bytes.len() {
            (form | ZSTD, &packed)
        } else {
            (form, &self.bytes)
        };
        let mut block = Vec::with_capacity(bytes.len() + 1);
        block.push(form);
        block.extend_from_slice(bytes);
        Ok(block)
    }
}

/// A decoded block.
#[derive(Default)]
struct Decoded {
    /// The table's number and the block's; table 0 is none.
    key: (u64, usize),
    /// Per word its wins, and the number of wins in the words before.
    words: Vec<(u64, u32)>,
    /// Whether these words are turned.
    turned: bool,
    /// The number of each win, low bytes; then, if they have two, the high bytes.
    wins: Vec<u8>,
    /// Wins in all.
    count: usize,
}

impl Decoded {
    /// The number of the win at `bit` of `word`; `None` if it is no win.
    fn win(&self, word: usize, bit: usize) -> Option<u16> {
        let (word, bit) = match self.turned {
            true => turned(word, bit),
            false => (word, bit),
        };
        let &(won, before) = self.words.get(word)?;
        if won >> bit & 1 == 0 {
            return None;
        }
        let rank = (before + (won & ((1 << bit) - 1)).count_ones()) as usize;
        let high = self.wins.get(self.count + rank).copied().unwrap_or(0);
        Some(u16::from_le_bytes([*self.wins.get(rank)?, high]))
    }

    fn read<I: Index>(
        &mut self,
        file: Packed<'_>,
        wdl: &WdlFile<I>,
        number: usize,
        tool: &mut Tool,
    ) -> Result<(), FormatError> {
        let bad = FormatError::Block(number);
        self.key = (0, 0);
        let bytes = file.container.block(number)?;
        let (form, bytes) = match bytes.split_first() {
            None => (0, bytes),
            Some((&form, bytes)) => (form, bytes),
        };
        tool.won.clear();
        file.won_words(wdl, number, |won| tool.won.push(won))?;
        self.turned = form & TURNED != 0;
        if self.turned {
            turn_all(&mut tool.won);
        }
        self.words.clear();
        let mut wins = 0;
        for &won in &tool.won {
            self.words.push((won, wins));
            wins += won.count_ones();
        }
        self.count = wins as usize;
        self.wins.clear();
        let width = if form & TWO_BYTES == 0 { 1 } else { 2 };
        match form & !(TWO_BYTES | ALL_TOLD | TURNED) {
            0 => self.wins.extend_from_slice(bytes),
            ZSTD => {
                self.wins.reserve(self.count * width);
                tool.context(bad.clone())?
                    .decompress_to_buffer(bytes, &mut self.wins)
                    .map_err(|_| bad.clone())?;
            }
            ALL_EQUAL if bytes.len() == width => {
                for &byte in bytes {
                    self.wins.resize(self.wins.len() + self.count, byte);
                }
            }
            _ => return Err(bad),
        }
        if self.wins.len() != self.count * width {
            return Err(bad);
        }
        file.container.sure(())?;
        self.key = (file.number, number);
        Ok(())
    }
}

/// The decompressor of a thread, created at its first use, and room for the won cells of a block.
#[derive(Default)]
struct Tool {
    context: Option<zstd::bulk::Decompressor<'static>>,
    won: Vec<u64>,
}

impl Tool {
    fn context(
        &mut self,
        error: FormatError,
    ) -> Result<&mut zstd::bulk::Decompressor<'static>, FormatError> {
        if self.context.is_none() {
            self.context = zstd::bulk::Decompressor::new().ok();
        }
        self.context.as_mut().ok_or(error)
    }
}

/// A thread's decoded blocks: each block belongs to one set of places, filled in turn.
#[derive(Default)]
struct Cache {
    sets: Vec<[Decoded; WAYS]>,
    /// The place of each set that is filled next.
    next: Vec<u8>,
    tool: Tool,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// Whether a block omits immediate wins, from its bytes.
pub(super) fn omits(block: &[u8]) -> bool {
    block.first().is_some_and(|form| form & ALL_TOLD == 0)
}

/// A file in this form.
#[derive(Clone, Copy)]
pub(super) struct Packed<'a> {
    pub(super) container: &'a Container,
    /// Tells it apart from others in the threads' caches.
    pub(super) number: u64,
}

impl Packed<'_> {
    fn block_words(self) -> usize {
        self.container.header().block_words as usize
    }

    /// The number of the win at `bit` of `word` (counted within the side), which lies in block `number`; `Ok(None)` if it
    /// is no win.
    pub(super) fn win<I: Index>(
        self,
        wdl: &WdlFile<I>,
        number: usize,
        (word, bit): (usize, u32),
    ) -> Result<Option<u16>, FormatError> {
        CACHE.with_borrow_mut(|cache| {
            let Cache { sets, next, tool } = cache;
            if sets.is_empty() {
                sets.resize_with(SETS, Default::default);
                next.resize(SETS, 0);
            }
            // Neighbouring blocks get neighbouring sets, tables are scattered.
            let scatter = (self.number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize;
            let at = (number + scatter) % SETS;
            let key = (self.number, number);
            let way = match sets[at].iter().position(|decoded| decoded.key == key) {
                Some(way) => way,
                None => {
                    let way = usize::from(next[at]) % WAYS;
                    next[at] = next[at].wrapping_add(1);
                    sets[at][way].read(self, wdl, number, tool)?;
                    way
                }
            };
            Ok(sets[at][way].win(word % self.block_words(), bit as usize))
        })
    }

    /// Calls `each` with every win of a block: its cell within the block, and its number.
    pub(super) fn decode<I: Index>(
        self,
        wdl: &WdlFile<I>,
        number: usize,
        mut each: impl FnMut(usize, u16),
    ) -> Result<(), FormatError> {
        let mut decoded = Decoded::default();
        decoded.read(self, wdl, number, &mut Tool::default())?;
        for cell in 0..self.container.header().words_in_block(number) * 64 {
            if let Some(number) = decoded.win(cell / 64, cell % 64) {
                each(cell, number);
            }
        }
        Ok(())
    }

    /// Goes through the words of a block with the wins of the `.wdl` file.
    fn won_words<I: Index>(
        self,
        wdl: &WdlFile<I>,
        number: usize,
        mut each: impl FnMut(u64),
    ) -> Result<(), FormatError> {
        let blocks = self.container.side_blocks();
        let first = number % blocks * self.block_words();
        let count = self.container.header().words_in_block(number);
        wdl.read_words(number / blocks, first, count, |word| each(word.won))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_swaps_word_and_bit() {
        let mut words: Vec<u64> = (1..100_u64)
            .map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .collect();
        let before = words.clone();
        turn_all(&mut words);
        assert_eq!(words.len(), 128);
        for word in 0..128 {
            for bit in 0..64 {
                let (at, place) = turned(word, bit);
                let was = before.get(word).is_some_and(|set| set >> bit & 1 != 0);
                assert_eq!(words[at] >> place & 1 != 0, was, "{word} {bit}");
            }
        }
    }

    /// What is stored of wins is the same in both orders and with immediate wins omitted.
    #[test]
    fn a_block_may_omit_immediate_wins() {
        let words: Vec<(u64, u64)> = (0..70)
            .map(|n: u64| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15), !0))
            .collect();
        let mut encoder = Encoder::new().expect("an encoder");
        let mut sizes = Vec::new();
        // Numbers that follow the word, or the bit.
        for by_word in [true, false] {
            for all in [true, false] {
                let plies_of = |cell: usize| {
                    let n = if by_word { cell / 64 } else { cell % 64 };
                    (if cell % 7 < 4 { 1 } else { 2 + n % 9 }) as u16
                };
                let block = encoder.encode(Metric::Dtz, words.iter().copied(), plies_of, all);
                let block = block.expect("encoded");
                assert_eq!(block[0] & ALL_TOLD != 0, all);
                assert!(all || (block[0] & TURNED != 0) != by_word);
                sizes.push(block.len());
            }
        }
        assert!(
            sizes[1] * 3 < sizes[0] && sizes[3] * 3 < sizes[2],
            "{sizes:?}"
        );
    }
}
