//! Values in a row, where many may be anything: as few runs as possible.
//!
//! A run goes on as long as some value fits all its places, so no other choice makes fewer runs.

/// What a place of a file may hold.
pub(super) trait Choice: Copy + Sync {
    /// Sets of values: what may stand somewhere.
    type Set: Copy;
    /// Everything may stand there.
    const ANY: u8;

    /// The values that a byte allows.
    fn set(self, byte: u8) -> Self::Set;

    /// What two places may have in common; `None` if nothing.
    fn both(self, one: Self::Set, other: Self::Set) -> Option<Self::Set>;

    /// The value taken of a set.
    fn value(self, set: Self::Set) -> u8;

    /// Whether a set has a value.
    fn allows(self, set: Self::Set, value: u8) -> bool;

    /// Whether one value is better than another where both may stand.
    fn prefers(self, one: u8, other: u8) -> bool;
}

/// Results: a byte is a set of them, bit 0 for loss to bit 4 for win.
#[derive(Clone, Copy, Debug)]
pub(super) struct Results {
    /// By set: the value taken.
    pub(super) best: [u8; 32],
}

impl Results {
    /// Prefers what occurs most often.
    pub(super) fn new(counts: &[u64; 32]) -> Results {
        let count = |value: u8| counts[1 << value];
        let best = std::array::from_fn(|set| {
            let values = (0..5u8).filter(|value| set >> value & 1 != 0);
            values
                .max_by_key(|&value| (count(value), value))
                .unwrap_or(2)
        });
        Results { best }
    }
}

impl Choice for Results {
    type Set = u8;
    const ANY: u8 = 0x1F;

    #[inline(always)]
    fn set(self, byte: u8) -> u8 {
        byte
    }

    #[inline(always)]
    fn both(self, one: u8, other: u8) -> Option<u8> {
        let both = one & other;
        (both != 0).then_some(both)
    }

    #[inline(always)]
    fn value(self, set: u8) -> u8 {
        self.best[usize::from(set & 31)]
    }

    #[inline(always)]
    fn allows(self, set: u8, value: u8) -> bool {
        set >> value & 1 != 0
    }

    #[inline(always)]
    fn prefers(self, one: u8, other: u8) -> bool {
        self.best[1 << one | 1 << other] == one && one != other
    }
}

/// Distances: one value, or anything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distances;

impl Choice for Distances {
    type Set = u8;
    const ANY: u8 = u8::MAX;

    #[inline(always)]
    fn set(self, byte: u8) -> u8 {
        byte
    }

    #[inline(always)]
    fn both(self, one: u8, other: u8) -> Option<u8> {
        if one == other || other == Self::ANY {
            Some(one)
        } else {
            (one == Self::ANY).then_some(other)
        }
    }

    #[inline(always)]
    fn value(self, set: u8) -> u8 {
        if set == Self::ANY { 0 } else { set }
    }

    #[inline(always)]
    fn allows(self, set: u8, value: u8) -> bool {
        set == Self::ANY || set == value
    }

    /// Ranks: the smaller is the more frequent one.
    #[inline(always)]
    fn prefers(self, one: u8, other: u8) -> bool {
        one < other
    }
}

/// The runs of consecutive places: value and length. What may be either of two runs side by side goes to the value that
/// is `preferred`.
pub(super) fn runs<C: Choice>(choice: C, bytes: &[u8]) -> Vec<(u8, u32)> {
    let mut runs: Vec<(u8, u32)> = Vec::new();
    let (mut set, mut len) = (choice.set(C::ANY), 0u32);
    let mut end = |at: usize, set: C::Set, mut len: u32| {
        let value = choice.value(set);
        if let Some((before, before_len)) = runs.last_mut()
            && choice.prefers(value, *before)
        {
            let first = at - len as usize;
            let own = bytes[first - *before_len as usize + 1..first].iter().rev();
            let both = own.take_while(|&&byte| choice.allows(choice.set(byte), value));
            let both = both.count() as u32;
            *before_len -= both;
            len += both;
        }
        runs.push((value, len));
    };
    for (at, &byte) in bytes.iter().enumerate() {
        let next = choice.set(byte);
        match choice.both(set, next) {
            Some(both) => {
                set = both;
                len += 1;
            }
            None => {
                end(at, set, len);
                (set, len) = (next, 1);
            }
        }
    }
    if len > 0 {
        end(bytes.len(), set, len);
    }
    runs
}
