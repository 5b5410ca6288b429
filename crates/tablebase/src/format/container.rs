//! The container of table files: header, blocks, index of blocks, all checked.
//!
//! ```text
//! offset  size
//!      0     8  label "DUCHAMPT"
//!      8     2  format version
//!     10     1  metric (0 WDL, 1 DTM, 2 DTC, 3 DTZ)
//!     11     1  sides to move that are stored (1 for symmetric material, else 2)
//!     12     4  words (64 positions each) a block
//!     16    16  key of the table, such as KRPvKR, ASCII, padded with zeros
//!     32     8  words a side
//!     40     8  offset of the index
//!     48     8  length of the file
//!     56     8  checksum of the index
//!     64   112  per side: won, drawn, lost, void, cursed, blessed positions; longest win and longest
//!               loss in plies (2 each), 4 unused
//!    176     4  how the blocks are written: a number that belongs to the metric's own format
//!    180     1  game (0 chess)
//!    181     1  numbering of the cells: the index's revision
//!    182     2  unused
//!    184     8  in a file of distances the checksum of the `.wdl` file that it goes with, else 0
//!    192     8  checksum of the bytes before
//!    200        blocks, one after another
//!               index: per group of 16 blocks the offset of its first block (8), the lengths of the
//!               blocks (3 each), their checksums (4 each): 7.5 bytes a block
//! ```
//! All numbers are little-endian. Opening a file checks the header, so a file of many gigabytes opens at once; the
//! index is read where it lies. A block's checksum is checked when the block is first read, so a probe
//! can trust what it reads: a wrong entry of the index gives a block whose checksum is wrong.
//!
//! The bytes come from a mapped file or from memory (tests, fuzzers).

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use super::metric::{Metric, SideCounts};
use duchamp_base::files::{AtomicFile, WholeFile};
use duchamp_base::frame::{self, FrameError, Label};
use duchamp_base::{Mapped, checksum, checksum32};

const LABEL: &Label = b"DUCHAMPT";
const VERSION: u16 = 2;
const HEADER: usize = 200;
const SIDE: usize = 56;
/// Blocks that share an offset in the index, and the bytes of such a group.
const GROUP: usize = 16;
const GROUP_BYTES: usize = SUMS + 4 * GROUP;
/// Where the lengths of a group's blocks begin, and their checksums.
const LENGTHS: usize = 8;
const SUMS: usize = LENGTHS + 3 * GROUP;

/// The most words that a block may hold: bounds the memory that a damaged header can request.
pub(crate) const MAX_BLOCK_WORDS: u32 = 4096;

/// Why the bytes of a file are no table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormatError {
    /// Not a table of ours, or cut off within the header.
    #[error("not a Duchamp table")]
    NotATable,
    /// Written by another version of the format.
    #[error(
        "written by another version of this program (table format {0}, this one reads {VERSION}): generate it again"
    )]
    Version(u16),
    /// Its blocks are in a form, by number, that this version does not read.
    #[error(
        "written by another version of this program (form {0} of its blocks): generate it again"
    )]
    Coding(u32),
    /// Its cells are numbered otherwise.
    #[error(
        "written by another version of this program (numbering {0} of its positions): generate it again"
    )]
    Revision(u8),
    /// The header contradicts itself or the file.
    #[error("bad table header: {0}")]
    Header(&'static str),
    /// The checksum or the contents of a block, counted through both sides, are wrong.
    #[error("block {0} is damaged")]
    Block(usize),
    /// A value that the moves of a position contradict: the files do not belong together, or are made up.
    #[error("values contradict each other")]
    Contradiction,
    /// Another program made the file shorter while it was in use, or its disk failed.
    #[error("cut off while it was in use")]
    Cut,
}

impl FormatError {
    /// Whether the file is good, but for another version of this program.
    pub(crate) const fn is_of_another_version(&self) -> bool {
        matches!(
            self,
            FormatError::Version(_) | FormatError::Coding(_) | FormatError::Revision(_)
        )
    }
}

/// The fixed facts of a table file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    /// The number of the game, [`Game::ID`](crate::Game::ID).
    pub game: u8,
    /// The numbering of the cells, [`Index::revision`](crate::Index::revision).
    pub revision: u8,
    /// The key of the table as text, such as `KRPvKR`.
    pub key: String,
    /// What is stored.
    pub metric: Metric,
    /// Sides to move that are stored: 1 or 2.
    pub sides: u8,
    /// Words of 64 positions, a side.
    pub words: u64,
    /// Words a block.
    pub block_words: u32,
    /// Counts of both sides to move, equal if the material is symmetric.
    pub counts: [SideCounts; 2],
    /// How the blocks are written, a number that belongs to the metric's format.
    pub coding: u32,
    /// Of a file of distances: [`Container::sum`] of the `.wdl` file that it goes with; else 0.
    pub wdl_sum: u64,
}

