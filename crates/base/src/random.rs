//! Random numbers that are the same on every machine.

/// SplitMix64 (Steele, Lea & Flood, "Fast Splittable Pseudorandom Number Generators", 2014): a stream of
/// numbers for every seed.
///
/// ```
/// use duchamp_base::Random;
///
/// let mut random = Random::new(2014);
/// let die = 1 + random.below(6);
/// assert!((1..=6).contains(&die));
/// // The same seed gives the same stream.
/// assert_eq!(Random::new(7).next_u64(), Random::new(7).next_u64());
/// ```
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
    pub const fn of(seed: u64, number: u64) -> Random {
        // Two steps apart: neighbouring seeds and numbers must not give shifted streams.
        let base = Random(seed).next_u64();
        Random(Random(base ^ number.wrapping_mul(0xD134_2543_DE82_EF95)).next_u64())
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0; all are as likely, but for less than n / 2^64.
    pub const fn below(&mut self, n: usize) -> usize {
        ((self.next_u64() as u128 * n as u128) >> 64) as usize
    }

    /// One of some things, of which there must be one at least.
    pub const fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_reference() {
        // What Vigna's splitmix64.c gives.
        let mut random = Random::new(1_234_567);
        let numbers = [(); 3].map(|()| random.next_u64());
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |mut random: Random| -> Vec<u64> { (0..8).map(|_| random.next_u64()).collect() };
        assert_eq!(draw(Random::of(1, 2)), draw(Random::of(1, 2)));
        assert_ne!(draw(Random::of(1, 2)), draw(Random::of(2, 1)));
        assert_ne!(draw(Random::of(1, 2)), draw(Random::of(1, 3)));
        let mut random = Random::new(5);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[random.below(6)] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
        assert_eq!(random.pick(&["one"]), &"one");
    }
}
