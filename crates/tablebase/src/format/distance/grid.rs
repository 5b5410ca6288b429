//! Going through the distances of a block, each with its prediction and its context.
//!
//! A block is 64 words of 64 cells: the squares of two pieces. The distance at a cell is predicted from the neighbours
//! that came before it, one step of either piece away, where the rules show the same of both (check, which pieces hang),
//! and what is coded is the difference. Its *context* is how far the neighbours are apart, which of them lie below and
//! above the prediction, how long the distance is, how well the last predictions were, and what the rules show.
//!
//! Encoding, decoding and learning share this walk, so they cannot differ in what a context is.

use super::super::coded::BLOCK;
use crate::index::Outlook;
use duchamp_retro::Bits;

/// Cells of a block.
pub(super) const CELLS: usize = 64 * BLOCK;
/// The number of a cell that has none.
pub(super) const NONE: u16 = u16::MAX;

/// Spreads of the neighbours (6: there is none), and lengths.
const SPREADS: usize = 7;
const LENGTHS: usize = 5;
/// Patterns of neighbours: each below the prediction, at it (or absent), or above.
const PATTERNS: usize = 81;
/// Contexts without what the rules show and what the last predictions were.
pub(super) const COARSE: usize = SPREADS * LENGTHS * PATTERNS;
/// Steps of two in which a difference beyond 2 is counted, then its digits to the base of three.
const STEPS: usize = 12;
const DIGITS: usize = 11;
/// Contexts of these steps.
pub(super) const TAILS: usize = SPREADS * LENGTHS * 2 * STEPS;
/// Bits of a whole context above the coarse one: last predictions (3), like neighbours (4), what the rules show (8).
const FINE: u32 = 3 * 4 * 256;

/// What is known of a cell before its distance is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Context {
    /// All of it, as a number.
    pub(super) whole: u32,
    /// The part with a model of its own, below [`COARSE`].
    pub(super) coarse: u16,
    /// Spread and length.
    tail: u16,
}

/// The coarse part of a whole context.
pub(super) const fn coarse_of(whole: u32) -> usize {
    (whole / FINE) as usize
}

/// Encodes, decodes or learns the digits of a difference. Digits are 0, 1 or 2; `known` is ignored when decoding.
pub(super) trait Coder {
    /// The context of the digits that follow.
    fn enter(&mut self, context: Context);
    /// The first digit (place 0: no difference, less, more), or the second (places 1 and 2, by the first: one, two, more).
    fn near(&mut self, place: usize, known: u8) -> u8;
    /// A later digit in its context, below [`TAILS`].
    fn tail(&mut self, context: usize, known: u8) -> u8;
    /// A digit of which nothing is known.
    fn plain(&mut self, known: u8) -> u8;
}

/// One block.
pub(super) struct Grid<'a> {
    /// What the rules show of its words.
    pub(super) outlooks: &'a [Outlook],
    /// The cells of each word that have a number.
    pub(super) class: &'a [u64],
    /// The number that is expected where nothing came before.
    pub(super) base: u16,
    /// Whether most numbers are as odd as each other, so that differences of two are likelier than of one.
    pub(super) by_twos: bool,
}

impl Grid<'_> {
    /// Goes through the cells. `numbers` holds the known ones, and takes the decoded ones; it is [`NONE`] elsewhere. A
    /// known number that is `free` (a bit of its word) need not be kept: it becomes what is predicted.
    pub(super) fn walk(
        &self,
        numbers: &mut [u16; CELLS],
        free: Option<&[u64]>,
        coder: &mut impl Coder,
    ) {
        let mut shown = [0_u8; CELLS];
        let (mut last, mut error) = (self.base, 0_u16);
        for (n, (outlook, &class)) in self.outlooks.iter().zip(self.class).enumerate() {
            if class == 0 {
                continue;
            }
            let start = 64 * n;
            shown[start..start + 64].copy_from_slice(outlook.spread().as_flattened());
            let earlier = |word: Option<u8>| {
                let word = word.map(usize::from).filter(|&word| word < n);
                word.map(|word| 64 * word)
            };
            let (left, below) = (earlier(outlook.left), earlier(outlook.below));
            let free = free.map_or(0, |free| free[n]);
            for bit in Bits(class) {
                let at = start + bit;
                let own = match outlook.slanted {
                    false => [(bit % 8 > 0).then(|| at - 1), (bit >= 8).then(|| at - 8)],
                    true => [
                        (bit >= 8 && bit % 8 > 0).then(|| at - 9),
                        (bit >= 8 && bit % 8 < 7).then(|| at - 7),
                    ],
                };
                let places = [
                    own[0],
                    own[1],
                    left.map(|word| word + bit),
                    below.map(|word| word + bit),
                ];
                let mut around = [NONE; 4];
                let mut like = [NONE; 4];
                for (k, place) in places.into_iter().enumerate() {
                    if let Some(place) = place {
                        around[k] = numbers[place];
                        if shown[place] == shown[at] {
                            like[k] = around[k];
                        }
                    }
                }
                let (context, predicted) =
                    look((around, like), error, shown[at], self.by_twos, || {
                        let diagonal = |back: usize, there: bool| {
                            let number = if there { numbers[at - back] } else { NONE };
                            (number != NONE).then_some(number)
                        };
                        diagonal(9, bit >= 9 && bit % 8 > 0)
                            .or(diagonal(7, bit >= 8 && bit % 8 < 7))
                            .unwrap_or(last)
                    });
                let known = match free >> bit & 1 {
                    0 => i32::from(numbers[at]) - i32::from(predicted),
                    _ => 0,
                };
                coder.enter(context);
                let known = if self.by_twos { ranked(known) } else { known };
                let coded = code(coder, usize::from(context.tail), known);
                let difference = if self.by_twos { unranked(coded) } else { coded };
                let number = i32::from(predicted) + difference;
                last = number.clamp(0, i32::from(NONE) - 1) as u16;
                numbers[at] = last;
                error = (difference.unsigned_abs().min(1 << 14) as u16).max(error / 2);
            }
        }
    }
}

