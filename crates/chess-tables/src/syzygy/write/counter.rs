//! Numbers by pairs of symbols: a small hash table that is read and written in tight loops.

/// No pair.
const EMPTY: u32 = u32::MAX;

/// Numbers by key; a key that is not there has 0.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    /// Keys and numbers, a power of two of them, at most half of them in use.
    places: Vec<(u32, u32)>,
    used: usize,
    shift: u32,
}

impl Default for Counter {
    fn default() -> Counter {
        Counter::new(0)
    }
}

impl Counter {
    /// Room for so many keys without growing.
    pub(super) fn new(keys: usize) -> Counter {
        let places = (2 * keys).next_power_of_two().max(64);
        Counter {
            places: vec![(EMPTY, 0); places],
            used: 0,
            shift: 32 - places.ilog2(),
        }
    }

    #[inline(always)]
    fn find(&self, key: u32) -> usize {
        let mask = self.places.len() - 1;
        let mut at = (key.wrapping_mul(0x9E37_79B1) >> self.shift) as usize;
        loop {
            let found = self.places[at & mask].0;
            if found == key || found == EMPTY {
                return at & mask;
            }
            at += 1;
        }
    }

    /// The number of a key, which must not be `u32::MAX`.
    #[inline(always)]
    pub(super) fn get(&self, key: u32) -> u32 {
        self.places[self.find(key)].1
    }

    /// Adds to the number of a key, which must not be `u32::MAX`.
    #[inline(always)]
    pub(super) fn add(&mut self, key: u32, count: u32) {
        let at = self.find(key);
        let place = &mut self.places[at];
        place.1 += count;
        if place.0 == EMPTY {
            place.0 = key;
            self.used += 1;
            if 2 * self.used > self.places.len() {
                self.grow();
            }
        }
    }

    /// Subtracts from the number of a key that is there.
    #[inline(always)]
    pub(super) fn subtract(&mut self, key: u32, count: u32) {
        let at = self.find(key);
        self.places[at].1 -= count;
    }

    /// Makes room, of keys whose number is 0, too.
    #[cold]
    fn grow(&mut self) {
        let kept = self.iter().filter(|&(_, count)| count > 0).count();
        let mut larger = Counter::new((2 * kept).max(64));
        for (key, count) in self.iter().filter(|&(_, count)| count > 0) {
            larger.add(key, count);
        }
        *self = larger;
    }

    /// Keys and numbers; a number may be 0.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let used = self.places.iter().filter(|place| place.0 != EMPTY);
        used.copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_like_a_map() {
        let mut counter = Counter::new(4);
        let mut map = std::collections::BTreeMap::new();
        for n in 0..5000u32 {
            let key = n.wrapping_mul(n) % 777;
            counter.add(key, n);
            *map.entry(key).or_insert(0) += n;
            if n % 3 == 0 {
                counter.subtract(key, n);
                *map.get_mut(&key).unwrap() -= n;
            }
        }
        assert!(map.iter().all(|(&key, &sum)| counter.get(key) == sum));
        map.retain(|_, sum| *sum > 0);
        let there = counter.iter().filter(|place| place.1 > 0);
        assert_eq!(there.collect::<std::collections::BTreeMap<_, _>>(), map);
        assert_eq!(counter.get(778), 0);
    }
}
