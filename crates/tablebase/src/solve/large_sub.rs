//! What larger tables need of a large one, in a file that is read block by block: `KQRvKRP.sub`.
//!
//! A block file (`format/block_file.rs`) of the blocks of White's values and of Black's, packed and compressed. Its header,
//! little-endian: label (8), version (2), metric (1), sides (1), words of a block (4), material (16), words of a side (8),
//! numbering (1), 7 zeros.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::packed::{Blocks, PackRoom, Unpacked, block_words, unpack};
use crate::format::{BlockFile, BlockFileError, BlockFileWriter, Metric};
use crate::game::Game;
use crate::index::{Index, TableKey};
use duchamp_base::frame::{self, Label};
use duchamp_base::{Cancelled, Control, Gauge};
use duchamp_retro::Side;

const LABEL: &Label = b"DuchSubL";
const VERSION: u16 = 2;
const HEADER: usize = 48;

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
    header.push(metric as u8);
    header.push(index.stored_sides().len() as u8);
    header.extend_from_slice(&(block_words(index) as u32).to_le_bytes());
    header.extend_from_slice(index.key().to_string().as_bytes());
    header.resize(32, 0);
    header.extend_from_slice(&(index.words() as u64).to_le_bytes());
    header.push(index.revision());
    header.resize(HEADER, 0);
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
    let mut file = BlockFileWriter::create(path, header(index, metric))?;
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
                file.push(block)?;
            }
            gauge.add((end - start) as u64);
        }
    }
    Ok(file.commit()?)
}

/// An open file.
#[derive(Debug)]
pub(crate) struct LargeSub<I> {
    index: Arc<I>,
    file: BlockFile,
    block_words: usize,
}

impl<I: Index> LargeSub<I> {
    /// Opens a file whose header and list of blocks are right; `None` if there is none, or a damaged one.
    pub(crate) fn open(path: &Path, key: I::Key, metric: Metric) -> io::Result<Option<Self>> {
        let index = Arc::new(I::new(key));
        let block_words = block_words(&*index);
        let blocks = index.stored_sides().len() * (index.words() / block_words);
        let file = match BlockFile::open(path, |_| Some((header(&*index, metric), blocks))) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(BlockFileError::Io(error)) => return Err(error),
            Err(BlockFileError::Damaged) => {
                log::warn!("{}: damaged; generating it again", path.display());
                return Ok(None);
            }
        };
        Ok(Some(LargeSub {
            index,
            file,
            block_words,
        }))
    }
}

impl<I: Index> Blocks for LargeSub<I> {
    fn block_words(&self) -> usize {
        self.block_words
    }

    fn block(&self, side: usize, number: usize) -> io::Result<Unpacked> {
        let at = side * (self.index.words() / self.block_words) + number;
        let unpacked = self.file.block(at, |block| -> io::Result<Unpacked> {
            unpack(&zstd::bulk::decompress(block, PLAIN)?)
        });
        match unpacked {
            Ok(Ok(unpacked)) if unpacked.len() == 64 * self.block_words => Ok(unpacked),
            Err(BlockFileError::Io(error)) => Err(error),
            _ => {
                let name = self.index.key().to_string();
                let text = format!("the values of {name} (its .sub file) are damaged: remove it");
                Err(io::Error::new(io::ErrorKind::InvalidData, text))
            }
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
        self.0.iter().for_each(|(_, sub)| sub.file.release());
    }
}