impl Header {
    /// Blocks a side.
    #[must_use]
    pub(crate) fn side_blocks(&self) -> usize {
        self.words.div_ceil(u64::from(self.block_words)) as usize
    }

    /// Words in block `block` (counted through all sides): the last of a side may be shorter.
    #[must_use]
    pub(crate) fn words_in_block(&self, block: usize) -> usize {
        let first = (block % self.side_blocks()) as u64 * u64::from(self.block_words);
        (self.words - first).min(u64::from(self.block_words)) as usize
    }
}

/// A table file, opened and checked.
#[derive(Debug)]
pub(crate) struct Container {
    bytes: Mapped,
    header: Header,
    side_blocks: usize,
    index: usize,
    /// The checksum of the index that the header stores.
    index_sum: u64,
    /// Per block: 0 not read yet, 1 good, 2 damaged.
    state: Box<[AtomicU8]>,
}

impl Container {
    /// Opens a table.
    ///
    /// # Errors
    /// When the header is damaged or not of this format version.
    pub(crate) fn open(bytes: Mapped) -> Result<Container, FormatError> {
        let (header, index, index_sum) = read_header(&bytes)?;
        let blocks = header.side_blocks() * usize::from(header.sides);
        let state = (0..blocks).map(|_| AtomicU8::new(0)).collect();
        // Of hundreds of open tables few are read.
        bytes.release();
        Ok(Container {
            bytes,
            side_blocks: header.side_blocks(),
            header,
            index,
            index_sum,
            state,
        })
    }

    /// The fixed facts.
    #[must_use]
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Blocks a side: [`Header::side_blocks`] without the division.
    #[inline]
    #[must_use]
    pub(crate) fn side_blocks(&self) -> usize {
        self.side_blocks
    }

    /// Length of the file in bytes.
    #[must_use]
    pub(crate) fn file_len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The number of blocks of all sides.
    #[must_use]
    pub(crate) fn blocks(&self) -> usize {
        self.state.len()
    }

    /// A checksum of the whole contents: that of the header, which holds one of the index, which holds one of each
    /// block.
    #[must_use]
    pub(crate) fn sum(&self) -> u64 {
        u64_at(&self.bytes, HEADER - 8)
    }

    /// What was read of the file, unless some of that was not there any more: to be called with every result, as
    /// [`Container::block`] can only say that a block was whole when it was first read.
    #[inline]
    pub(crate) fn sure<T>(&self, read: T) -> Result<T, FormatError> {
        if self.bytes.is_cut() {
            return Err(FormatError::Cut);
        }
        Ok(read)
    }

    /// Checks every byte: the index, and every block.
    ///
    /// # Errors
    /// With the first damage found.
    pub(crate) fn check_all(&self) -> Result<(), FormatError> {
        if checksum(&self.bytes[self.index..]) != self.index_sum {
            return Err(FormatError::Header("index checksum"));
        }
        (0..self.blocks()).try_for_each(|block| self.block(block).map(|_| ()))?;
        self.sure(())
    }

    /// The bytes of a block, its checksum checked at the first reading.
    ///
    /// # Errors
    /// When the block is damaged or there is none of that number.
    #[inline]
    pub(crate) fn block(&self, number: usize) -> Result<&[u8], FormatError> {
        let state = self.state.get(number).ok_or(FormatError::Block(number))?;
        let group: &[u8; GROUP_BYTES] = self
            .bytes
            .get(self.index + number / GROUP * GROUP_BYTES..)
            .and_then(|rest| rest.first_chunk())
            .ok_or(FormatError::Block(number))?;
        let length = |n: usize| length_at(group, LENGTHS + 3 * n);
        let within = number % GROUP;
        let mut start = u64::from_le_bytes(array(group, 0)) as usize;
        for n in 0..GROUP {
            start = start.wrapping_add(if n < within { length(n) } else { 0 });
        }
        let bytes = start
            .checked_add(length(within))
            .filter(|&end| end <= self.index)
            .and_then(|end| self.bytes.get(start..end))
            .ok_or(FormatError::Block(number))?;
        if state.load(Ordering::Relaxed) != 1 {
            let sum = u32::from_le_bytes(array(group, SUMS + 4 * within));
            self.first_look(number, bytes, sum)?;
        }
        Ok(bytes)
    }

