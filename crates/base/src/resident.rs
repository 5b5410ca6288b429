//! How much memory the process holds, and how much of that is pages of files.

#[cfg(target_os = "linux")]
use super::fault;

/// Bytes of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Held {
    /// All.
    pub(super) all: u64,
    /// Pages of mapped files, the program itself among them.
    pub(super) files: u64,
}

/// Reads from the system how much memory the process holds.
#[derive(Debug)]
pub(super) struct Pages {
    #[cfg(target_os = "linux")]
    source: std::fs::File,
    #[cfg(target_os = "linux")]
    page: u64,
}

#[cfg(target_os = "linux")]
impl Pages {
    /// `None` where the system does not report it.
    pub(super) fn new() -> Option<Pages> {
        let source = std::fs::File::open("/proc/self/statm").ok()?;
        let page = fault::page_size()? as u64;
        Some(Pages { source, page })
    }

    /// What the process holds.
    pub(super) fn held(&self) -> Option<Held> {
        let [_, all, files] = self.columns()?.map(|pages| pages * self.page);
        Some(Held { all, files })
    }

    /// The first columns of `statm`, in pages: size, in memory, of that in files.
    fn columns(&self) -> Option<[u64; 3]> {
        let mut line = [0; 128];
        let length = std::os::unix::fs::FileExt::read_at(&self.source, &mut line, 0).ok()?;
        let mut numbers = std::str::from_utf8(&line[..length]).ok()?.split(' ');
        let mut next = || numbers.next()?.parse().ok();
        Some([next()?, next()?, next()?])
    }
}

#[cfg(not(target_os = "linux"))]
impl Pages {
    pub(super) fn new() -> Option<Pages> {
        None
    }

    pub(super) fn held(&self) -> Option<Held> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;

    /// While other threads map and unmap, too, the unit is right: memory is known to a few percent.
    #[test]
    fn what_is_held_is_what_the_system_says() {
        let end = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !end.load(Relaxed) {
                    drop(memmap2::MmapMut::map_anon(1 << 30).expect("address space"));
                }
            });
            // Else the compiler may do without it.
            let memory = std::hint::black_box(vec![1_u8; 64 << 20]);
            let all = |_| Some(Pages::new()?.held()?.all);
            let held: Vec<Option<u64>> = (0..1_000).map(all).collect();
            end.store(true, Relaxed);
            let right =
                |held: &Option<u64>| held.is_some_and(|all| (64 << 20..4 << 30).contains(&all));
            assert!(held.iter().all(right), "{held:?}");
            assert_eq!(memory[12_345], 1);
        });
    }
}
