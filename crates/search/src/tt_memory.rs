//! The memory of the transposition table: what safe Rust cannot express.
//!
//! The memory comes zeroed from the system, so that a large table costs nothing until it is used,
//! and in huge pages where the system gives them: nearly every access is to another page, and
//! looking up small pages took more time than the access itself.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::Deref;

/// Types that may begin as zero bytes and change only through shared references.
///
/// # Safety
/// All zero bytes must be a value of the type, it must need no drop, and its alignment must be at
/// most that of a page of memory (4 KiB).
pub(super) unsafe trait Zeroable: Sync {}

/// A fixed number of cells.
pub(super) struct ZeroedMemory<T> {
    /// Raw: its pointer may be written through, which one that comes from a slice may not.
    map: memmap2::MmapRaw,
    count: usize,
    cells: PhantomData<T>,
}

impl<T: Zeroable> ZeroedMemory<T> {
    /// Zeroed memory for `count` items; `None` if there is no such memory. `count` is at least 1.
    pub(super) fn new(count: usize) -> Option<ZeroedMemory<T>> {
        let bytes = count.checked_mul(size_of::<T>())?;
        let map = memmap2::MmapMut::map_anon(bytes).ok()?;
        // Not every system has them, nor has Miri.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = map.advise(memmap2::Advice::HugePage);
        Some(ZeroedMemory {
            map: map.into(),
            count,
            cells: PhantomData,
        })
    }
}

impl<T: Zeroable> Deref for ZeroedMemory<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the map begins at a page, so it is aligned for `T` (a promise of `Zeroable`), and
        // holds `count` of them, which `new` asked for. They began as zeros, a value of `T` by the
        // same promise, and nothing but this reference's like reaches them while `self` lives.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast_const().cast(), self.count) }
    }
}

/// One cache line of a hash table: five words of data and five check words.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Bucket {
    pub(super) data: [std::sync::atomic::AtomicU64; 5],
    pub(super) check: [std::sync::atomic::AtomicU32; 5],
}

// SAFETY: atomic integers may be zero, need no drop and change through shared references; the
// alignment is 64 bytes.
unsafe impl Zeroable for Bucket {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn cells_begin_as_zeros_and_keep_what_is_stored() {
        assert_eq!(size_of::<Bucket>(), 64);
        let cells = ZeroedMemory::<Bucket>::new(1000).unwrap();
        assert_eq!(cells.len(), 1000);
        assert!(
            cells
                .iter()
                .all(|b| b.data.iter().all(|d| d.load(Relaxed) == 0))
        );
        cells[999].check[4].store(7, Relaxed);
        assert_eq!(cells[999].check[4].load(Relaxed), 7);
        assert!(ZeroedMemory::<Bucket>::new(usize::MAX / 8).is_none());
    }
}
