//! What becomes of a mapped file that somebody else cuts off, and of a file that gets too long.
//!
//! Reading a page of a map behind the end of its file raises SIGBUS, which ends a process; so does a medium that fails.
//! Neither may end an engine in the middle of a game. The maps of this crate are *watched*: the handler of the signal
//! puts pages of zeros in place of the lost ones and notes in the watch that the file is cut off. The reader goes on with
//! zeros, looks at [`Watch::is_cut`] before it trusts what it has read, and gives the file up.
//!
//! Elsewhere than on Unix nothing is needed: Windows lets nobody cut off a mapped file.
#![allow(unsafe_code)]

#[cfg(unix)]
pub(super) use self::unix::{Watch, ignore_file_limit, one_arena, watch};

#[cfg(target_os = "linux")]
pub(super) use self::unix::page_size;

#[cfg(not(unix))]
pub(super) use self::elsewhere::{Watch, ignore_file_limit, one_arena, watch};

#[cfg(unix)]
mod unix {
    use std::ptr::{null, null_mut};
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};
    use std::sync::{Once, OnceLock};

    /// Where a watched map lies.
    #[derive(Debug)]
    struct Slot {
        /// 0 while the slot is free, 1 while it is being filled.
        start: AtomicUsize,
        length: AtomicUsize,
        cut: AtomicBool,
        /// How often the slot was taken.
        taken: AtomicUsize,
    }

    impl Slot {
        /// Start and end of the map that the slot watches.
        fn range(&self) -> Option<(usize, usize)> {
            let read = || {
                let taken = self.taken.load(Ordering::Acquire);
                (taken, self.start.load(Ordering::Acquire))
            };
            let before = read();
            let end = before.1.saturating_add(self.length.load(Ordering::Acquire));
            // A start and a length of two maps are no range.
            (before.1 > 1 && read() == before).then_some((before.1, end))
        }
    }

    /// Slots, and more of them. They are never freed, as a signal may come at any time.
    struct Slots {
        slots: [Slot; 256],
        more: AtomicPtr<Slots>,
    }

    impl Slots {
        const fn new() -> Slots {
            Slots {
                slots: [const {
                    Slot {
                        start: AtomicUsize::new(0),
                        length: AtomicUsize::new(0),
                        cut: AtomicBool::new(false),
                        taken: AtomicUsize::new(0),
                    }
                }; 256],
                more: AtomicPtr::new(null_mut()),
            }
        }

        /// The slots after these.
        fn next(&self) -> Option<&'static Slots> {
            let next = self.more.load(Ordering::Acquire);
            // SAFETY: whatever is stored there came from `Box::leak` in `grow`, whole before it was stored.
            unsafe { next.as_ref() }
        }

        /// The same; new ones if there are none.
        fn grow(&self) -> &'static Slots {
            if let Some(next) = self.next() {
                return next;
            }
            let new: *mut Slots = Box::leak(Box::new(Slots::new()));
            // Of two that were made at once one is leaked: a few kilobytes, once.
            let _ =
                self.more
                    .compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
            self.next().unwrap_or(&FIRST)
        }
    }

    static FIRST: Slots = Slots::new();

    /// The size of a page, for the handler.
    static PAGE: AtomicUsize = AtomicUsize::new(4096);

    /// As long as it lives, the map may lose its file.
    #[derive(Debug)]
    pub(crate) struct Watch(&'static Slot);

    impl Watch {
        /// Whether a page of the map was not there when it was read, so that what was read may be zeros instead.
        #[inline]
        pub(crate) fn is_cut(&self) -> bool {
            // What was read before stays before, for the compiler too, which knows nothing of the signal.
            fence(Ordering::Acquire);
            self.0.cut.load(Ordering::Relaxed)
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            self.0.start.store(0, Ordering::Release);
        }
    }

    /// Watches a map, which must begin on a page and stay mapped as long as the watch lives.
    pub(crate) fn watch(start: *const u8, length: usize) -> Watch {
        static INSTALL: Once = Once::new();
        INSTALL.call_once(install);
        let mut slots = &FIRST;
        loop {
            for slot in &slots.slots {
                let taken = slot
                    .start
                    .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed);
                if taken.is_ok() {
                    slot.taken.fetch_add(1, Ordering::AcqRel);
                    slot.length.store(length, Ordering::Release);
                    slot.cut.store(false, Ordering::Relaxed);
                    slot.start.store(start.addr(), Ordering::Release);
                    return Watch(slot);
                }
            }
            slots = slots.grow();
        }
    }

    /// Bytes of a page of memory, if the system says.
    pub(crate) fn page_size() -> Option<usize> {
        // SAFETY: it only asks for a number.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(size).ok().filter(|&size| size > 0)
    }

    /// What the signal did before.
    static EARLIER: OnceLock<libc::sigaction> = OnceLock::new();

    fn install() {
        if let Some(page) = page_size() {
            PAGE.store(page, Ordering::Relaxed);
        }
        // SAFETY: zeros are a valid `sigaction`.
        let mut earlier: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: it only asks for the settings of the signal.
        let asked = unsafe { libc::sigaction(libc::SIGBUS, null(), &raw mut earlier) };
        if asked != 0 {
            return;
        }
        // Before the handler is there, which reads it.
        let _ = EARLIER.set(earlier);
        // SAFETY: as above.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_fault;
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler does only what a handler may do: atomics, `mmap` and `sigaction`.
        unsafe { libc::sigaction(libc::SIGBUS, &raw const action, null_mut()) };
    }

    /// Puts zeros in place of the lost pages of a watched map; all other faults go the way that they went before.
    extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the system gives a handler with `SA_SIGINFO` an `info` that can be read.
        let info = unsafe { &*info };
        // SAFETY: of this signal the address is what is stored.
        let address = unsafe { info.si_addr() }.addr();
        if cover(address) {
            return;
        }
        // The instruction runs again when the handler returns, and faults into the earlier one.
        if let Some(earlier) = EARLIER.get() {
            // SAFETY: it came from the system as it is.
            unsafe { libc::sigaction(signal, earlier, null_mut()) };
        }
    }

    /// Covers the watched map at an address with zeros, from there to its end; false if there is none.
    fn cover(address: usize) -> bool {
        let mut slots = Some(&FIRST);
        while let Some(here) = slots {
            for slot in &here.slots {
                let Some((start, end)) = slot.range() else {
                    continue;
                };
                if !(start..end).contains(&address) {
                    continue;
                }
                slot.cut.store(true, Ordering::SeqCst);
                let page = address & !(PAGE.load(Ordering::Relaxed) - 1);
                // SAFETY: these pages belong to a map of this crate, which is only read and lives on, as somebody
                // reads it right now; zeros are as good as any bytes of a file.
                let zeros = unsafe {
                    libc::mmap(
                        std::ptr::with_exposed_provenance_mut(page),
                        end - page,
                        libc::PROT_READ,
                        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                        -1,
                        0,
                    )
                };
                return zeros != libc::MAP_FAILED;
            }
            slots = here.next();
        }
        false
    }

    /// Lets writing beyond the system's limit on the length of files (`ulimit -f`) fail with an error instead of ending
    /// the process.
    pub(crate) fn ignore_file_limit() {
        // SAFETY: to ignore a signal needs no handler.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }

    /// Has the C library take the memory of all threads from one arena.
    pub(crate) fn one_arena() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        // SAFETY: it only changes a number of the allocator.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1)
        };
    }
}