    #[cold]
    fn first_look(&self, number: usize, bytes: &[u8], sum: u32) -> Result<(), FormatError> {
        let good = self.state[number].load(Ordering::Relaxed) != 2 && checksum32(bytes) == sum;
        self.state[number].store(if good { 1 } else { 2 }, Ordering::Relaxed);
        if good {
            Ok(())
        } else {
            Err(FormatError::Block(number))
        }
    }
}

/// Lays out a whole file from its blocks, given in order, none of 16 MiB or more.
#[cfg(test)]
pub(crate) fn assemble(header: &Header, blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut index = Index::default();
    blocks.iter().for_each(|block| index.add(block));
    let index_offset = index.offset() as u64;
    let index = index.finish();
    let mut file = Vec::with_capacity(HEADER);
    write_header(header, index_offset, &index, &mut file);
    blocks
        .iter()
        .for_each(|block| file.extend_from_slice(block));
    file.extend_from_slice(&index);
    file
}

/// The index of the blocks so far.
#[derive(Debug, Default)]
struct Index {
    bytes: Vec<u8>,
    /// Bytes of all blocks.
    body: u64,
    /// Checksums of the blocks of the last group.
    sums: Vec<u32>,
}

impl Index {
    fn add(&mut self, block: &[u8]) {
        assert!(block.len() < 1 << 24, "no block is longer than 16 MB");
        if self.sums.len() == GROUP {
            self.end_group();
        }
        if self.sums.is_empty() {
            let offset = self.offset() as u64;
            self.bytes.extend_from_slice(&offset.to_le_bytes());
        }
        self.bytes
            .extend_from_slice(&(block.len() as u32).to_le_bytes()[..3]);
        self.sums.push(checksum32(block));
        self.body += block.len() as u64;
    }

    /// Where the next block begins.
    fn offset(&self) -> usize {
        HEADER + self.body as usize
    }

    fn end_group(&mut self) {
        if self.sums.is_empty() {
            return;
        }
        let missing = GROUP - self.sums.len();
        self.bytes.resize(self.bytes.len() + 3 * missing, 0);
        for sum in self.sums.drain(..) {
            self.bytes.extend_from_slice(&sum.to_le_bytes());
        }
        self.bytes.resize(self.bytes.len() + 4 * missing, 0);
    }

    fn finish(mut self) -> Vec<u8> {
        self.end_group();
        self.bytes
    }
}

/// Writes a table file block by block, in order.
#[derive(Debug)]
pub(crate) struct BlockWriter {
    file: BufWriter<AtomicFile>,
    index: Index,
}

impl BlockWriter {
    /// Begins the file that will be named `target`.
    pub(crate) fn create(target: &Path) -> io::Result<BlockWriter> {
        let mut file = BufWriter::with_capacity(1 << 20, AtomicFile::create(target)?);
        file.write_all(&[0; HEADER])?;
        Ok(BlockWriter {
            file,
            index: Index::default(),
        })
    }

    /// Adds a block of less than 16 MiB.
    pub(crate) fn push(&mut self, block: &[u8]) -> io::Result<()> {
        self.index.add(block);
        self.file.write_all(block)
    }

    /// Gives the file its header, which stores the number of blocks; it lacks its name only.
    pub(crate) fn finish(mut self, header: &Header) -> io::Result<WholeFile> {
        let index_offset = self.index.offset() as u64;
        let index = self.index.finish();
        debug_assert_eq!(
            index.len(),
            index_length(header.side_blocks() * usize::from(header.sides)),
            "the header tells the number of blocks"
        );
        self.file.write_all(&index)?;
        let mut head = Vec::with_capacity(HEADER);
        write_header(header, index_offset, &index, &mut head);
        let mut file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.rewrite_start(&head)?;
        Ok(file.whole())
    }
}

/// Bytes of the index of so many blocks.
const fn index_length(blocks: usize) -> usize {
    blocks.div_ceil(GROUP).saturating_mul(GROUP_BYTES)
}

/// Corrects all checksums of a file's bytes in place: for tests and fuzzing that want to reach the code behind them.
/// Bytes shorter than a header stay as they are.
pub fn seal(bytes: &mut [u8]) {
    if bytes.len() < HEADER {
        return;
    }
    let index = u64_at(bytes, 40) as usize;
    for at in (index..bytes.len().saturating_sub(GROUP_BYTES - 1)).step_by(GROUP_BYTES) {
        let mut start = u64_at(bytes, at) as usize;
        for n in 0..GROUP {
            let length = length_at(bytes, at + LENGTHS + 3 * n);
            let Some(block) = start
                .checked_add(length)
                .and_then(|end| bytes.get(start..end))
            else {
                break;
            };
            let sum = checksum32(block).to_le_bytes();
            bytes[at + SUMS + 4 * n..][..4].copy_from_slice(&sum);
            start += length;
        }
    }
    if let Some(index) = bytes.get(index..) {
        let sum = checksum(index);
        bytes[56..64].copy_from_slice(&sum.to_le_bytes());
    }
    frame::reseal(&mut bytes[..HEADER]);
}

