//! Odds of three values as files store them: in three bytes, learnt from counts.

use super::rans::{Odds, TOTAL};

/// Odds in three bytes: the order of the values, and the frequencies of the two less likely ones.
pub(super) type Code = [u8; 3];
/// All alike.
pub(super) const EVEN: [f64; 3] = [1.0 / 3.0; 3];
/// How many cells of a sample the odds of the common part are worth beside those of a context.
const PRIOR: f64 = 1.5;
/// Bits that odds take in a file, compressed.
const STORED: f64 = 12.0;

/// The orders of the three values.
const ORDERS: [[u8; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Likelihoods of the three values, from counts and from what is expected of them (a few counts say little).
pub(super) fn shares(counts: [u32; 3], expected: [f64; 3]) -> [f64; 3] {
    let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    std::array::from_fn(|n| (f64::from(counts[n]) + PRIOR * expected[n]) / (total + PRIOR))
}

/// The bits that odds of its own save a context of these counts, less what storing them takes, where the counts are those of one
/// cell in `step`.
pub(super) fn saved(counts: [u32; 3], own: [f64; 3], expected: [f64; 3], step: usize) -> f64 {
    if counts == [0; 3] {
        return 0.0;
    }
    let least = 1.0 / f64::from(TOTAL);
    let each =
        (0..3).map(|n| f64::from(counts[n]) * (own[n].max(least) / expected[n].max(least)).log2());
    each.sum::<f64>() * step as f64 - STORED
}

/// Of contexts and the bits that each saves, the `most` best, in their order.
pub(super) fn best<T: Copy + Ord>(mut paying: Vec<(f64, T)>, most: usize) -> Vec<T> {
    if paying.len() > most {
        paying.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        paying.truncate(most);
    }
    let mut best: Vec<T> = paying.into_iter().map(|(_, context)| context).collect();
    best.sort_unstable();
    best
}

/// The odds of these likelihoods.
pub(super) fn code_of(shares: [f64; 3]) -> Code {
    let mut values = [0_u8, 1, 2];
    values.sort_by(|&a, &b| shares[usize::from(b)].total_cmp(&shares[usize::from(a)]));
    let order = ORDERS.iter().position(|order| *order == values);
    let [_, second, third] = values.map(|value| shares[usize::from(value)]);
    [order.unwrap_or(0) as u8, to_byte(second), to_byte(third)]
}

pub(super) fn odds_of([order, second, third]: Code) -> Option<Odds> {
    let values = *ORDERS.get(usize::from(order))?;
    Odds::new(values, from_byte(second)?, from_byte(third)?)
}

/// The steps in which frequencies are stored: eight to an octave.
const STEPS: u8 = 8;

/// The byte whose frequency is next to a share (of at most one half) of [`TOTAL`].
fn to_byte(share: f64) -> u8 {
    let wanted = (share * f64::from(TOTAL)).min(f64::from(TOTAL) / 2.0 - 1.0);
    let mut best = 0;
    for byte in 0..=u8::MAX {
        match from_byte(byte) {
            Some(frequency) if f64::from(frequency) <= wanted => best = byte,
            // The next one, if it is nearer by ratio.
            Some(frequency) => {
                let below = from_byte(best).map_or(1.0, f64::from);
                if wanted * wanted > below * f64::from(frequency) {
                    best = byte;
                }
                break;
            }
            None => break,
        }
    }
    best
}

/// The frequency of a byte: 1 to 8 by ones, then [`STEPS`] to an octave; `None` above half of [`TOTAL`].
fn from_byte(byte: u8) -> Option<u32> {
    let (octave, step) = (u32::from(byte / STEPS), u32::from(byte % STEPS));
    let frequency = if octave == 0 {
        step + 1
    } else {
        (u32::from(STEPS) + step + 1).checked_shl(octave - 1)?
    };
    (frequency < TOTAL / 2).then_some(frequency)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_in_their_order() {
        let paying = vec![(1.0, 3), (9.0, 1), (5.0, 7), (5.0, 2)];
        assert_eq!(best(paying.clone(), 9), [1, 2, 3, 7]);
        assert_eq!(best(paying.clone(), 3), [1, 2, 7]);
        assert_eq!(best(paying, 2), [1, 2]);
    }
}
