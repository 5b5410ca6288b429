//! Large arrays of numbers: on the heap, or in scratch files that need no memory while nobody
//! looks at them.
//!
//! A [`Scratch`] is a folder on a disk with room. An array in it is a mapped temporary file that
//! has lost its name at once: whatever way the process ends, nothing is left. The system
//! counts mapped pages as memory of the process as long as they stay mapped;
//! [`Scratch::release`] takes all of them out again, and [`Scratch::keep_below`] does so when the
//! process has grown too large.

use super::mapped::{self, MappedArray, Plain};
use fs4::FileExt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

/// An array of numbers, on the heap or in a scratch file.
#[derive(Debug)]
pub struct Buffer<T>(Place<T>);

#[derive(Debug)]
enum Place<T> {
    Heap(Vec<T>),
    Scratch(MappedArray<T>),
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(numbers: Vec<T>) -> Buffer<T> {
        Buffer(Place::Heap(numbers))
    }
}

impl<T: Plain> Deref for Buffer<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Place::Heap(numbers) => numbers,
            Place::Scratch(numbers) => numbers,
        }
    }
}

impl<T: Plain> DerefMut for Buffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Place::Heap(numbers) => numbers,
            Place::Scratch(numbers) => numbers,
        }
    }
}

impl<T: Plain> Clone for Buffer<T> {
    /// A copy on the heap.
    fn clone(&self) -> Buffer<T> {
        self.to_vec().into()
    }
}

impl<T: Plain + PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Buffer<T>) -> bool {
        **self == **other
    }
}

impl<T: Plain + Eq> Eq for Buffer<T> {}

/// Where large arrays are put.
#[derive(Clone, Copy, Debug, Default)]
pub enum Room<'a> {
    /// On the heap.
    #[default]
    Heap,
    /// In scratch files.
    Scratch(&'a Scratch),
}

impl Room<'_> {
    /// An array of zeros.
    ///
    /// # Errors
    /// When the scratch folder cannot be written to or its disk is full.
    pub fn zeros<T: Plain>(self, len: usize) -> io::Result<Buffer<T>> {
        match self {
            Room::Scratch(scratch) if len > 0 => scratch.zeros(len),
            _ => Ok(vec![T::default(); len].into()),
        }
    }
}

/// A folder for scratch files.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    maps: Mutex<Vec<Weak<memmap2::MmapRaw>>>,
}

impl Scratch {
    /// Scratch files will lie in `folder`, which should not be one in memory (`tmpfs`).
    #[must_use]
    pub fn new(folder: &Path) -> Scratch {
        Scratch {
            folder: folder.to_owned(),
            maps: Mutex::default(),
        }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// An array of zeros in a file.
    fn zeros<T: Plain>(&self, len: usize) -> io::Result<Buffer<T>> {
        let file = tempfile::tempfile_in(&self.folder)?;
        let bytes = (len * size_of::<T>()) as u64;
        // Room is taken now: writing to a map of a full disk is a signal, not an error.
        FileExt::allocate(&file, bytes)?;
        let array = MappedArray::new(&file, len)?;
        let mut maps = self.maps();
        maps.retain(|map| map.strong_count() > 0);
        maps.push(array.map());
        Ok(Buffer(Place::Scratch(array)))
    }

    /// Takes all arrays out of the process's resident memory; what is used comes back by itself.
    pub fn release(&self) {
        let maps: Vec<_> = self.maps().iter().filter_map(Weak::upgrade).collect();
        for map in maps {
            mapped::release(&map);
        }
    }

    /// Calls [`Scratch::release`] if the process holds more than `limit` bytes of memory.
    /// Tells how many it held, where the system says so and there is scratch at all.
    pub fn keep_below(&self, limit: u64) -> Option<u64> {
        if !self.maps().iter().any(|map| map.strong_count() > 0) {
            return None;
        }
        let held = resident()?;
        if held > limit {
            self.release();
        }
        Some(held)
    }

    fn maps(&self) -> MutexGuard<'_, Vec<Weak<memmap2::MmapRaw>>> {
        self.maps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of memory that the process holds, where the system says so.
#[must_use]
pub fn resident() -> Option<u64> {
    // Linux.
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_keeps_its_numbers_and_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let scratch = Scratch::new(folder.path());
        let room = Room::Scratch(&scratch);
        let mut words = room.zeros::<u64>(100_000).expect("room on the disk");
        let mut bytes = room.zeros::<u8>(4097).expect("room on the disk");
        assert!(words.iter().all(|&word| word == 0) && bytes.len() == 4097);
        words[99_999] = 7;
        scratch.release();
        bytes[4096] = 9;
        assert_eq!((words[99_999], bytes[4096]), (7, 9));
        let copy = words.clone();
        scratch.keep_below(0);
        assert_eq!(copy, words);
        drop(words);
        assert!(scratch.maps().iter().filter_map(Weak::upgrade).count() == 1);
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            0
        );
        assert!(Room::Scratch(&scratch).zeros::<u16>(0).is_ok());
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let scratch = Scratch::new(Path::new("/proc/none"));
        assert!(Room::Scratch(&scratch).zeros::<u8>(10).is_err());
    }
}
