//! The wall around memory-mapped files.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file, mapped or held in memory.
///
/// Tests and fuzzers read from memory what the engine reads from a mapped file.
#[derive(Debug)]
pub enum Mapped {
    /// A mapped file.
    File(memmap2::Mmap),
    /// Bytes in memory.
    Memory(Box<[u8]>),
}

impl Mapped {
    /// Maps a file that is never changed in place.
    ///
    /// # Errors
    /// When the file cannot be opened or mapped.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            // An empty mapping is an error on some systems.
            return Ok(Mapped::Memory(Box::default()));
        }
        // SAFETY: a map is sound while nobody changes or cuts the file beneath it. Every file that
        // comes here was written by `base::files::AtomicFile` under another name, synced and then
        // renamed: it is never opened for writing under this name again, and a new version is a new
        // inode. A map keeps the old inode alive. What stays possible is another program that
        // writes into our folder by hand, or a medium that fails under the map; the folder
        // is documented as ours alone, and a failing medium raises a signal, not bad memory.
        let map = unsafe { memmap2::Mmap::map(&file) }?;
        Ok(Mapped::File(map))
    }
}

impl From<Vec<u8>> for Mapped {
    fn from(bytes: Vec<u8>) -> Mapped {
        Mapped::Memory(bytes.into_boxed_slice())
    }
}

impl Deref for Mapped {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Mapped::File(map) => map,
            Mapped::Memory(bytes) => bytes,
        }
    }
}
