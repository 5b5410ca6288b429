//! The allocator of a program: the system's, with a reserve for when that has no more.
//!
//! Where the address space is limited (`ulimit -v`) an allocation may fail, and most of Rust's ends the program then. So
//! [`limits::prepare`](super::limits::prepare) sets a reserve aside there. The first small allocation that fails gets it, and
//! from then on [`limits::is_short`](super::limits::is_short) tells those who work long to end with what they have. When that
//! is used up, too, the program ends with a line and exit code 1.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

/// Allocates as the system does. For the `#[global_allocator]` of a program:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: duchamp_base::Allocator = duchamp_base::Allocator;
///
/// duchamp_base::limits::prepare();
/// assert_eq!(vec![1; 1000].len(), 1000);
/// ```
#[derive(Debug)]
pub struct Allocator;

// SAFETY: all that is handed out, resized and taken back is the system's, by the same calls with the same arguments.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        again(layout.size(), || unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        again(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises; after a failure `at` is as it was.
        again(size, || unsafe { System.realloc(at, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Allocates, with the reserve if there is nothing else.
#[inline]
fn again(size: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let at = allocate();
    match at.is_null() && reserve::was_set_aside() {
        true => rescue(size, allocate),
        false => at,
    }
}

/// Allocates with the reserve, or ends the program. Nothing here may allocate.
#[cold]
fn rescue(size: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    if size <= reserve::LARGE {
        reserve::release();
        // Another thread may be about to give it back to the system.
        for _ in 0..100 {
            let at = allocate();
            if !at.is_null() {
                return at;
            }
            std::thread::yield_now();
        }
    }
    reserve::end()
}

#[cfg(target_os = "linux")]
pub(super) mod reserve {
    use std::ptr::null_mut;
    use std::sync::atomic::{
        AtomicBool, AtomicPtr,
        Ordering::{AcqRel, Relaxed},
    };

    /// Bytes of address space set aside.
    const BYTES: usize = 12 << 20;
    /// Requests beyond this get nothing of it, as one of them would take it from all others. Those who can do without so much
    /// look beforehand whether there is room.
    pub(super) const LARGE: usize = BYTES / 2;

    /// Said when not even the reserve suffices, before the program ends.
    const LAST_WORDS: &str = "the system gives the program no more memory (see `ulimit -v`)\n";

    static PLACE: AtomicPtr<libc::c_void> = AtomicPtr::new(null_mut());
    /// Whether there ever was a reserve: elsewhere an allocation fails in Rust's way.
    static LIMITED: AtomicBool = AtomicBool::new(false);
    static SHORT: AtomicBool = AtomicBool::new(false);

    /// Sets the reserve aside, unless it is, or there is no room for it.
    pub(in super::super) fn set_aside() {
        if !PLACE.load(Relaxed).is_null() {
            return;
        }
        // SAFETY: a new map of nothing, which nobody may read or write.
        let place = unsafe {
            libc::mmap(
                null_mut(),
                BYTES,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if place == libc::MAP_FAILED {
            return;
        }
        let before = PLACE.swap(place, AcqRel);
        if !before.is_null() {
            // Two threads at once: one reserve is enough.
            unmap(before);
        }
        SHORT.store(false, Relaxed);
        LIMITED.store(true, Relaxed);
    }

    /// Whether there ever was a reserve.
    pub(super) fn was_set_aside() -> bool {
        LIMITED.load(Relaxed)
    }

    /// Bytes that are set aside.
    pub(in super::super) fn bytes() -> u64 {
        match PLACE.load(Relaxed).is_null() {
            true => 0,
            false => BYTES as u64,
        }
    }

    /// Whether the reserve was given away and not set aside again.
    #[inline]
    pub(in super::super) fn is_gone() -> bool {
        SHORT.load(Relaxed)
    }

    /// Gives the reserve back to the system, unless that is done.
    pub(super) fn release() {
        SHORT.store(true, Relaxed);
        let place = PLACE.swap(null_mut(), AcqRel);
        if !place.is_null() {
            unmap(place);
        }
    }

    /// Ends the program with a line.
    pub(super) fn end() -> ! {
        // SAFETY: the text is static.
        unsafe {
            libc::write(
                libc::STDERR_FILENO,
                LAST_WORDS.as_ptr().cast(),
                LAST_WORDS.len(),
            );
        }
        // SAFETY: it runs nothing of ours. Files get their names when they are whole.
        unsafe { libc::_exit(1) }
    }

    fn unmap(place: *mut libc::c_void) {
        // SAFETY: it was mapped with this length, and who takes it out of `PLACE` is the only one who has it.
        unsafe { libc::munmap(place, BYTES) };
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) mod reserve {
    pub(super) const LARGE: usize = 0;

    pub(in super::super) fn set_aside() {}

    pub(super) fn was_set_aside() -> bool {
        false
    }

    pub(in super::super) fn bytes() -> u64 {
        0
    }

    pub(in super::super) fn is_gone() -> bool {
        false
    }

    pub(super) fn release() {}

    pub(super) fn end() -> ! {
        std::process::abort()
    }
}
