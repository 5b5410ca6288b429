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
//! rest of it is good. (A block that seems to reach beyond the end, and has whole blocks behind its beginning, is damaged instead:
//! its length is wrong.)

use super::record::{GameRecord, RecordError};
use duchamp_base::{LockFile, checksum_of_parts, files, frame};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LABEL: &frame::Label = b"DUCHGAME";
const VERSION: u16 = 1;
const FILE_HEADER: usize = 16;
const BLOCK_LABEL: [u8; 4] = *b"GAME";
const BLOCK_HEADER: usize = 96;
/// The longest description of a block's generator, in bytes.
pub const MAX_GENERATOR: usize = 48;
/// Larger blocks are not written, nor believed.
const MAX_BLOCK: usize = 1 << 26;
/// How long games may be in the system's cache only.
const UNSYNCED: Duration = Duration::from_secs(60);

/// Games that were generated together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The seed of the games.
    pub seed: u64,
    /// The number of the first game.
    pub first: u64,
    /// How many numbers were played.
    pub stretch: u32,
    /// Version, evaluation and settings; at most [`MAX_GENERATOR`] bytes are kept.
    pub generator: String,
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
        let generator = &self.generator.as_bytes()[..self.generator.len().min(MAX_GENERATOR)];
        bytes[40..40 + generator.len()].copy_from_slice(generator);
        let sum = sum(&bytes);
        bytes[88..96].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

/// The checksum of a block: its header without the last field, and the games.
fn sum(block: &[u8]) -> u64 {
    checksum_of_parts(&[&block[..BLOCK_HEADER - 8], &block[BLOCK_HEADER..]])
}

/// The number of four bytes at a place of a block's header.
fn word(block: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|i| block[at + i]))
}

/// The number of eight bytes at a place of a block's header.
fn long(block: &[u8], at: usize) -> u64 {
    u64::from(word(block, at)) | u64::from(word(block, at + 4)) << 32
}

/// Whether a whole block begins anywhere in these bytes.
fn holds_a_block(bytes: &[u8]) -> bool {
    let labels = bytes.windows(BLOCK_LABEL.len()).enumerate();
    let mut starts = labels.filter(|(_, label)| **label == BLOCK_LABEL);
    starts.any(|(start, _)| {
        let rest = &bytes[start..];
        let end = rest
            .get(..BLOCK_HEADER)
            .map(|header| BLOCK_HEADER + word(header, 4) as usize);
        end.and_then(|end| rest.get(..end))
            .is_some_and(|block| sum(block) == long(block, 88))
    })
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

    /// Adds `count` bytes, or as many as the file has; whether it has them all.
    fn read_on(&mut self, bytes: &mut Vec<u8>, count: usize) -> Result<bool, FileError> {
        let read = self.file.by_ref().take(count as u64).read_to_end(bytes);
        let read = read.map_err(|source| FileError::Io {
            path: self.path.clone(),
            source,
        })?;
        Ok(read == count)
    }

    fn read(&mut self) -> Result<Option<Block>, FileError> {
        let mut bytes = Vec::with_capacity(BLOCK_HEADER);
        if !self.read_on(&mut bytes, BLOCK_HEADER)? {
            self.cut_off = !bytes.is_empty();
            return Ok(None);
        }
        let (length, games) = (word(&bytes, 4) as usize, word(&bytes, 8));
        let (seed, first, stretch) = (long(&bytes, 16), long(&bytes, 24), word(&bytes, 32));
        let told = long(&bytes, 88);
        if bytes[..4] != BLOCK_LABEL || length > MAX_BLOCK {
            return Err(self.damaged("no block begins here"));
        }
        let generator = bytes[40..88].split(|&b| b == 0).next().unwrap_or_default();
        let generator = String::from_utf8_lossy(generator).into_owned();
        if !self.read_on(&mut bytes, length)? {
            if holds_a_block(&bytes[1..]) {
                return Err(self.damaged("wrong length"));
            }
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
            generator,
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
    /// Where the last whole block ends.
    end: u64,
    removed: u64,
    synced: Instant,
    _lock: LockFile,
}

impl GameWriter {
    /// Opens a file for appending, and creates it if there is none; `visit` receives the blocks that it has. Bytes of a
    /// block that was cut off are removed ([`GameWriter::removed_bytes`]).
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
        let (mut end, mut removed) = (FILE_HEADER as u64, 0);
        if fresh {
            file.write_all(&file_header()).map_err(failed)?;
        } else {
            let mut blocks = read_blocks(path)?;
            for block in blocks.by_ref() {
                visit(block?);
            }
            end = blocks.good_bytes();
            if blocks.is_cut_off() {
                removed = file.metadata().map_err(failed)?.len() - end;
                file.set_len(end).map_err(failed)?;
            }
        }
        Ok(GameWriter {
            path: path.to_path_buf(),
            file,
            end,
            removed,
            synced: Instant::now(),
            _lock: lock,
        })
    }

    /// How many bytes of a block that was cut off were removed.
    #[must_use]
    pub fn removed_bytes(&self) -> u64 {
        self.removed
    }

    /// Appends a block. At most a minute's blocks are not yet on the disk.
    ///
    /// # Errors
    /// If it cannot be written; the file is as before then, as far as the system allows.
    pub fn append(&mut self, block: &Block) -> Result<(), FileError> {
        let bytes = block.bytes();
        let fits = bytes.len() - BLOCK_HEADER <= MAX_BLOCK;
        let mut written = match fits {
            true => self.file.write_all(&bytes),
            false => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "too many games for a block",
            )),
        };
        if written.is_ok() && self.synced.elapsed() >= UNSYNCED {
            self.synced = Instant::now();
            written = self.file.sync_data();
        }
        if let Err(source) = written {
            // A part of a block would make what is appended behind it unreadable.
            let _ = self.file.set_len(self.end);
            return Err(FileError::Io {
                path: self.path.clone(),
                source,
            });
        }
        self.end += bytes.len() as u64;
        Ok(())
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
            generator: "test".into(),
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
            assert_eq!(writer.removed_bytes(), (length - second) as u64);
            writer.append(&blocks[2]).expect("written");
            drop(writer);
            assert_eq!(std::fs::read(&path).expect("bytes"), whole);
        }
    }

    /// A length that grew makes the last block look like one that was cut off; all else is an error.
    #[test]
    fn damage_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games");
        let blocks = written(&path);
        let whole = std::fs::read(&path).expect("bytes");
        let last = whole.len() - blocks[2].bytes().len();
        let length_of = |start: usize| start + 4..start + 8;
        let lengths = length_of(FILE_HEADER).chain(length_of(last));
        let mut cut_off = 0;
        for at in (FILE_HEADER..whole.len()).step_by(11).chain(lengths) {
            for bit in 0..8 {
                let mut bad = whole.clone();
                bad[at] ^= 1 << bit;
                std::fs::write(&path, &bad).expect("written");
                let mut blocks = read_blocks(&path).expect("opened");
                let error = blocks.by_ref().find(Result::is_err);
                if error.is_none() {
                    assert!(blocks.is_cut_off() && length_of(last).contains(&at));
                    cut_off += 1;
                }
            }
        }
        assert!(cut_off > 0);
        std::fs::write(&path, b"DUCHGAME\x02\0\0\0\0\0\0\0").expect("written");
        assert!(matches!(read_blocks(&path), Err(FileError::Foreign(_))));
    }
}
