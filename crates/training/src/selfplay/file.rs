//! Files of games: blocks of whole games, each with a checksum, appended one after the other.
//!
//! | bytes | file header |
//! |---|---|
//! | 8 | `DUCHGAME` |
//! | 2 | version, 1 |
//! | 6 | zero |
//!
//! | bytes | block header |
//! |---|---|
//! | 4 | `GAME` |
//! | 4 | bytes of games that follow |
//! | 4 | games |
//! | 4 | played plies, the random ones not counted |
//! | 8 | seed |
//! | 8 | number of the first game; a block holds the games that were kept of a stretch of numbers |
//! | 4 | length of that stretch |
//! | 4 | zero |
//! | 48 | what generated it: version, evaluation and settings, padded with zeros |
//! | 8 | xxh3-64 of all the bytes above and of the games |
//!
//! All little-endian. A file that ends in the middle of a block was cut off while it was written; the
//! rest of it is good.

use super::record::{GameRecord, RecordError};
use duchamp_base::{LockFile, checksum_of_parts, files, frame};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

const LABEL: &frame::Label = b"DUCHGAME";
const VERSION: u16 = 1;
const FILE_HEADER: usize = 16;
const BLOCK_LABEL: [u8; 4] = *b"GAME";
const BLOCK_HEADER: usize = 96;
/// The longest description of a block's generator, in bytes.
pub const MAX_MAKER: usize = 48;
/// Larger blocks are not written, nor believed.
const MAX_BLOCK: usize = 1 << 26;

/// Games that were generated together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The seed of the games.
    pub seed: u64,
    /// The number of the first game.
    pub first: u64,
    /// How many numbers were played.
    pub stretch: u32,
    /// Version, evaluation and settings; at most [`MAX_MAKER`] bytes are kept.
    pub maker: String,
    /// The games, those that were kept of the stretch.
    pub games: Vec<GameRecord>,
}

/// Why a file of games could not be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// An error of the system.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another kind of file, or of a later version.
    #[error("{path}: not a file of games", path = .0.display())]
    Foreign(PathBuf),
    /// Its bytes are damaged.
    #[error("{path}: damaged at byte {at}: {what}", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the bad block begins.
        at: u64,
        /// What is wrong.
        what: String,
    },
    /// Another process writes to it.
    #[error("{path}: another process writes to it", path = .0.display())]
    Busy(PathBuf),
}

impl Block {
    /// The bytes of the block.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; BLOCK_HEADER];
        self.games.iter().for_each(|game| game.write(&mut bytes));
        let plies: usize = self.games.iter().map(|game| game.plies.len()).sum();
        let length = (bytes.len() - BLOCK_HEADER) as u32;
        bytes[0..4].copy_from_slice(&BLOCK_LABEL);
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
        bytes[8..12].copy_from_slice(&(self.games.len() as u32).to_le_bytes());
        bytes[12..16].copy_from_slice(&(plies as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.seed.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.first.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.stretch.to_le_bytes());
        let maker = &self.maker.as_bytes()[..self.maker.len().min(MAX_MAKER)];
        bytes[40..40 + maker.len()].copy_from_slice(maker);
        let sum = sum(&bytes);
        bytes[88..96].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

/// The checksum of a block: its header without the last field, and the games.
fn sum(block: &[u8]) -> u64 {
    checksum_of_parts(&[&block[..BLOCK_HEADER - 8], &block[BLOCK_HEADER..]])
}

/// The blocks of a file, in order.
pub struct Blocks {
    path: PathBuf,
    file: BufReader<File>,
    /// Where the next block begins.
    at: u64,
    done: bool,
    cut_off: bool,
}

/// Opens a file of games for reading.
///
/// # Errors
/// If there is no such file or it is of another kind.
pub fn read_blocks(path: &Path) -> Result<Blocks, FileError> {
    let failed = |source| FileError::Io {
        path: path.to_path_buf(),
        source,
    };
    let mut file = BufReader::with_capacity(1 << 20, files::open_regular(path).map_err(failed)?);
    let mut header = [0; FILE_HEADER];
    match file.read_exact(&mut header) {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(failed(error)),
        Ok(()) if header == file_header() => Ok(Blocks {
            path: path.to_path_buf(),
            file,
            at: FILE_HEADER as u64,
            done: false,
            cut_off: false,
        }),
        _ => Err(FileError::Foreign(path.to_path_buf())),
    }
}

fn file_header() -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..frame::HEAD].copy_from_slice(&frame::head(LABEL, VERSION));
    header
}

impl Blocks {
    /// Where the last good block ends, in bytes.
    #[must_use]
    pub fn good_bytes(&self) -> u64 {
        self.at
    }

