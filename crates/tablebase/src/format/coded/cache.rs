//! Decoded blocks that each thread keeps.

use std::cell::RefCell;

use super::walk::{BLOCK, Planes};
use crate::format::container::FormatError;

/// Sets of places; a power of two. All places together: two megabytes a thread.
const SETS: usize = 512;
/// Places of a set.
const WAYS: usize = 4;

/// A decoded block: words beyond its end are draws.
#[derive(Clone)]
struct Line {
    planes: [Planes; BLOCK],
}

/// The keys of a set, and which place is filled next.
#[derive(Clone, Copy, Default)]
struct Set {
    /// File and block; 0 is none.
    keys: [u64; WAYS],
    next: u8,
}

#[derive(Default)]
struct Cache {
    sets: Vec<Set>,
    lines: Vec<Line>,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// Looks into a decoded block, given by file, side and number; `decode` decodes it if it is not kept.
#[inline]
pub(crate) fn with<T>(
    (file, side, block): (u64, usize, usize),
    decode: impl FnOnce(&mut [Planes; BLOCK]) -> Result<(), FormatError>,
    look: impl FnOnce(&[Planes; BLOCK]) -> T,
) -> Result<T, FormatError> {
    CACHE.with_borrow_mut(|cache| {
        // A table has less than 2^39 blocks, a process less than 2^24 files.
        let key = file << 40 | (block as u64) << 1 | side as u64;
        let at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % SETS;
        if cache.sets.is_empty() {
            cache.fill();
        }
        let way = match cache.sets[at].keys.iter().position(|&there| there == key) {
            Some(way) => way,
            None => cache.load(key, at, decode)?,
        };
        Ok(look(&cache.lines[at * WAYS + way].planes))
    })
}

impl Cache {
    #[cold]
    fn fill(&mut self) {
        self.sets = vec![Set::default(); SETS];
        self.lines = vec![
            Line {
                planes: [Planes::default(); BLOCK]
            };
            SETS * WAYS
        ];
    }

    /// Decodes a block into the place of its set whose turn it is.
    #[inline(never)]
    fn load(
        &mut self,
        key: u64,
        at: usize,
        decode: impl FnOnce(&mut [Planes; BLOCK]) -> Result<(), FormatError>,
    ) -> Result<usize, FormatError> {
        let set = &mut self.sets[at];
        let way = usize::from(set.next) % WAYS;
        set.next = set.next.wrapping_add(1);
        set.keys[way] = 0;
        let line = &mut self.lines[at * WAYS + way];
        line.planes = [Planes::default(); BLOCK];
        decode(&mut line.planes)?;
        set.keys[way] = key;
        Ok(way)
    }
}
