//! What larger tables need of a large one, in a file that is read block by block: `KQRvKRP.sub`.
//!
//! Little-endian: label (8), version (2), metric (1), sides (1), words of a block (4), material (16), words of a side (8);
//! then the blocks of White's values and of Black's, packed and compressed; an index with the length (4) and the checksum
//! (4) of each; last the checksum of header and index (8).

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::packed::{Blocks, PackRoom, Unpacked, block_words, unpack};
use crate::format::Metric;
use crate::game::Game;
use crate::index::{Index, TableKey};
use duchamp_base::files::AtomicFile;
use duchamp_base::frame::{self, Label};
use duchamp_base::{Cancelled, Control, Gauge, Mapped, checksum_of_parts, checksum32};
use duchamp_retro::Side;

const LABEL: &Label = b"DuchSubL";
const VERSION: u16 = 1;
const HEADER: usize = 40;
const ENTRY: usize = 8;

/// Blocks that each thread packs before they are written.
const ABREAST: usize = 4;

/// A block is at most so many bytes before compression.
const PLAIN: usize = (2 << 20) + 1024;

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The ending of these files, by metric.
pub(crate) fn ending(metric: Metric) -> String {
    match metric {
        Metric::Dtm => "sub".to_owned(),
        metric => format!("{}.sub", metric.name()),
    }
}

fn header<I: Index>(index: &I, metric: Metric) -> Vec<u8> {
    let mut header = frame::head(LABEL, VERSION).to_vec();
    header.push(metric as u8 | index.revision() << 4);
    header.push(index.stored_sides().len() as u8);
    header.extend_from_slice(&(block_words(index) as u32).to_le_bytes());
    header.extend_from_slice(index.key().to_string().as_bytes());
    header.resize(32, 0);
    header.extend_from_slice(&(index.words() as u64).to_le_bytes());
    debug_assert_eq!(header.len(), HEADER);
    header
}

/// Gives some blocks of a stored side, packed and compressed.
pub(crate) type PackBlocks<'r> =
    dyn Fn(Side, Range<usize>, &mut PackRoom) -> io::Result<Vec<Vec<u8>>> + Sync + 'r;

