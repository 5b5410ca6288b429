//! A nameless file that is written at its end and read back in passages: memory for what is used in
//! order.
//!
//! It has lost its name at once, so whatever way the process ends nothing is left on the disk. It is not
//! mapped: what the system caches of it is not the process's memory.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes gathered before they are written.
const GATHER: usize = 1 << 20;

/// Passages from this length on are compressed.
const PACK_FROM: usize = 16 << 10;

/// Of Zstandard: the fastest; what is written here is read a few times and thrown away.
const LEVEL: i32 = 1;

/// The file.
#[derive(Debug)]
pub struct Scroll {
    file: File,
    tail: Mutex<Tail>,
    /// Bytes that were appended, before compression.
    plain: AtomicU64,
}

/// What is not written yet.
#[derive(Debug, Default)]
struct Tail {
    /// Where in the file it goes.
    start: u64,
    bytes: Vec<u8>,
}

/// Where a piece of a [`Scroll`] is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Passage {
    start: u64,
    length: u32,
    /// The length after decompression; 0 if it is not compressed.
    plain: u32,
}

impl Passage {
    /// Nothing.
    pub const EMPTY: Passage = Passage {
        start: 0,
        length: 0,
        plain: 0,
    };

    /// Whether it is nothing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.length == 0
    }
}

impl Scroll {
    /// An empty file in `folder`, which should not be one in memory (`tmpfs`).
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn new_in(folder: &Path) -> io::Result<Scroll> {
        Ok(Scroll {
            file: tempfile::tempfile_in(folder)?,
            tail: Mutex::default(),
            plain: AtomicU64::new(0),
        })
    }

    /// One that cannot be written, for tests of what happens then.
    ///
    /// # Panics
    /// Where there is no `/dev/full`: elsewhere than on Linux.
    #[doc(hidden)]
    #[must_use]
    pub fn full() -> Scroll {
        let file = File::options().write(true).open("/dev/full");
        Scroll {
            file: file.expect("only Linux has /dev/full"),
            // The next bytes are one too many.
            tail: Mutex::new(Tail {
                start: 0,
                bytes: vec![0; GATHER],
            }),
            plain: AtomicU64::new(0),
        }
    }

    /// Adds bytes, fewer than 4 GiB.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn append(&self, bytes: &[u8]) -> io::Result<Passage> {
        if bytes.is_empty() {
            return Ok(Passage::EMPTY);
        }
        self.plain.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let plain = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let packed = (bytes.len() >= PACK_FROM)
            .then(|| zstd::bulk::compress(bytes, LEVEL))
            .transpose()?;
        match packed {
            Some(packed) if packed.len() < bytes.len() => self.put(&packed, plain),
            _ => self.put(bytes, 0),
        }
    }

    fn put(&self, bytes: &[u8], plain: u32) -> io::Result<Passage> {
        let mut tail = self.tail();
        if tail.bytes.len() + bytes.len() > GATHER {
            write_at(&self.file, &tail.bytes, tail.start)?;
            tail.start += tail.bytes.len() as u64;
            tail.bytes.clear();
        }
        let start = tail.start + tail.bytes.len() as u64;
        if bytes.len() >= GATHER {
            write_at(&self.file, bytes, start)?;
            tail.start += bytes.len() as u64;
        } else {
            tail.bytes.extend_from_slice(bytes);
        }
        Ok(Passage {
            start,
            length: bytes.len() as u32,
            plain,
        })
    }

    /// Reads a passage of this file in place of what `into` holds.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn read(&self, passage: Passage, into: &mut Vec<u8>) -> io::Result<()> {
        if passage.plain == 0 {
            return self.fetch(passage, into);
        }
        let mut packed = Vec::new();
        self.fetch(passage, &mut packed)?;
        into.clear();
        into.reserve(passage.plain as usize);
        zstd::bulk::Decompressor::new()?.decompress_to_buffer(&packed, into)?;
        Ok(())
    }

    /// Reads a passage as [`Scroll::read`] does, but leaves it compressed by Zstandard if it lies so; says whether it does.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn read_packed(&self, passage: Passage, into: &mut Vec<u8>) -> io::Result<bool> {
        self.fetch(passage, into)?;
        Ok(passage.plain != 0)
    }

    /// Reads the bytes of a passage as they lie in the file.
    fn fetch(&self, passage: Passage, into: &mut Vec<u8>) -> io::Result<()> {
        into.clear();
        let tail = self.tail();
        if passage.start >= tail.start && !passage.is_empty() {
            let start = (passage.start - tail.start) as usize;
            into.extend_from_slice(&tail.bytes[start..start + passage.length as usize]);
            return Ok(());
        }
        drop(tail);
        into.resize(passage.length as usize, 0);
        read_at(&self.file, into, passage.start)
    }

    /// Bytes on the disk.
    #[must_use]
    pub fn size(&self) -> u64 {
        let tail = self.tail();
        tail.start + tail.bytes.len() as u64
    }

    /// Bytes appended, before compression.
    #[must_use]
    pub fn plain_size(&self) -> u64 {
        self.plain.load(Ordering::Relaxed)
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        if n == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        (bytes, at) = (&bytes[n..], at + n as u64);
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (bytes, at) = (&mut bytes[n..], at + n as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn passages_come_back_and_no_file_is_left() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let scroll = Scroll::new_in(folder.path()).expect("a scratch file");
        let mut kept = Vec::new();
        let mut random = Random::new(1);
        for n in [0, 1, 700, 20_000, 900_000, 2_500_000, 3, 1_000_000, 17] {
            let bytes: Vec<u8> = (0..n)
                .map(|i| {
                    let byte = random.next_u64() as u8;
                    if i % 3 == 0 { byte } else { 0 }
                })
                .collect();
            kept.push((scroll.append(&bytes).expect("room"), bytes));
        }
        let mut read = vec![9];
        for (passage, bytes) in &kept {
            scroll.read(*passage, &mut read).expect("readable");
            assert!(read == *bytes, "{passage:?}");
            let packed = scroll.read_packed(*passage, &mut read).expect("readable");
            assert_eq!(packed, bytes.len() >= PACK_FROM);
            if packed {
                read = zstd::bulk::decompress(&read, bytes.len()).expect("packed");
            }
            assert!(read == *bytes, "{passage:?}");
        }
        assert!(scroll.size() < scroll.plain_size());
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            0
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        let scroll = Scroll::full();
        let mut random = Random::new(1);
        let noise: Vec<u8> = (0..GATHER).map(|_| random.next_u64() as u8).collect();
        let error = (0..9).find_map(|_| scroll.append(&noise).err());
        assert_eq!(error.map(|e| e.kind()), Some(io::ErrorKind::StorageFull));
    }
}
