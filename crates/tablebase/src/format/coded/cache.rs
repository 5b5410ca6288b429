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
    /// The first words, which are decoded.
    words: usize,
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

/// Looks into a decoded block, given by file, side and number, whose words up to `word` are needed; `decode` decodes
/// so many words of it if they are not kept: at first only what is needed, all words when more of them are.
#[inline]
pub(crate) fn with<T>(
    (file, side, block): (u64, usize, usize),
    word: usize,
    decode: impl FnOnce(&mut [Planes; BLOCK], usize) -> Result<(), FormatError>,
    look: impl FnOnce(&[Planes; BLOCK]) -> T,
) -> Result<T, FormatError> {
    CACHE.with_borrow_mut(|cache| {
        // A table has less than 2^39 blocks, a process less than 2^24 files.
        let key = file << 40 | (block as u64) << 1 | side as u64;
        let at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % SETS;
        if cache.sets.is_empty() {
            cache.fill();
        }
        let there = cache.sets[at].keys.iter().position(|&there| there == key);
        let way = match there {
            Some(way) if cache.lines[at * WAYS + way].words > word => way,
            _ => cache.load((key, at), (there, word), decode)?,
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
                planes: [Planes::default(); BLOCK],
                words: 0,
            };
            SETS * WAYS
        ];
    }

    /// Decodes a block into its place, or into that of its set whose turn it is.
    #[inline(never)]
    fn load(
        &mut self,
        (key, at): (u64, usize),
        (there, word): (Option<usize>, usize),
        decode: impl FnOnce(&mut [Planes; BLOCK], usize) -> Result<(), FormatError>,
    ) -> Result<usize, FormatError> {
        let set = &mut self.sets[at];
        let way = there.unwrap_or_else(|| {
            set.next = set.next.wrapping_add(1);
            usize::from(set.next) % WAYS
        });
        set.keys[way] = 0;
        let line = &mut self.lines[at * WAYS + way];
        line.planes = [Planes::default(); BLOCK];
        line.words = if there.is_some() { BLOCK } else { word + 1 };
        decode(&mut line.planes, line.words)?;
        set.keys[way] = key;
        Ok(way)
    }
}