    /// Whether the file ended in the middle of a block.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    fn damaged(&self, what: impl ToString) -> FileError {
        FileError::Damaged {
            path: self.path.clone(),
            at: self.at,
            what: what.to_string(),
        }
    }

    /// Fills `bytes` as far as the file goes; whether it went far enough.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<bool, FileError> {
        match self.file.read_exact(bytes) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(source) => Err(FileError::Io {
                path: self.path.clone(),
                source,
            }),
        }
    }

    fn read(&mut self) -> Result<Option<Block>, FileError> {
        let left = self.file.fill_buf().map_err(|source| FileError::Io {
            path: self.path.clone(),
            source,
        })?;
        if left.is_empty() {
            return Ok(None);
        }
        let mut bytes = vec![0; BLOCK_HEADER];
        if !self.fill(&mut bytes)? {
            self.cut_off = true;
            return Ok(None);
        }
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let (length, games) = (word(4) as usize, word(8));
        let (seed, first, stretch, told) = (long(16), long(24), word(32), long(88));
        if bytes[..4] != BLOCK_LABEL || length > MAX_BLOCK {
            return Err(self.damaged("no block begins here"));
        }
        let maker = bytes[40..88].split(|&b| b == 0).next().unwrap_or_default();
        let maker = String::from_utf8_lossy(maker).into_owned();
        bytes.resize(BLOCK_HEADER + length, 0);
        if !self.fill(&mut bytes[BLOCK_HEADER..])? {
            self.cut_off = true;
            return Ok(None);
        }
        if sum(&bytes) != told {
            return Err(self.damaged("wrong checksum"));
        }
        let mut rest = &bytes[BLOCK_HEADER..];
        let games = (0..games)
            .map(|_| GameRecord::read(&mut rest))
            .collect::<Result<Vec<_>, RecordError>>()
            .map_err(|error| self.damaged(error))?;
        if !rest.is_empty() {
            return Err(self.damaged("more bytes than games"));
        }
        self.at += bytes.len() as u64;
        Ok(Some(Block {
            seed,
            first,
            stretch,
            maker,
            games,
        }))
    }
}

impl Iterator for Blocks {
    type Item = Result<Block, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = self.read().transpose();
        self.done = !matches!(next, Some(Ok(_)));
        next
    }
}

/// Appends blocks to a file. Each reaches the file whole, or is cut off when it is opened again.
#[derive(Debug)]
pub struct GameWriter {
    path: PathBuf,
    file: File,
    _lock: LockFile,
}

impl GameWriter {
    /// Opens a file for appending, and creates it if there is none; `visit` receives the blocks that it has. Bytes of a
    /// block that was cut off are removed.
    ///
    /// # Errors
    /// If the file is of another kind, damaged, or written to by another process.
    pub fn open(path: &Path, mut visit: impl FnMut(Block)) -> Result<GameWriter, FileError> {
        let failed = |source| FileError::Io {
            path: path.to_path_buf(),
            source,
        };
        let lock = LockFile::try_acquire_beside(path)
            .map_err(failed)?
            .ok_or_else(|| FileError::Busy(path.to_path_buf()))?;
        let fresh = std::fs::metadata(path).map_or(true, |data| data.len() == 0);
        let mut file = files::open_append(path).map_err(failed)?;
        if fresh {
            file.write_all(&file_header()).map_err(failed)?;
        } else {
            let mut blocks = read_blocks(path)?;
            for block in blocks.by_ref() {
                visit(block?);
            }
            if blocks.is_cut_off() {
                file.set_len(blocks.good_bytes()).map_err(failed)?;
            }
        }
        Ok(GameWriter {
            path: path.to_path_buf(),
            file,
            _lock: lock,
        })
    }

    /// Appends a block.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, block: &Block) -> Result<(), FileError> {
        self.file
            .write_all(&block.bytes())
            .map_err(|source| FileError::Io {
                path: self.path.clone(),
                source,
            })
    }

    /// Flushes all data to the disk.
    ///
    /// # Errors
    /// If it cannot.
    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_all().map_err(|source| FileError::Io {
            path: self.path.clone(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::random_game;
    use super::*;

    fn block(first: u64) -> Block {
        Block {
            seed: 5,
            first,
            stretch: 4,
            maker: "test".into(),
            games: (first..first + 4).map(random_game).collect(),
        }
    }

    fn written(path: &Path) -> Vec<Block> {
        let mut writer = GameWriter::open(path, |_| panic!("a new file")).expect("opened");
        let blocks = vec![block(0), block(4), block(8)];
        for block in &blocks {
            writer.append(block).expect("written");
        }
        assert!(matches!(
            GameWriter::open(path, |_| ()),
            Err(FileError::Busy(_))
        ));
        writer.sync().expect("synced");
        blocks
    }

    #[test]
    fn blocks_are_read_as_written_and_torn_ends_are_cut() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games");
        let blocks = written(&path);
        let read = |path: &Path| -> Vec<Block> {
            let blocks = read_blocks(path).expect("opened");
            blocks.map(|block| block.expect("good")).collect()
        };
        assert_eq!(read(&path), blocks);
        let whole = std::fs::read(&path).expect("bytes");
        let second = FILE_HEADER + blocks[0].bytes().len() + blocks[1].bytes().len();
        for length in (second..whole.len()).step_by(37) {
            std::fs::write(&path, &whole[..length]).expect("cut");
            let mut seen = 0;
            let mut writer = GameWriter::open(&path, |_| seen += 1).expect("torn, not damaged");
            assert_eq!(seen, 2);
            writer.append(&blocks[2]).expect("written");
            drop(writer);
            assert_eq!(std::fs::read(&path).expect("bytes"), whole);
        }
    }

    #[test]
    fn every_damaged_bit_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games");
        written(&path);
        let whole = std::fs::read(&path).expect("bytes");
        for at in (FILE_HEADER..whole.len()).step_by(11) {
            let mut bad = whole.clone();
            bad[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bad).expect("written");
            let mut blocks = read_blocks(&path).expect("opened");
            let error = blocks.by_ref().find(Result::is_err);
            // A length that grew looks like a file that was cut off; all else is an error.
            assert!(error.is_some() || blocks.is_cut_off(), "byte {at}");
        }
        std::fs::write(&path, b"DUCHGAME\x02\0\0\0\0\0\0\0").expect("written");
        assert!(matches!(read_blocks(&path), Err(FileError::Foreign(_))));
    }
}
