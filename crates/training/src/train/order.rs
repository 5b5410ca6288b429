//! The order in which an epoch takes its positions: a permutation that is computed, not stored.
//!
//! Fifty million positions of 32 bytes take seconds to shuffle in place and an epoch's order would depend on all
//! before it. Here the `i`-th position is a function of seed, epoch and `i`: multiplications by odd numbers, shifts and
//! additions are bijections of the numbers below a power of two, and what falls beyond the end goes round again.

use duchamp_base::Random;

const ROUNDS: usize = 4;

/// A permutation of the numbers below `length`.
#[derive(Clone, Debug)]
pub(super) struct Order {
    length: u64,
    mask: u64,
    shift: u32,
    rounds: [(u64, u64); ROUNDS],
}

impl Order {
    /// The order of an epoch.
    pub(super) fn new(length: usize, seed: u64, epoch: u32) -> Order {
        let length = length as u64;
        let bits = length.max(4).next_power_of_two().trailing_zeros();
        let mut random = Random::of(seed, u64::from(epoch) + 1);
        Order {
            length,
            mask: (1 << bits) - 1,
            shift: bits / 2,
            rounds: std::array::from_fn(|_| (random.next_u64() | 1, random.next_u64())),
        }
    }

    /// What comes at place `index`, which is below the length.
    pub(super) fn at(&self, index: usize) -> usize {
        let mut x = index as u64;
        loop {
            for (factor, term) in self.rounds {
                x = x.wrapping_mul(factor).wrapping_add(term) & self.mask;
                x ^= x >> self.shift;
            }
            if x < self.length {
                return x as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_comes_once() {
        for length in [1, 2, 3, 5, 64, 1000, 4097] {
            let order = Order::new(length, 7, 3);
            let mut seen = vec![false; length];
            for i in 0..length {
                assert!(!std::mem::replace(&mut seen[order.at(i)], true));
            }
        }
    }

    #[test]
    fn epochs_and_seeds_differ_and_neighbours_part() {
        const LENGTH: usize = 100_000;
        let of = |seed, epoch| {
            let order = Order::new(LENGTH, seed, epoch);
            (0..LENGTH).map(|i| order.at(i)).collect::<Vec<_>>()
        };
        let first = of(1, 0);
        for other in [of(1, 1), of(2, 0)] {
            let same = first.iter().zip(&other).filter(|(a, b)| a == b).count();
            assert!(same < 20, "{same} of {LENGTH} in the same place");
        }
        let near = first.windows(2).filter(|w| w[0].abs_diff(w[1]) < 100);
        assert!(near.count() < 400, "expected about 200 by chance");
        // Any stretch of places holds its share of any stretch of positions.
        let early = first[..10_000]
            .iter()
            .filter(|&&at| at < LENGTH / 4)
            .count();
        assert!((2300..2700).contains(&early), "{early}");
    }
}
