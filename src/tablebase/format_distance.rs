//! Distances of the won positions in compressed blocks: to mate, to conversion, to zeroing.
//!
//! Only wins are stored, one number each, in the order of their cells, packed without gaps and
//! compressed by Zstandard. The `.wdl` file of the same material tells which cells are wins, so the place of a win in
//! its block is a count of bits. A loss is worked out from the wins that its moves lead to
//! (`probe.rs`): the side that loses has few moves, and storing losses would double the file.
//!
//! A win in n plies is stored as (n - 1) / 2 to mate, where n is odd, and as n - 1 to conversion or
//! zeroing. Void cells that the `.wdl` file counts as wins hold the number before them.
//!
//! A block is nothing at all if it has no win; else a byte that tells its form, then the numbers: as bytes,
//! or, where one does not fit, all low bytes and then all high bytes; plain or as a Zstandard frame; or
//! one number that all wins share.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::format::{Container, FormatError, Metric};
use super::wdl_file::WdlFile;
use crate::base::Plies;
use crate::retro::Bits;

/// Words a block: 8,192 cells, decoded in a few microseconds. Blocks to conversion and zeroing are
/// larger: they compress to less, and search does not ask for them.
pub(super) const fn block_words(metric: Metric) -> u32 {
    match metric {
        Metric::Wdl | Metric::Dtm => 128,
        Metric::Dtc | Metric::Dtz => 256,
    }
}

/// Measured: the levels 1 and 3 give nearly the same size, and 1 takes 20 % less time.
const LEVEL: i32 = 1;
/// Blocks that each thread keeps decoded: 256 of at most 19 KB, in sets of [`WAYS`].
const SETS: usize = 64;
/// Places of a set: a probe of a lost position looks at some ten blocks, which must not push each
/// other out.
const WAYS: usize = 4;

/// Forms of a block: bits of its first byte.
const ZSTD: u8 = 1;
const TWO_BYTES: u8 = 2;
const ALL_EQUAL: u8 = 4;

/// The number that stands for a win in so many plies.
const fn stored(metric: Metric, plies: u16) -> u16 {
    match metric {
        Metric::Wdl | Metric::Dtm => plies / 2,
        Metric::Dtc | Metric::Dtz => plies.saturating_sub(1),
    }
}

/// The plies of a win that a number stands for.
const fn plies(metric: Metric, stored: u16) -> Plies {
    Plies(match metric {
        Metric::Wdl | Metric::Dtm => stored.saturating_mul(2).saturating_add(1),
        Metric::Dtc | Metric::Dtz => stored.saturating_add(1),
    })
}

/// Compresses blocks; keeps its working memory between them.
pub(super) struct Encoder {
    context: zstd::bulk::Compressor<'static>,
    wins: Vec<u16>,
    bytes: Vec<u8>,
}

