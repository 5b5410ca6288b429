//! The wall around memory-mapped files: finished ones, and nameless ones that serve as memory.
#![allow(unsafe_code)]

use super::fault::{self, Watch};
use super::open::open_regular;
use memmap2::MmapRaw;
#[cfg(unix)]
use memmap2::UncheckedAdvice;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::path::Path;
use std::sync::{Arc, Weak};

/// The bytes of a file, mapped or held in memory.
///
/// Tests and fuzzers read from memory what the engine reads from a mapped file.
#[derive(Debug)]
pub struct Mapped(Place);

#[derive(Debug)]
enum Place {
    File {
        /// It ends before the map does, whose addresses may be another's afterwards.
        watch: Watch,
        canary: Option<Canary>,
        map: memmap2::Mmap,
    },
    Memory(Box<[u8]>),
}

/// The last byte of a file that is not zero. When the file is cut off, the rest of the page that it then ends in reads as
/// zeros without a signal; this byte becomes zero with it, or raises one.
#[derive(Clone, Copy, Debug)]
struct Canary {
    at: usize,
    byte: u8,
}

impl Canary {
    fn of(bytes: &[u8]) -> Option<Canary> {
        let at = bytes.iter().rposition(|&byte| byte != 0)?;
        Some(Canary {
            at,
            byte: bytes[at],
        })
    }

    /// Whether it is still what it was.
    #[inline]
    fn lives(self, bytes: &[u8]) -> bool {
        // SAFETY: a reference to a byte is a pointer that can be read; each time anew, since others may change it.
        unsafe { std::ptr::read_volatile(&raw const bytes[self.at]) == self.byte }
    }
}

impl Mapped {
    /// Maps a regular file, which should never be changed in place. No pipe or device is waited for.
    ///
    /// If another program cuts the file off nevertheless, the lost bytes read as zeros and [`Mapped::is_cut`] says so.
    ///
    /// # Errors
    /// When the file cannot be opened or mapped, or is a folder, a pipe or a device.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let file = open_regular(path)?;
        if file.metadata()?.len() == 0 {
            // An empty mapping is an error on some systems.
            return Ok(Mapped(Place::Memory(Box::default())));
        }
        // SAFETY: a map is sound while nobody changes the file beneath it. Every file of ours was written by
        // `base::files::AtomicFile` under another name; it is whole (`WholeFile`), or was then synced and renamed, and
        // nobody writes to it again: a new version is a new inode. A map keeps the old inode alive. What stays possible
        // is another program that writes into a file by hand: the checksum of a block is checked when it is first read,
        // what is decoded is checked for range, and a file that is cut off raises a signal that `fault` answers.
        let map = unsafe { memmap2::Mmap::map(&file) }?;
        let watch = fault::watch(map.as_ptr(), map.len());
        let canary = Canary::of(&map);
        Ok(Mapped(Place::File { watch, canary, map }))
    }

    /// Whether some of what was read until now was not in the file any more, since it was cut off or its medium failed.
    /// Then nothing that was read can be trusted.
    #[inline]
    #[must_use]
    pub fn is_cut(&self) -> bool {
        match &self.0 {
            Place::File { watch, canary, map } => {
                canary.is_some_and(|canary| !canary.lives(map)) || watch.is_cut()
            }
            Place::Memory(_) => false,
        }
    }

    /// Takes the pages of a mapped file out of the process's memory; they come back when they are
    /// read.
    pub fn release(&self) {
        // Windows takes no such advice.
        #[cfg(unix)]
        if let Place::File { map, .. } = &self.0 {
            // SAFETY: as in `release` below: a shared map of a file, which is only read here.
            let advised = unsafe { map.unchecked_advise(UncheckedAdvice::DontNeed) };
            // A system that does not take the advice keeps the pages.
            let _ = advised;
        }
    }
}

impl From<Vec<u8>> for Mapped {
    fn from(bytes: Vec<u8>) -> Mapped {
        Mapped(Place::Memory(bytes.into_boxed_slice()))
    }
}

impl Deref for Mapped {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Place::File { map, .. } => map,
            Place::Memory(bytes) => bytes,
        }
    }
}

/// Numbers of which any bytes are some value: integers and types that are nothing but one.
pub trait Plain: bytemuck::Pod + Send + Sync {}
impl<T: bytemuck::Pod + Send + Sync> Plain for T {}

/// An array that is mapped: in a temporary file without a name, memory that the system can take away and bring back from
/// the disk; or without a file, for pages of the system's larger size. It dies with the process.
#[derive(Debug)]
pub(super) struct MappedArray<T> {
    map: Arc<MmapRaw>,
    /// Bytes of the map before the first number: whole pages.
    skipped: usize,
    len: usize,
    numbers: PhantomData<T>,
}

/// The bytes of so many numbers.
///
/// # Errors
/// [`io::ErrorKind::OutOfMemory`] for more than any array can have.
pub(super) fn bytes_of<T>(len: usize) -> io::Result<usize> {
    let bytes = len.checked_mul(size_of::<T>());
    let fits = |bytes: &usize| isize::try_from(*bytes).is_ok();
    Ok(bytes.filter(fits).ok_or(io::ErrorKind::OutOfMemory)?)
}

/// The larger size of pages, on most processors.
const HUGE_PAGE: usize = 2 << 20;

