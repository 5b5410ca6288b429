//! The container of table files: header, blocks, index of blocks, all checked.
//!
//! ```text
//! offset  size
//!      0     8  label "DUCHAMPT"
//!      8     2  format version
//!     10     1  metric (0 WDL, 1 DTM)
//!     11     1  sides to move that are stored (1 for symmetric material, else 2)
//!     12     4  words (64 positions each) a block
//!     16    16  material, ASCII, padded with zeros
//!     32     8  words a side
//!     40     8  offset of the index
//!     48     8  length of the file
//!     56     8  checksum of the index
//!     64    80  per side: won, drawn, lost, void positions; longest win and longest loss in plies
//!    144     8  checksum of the bytes before
//!    152        blocks, one after another
//!               index: per block offset (8), length (4), checksum (4)
//! ```
//! All numbers are little-endian. Opening a file checks the header, the index and every bound in it;
//! a block's checksum is checked when the block is first read, so a probe can trust what it reads, and a
//! file of many gigabytes opens at once.
//!
//! The bytes come from a mapped file or from memory (tests, fuzzers).

use std::sync::atomic::{AtomicU8, Ordering};

use crate::base::{Mapped, checksum, checksum32};

const LABEL: &[u8; 8] = b"DUCHAMPT";
const VERSION: u16 = 1;
const HEADER: usize = 152;
const ENTRY: usize = 16;
const SIDE: usize = 40;

/// The most words that a block may hold: bounds what a damaged header can ask for.
pub(super) const MAX_BLOCK_WORDS: u32 = 4096;

/// Why a file is no good table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormatError {
    /// Not a table of ours, or cut off within the header.
    #[error("not a Duchamp table")]
    NotATable,
    /// Written by another version of the format.
    #[error("table format version {0}, not {VERSION}")]
    Version(u16),
    /// The header contradicts itself or the file.
    #[error("bad table header: {0}")]
    Header(&'static str),
    /// A block's checksum or contents are wrong.
    #[error("block {0} is damaged")]
    Block(usize),
}

/// What a table file tells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Metric {
    /// Win, draw or loss.
    Wdl,
    /// Distance to mate.
    Dtm,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 2] = [Metric::Wdl, Metric::Dtm];

    /// The name, which is also the file ending.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Wdl => "wdl",
            Metric::Dtm => "dtm",
        }
    }
}

/// Counts of one side to move, each symmetry class once.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SideCounts {
    /// Positions won for the side to move.
    pub won: u64,
    /// Drawn positions.
    pub drawn: u64,
    /// Lost positions, mates included.
    pub lost: u64,
    /// Indices that stand for no position.
    pub void: u64,
    /// The longest win in plies, 0 if there is none.
    pub longest_win: u16,
    /// The longest loss in plies.
    pub longest_loss: u16,
}

/// The fixed facts of a table file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    /// The material's name, such as `KRPvKR`.
    pub(super) material: String,
    /// What is stored.
    pub(super) metric: Metric,
    /// Sides to move that are stored: 1 or 2.
    pub(super) sides: u8,
    /// Words of 64 positions, a side.
    pub(super) words: u64,
    /// Words a block.
    pub(super) block_words: u32,
    /// Counts of both sides to move (of a symmetric material the first only).
    pub(super) counts: [SideCounts; 2],
}

impl Header {
    /// Blocks a side.
    #[must_use]
    pub(super) fn side_blocks(&self) -> usize {
        self.words.div_ceil(u64::from(self.block_words)) as usize
    }