/// Writes the file of a table whose words are read in whole strides; `gauge` counts blocks.
pub(crate) fn write<I: Index>(
    index: &I,
    metric: Metric,
    path: &Path,
    (pack, stride): (&PackBlocks<'_>, usize),
    (gauge, control): (&Gauge, &Control),
) -> Result<(), SubError> {
    let size = block_words(index);
    let blocks = index.words() / size;
    // Blocks that are read at a time: a part of a stride would cost as much as all of it.
    let piece = stride.div_ceil(size);
    let mut file = AtomicFile::create(path)?;
    let header = header(index, metric);
    file.write_all(&header)?;
    let mut entries = Vec::new();
    gauge.start((blocks * index.stored_sides().len()) as u64);
    for &side in index.stored_sides() {
        let batch = piece * (ABREAST / piece).max(1) * rayon::current_num_threads();
        for start in (0..blocks).step_by(batch) {
            let end = blocks.min(start + batch);
            let pieces: Vec<usize> = (start..end).step_by(piece).collect();
            let packed: Vec<Vec<Vec<u8>>> = pieces
                .par_iter()
                .map_init(PackRoom::new, |room, &first| {
                    control.check()?;
                    Ok(pack(side, first..end.min(first + piece), room)?)
                })
                .collect::<Result<_, SubError>>()?;
            for block in packed.iter().flatten() {
                entries.extend_from_slice(&(block.len() as u32).to_le_bytes());
                entries.extend_from_slice(&checksum32(block).to_le_bytes());
                file.write_all(block)?;
            }
            gauge.add((end - start) as u64);
        }
    }
    file.write_all(&entries)?;
    let sum = checksum_of_parts(&[&header, &entries]);
    file.write_all(&sum.to_le_bytes())?;
    Ok(file.commit()?)
}

/// An open file.
#[derive(Debug)]
pub(crate) struct LargeSub<I> {
    index: Arc<I>,
    bytes: Mapped,
    /// Where each block ends; the first begins behind the header.
    ends: Vec<u64>,
    sums: Vec<u32>,
    block_words: usize,
}

impl<I: Index> LargeSub<I> {
    /// Opens a file whose header and index are right; `None` if there is none, or a damaged one.
    pub(crate) fn open(path: &Path, key: I::Key, metric: Metric) -> io::Result<Option<Self>> {
        let bytes = match Mapped::open(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let index = Arc::new(I::new(key));
        let block_words = block_words(&*index);
        let blocks = index.stored_sides().len() * (index.words() / block_words);
        let Some(entries) = entries(&bytes, &header(&*index, metric), blocks) else {
            log::warn!("{}: damaged; generating it again", path.display());
            return Ok(None);
        };
        let (mut ends, mut sums, mut end) = (Vec::new(), Vec::new(), HEADER as u64);
        for (length, sum) in entries {
            end += u64::from(length);
            ends.push(end);
            sums.push(sum);
        }
        Ok(
            (end as usize + ENTRY * blocks + 8 == bytes.len()).then_some(LargeSub {
                index,
                bytes,
                ends,
                sums,
                block_words,
            }),
        )
    }
}

/// Lengths and checksums of the blocks, if header and index are right.
fn entries(bytes: &[u8], header: &[u8], blocks: usize) -> Option<Vec<(u32, u32)>> {
    let (rest, sum) = bytes.split_last_chunk::<8>()?;
    let (body, index) = rest.split_at(rest.len().checked_sub(blocks * ENTRY)?);
    let right = body.get(..HEADER)? == header
        && checksum_of_parts(&[header, index]) == u64::from_le_bytes(*sum);
    let entries = index.as_chunks::<ENTRY>().0.iter().map(|entry| {
        let [a, b, c, d, e, f, g, h] = *entry;
        (
            u32::from_le_bytes([a, b, c, d]),
            u32::from_le_bytes([e, f, g, h]),
        )
    });
    right.then(|| entries.collect())
}

impl<I: Index> Blocks for LargeSub<I> {
    fn block_words(&self) -> usize {
        self.block_words
    }

    fn block(&self, side: usize, number: usize) -> io::Result<Unpacked> {
        let damaged = || {
            let name = self.index.key().to_string();
            let text = format!("the values of {name} (its .sub file) are damaged: remove it");
            io::Error::new(io::ErrorKind::InvalidData, text)
        };
        let at = side * (self.index.words() / self.block_words) + number;
        let start = at
            .checked_sub(1)
            .map_or(HEADER as u64, |one| self.ends[one]);
        let range = start as usize..self.ends[at] as usize;
        let block = self.bytes.get(range).ok_or_else(damaged)?;
        if checksum32(block) != self.sums[at] {
            return Err(damaged());
        }
        let unpacked = unpack(&zstd::bulk::decompress(block, PLAIN)?)?;
        match unpacked.len() == 64 * self.block_words {
            true => Ok(unpacked),
            false => Err(damaged()),
        }
    }
}

/// The large tables that a large table's moves lead into.
#[derive(Debug)]
pub(crate) struct LargeSubs<G: Game>(Vec<(G::Key, LargeSub<G::Index>)>);

impl<G: Game> LargeSubs<G> {
    /// Opens the files of all large tables among the children of a key; the name of one that is missing is the error.
    pub(crate) fn open(
        key: G::Key,
        metric: Metric,
        path: impl Fn(G::Key) -> std::path::PathBuf,
    ) -> io::Result<Result<LargeSubs<G>, G::Key>> {
        let mut subs = Vec::new();
        for child in key
            .children()
            .into_iter()
            .filter(|&child| G::is_large(child))
        {
            match LargeSub::open(&path(child), child, metric)? {
                Some(sub) => subs.push((child, sub)),
                None => return Ok(Err(child)),
            }
        }
        Ok(Ok(LargeSubs(subs)))
    }

    /// Whether a file has the values of a table; its blocks are not looked at.
    pub(crate) fn is_good(key: G::Key, metric: Metric, path: &Path) -> bool {
        matches!(LargeSub::<G::Index>::open(path, key, metric), Ok(Some(_)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of a table.
    pub(crate) fn number(&self, key: G::Key) -> Option<usize> {
        self.0.iter().position(|sub| sub.0 == key)
    }

    pub(crate) fn index(&self, key: G::Key) -> Option<&G::Index> {
        Some(&self.0[self.number(key)?].1.index)
    }

    pub(crate) fn blocks(&self, number: usize) -> &LargeSub<G::Index> {
        &self.0[number].1
    }

    /// Takes the pages of all files out of the process's memory.
    pub(crate) fn release(&self) {
        self.0.iter().for_each(|(_, sub)| sub.bytes.release());
    }
}