/// The context and the prediction of a cell from its neighbours (left and below within the word, then of the words to
/// the left and below): all of them, and those of which the rules show the same.
#[inline(always)]
fn look(
    (around, like): ([u16; 4], [u16; 4]),
    error: u16,
    shown: u8,
    by_twos: bool,
    further: impl FnOnce() -> u16,
) -> (Context, u16) {
    let any = like != [NONE; 4];
    let sorted = sort(if any { like } else { around });
    let count = sorted.iter().filter(|&&number| number != NONE).count();
    let (predicted, spread, alike) = match count {
        0 => (further(), 6, 0),
        _ => {
            let apart = sorted[count - 1] - sorted[0];
            let spread = match if by_twos { apart.div_ceil(2) } else { apart } {
                small @ 0..=2 => small,
                3..=4 => 3,
                5..=9 => 4,
                _ => 5,
            };
            let alike = if any { count.min(3) } else { 0 };
            (sorted[count / 2], spread, alike)
        }
    };
    let pattern = around.iter().fold(0, |pattern, &number| {
        let above = u32::from(number != NONE && number > predicted);
        pattern * 3 + 1 + above - u32::from(number < predicted)
    });
    let length = match predicted >> u16::from(by_twos) {
        0..=1 => 0,
        2..=5 => 1,
        6..=15 => 2,
        16..=35 => 3,
        _ => 4,
    };
    let error = match error {
        0 => 0,
        1..=2 => 1,
        _ => 2,
    };
    let tail = spread * LENGTHS as u16 + length;
    let coarse = u32::from(tail) * PATTERNS as u32 + pattern;
    let fine = (error * 4 + alike as u32) * 256 + u32::from(shown);
    let context = Context {
        whole: coarse * FINE + fine,
        coarse: coarse as u16,
        tail,
    };
    (context, predicted)
}

/// Four numbers in order.
#[inline(always)]
fn sort([a, b, c, d]: [u16; 4]) -> [u16; 4] {
    let (a, b) = (a.min(b), a.max(b));
    let (c, d) = (c.min(d), c.max(d));
    let (a, c) = (a.min(c), a.max(c));
    let (b, d) = (b.min(d), b.max(d));
    [a, b.min(c), b.max(c), d]
}

/// Puts differences of 2 and 4 before that of 1, and the other even ones before the odd ones next to them.
#[inline(always)]
fn ranked(difference: i32) -> i32 {
    let rank = match difference.abs() {
        0 => 0,
        2 => 1,
        4 => 2,
        size if size % 2 == 0 => size - 2,
        size => size + 2,
    };
    rank * difference.signum()
}

/// The difference of a rank.
#[inline(always)]
fn unranked(rank: i32) -> i32 {
    let size = match rank.abs() {
        0 => 0,
        1 => 2,
        2 => 4,
        odd if odd % 2 != 0 => odd - 2,
        even => even + 2,
    };
    size * rank.signum()
}

/// Codes one difference.
#[inline(always)]
fn code(coder: &mut impl Coder, context: usize, known: i32) -> i32 {
    let sign = coder.near(
        0,
        if known == 0 {
            0
        } else {
            1 + u8::from(known > 0)
        },
    );
    if sign == 0 {
        return 0;
    }
    let known = known.unsigned_abs();
    let size = match coder.near(usize::from(sign), known.saturating_sub(1).min(2) as u8) {
        2 => {
            3 + beyond(
                coder,
                2 * context + usize::from(sign) - 1,
                known.saturating_sub(3),
            )
        }
        near => u32::from(near) + 1,
    } as i32;
    if sign == 1 { -size } else { size }
}

/// Codes what a difference has beyond 3.
#[cold]
fn beyond(coder: &mut impl Coder, context: usize, known: u32) -> u32 {
    for step in 0..STEPS {
        let rest = known.saturating_sub(2 * step as u32);
        let digit = coder.tail(context * STEPS + step, rest.min(2) as u8);
        if digit < 2 {
            return 2 * step as u32 + u32::from(digit);
        }
    }
    let mut rest = known.saturating_sub(2 * STEPS as u32);
    let (mut value, mut unit) = (0, 1);
    for _ in 0..DIGITS {
        value += unit * u32::from(coder.plain((rest % 3) as u8));
        (rest, unit) = (rest / 3, unit * 3);
    }
    2 * STEPS as u32 + value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_a_new_order_of_the_differences() {
        let mut seen = [false; 1001];
        for difference in -500..=500 {
            let rank = ranked(difference);
            assert_eq!(unranked(rank), difference);
            assert_eq!(rank.signum(), difference.signum());
            if let Some(seen) = usize::try_from(rank + 500)
                .ok()
                .and_then(|at| seen.get_mut(at))
            {
                assert!(!std::mem::replace(seen, true));
            }
        }
    }
}