#[cfg(not(unix))]
mod elsewhere {
    #[derive(Debug)]
    pub(crate) struct Watch;

    impl Watch {
        #[inline]
        pub(crate) fn is_cut(&self) -> bool {
            false
        }
    }

    pub(crate) fn watch(_: *const u8, _: usize) -> Watch {
        Watch
    }

    pub(crate) fn ignore_file_limit() {}

    pub(crate) fn one_arena() {}
}

#[cfg(all(test, unix))]
mod tests {
    use crate::Mapped;
    use std::fs::File;

    #[test]
    fn a_file_that_is_cut_off_reads_as_zeros_and_says_so() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (cut, whole) = (folder.path().join("cut"), folder.path().join("whole"));
        std::fs::write(&cut, vec![7; 100_000]).expect("written");
        std::fs::write(&whole, vec![7; 100_000]).expect("written");
        // More of them than a page of slots, so that all pages are looked at.
        let others: Vec<Mapped> = (0..300)
            .map(|_| Mapped::open(&whole).expect("mapped"))
            .collect();
        let map = Mapped::open(&cut).expect("mapped");
        assert_eq!(map[99_999], 7);
        assert!(!map.is_cut());
        let file = File::options().write(true).open(&cut).expect("opened");
        file.set_len(50_000).expect("cut off");
        assert_eq!(map[10], 7);
        assert_eq!(map[50_001], 0, "of a page that is still there");
        assert!(map.is_cut());
        assert_eq!(map[99_999], 0);
        assert!(map.is_cut());
        assert!(
            others
                .iter()
                .all(|other| other[99_999] == 7 && !other.is_cut())
        );
        drop(map);
        let map = Mapped::open(&whole).expect("mapped");
        assert!(!map.is_cut(), "a new map of a used slot is whole");
        let file = File::options().write(true).open(&whole).expect("opened");
        file.set_len(99_999).expect("cut off");
        assert!(map.is_cut(), "one byte is missing");
    }
}
