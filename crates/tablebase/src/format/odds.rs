//! Odds of three values as files store them: in three bytes, learnt from counts.

use super::rans::{Odds, TOTAL};

/// Odds in three bytes: the order of the values, and the frequencies of the two less likely ones.
pub(super) type Code = [u8; 3];
/// All alike.
pub(super) const EVEN: Code = [0, 8 * STEPS, 8 * STEPS];
/// A context of fewer cells in the sample has the odds of its common part.
const FEW: u32 = 4;

/// The orders of the three values.
const ORDERS: [[u8; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// The odds of these counts; `None` if they are too few.
pub(super) fn code_of(counts: [u32; 3]) -> Option<Code> {
    let total: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    if total < u64::from(FEW) {
        return None;
    }
    // What has not been seen may still come.
    let share = |value: u8| (f64::from(counts[usize::from(value)]) + 0.04) / (total as f64 + 0.12);
    let order =
        (0..ORDERS.len()).max_by_key(|&n| ORDERS[n].map(|value| counts[usize::from(value)]))?;
    let [_, second, third] = ORDERS[order];
    Some([order as u8, to_byte(share(second)), to_byte(share(third))])
}

pub(super) fn odds_of([order, second, third]: Code) -> Option<Odds> {
    let values = *ORDERS.get(usize::from(order))?;
    Odds::new(values, from_byte(second)?, from_byte(third)?)
}

/// The steps in which frequencies are stored: eight to an octave.
const STEPS: u8 = 8;

/// The largest byte whose frequency is not above a share (of at most one half) of [`TOTAL`].
fn to_byte(share: f64) -> u8 {
    let wanted = (share * f64::from(TOTAL)).min(f64::from(TOTAL) / 2.0 - 1.0);
    let mut best = 0;
    for byte in 0..=u8::MAX {
        match from_byte(byte) {
            Some(frequency) if f64::from(frequency) <= wanted => best = byte,
            _ => break,
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
