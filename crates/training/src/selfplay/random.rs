//! Random numbers that are the same on every machine.

/// SplitMix64 (Steele, Lea & Flood 2014): a stream of numbers for every seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The stream of one of many things that share a seed.
    #[must_use]
    pub fn of(seed: u64, number: u64) -> Random {
        // Two steps apart: neighbouring seeds and numbers must not give shifted streams.
        let base = Random(seed).next();
        Random(Random(base ^ number.wrapping_mul(0xD134_2543_DE82_EF95)).next())
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait)] // never ends, so it is no good iterator
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0; every one as likely, but for less than n / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |mut random: Random| -> Vec<u64> { (0..8).map(|_| random.next()).collect() };
        assert_eq!(draw(Random::of(1, 2)), draw(Random::of(1, 2)));
        assert_ne!(draw(Random::of(1, 2)), draw(Random::of(2, 1)));
        assert_ne!(draw(Random::of(1, 2)), draw(Random::of(1, 3)));
        let mut random = Random::new(5);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[random.below(6)] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
    }
}
