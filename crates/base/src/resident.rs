//! How much memory the process holds, and how much of that is pages of files.

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
        let mut pages = Pages { source, page: 1 };
        // The same size in pages and in kilobytes gives the size of a page.
        let text = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
        let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
        let size = (kilobytes << 10) / pages.columns()?[0].max(1);
        // Between the two looks it can have changed a little.
        pages.page = (size + size / 2).checked_ilog2().map(|log| 1 << log)?;
        Some(pages)
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
