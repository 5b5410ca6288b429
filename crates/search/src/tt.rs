//! The transposition table (hash table), shared by all threads without locks.
//!
//! A bucket fills one cache line of 64 bytes: five entries of 64 bits of data and 32 bits of check
//! word. The check word is the low half of the position's key mixed with both halves of the data,
//! so that an entry torn by two threads writing at once fails its check instead of returning
//! nonsense (the idea of Hyatt & Mann, "A lock-less transposition table implementation", 2002).
//! The bucket is chosen by the high bits of the key. Within a bucket the entry with the lowest depth, less a penalty for
//! its age, is replaced.

use super::tt_memory::{Bucket, ZeroedMemory};
use duchamp_base::{Plies, prefetch};
use duchamp_chess::Move;
use duchamp_eval::Score;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Entries in a bucket.
const WAYS: usize = 5;
/// Generations before the age wraps around.
const AGES: u8 = 32;
/// Depths are stored with this added, so that quiescence depths are not negative.
const DEPTH_OFFSET: i32 = 2;
/// No static evaluation (the side to move is in check).
const NO_EVAL: i16 = i16::MIN;

/// The bound of a stored score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum TtBound {
    /// No bound: only evaluation and move are of use.
    None = 0,
    /// Upper bound (fail low): the true score is at most this.
    Upper = 1,
    /// Lower bound (fail high): the true score is at least this.
    Lower = 2,
    /// Exact score.
    Exact = 3,
}

impl TtBound {
    const fn from_bits(bits: u8) -> TtBound {
        match bits & 3 {
            0 => TtBound::None,
            1 => TtBound::Upper,
            2 => TtBound::Lower,
            _ => TtBound::Exact,
        }
    }

    /// Whether a stored score proves that the true one is at least it.
    #[inline]
    pub(super) const fn is_lower(self) -> bool {
        self as u8 & TtBound::Lower as u8 != 0
    }

    /// Whether a stored score proves that the true one is at most it.
    #[inline]
    pub(super) const fn is_upper(self) -> bool {
        self as u8 & TtBound::Upper as u8 != 0
    }
}

/// One stored node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The best move found, perhaps of another position: check its legality.
    pub(super) mv: Option<Move>,
    /// Score, its mate distance counted from this node.
    pub(super) score: Score,
    /// Raw static evaluation, if there is one.
    pub(super) eval: Option<Score>,
    /// Depth it was searched to, in plies; 0 and below for quiescence.
    pub(super) depth: i32,
    /// The bound type of `score`.
    pub(super) bound: TtBound,
    /// Whether the node was ever on a principal variation.
    pub(super) pv: bool,
}

impl Entry {
    /// move 16, score 16, evaluation 16, depth 8, limit 2, pv 1, age 5 bits.
    fn pack(&self, age: u8) -> u64 {
        let score = self.score.0 as i16;
        let eval = self.eval.map_or(NO_EVAL, |e| e.0 as i16);
        let depth = (self.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
        u64::from(self.mv.map_or(0, Move::bits))
            | u64::from(score as u16) << 16
            | u64::from(eval as u16) << 32
            | depth << 48
            | (self.bound as u64) << 56
            | u64::from(self.pv) << 58
            | u64::from(age) << 59
    }

    fn unpack(data: u64) -> Entry {
        let eval = (data >> 32) as i16;
        Entry {
            mv: Move::from_bits(data as u16),
            score: Score(i32::from((data >> 16) as i16)),
            eval: (eval != NO_EVAL).then_some(Score(i32::from(eval))),
            depth: stored_depth(data) - DEPTH_OFFSET,
            bound: TtBound::from_bits((data >> 56) as u8),
            pv: data >> 58 & 1 != 0,
        }
    }
}

const fn stored_depth(data: u64) -> i32 {
    (data >> 48 & 255) as i32
}

const fn stored_age(data: u64) -> u8 {
    (data >> 59) as u8
}

const fn check_word(key: u64, data: u64) -> u32 {
    key as u32 ^ data as u32 ^ (data >> 32) as u32
}

fn wipe(bucket: &Bucket) {
    bucket.data.iter().for_each(|d| d.store(0, Relaxed));
    bucket.check.iter().for_each(|c| c.store(0, Relaxed));
}

/// The transposition table.
pub(super) struct TranspositionTable {
    buckets: ZeroedMemory<Bucket>,
    age: AtomicU8,
}

impl TranspositionTable {
    /// An empty table of at most `mib` MiB (at least one bucket); `None` if there is no such memory.
    pub(super) fn new(mib: usize) -> Option<TranspositionTable> {
        let count = (mib.saturating_mul(1 << 20) / size_of::<Bucket>()).max(1);
        Some(TranspositionTable {
            buckets: ZeroedMemory::new(count)?,
            age: AtomicU8::new(0),
        })
    }