    /// Words in block `block` (counted through all sides): the last of a side may be shorter.
    #[must_use]
    pub(super) fn words_in_block(&self, block: usize) -> usize {
        let first = (block % self.side_blocks()) as u64 * u64::from(self.block_words);
        (self.words - first).min(u64::from(self.block_words)) as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    offset: u64,
    length: u32,
    sum: u32,
}

/// A table file, opened and checked.
#[derive(Debug)]
pub(super) struct Container {
    bytes: Mapped,
    header: Header,
    side_blocks: usize,
    index: Box<[Entry]>,
    /// Per block: 0 not read yet, 1 good, 2 damaged.
    state: Box<[AtomicU8]>,
}

impl Container {
    /// Opens a table.
    ///
    /// # Errors
    /// When header or index are damaged or not of this format version.
    pub(super) fn open(bytes: Mapped) -> Result<Container, FormatError> {
        let (header, index_offset, index_sum) = read_header(&bytes)?;
        let blocks = header.side_blocks() * usize::from(header.sides);
        let index = bytes
            .get(index_offset..)
            .ok_or(FormatError::Header("index offset"))?;
        if index.len()
            != blocks
                .checked_mul(ENTRY)
                .ok_or(FormatError::Header("index length"))?
        {
            return Err(FormatError::Header("index length"));
        }
        if checksum(index) != index_sum {
            return Err(FormatError::Header("index checksum"));
        }
        let index: Box<[Entry]> = index.chunks_exact(ENTRY).map(read_entry).collect();
        let mut next = HEADER as u64;
        for entry in &index {
            if entry.offset != next {
                return Err(FormatError::Header("block offsets"));
            }
            next += u64::from(entry.length);
        }
        if next != index_offset as u64 {
            return Err(FormatError::Header("block lengths"));
        }
        let state = index.iter().map(|_| AtomicU8::new(0)).collect();
        Ok(Container {
            bytes,
            side_blocks: header.side_blocks(),
            header,
            index,
            state,
        })
    }

    /// The fixed facts.
    #[must_use]
    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// Blocks a side: [`Header::side_blocks`] without the division.
    #[inline]
    #[must_use]
    pub(super) fn side_blocks(&self) -> usize {
        self.side_blocks
    }

    /// Length of the file in bytes.
    #[must_use]
    pub(super) fn file_len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The number of blocks of all sides.
    #[must_use]
    pub(super) fn blocks(&self) -> usize {
        self.index.len()
    }

    /// The bytes of a block, its checksum checked at the first reading.
    ///
    /// # Errors
    /// When the block is damaged or there is none of that number.
    #[inline]
    pub(super) fn block(&self, number: usize) -> Result<&[u8], FormatError> {
        let entry = self.index.get(number).ok_or(FormatError::Block(number))?;
        let start = entry.offset as usize;
        let bytes = self
            .bytes
            .get(start..start + entry.length as usize)
            .ok_or(FormatError::Block(number))?;
        if self.state[number].load(Ordering::Relaxed) != 1 {
            self.first_look(number, bytes)?;
        }
        Ok(bytes)
    }

