//! Large arrays of numbers: on the heap, or in scratch files that need no memory while nobody
//! looks at them.
//!
//! A [`Scratch`] is a folder on a disk with room. An array in it is a mapped temporary file that
//! has lost its name at once: whatever way the process ends, nothing is left. The system
//! counts mapped pages as memory of the process as long as they stay mapped, so a scratch has a
//! *window*: the bytes of mapped files that may be in memory at a time; and if the heap is larger than
//! was reckoned, it is narrower. Those who work on the arrays
//! call [`Scratch::keep`] between pieces of work that touch little (`Control::check` does); it takes
//! all pages out again when the window is full. No other thread has to come in time for that.

use super::limits;
use super::mapped::{self, MappedArray, Plain};
use super::resident::Pages;
use fs4::FileExt;
use std::io;
use std::ops::{Deref, DerefMut, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

/// An array of numbers, on the heap or in a scratch file.
#[derive(Debug)]
pub struct Buffer<T>(Place<T>);

#[derive(Debug)]
enum Place<T> {
    Heap(Vec<T>),
    /// In a scratch file, or large and on its own.
    Mapped(MappedArray<T>),
}

/// Bytes from which on the system is asked whether there is room.
const NOTABLE: usize = 256 << 10;

/// Bytes from which on an array gets pages of its own.
const LARGE: usize = 32 << 20;

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
            Place::Mapped(numbers) => numbers,
        }
    }
}

impl<T: Plain> DerefMut for Buffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Place::Heap(numbers) => numbers,
            Place::Mapped(numbers) => numbers,
        }
    }
}