impl Encoder {
    pub(super) fn new() -> std::io::Result<Encoder> {
        let mut context = zstd::bulk::Compressor::new(LEVEL)?;
        context.include_contentsize(false)?;
        context.include_checksum(false)?;
        Ok(Encoder {
            context,
            wins: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Encodes one block: per word its wins as the `.wdl` file tells them and those that are
    /// positions, and for each of the latter the plies of its win, given by `plies_of(cell)`.
    pub(super) fn encode(
        &mut self,
        metric: Metric,
        words: impl Iterator<Item = (u64, u64)>,
        plies_of: impl Fn(usize) -> u16,
    ) -> std::io::Result<Vec<u8>> {
        self.wins.clear();
        let (mut last, mut bits) = (None, 0);
        for (n, (won, legal)) in words.enumerate() {
            for bit in Bits(won) {
                if legal >> bit & 1 != 0 {
                    let number = stored(metric, plies_of(n * 64 + bit));
                    if last.is_none() {
                        self.wins.fill(number);
                    }
                    last = Some(number);
                    bits |= number;
                }
                self.wins.push(last.unwrap_or(0));
            }
        }
        let Some(&first) = self.wins.first() else {
            return Ok(Vec::new());
        };
        let two = if bits > 255 { TWO_BYTES } else { 0 };
        let width = if two == 0 { 1 } else { 2 };
        if self.wins.iter().all(|&number| number == first) {
            let mut block = vec![ALL_EQUAL | two];
            block.extend_from_slice(&first.to_le_bytes()[..width]);
            return Ok(block);
        }
        self.bytes.clear();
        for byte in 0..width {
            let plane = self.wins.iter().map(|number| number.to_le_bytes()[byte]);
            self.bytes.extend(plane);
        }
        let packed = self.context.compress(&self.bytes)?;
        let (form, bytes) = if packed.len() < self.bytes.len() {
            (ZSTD | two, &packed)
        } else {
            (two, &self.bytes)
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
    /// The number of each win, low bytes; then, if they have two, the high bytes.
    wins: Vec<u8>,
    /// Wins in all.
    count: usize,
}

impl Decoded {
    /// The number of the win at `bit` of `word`; `None` if it is no win.
    fn win(&self, word: usize, bit: u32) -> Option<u16> {
        let &(won, before) = self.words.get(word)?;
        if won >> bit & 1 == 0 {
            return None;
        }
        let rank = (before + (won & ((1 << bit) - 1)).count_ones()) as usize;
        let high = self.wins.get(self.count + rank).copied().unwrap_or(0);
        Some(u16::from_le_bytes([*self.wins.get(rank)?, high]))
    }

    fn read(
        &mut self,
        file: &DistanceFile,
        wdl: &WdlFile,
        number: usize,
        tool: &mut Tool,
    ) -> Result<(), FormatError> {
        let bad = FormatError::Block(number);
        self.key = (0, 0);
        self.words.clear();
        let mut wins = 0;
        file.won_words(wdl, number, |won| {
            self.words.push((won, wins));
            wins += won.count_ones();
        })?;
        self.count = wins as usize;
        let bytes = file.container.block(number)?;
        self.wins.clear();
        let (form, bytes) = match bytes.split_first() {
            None => (0, bytes),
            Some((&form, bytes)) => (form, bytes),
        };
        let width = if form & TWO_BYTES == 0 { 1 } else { 2 };
        match form & !TWO_BYTES {
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
        self.key = (file.number, number);
        Ok(())
    }
}

/// The decompressor of a thread, made at its first use.
#[derive(Default)]
struct Tool(Option<zstd::bulk::Decompressor<'static>>);

impl Tool {
    fn context(
        &mut self,
        error: FormatError,
    ) -> Result<&mut zstd::bulk::Decompressor<'static>, FormatError> {
        if self.0.is_none() {
            self.0 = zstd::bulk::Decompressor::new().ok();
        }
        self.0.as_mut().ok_or(error)
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

/// A file of distances.
#[derive(Debug)]
pub(super) struct DistanceFile {
    container: Container,
    /// Tells apart the tables of a process in the threads' caches.
    number: u64,
}

impl DistanceFile {
    pub(super) fn new(container: Container) -> DistanceFile {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        DistanceFile {
            container,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }

    pub(super) fn container(&self) -> &Container {
        &self.container
    }

    /// What its distances count.
    pub(super) fn metric(&self) -> Metric {
        self.container.header().metric
    }

    /// The length of the win at `bit` of `word` (counted within the side); `Ok(None)` if it is no win.
    pub(super) fn win(
        &self,
        wdl: &WdlFile,
        side: usize,
        word: usize,
        bit: u32,
    ) -> Result<Option<Plies>, FormatError> {
        let per_block = self.container.header().block_words as usize;
        let number = side * self.container.side_blocks() + word / per_block;
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
            let decoded = &sets[at][way];
            let number = decoded.win(word % per_block, bit);
            Ok(number.map(|number| plies(self.metric(), number)))
        })
    }

    /// The plies of every win of a block, by cell within the block; other cells are 0.
    pub(super) fn decode(&self, wdl: &WdlFile, number: usize) -> Result<Vec<u16>, FormatError> {
        let mut decoded = Decoded::default();
        decoded.read(self, wdl, number, &mut Tool::default())?;
        let mut cells = vec![0; decoded.words.len() * 64];
        for (word, &(won, _)) in decoded.words.iter().enumerate() {
            for bit in (0..64).filter(|bit| won >> bit & 1 != 0) {
                if let Some(number) = decoded.win(word, bit) {
                    cells[word * 64 + bit as usize] = plies(self.metric(), number).0;
                }
            }
        }
        Ok(cells)
    }

    /// Goes through the words of one of this file's blocks as the `.wdl` file tells their wins.
    fn won_words(
        &self,
        wdl: &WdlFile,
        number: usize,
        mut each: impl FnMut(u64),
    ) -> Result<(), FormatError> {
        let (side, block) = (
            number / self.container.side_blocks(),
            number % self.container.side_blocks(),
        );
        let first = block * self.container.header().block_words as usize;
        let count = self.container.header().words_in_block(number);
        wdl.read_words(side, first, count, |word| each(word.won))
    }
}