fn write_header(header: &Header, index_offset: u64, index: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&frame::head(LABEL, VERSION));
    out.push(header.metric as u8);
    out.push(header.sides);
    out.extend_from_slice(&header.block_words.to_le_bytes());
    let mut name = [0; 16];
    let bytes = header.key.as_bytes();
    name[..bytes.len()].copy_from_slice(bytes);
    out.extend_from_slice(&name);
    out.extend_from_slice(&header.words.to_le_bytes());
    out.extend_from_slice(&index_offset.to_le_bytes());
    out.extend_from_slice(&(index_offset + index.len() as u64).to_le_bytes());
    out.extend_from_slice(&checksum(index).to_le_bytes());
    for side in &header.counts {
        for count in [
            side.won,
            side.drawn,
            side.lost,
            side.void,
            side.cursed,
            side.blessed,
        ] {
            out.extend_from_slice(&count.to_le_bytes());
        }
        out.extend_from_slice(&side.longest_win.to_le_bytes());
        out.extend_from_slice(&side.longest_loss.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
    }
    out.extend_from_slice(&header.coding.to_le_bytes());
    out.extend_from_slice(&[header.game, header.revision, 0, 0]);
    out.extend_from_slice(&header.wdl_sum.to_le_bytes());
    frame::seal(out);
    debug_assert_eq!(out.len(), HEADER);
}

/// Reads and checks the header: it, the index's offset and the index's checksum.
fn read_header(bytes: &[u8]) -> Result<(Header, usize, u64), FormatError> {
    let head = bytes.get(..HEADER).ok_or(FormatError::NotATable)?;
    frame::after_head(head, LABEL, VERSION).map_err(|error| match error {
        FrameError::Version(version) => FormatError::Version(version),
        FrameError::NotOurs | FrameError::Damaged => FormatError::NotATable,
    })?;
    frame::unseal(head).map_err(|_| FormatError::Header("checksum"))?;
    let metric = *Metric::ALL
        .get(usize::from(head[10]))
        .ok_or(FormatError::Header("metric"))?;
    let sides = head[11];
    let block_words = u32::from_le_bytes(array(head, 12));
    let words = u64_at(head, 32);
    if !(1..=2).contains(&sides) || !(1..=MAX_BLOCK_WORDS).contains(&block_words) || words == 0 {
        return Err(FormatError::Header("sizes"));
    }
    let name = &head[16..32];
    let name = &name[..name
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(name.len())];
    let key = std::str::from_utf8(name)
        .map_err(|_| FormatError::Header("name"))?
        .to_owned();
    if u64_at(head, 48) != bytes.len() as u64 {
        return Err(FormatError::Header("file length"));
    }
    let header = Header {
        game: head[64 + 2 * SIDE + 4],
        revision: head[64 + 2 * SIDE + 5],
        key,
        metric,
        sides,
        words,
        block_words,
        counts: [read_counts(&head[64..]), read_counts(&head[64 + SIDE..])],
        coding: u32::from_le_bytes(array(head, 64 + 2 * SIDE)),
        wdl_sum: u64_at(head, HEADER - 16),
    };
    let blocks = words
        .div_ceil(u64::from(block_words))
        .saturating_mul(u64::from(sides));
    let index = u64_at(head, 40);
    // In this order no damaged number is believed before it is compared with the file's length.
    let fits = blocks <= bytes.len() as u64
        && index >= HEADER as u64
        && index.checked_add(index_length(blocks as usize) as u64) == Some(bytes.len() as u64);
    if !fits {
        return Err(FormatError::Header("index offset"));
    }
    Ok((header, index as usize, u64_at(head, 56)))
}

fn read_counts(bytes: &[u8]) -> SideCounts {
    SideCounts {
        won: u64_at(bytes, 0),
        drawn: u64_at(bytes, 8),
        lost: u64_at(bytes, 16),
        void: u64_at(bytes, 24),
        cursed: u64_at(bytes, 32),
        blessed: u64_at(bytes, 40),
        longest_win: u16::from_le_bytes(array(bytes, 48)),
        longest_loss: u16::from_le_bytes(array(bytes, 50)),
    }
}

/// The length of a block, three bytes.
#[inline]
fn length_at(bytes: &[u8], at: usize) -> usize {
    let [a, b, c] = array(bytes, at);
    u32::from_le_bytes([a, b, c, 0]) as usize
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// `N` bytes from `at`, which the caller has checked to be there.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}