impl<T: Plain> Buffer<T> {
    /// Zeros, `len` of them, for what is looked up all over: in pages of the system's larger size, if it gives such. On the
    /// usual ones (4 KiB) the addresses of a few MiB take longer to look up than the numbers. What is smaller than a huge page
    /// takes one as a whole.
    ///
    /// ```
    /// let mut counters = duchamp_base::Buffer::<[i16; 1024]>::in_huge_pages(2048);
    /// counters[2047][5] = 7;
    /// assert_eq!((counters.len(), counters[0][5], counters[2047][5]), (2048, 0, 7));
    /// ```
    #[must_use]
    pub fn in_huge_pages(len: usize) -> Buffer<T> {
        let bytes = len.saturating_mul(size_of::<T>());
        let mapped = match limits::check_room(bytes as u64) {
            Ok(()) if bytes > 0 => MappedArray::aligned(len).ok(),
            _ => None,
        };
        match mapped {
            Some(array) => Buffer(Place::Mapped(array)),
            None => bytemuck::zeroed_vec(len).into(),
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

/// An array of zeros that may be far larger than the memory: only what is written takes any, until it is forgotten.
#[derive(Debug)]
pub struct Sparse<T>(MappedArray<T>);

impl<T: Plain> Sparse<T> {
    /// Zeros, `len` of them.
    ///
    /// # Errors
    /// When the system has no addresses for so many.
    pub fn zeros(len: usize) -> io::Result<Sparse<T>> {
        Ok(Sparse(MappedArray::unreserved(len.max(1))?))
    }

    /// Gives back the memory of some numbers, which mean nothing from then on.
    pub fn forget(&mut self, numbers: Range<usize>) {
        self.0.forget(numbers);
    }
}

impl<T: Plain> Deref for Sparse<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Plain> DerefMut for Sparse<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

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
    /// When the scratch folder cannot be written to or its disk is full, or when there is no memory.
    pub fn zeros<T: Plain>(self, len: usize) -> io::Result<Buffer<T>> {
        let bytes = mapped::bytes_of::<T>(len)?;
        if bytes >= NOTABLE {
            limits::check_room(bytes as u64)?;
        }
        match self {
            Room::Scratch(scratch) if len > 0 => scratch.zeros(len),
            _ if bytes >= LARGE => Ok(Buffer(Place::Mapped(MappedArray::anonymous(len)?))),
            _ => {
                let zeros = bytemuck::allocation::try_zeroed_vec(len);
                Ok(zeros.map_err(|()| limits::short())?.into())
            }
        }
    }
}

/// A folder for scratch files.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    maps: Mutex<Vec<Weak<memmap2::MmapRaw>>>,
    window: Arc<AtomicI64>,
    limit: u64,
    pages: Option<Pages>,
    begin: Instant,
    /// When the system was last asked what is held, in microseconds from the beginning.
    asked: AtomicU64,
}

/// Microseconds in which so little comes into memory that the system need not be asked again.
const PAUSE: u64 = 500;

impl Scratch {
    /// Scratch files will lie in `folder`, which should not be one in memory (`tmpfs`). Of all mapped
    /// files, the program itself among them, `window` bytes may be in memory (below zero none), and
    /// fewer if the whole process would hold more than `limit`; as far as the system reports it.
    #[must_use]
    pub fn new(folder: &Path, window: Arc<AtomicI64>, limit: u64) -> Scratch {
        Scratch {
            folder: folder.to_owned(),
            maps: Mutex::default(),
            window,
            limit,
            pages: Pages::new(),
            begin: Instant::now(),
            asked: AtomicU64::new(0),
        }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// An array of zeros in a file.
    fn zeros<T: Plain>(&self, len: usize) -> io::Result<Buffer<T>> {
        let bytes = mapped::bytes_of::<T>(len)? as u64;
        let file = tempfile::tempfile_in(&self.folder)?;
        // Room is taken now: writing to a map of a full disk is a signal, not an error.
        FileExt::allocate(&file, bytes)?;
        let array = MappedArray::new(&file, len)?;
        let mut maps = self.maps();
        maps.retain(|map| map.strong_count() > 0);
        maps.push(array.map());
        Ok(Buffer(Place::Mapped(array)))
    }

    /// Takes all arrays out of the process's memory; what is used comes back by itself.
    pub fn release(&self) {
        let maps: Vec<_> = self.maps().iter().filter_map(Weak::upgrade).collect();
        for map in maps {
            mapped::release(&map);
        }
    }

    /// Calls [`Scratch::release`] if more is in memory than the window allows.
    pub fn keep(&self) {
        let now = self.begin.elapsed().as_micros() as u64;
        let asked = self.asked.load(Ordering::Relaxed);
        if now < asked + PAUSE || !self.maps().iter().any(|map| map.strong_count() > 0) {
            return;
        }
        self.asked.store(now, Ordering::Relaxed);
        let window = self.window.load(Ordering::Relaxed).max(0) as u64;
        let held = self.pages.as_ref().and_then(Pages::held);
        if held.is_some_and(|held| held.files > window || held.all > self.limit) {
            self.release();
        }
    }

    fn maps(&self) -> MutexGuard<'_, Vec<Weak<memmap2::MmapRaw>>> {
        self.maps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_keeps_its_numbers_and_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let scratch = Scratch::new(folder.path(), Arc::default(), 0);
        let room = Room::Scratch(&scratch);
        let mut words = room.zeros::<u64>(100_000).expect("room on the disk");
        let mut bytes = room.zeros::<u8>(4097).expect("room on the disk");
        assert!(words.iter().all(|&word| word == 0) && bytes.len() == 4097);
        words[99_999] = 7;
        scratch.release();
        bytes[4096] = 9;
        assert_eq!((words[99_999], bytes[4096]), (7, 9));
        let copy = words.clone();
        scratch.keep();
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
    fn a_sparse_array_is_larger_than_the_memory() {
        let len = 1 << 34;
        let mut words = Sparse::<u64>::zeros(len).expect("addresses");
        words[len - 7] = 7;
        words[3] = 1;
        assert_eq!((words[len - 7], words[3], words[len / 2]), (7, 1, 0));
        words.forget(len / 2..len);
        assert!(words.len() == len && words[3] == 1);
    }

    /// Their bytes come to eight if the rest is thrown away.
    #[test]
    fn more_numbers_than_there_are_addresses_are_an_error() {
        let len = (usize::MAX >> 3) + 2;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let scratch = Scratch::new(folder.path(), Arc::default(), 0);
        assert!(Room::Heap.zeros::<u64>(len).is_err());
        assert!(Room::Scratch(&scratch).zeros::<u64>(len).is_err());
        assert!(Sparse::<u64>::zeros(len).is_err());
        assert!(Room::Heap.zeros::<u8>(usize::MAX - 5).is_err());
    }

    #[test]
    fn large_arrays_have_pages_of_their_own() {
        let mut words = Room::Heap.zeros::<u64>(LARGE / 8).expect("memory");
        assert!(matches!(words.0, Place::Mapped(_)));
        let last = words.len() - 1;
        assert_eq!((words[0], words[last]), (0, 0));
        words[last] = 7;
        words[1] = 3;
        assert_eq!((words[1], words[last]), (3, 7));
    }

    #[test]
    fn huge_pages_begin_with_the_first_number() {
        for len in [0, 1, 5000, 300_000] {
            let mut words = Buffer::<u64>::in_huge_pages(len);
            assert!(words.len() == len && words.iter().all(|&word| word == 0));
            words.fill(7);
            assert!(words.iter().all(|&word| word == 7));
            #[cfg(not(miri))]
            assert!(len == 0 || words.as_ptr().addr().is_multiple_of(2 << 20));
        }
    }

    /// What is in memory of the map that begins at `start`, in KiB.
    #[cfg(target_os = "linux")]
    fn mapped(start: *const u8) -> u64 {
        let text = std::fs::read_to_string("/proc/self/smaps").expect("Linux");
        let name = format!("{:x}-", start.addr());
        let mut lines = text.lines().skip_while(|line| !line.starts_with(&name));
        let rss = lines.find_map(|line| line.strip_prefix("Rss:"));
        let number = rss.and_then(|rss| rss.split_whitespace().next()?.parse().ok());
        number.expect("the map is listed")
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_outside_the_window_goes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (window, kept) in [(i64::MAX, 4 << 10), (-1, 0)] {
            let scratch = Scratch::new(folder.path(), Arc::new(AtomicI64::new(window)), u64::MAX);
            let bytes = Room::Scratch(&scratch).zeros::<u8>(4 << 20);
            let mut bytes = bytes.expect("room on the disk");
            bytes.fill(1);
            scratch.keep();
            assert_eq!(mapped(bytes.as_ptr()), kept);
            assert!(bytes.iter().all(|&byte| byte == 1));
        }
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let scratch = Scratch::new(Path::new("/proc/none"), Arc::default(), 0);
        assert!(Room::Scratch(&scratch).zeros::<u8>(10).is_err());
    }
}