    /// Its size in MiB.
    pub(super) fn mib(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// Clears the table, with `threads` threads.
    pub(super) fn clear(&self, threads: usize) {
        let chunk = self.buckets.len().div_ceil(threads.max(1));
        std::thread::scope(|scope| {
            for part in self.buckets.chunks(chunk) {
                let wipe_all = move || part.iter().for_each(wipe);
                // Where the system gives no more threads this one does their work.
                if std::thread::Builder::new()
                    .spawn_scoped(scope, wipe_all)
                    .is_err()
                {
                    wipe_all();
                }
            }
        });
        self.age.store(0, Relaxed);
    }

    /// Begins a new search: all stored entries age by one generation.
    pub(super) fn new_search(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Starts fetching what [`TranspositionTable::probe`] will read for `key`.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// The entry of `key`, its score adjusted to a node `ply` plies from the root.
    #[inline]
    pub(super) fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        let bucket = self.bucket(key);
        for (data, check) in bucket.data.iter().zip(&bucket.check) {
            let data = data.load(Relaxed);
            if check.load(Relaxed) == check_word(key, data) && data != 0 {
                let mut entry = Entry::unpack(data);
                entry.score = Score::from_hash(entry.score, Plies(ply as u16));
                return Some(entry);
            }
        }
        None
    }

    /// Stores a node. An entry of the same position and search that is deeper by four plies or more (six, if the new one is of the
    /// principal variation) stays unless the new one is exact; a stored move is never replaced by none.
    pub(super) fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        let age = self.age.load(Relaxed);
        let bucket = self.bucket(key);
        let mut slot = 0;
        let mut least = i32::MAX;
        for way in 0..WAYS {
            let data = bucket.data[way].load(Relaxed);
            let same = data != 0 && bucket.check[way].load(Relaxed) == check_word(key, data);
            if same {
                let fresh = entry.bound == TtBound::Exact
                    || stored_age(data) != age
                    || entry.depth + DEPTH_OFFSET + 4 + 2 * i32::from(entry.pv)
                        > stored_depth(data);
                if !fresh {
                    return;
                }
                entry.mv = entry.mv.or(Move::from_bits(data as u16));
                slot = way;
                break;
            }
            let age_difference = i32::from((AGES + age - stored_age(data)) % AGES);
            let worth = if data == 0 {
                i32::MIN
            } else {
                stored_depth(data) - 4 * age_difference
            };
            if worth < least {
                least = worth;
                slot = way;
            }
        }
        entry.score = entry.score.to_hash(Plies(ply as u16));
        let data = entry.pack(age);
        bucket.data[slot].store(data, Relaxed);
        bucket.check[slot].store(check_word(key, data), Relaxed);
    }

    /// Entries of this search in permille of a sample.
    pub(super) fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = &self.buckets[..self.buckets.len().min(200)];
        let used: usize = sample
            .iter()
            .flat_map(|b| &b.data)
            .filter(|d| {
                let data = d.load(Relaxed);
                data != 0 && stored_age(data) == age
            })
            .count();
        (used * 1000 / (sample.len() * WAYS)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::Square;

    fn entry(score: Score, depth: i32) -> Entry {
        Entry {
            mv: Some(Move::normal(Square::E2, Square::E4)),
            score,
            eval: Some(Score(-17)),
            depth,
            bound: TtBound::Lower,
            pv: true,
        }
    }

    #[test]
    fn stores_and_finds() {
        let table = TranspositionTable::new(1).unwrap();
        let e = entry(Score::mate_in(Plies(9)), 7);
        table.store(0x1234_5678_9abc_def0, 4, e);
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 4), Some(e));
        // Two plies deeper in the tree the same mate is two plies further from the root.
        let deeper = table.probe(0x1234_5678_9abc_def0, 6).unwrap();
        assert_eq!(deeper.score, Score::mate_in(Plies(11)));
        assert_eq!(table.probe(0x1234_5678_9abc_def1, 4), None);
        table.clear(2);
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 4), None);
    }

    #[test]
    fn keeps_the_move_and_the_deeper_entry() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(1, 0, entry(Score(5), 20));
        table.store(
            1,
            0,
            Entry {
                mv: None,
                ..entry(Score(6), 3)
            },
        );
        assert_eq!(table.probe(1, 0).unwrap().depth, 20);
        table.store(
            1,
            0,
            Entry {
                mv: None,
                ..entry(Score(6), 21)
            },
        );
        assert_eq!(table.probe(1, 0), Some(entry(Score(6), 21)));
    }

    #[test]
    fn shallow_and_old_entries_are_replaced() {
        let table = TranspositionTable::new(0).unwrap();
        for (key, depth) in (1..=WAYS as u64).zip(10..) {
            table.store(key, 0, entry(Score(0), depth));
        }
        table.store(99, 0, entry(Score(0), 1));
        assert!(table.probe(1, 0).is_none() && table.probe(99, 0).is_some());
        for _ in 0..8 {
            table.new_search();
        }
        assert_eq!(table.hashfull(), 0);
        for key in 100..100 + WAYS as u64 {
            table.store(key, 0, entry(Score(0), 1));
        }
        assert!(table.probe(5, 0).is_none());
        assert_eq!(table.hashfull(), 1000);
    }

    #[test]
    fn torn_entries_fail_their_check() {
        let table = TranspositionTable::new(0).unwrap();
        table.store(7, 0, entry(Score(1), 5));
        let data = &table.buckets[0].data[0];
        data.store(data.load(Relaxed) ^ 1 << 20, Relaxed);
        assert_eq!(table.probe(7, 0), None);
    }
}