    #[cold]
    fn first_look(&self, number: usize, bytes: &[u8]) -> Result<(), FormatError> {
        let good = self.state[number].load(Ordering::Relaxed) != 2
            && checksum32(bytes) == self.index[number].sum;
        self.state[number].store(if good { 1 } else { 2 }, Ordering::Relaxed);
        if good {
            Ok(())
        } else {
            Err(FormatError::Block(number))
        }
    }
}

/// Lays out a whole file from its blocks, given in order.
#[must_use]
pub(super) fn assemble(header: &Header, blocks: &[Vec<u8>]) -> Vec<u8> {
    debug_assert_eq!(
        blocks.len(),
        header.side_blocks() * usize::from(header.sides)
    );
    let body: usize = blocks.iter().map(Vec::len).sum();
    let index_offset = HEADER + body;
    let mut index = Vec::with_capacity(blocks.len() * ENTRY);
    let mut offset = HEADER as u64;
    for block in blocks {
        index.extend_from_slice(&offset.to_le_bytes());
        index.extend_from_slice(&(block.len() as u32).to_le_bytes());
        index.extend_from_slice(&checksum32(block).to_le_bytes());
        offset += block.len() as u64;
    }
    let mut file = Vec::with_capacity(index_offset + index.len());
    write_header(header, index_offset as u64, checksum(&index), &mut file);
    for block in blocks {
        file.extend_from_slice(block);
    }
    file.extend_from_slice(&index);
    file
}

fn write_header(header: &Header, index_offset: u64, index_sum: u64, out: &mut Vec<u8>) {
    let blocks = header.side_blocks() * usize::from(header.sides);
    out.extend_from_slice(LABEL);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.push(match header.metric {
        Metric::Wdl => 0,
        Metric::Dtm => 1,
    });
    out.push(header.sides);
    out.extend_from_slice(&header.block_words.to_le_bytes());
    let mut name = [0; 16];
    let bytes = header.material.as_bytes();
    name[..bytes.len()].copy_from_slice(bytes);
    out.extend_from_slice(&name);
    out.extend_from_slice(&header.words.to_le_bytes());
    out.extend_from_slice(&index_offset.to_le_bytes());
    out.extend_from_slice(&(index_offset + (blocks * ENTRY) as u64).to_le_bytes());
    out.extend_from_slice(&index_sum.to_le_bytes());
    for side in &header.counts {
        for count in [side.won, side.drawn, side.lost, side.void] {
            out.extend_from_slice(&count.to_le_bytes());
        }
        out.extend_from_slice(&side.longest_win.to_le_bytes());
        out.extend_from_slice(&side.longest_loss.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
    }
    let sum = checksum(out);
    out.extend_from_slice(&sum.to_le_bytes());
    debug_assert_eq!(out.len(), HEADER);
}

/// Reads and checks the header: it, the index's offset and the index's checksum.
fn read_header(bytes: &[u8]) -> Result<(Header, usize, u64), FormatError> {
    let head = bytes.get(..HEADER).ok_or(FormatError::NotATable)?;
    if &head[..8] != LABEL {
        return Err(FormatError::NotATable);
    }
    let version = u16::from_le_bytes(array(head, 8));
    if version != VERSION {
        return Err(FormatError::Version(version));
    }
    if u64_at(head, HEADER - 8) != checksum(&head[..HEADER - 8]) {
        return Err(FormatError::Header("checksum"));
    }
    let metric = match head[10] {
        0 => Metric::Wdl,
        1 => Metric::Dtm,
        _ => return Err(FormatError::Header("metric")),
    };
    let sides = head[11];
    let block_words = u32::from_le_bytes(array(head, 12));
    let words = u64_at(head, 32);
    if !(1..=2).contains(&sides) || !(1..=MAX_BLOCK_WORDS).contains(&block_words) || words == 0 {
        return Err(FormatError::Header("sizes"));
    }
    // More words than the file has bits for an index of them: cannot be true.
    if words
        .div_ceil(u64::from(block_words))
        .saturating_mul(ENTRY as u64)
        > bytes.len() as u64
    {
        return Err(FormatError::Header("sizes"));
    }
    let name = &head[16..32];
    let name = &name[..name
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(name.len())];
    let material = std::str::from_utf8(name)
        .map_err(|_| FormatError::Header("material"))?
        .to_owned();
    if u64_at(head, 48) != bytes.len() as u64 {
        return Err(FormatError::Header("file length"));
    }
    let counts = [read_counts(&head[64..]), read_counts(&head[64 + SIDE..])];
    let header = Header {
        material,
        metric,
        sides,
        words,
        block_words,
        counts,
    };
    Ok((header, u64_at(head, 40) as usize, u64_at(head, 56)))
}

fn read_counts(bytes: &[u8]) -> SideCounts {
    SideCounts {
        won: u64_at(bytes, 0),
        drawn: u64_at(bytes, 8),
        lost: u64_at(bytes, 16),
        void: u64_at(bytes, 24),
        longest_win: u16::from_le_bytes(array(bytes, 32)),
        longest_loss: u16::from_le_bytes(array(bytes, 34)),
    }
}

fn read_entry(bytes: &[u8]) -> Entry {
    Entry {
        offset: u64_at(bytes, 0),
        length: u32::from_le_bytes(array(bytes, 8)),
        sum: u32::from_le_bytes(array(bytes, 12)),
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// `N` bytes from `at`, which the caller knows to be there.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}
