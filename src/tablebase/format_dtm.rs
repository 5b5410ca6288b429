//! Distance to mate of the won positions, in compressed blocks.
//!
//! Only wins are stored: `k` for a win in `2k + 1` plies, one byte each, in the order of their cells,
//! packed without gaps and compressed by Zstandard. The `.wdl` file of the same material tells which cells are wins,
//! so the place of a win in its block is a count of bits. A loss is one ply more than the longest win
//! among its successors, which the prober works out (`probe.rs`): the side that loses has few
//! moves, and storing losses would double the file.
//!
//! Void cells that the `.wdl` file counts as wins hold the byte before them.
//!
//! A block is one byte, 0: the wins as they are, or 1: a Zstandard frame; nothing at all if there is no win.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::format::{Container, FormatError};
use super::format_wdl::Word;
use super::wdl_file::WdlFile;

/// Words a block: 8,192 cells, decoded in a few microseconds.
pub(super) const BLOCK_WORDS: u32 = 128;
/// Measured: the levels 1 and 3 give nearly the same size, and 1 takes 20 % less time.
const LEVEL: i32 = 1;
/// Blocks that each thread keeps decoded: 256 of at most 9.5 KB, in sets of [`WAYS`].
const SETS: usize = 64;
/// Places of a set: a probe of a lost position looks at some ten blocks, which must not push each
/// other out.
const WAYS: usize = 4;

const RAW: u8 = 0;
const ZSTD: u8 = 1;

/// Compresses blocks; keeps its working memory between them.
pub(super) struct Encoder {
    context: zstd::bulk::Compressor<'static>,
    wins: Vec<u8>,
}

impl Encoder {
    pub(super) fn new() -> std::io::Result<Encoder> {
        Ok(Encoder {
            context: zstd::bulk::Compressor::new(LEVEL)?,
            wins: Vec::new(),
        })
    }

    /// Encodes one block: its words as the `.wdl` file tells them, its true words, and for every
    /// cell the win's `k`, given by `k_of(cell)`.
    pub(super) fn encode(
        &mut self,
        read: &[Word],
        truth: &[Word],
        k_of: impl Fn(usize) -> u8,
    ) -> std::io::Result<Vec<u8>> {
        self.wins.clear();
        let mut last = 0;
        for (n, (read, truth)) in read.iter().zip(truth).enumerate() {
            let mut won = read.won;
            let true_wins = truth.won & !truth.void;
            while won != 0 {
                let bit = won.trailing_zeros();
                if true_wins >> bit & 1 != 0 {
                    last = k_of(n * 64 + bit as usize);
                }
                self.wins.push(last);
                won &= won - 1;
            }
        }
        if self.wins.is_empty() {
            return Ok(Vec::new());
        }
        let packed = self.context.compress(&self.wins)?;
        let (kind, bytes) = if packed.len() < self.wins.len() {
            (ZSTD, &packed)
        } else {
            (RAW, &self.wins)
        };
        let mut block = Vec::with_capacity(bytes.len() + 1);
        block.push(kind);
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
    /// `k` of each win.
    wins: Vec<u8>,
}

impl Decoded {
    /// `k` of the win at `bit` of `word`; `None` if it is no win.
    fn win(&self, word: usize, bit: u32) -> Option<u8> {
        let &(won, before) = self.words.get(word)?;
        if won >> bit & 1 == 0 {
            return None;
        }
        let rank = before + (won & ((1 << bit) - 1)).count_ones();
        self.wins.get(rank as usize).copied()
    }

    fn read(
        &mut self,
        dtm: &DtmFile,
        wdl: &WdlFile,
        number: usize,
        tool: &mut Tool,
    ) -> Result<(), FormatError> {
        let bad = FormatError::Block(number);
        self.key = (0, 0);
        self.words.clear();
        let mut wins = 0;
        dtm.won_words(wdl, number, |won| {
            self.words.push((won, wins));
            wins += won.count_ones();
        })?;
        let bytes = dtm.container.block(number)?;
        self.wins.clear();
        match bytes.split_first() {
            None => {}
            Some((&RAW, raw)) => self.wins.extend_from_slice(raw),
            Some((&ZSTD, frame)) => {
                self.wins.reserve(wins as usize);
                tool.context(bad.clone())?
                    .decompress_to_buffer(frame, &mut self.wins)
                    .map_err(|_| bad.clone())?;
            }
            Some(_) => return Err(bad),
        }
        if self.wins.len() != wins as usize {
            return Err(bad);
        }
        self.key = (dtm.number, number);
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

/// A `.dtm` file.
#[derive(Debug)]
pub(super) struct DtmFile {
    container: Container,
    /// Tells apart the tables of a process in the threads' caches.
    number: u64,
}

impl DtmFile {
    pub(super) fn new(container: Container) -> DtmFile {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        DtmFile {
            container,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }

    pub(super) fn container(&self) -> &Container {
        &self.container
    }

    /// `k` of the win at `bit` of `word` (counted within the side); `Ok(None)` if it is no win.
    pub(super) fn win(
        &self,
        wdl: &WdlFile,
        side: usize,
        word: usize,
        bit: u32,
    ) -> Result<Option<u8>, FormatError> {
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
            Ok(decoded.win(word % per_block, bit))
        })
    }

    /// `k` of every win of a block, by cell within the block; other cells are 0.
    pub(super) fn decode(&self, wdl: &WdlFile, number: usize) -> Result<Vec<u8>, FormatError> {
        let mut decoded = Decoded::default();
        decoded.read(self, wdl, number, &mut Tool::default())?;
        let mut cells = vec![0; decoded.words.len() * 64];
        for (word, &(won, _)) in decoded.words.iter().enumerate() {
            for bit in (0..64).filter(|bit| won >> bit & 1 != 0) {
                cells[word * 64 + bit as usize] = decoded.win(word, bit).unwrap_or(0);
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