impl<T: Plain> MappedArray<T> {
    /// Zeros, `len` of them (not none), in a file that nobody else has opened or will open; its
    /// room on the disk must be reserved.
    pub(super) fn new(file: &File, len: usize) -> io::Result<MappedArray<T>> {
        let bytes = bytes_of::<T>(len)?;
        debug_assert!(file.metadata().is_ok_and(|data| data.len() >= bytes as u64));
        let map = memmap2::MmapOptions::new().len(bytes).map_raw(file)?;
        Ok(MappedArray {
            map: Arc::new(map),
            skipped: 0,
            len,
            numbers: PhantomData,
        })
    }

    /// Zeros, `len` of them (not none), in memory of their own; in huge pages where the system has such: fewer of them are
    /// touched for the first time, and fewer must be looked up.
    pub(super) fn anonymous(len: usize) -> io::Result<MappedArray<T>> {
        MappedArray::of_huge_pages(len, 0)
    }

    /// The same, for less than some huge pages: the array begins with one and nothing else begins within its last, as
    /// systems give none to what lies before the first whole one or behind the last.
    pub(super) fn aligned(len: usize) -> io::Result<MappedArray<T>> {
        let behind = bytes_of::<T>(len)?.wrapping_neg() % HUGE_PAGE;
        let mut array = MappedArray::of_huge_pages(len, HUGE_PAGE + behind)?;
        let start = array.map.as_ptr().addr();
        array.skipped = start.next_multiple_of(HUGE_PAGE) - start;
        Ok(array)
    }

    fn of_huge_pages(len: usize, more: usize) -> io::Result<MappedArray<T>> {
        let map = memmap2::MmapOptions::new()
            .len(bytes_of::<T>(len)? + more)
            .map_anon()?;
        #[cfg(all(target_os = "linux", not(miri)))]
        // A system without them keeps its small pages; Miri has none.
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(MappedArray {
            map: Arc::new(map.into()),
            skipped: 0,
            len,
            numbers: PhantomData,
        })
    }

    /// Zeros, `len` of them (not none), of which only what is touched takes memory: the system promises none beforehand.
    pub(super) fn unreserved(len: usize) -> io::Result<MappedArray<T>> {
        let map = memmap2::MmapOptions::new()
            .len(bytes_of::<T>(len)?)
            .no_reserve_swap()
            .map_anon()?;
        Ok(MappedArray {
            map: Arc::new(map.into()),
            skipped: 0,
            len,
            numbers: PhantomData,
        })
    }

    /// Gives back the memory of whole pages among some numbers of an [`unreserved`](MappedArray::unreserved) array, which
    /// are zeros or what they were afterwards.
    pub(super) fn forget(&mut self, numbers: Range<usize>) {
        const PAGE: usize = 1 << 16;
        let start = (numbers.start * size_of::<T>()).next_multiple_of(PAGE);
        let end = numbers.end.min(self.len) * size_of::<T>() / PAGE * PAGE;
        #[cfg(not(unix))]
        let _ = start < end;
        // Windows takes no such advice.
        #[cfg(unix)]
        if start < end {
            // SAFETY: the range is inside the map. Its pages are private and have no file, so they are zeros when they are
            // touched again, which any number may be; `&mut self` makes sure that nobody looks at them now.
            let advised = unsafe {
                self.map
                    .unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start)
            };
            // A system that does not take the advice keeps the pages.
            let _ = advised;
        }
    }

    /// The map, for [`release`].
    pub(super) fn map(&self) -> Weak<MmapRaw> {
        Arc::downgrade(&self.map)
    }
}

impl<T: Plain> Deref for MappedArray<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        let start = self.map.as_ptr().wrapping_add(self.skipped);
        // SAFETY: after `skipped` bytes the map is `len` numbers long (`bytes_of`) and begins a page, so it is aligned for any of
        // them, and any bytes are numbers (`Plain` is `Pod`). It lives as long as `self`, and only
        // `deref_mut`, which needs `&mut self`, gives a way to write to it: if there is a file, it has no
        // name and the descriptor is closed, so no other process maps or cuts it.
        unsafe { std::slice::from_raw_parts(start.cast(), self.len) }
    }
}

impl<T: Plain> DerefMut for MappedArray<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        let start = self.map.as_mut_ptr().wrapping_add(self.skipped);
        // SAFETY: as in `deref`; the map was made writable, and `&mut self` makes this the only
        // reference: the `Weak` copies of the map are for `release` only, which reads and writes
        // nothing.
        unsafe { std::slice::from_raw_parts_mut(start.cast(), self.len) }
    }
}

/// Takes the pages of a [`MappedArray`] out of this process's resident memory. Its numbers stay, in
/// the system's cache or on the disk, and come back when they are touched.
#[cfg(unix)]
pub(super) fn release(map: &MmapRaw) {
    // SAFETY: the advice is unsafe in general because it throws away the contents of private
    // maps. Ours is a shared map of a file: the pages, those just written too, belong to the
    // file, and only this process's way to them is taken away. A thread that reads or writes at
    // the same time faults and goes on with the same bytes.
    let advised = unsafe { map.unchecked_advise(UncheckedAdvice::DontNeed) };
    // A system that does not take the advice keeps the pages: slower for others, not wrong.
    let _ = advised;
}

/// Windows takes no such advice; it takes pages away by itself where memory is short.
#[cfg(not(unix))]
pub(super) fn release(_: &MmapRaw) {}
