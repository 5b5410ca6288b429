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
const FINE: u32 = 2 * 3 * 4 * 256;

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
        let mut shown = [[0_u8; 64]; BLOCK];
        let (mut last, mut error) = (self.base, 0_u16);
        for (n, (outlook, &class)) in self.outlooks.iter().zip(self.class).enumerate() {
            if class == 0 {
                continue;
            }
            let (before, here) = numbers.split_at_mut(64 * n);
            let Some(here) = here.first_chunk_mut::<64>() else {
                break;
            };
            let spread = outlook.spread();
            shown[n].copy_from_slice(spread.as_flattened());
            let left = Beside::new(outlook.left, before, &shown, n);
            let below = Beside::new(outlook.below, before, &shown, n);
            let mut own = Own::new(outlook.slanted, &spread);
            let free = free.map_or(0, |free| free[n]);
            for bit in Bits(class) {
                let (own_around, own_like) = own.around(bit);
                let around = [own_around[0], own_around[1], left.all[bit], below.all[bit]];
                let like = [own_like[0], own_like[1], left.like[bit], below.like[bit]];
                let seen = (error, shown[n][bit], self.by_twos);
                let (context, predicted) =
                    look((around, like), seen, || own.diagonal(bit).unwrap_or(last));
                let known = match free >> bit & 1 {
                    0 => i32::from(here[bit]) - i32::from(predicted),
                    _ => 0,
                };
                coder.enter(context);
                let known = if self.by_twos { ranked(known) } else { known };
                let coded = code(coder, usize::from(context.tail), known);
                let difference = if self.by_twos { unranked(coded) } else { coded };
                let number = i32::from(predicted) + difference;
                last = number.clamp(0, i32::from(NONE) - 1) as u16;
                here[bit] = last;
                own.set(bit, last);
                error = (difference.unsigned_abs().min(1 << 14) as u16).max(error / 2);
            }
        }
    }
}

/// The numbers of a word beside the one that is walked through; [`NONE`] where there is none.
struct Beside {
    all: [u16; 64],
    /// Of those cells of which the rules show the same as here.
    like: [u16; 64],
}

impl Beside {
    /// The numbers of an earlier word, if there is one, beside word `n`.
    fn new(word: Option<u8>, before: &[u16], shown: &[[u8; 64]; BLOCK], n: usize) -> Beside {
        let word = word.map(usize::from).filter(|&word| word < n);
        let numbers = word.and_then(|word| before.get(64 * word..)?.first_chunk::<64>());
        let (Some(word), Some(all)) = (word, numbers) else {
            return Beside {
                all: [NONE; 64],
                like: [NONE; 64],
            };
        };
        let (there, here) = (&shown[word], &shown[n]);
        Beside {
            all: *all,
            // Sets all bits where they differ: that is no number.
            like: std::array::from_fn(|cell| {
                let differ = u16::from(there[cell] != here[cell]);
                all[cell] | differ.wrapping_neg()
            }),
        }
    }
}

/// Cells of a row of the board with a margin, in which there are no numbers.
const ROW: usize = 10;

/// The numbers of the word that is walked through, with a margin around the board.
struct Own {
    numbers: [u16; 128],
    shown: [u8; 128],
    /// How far back the two nearest neighbours lie.
    back: [usize; 2],
}

impl Own {
    fn new(slanted: bool, spread: &[[u8; 8]; 8]) -> Own {
        let mut shown = [0; 128];
        for (rank, cells) in spread.iter().enumerate() {
            let start = Own::place(8 * rank);
            shown[start..start + 8].copy_from_slice(cells);
        }
        Own {
            numbers: [NONE; 128],
            shown,
            back: if slanted {
                [ROW + 1, ROW - 1]
            } else {
                [1, ROW]
            },
        }
    }

    #[inline(always)]
    const fn place(bit: usize) -> usize {
        (bit / 8 + 1) * ROW + bit % 8 + 1
    }

    /// Both nearest neighbours of a cell; all, and those of which the rules show the same.
    #[inline(always)]
    fn around(&self, bit: usize) -> ([u16; 2], [u16; 2]) {
        let at = Own::place(bit);
        let all = self.back.map(|back| self.numbers[(at - back) & 127]);
        let differ = |back: usize| {
            let differ = self.shown[(at - back) & 127] != self.shown[at & 127];
            u16::from(differ).wrapping_neg()
        };
        let like = [all[0] | differ(self.back[0]), all[1] | differ(self.back[1])];
        (all, like)
    }

    /// A neighbour diagonally below.
    #[inline(always)]
    fn diagonal(&self, bit: usize) -> Option<u16> {
        let at = Own::place(bit);
        let two = [ROW + 1, ROW - 1].map(|back| self.numbers[(at - back) & 127]);
        two.into_iter().find(|&number| number != NONE)
    }

    #[inline(always)]
    fn set(&mut self, bit: usize, number: u16) {
        self.numbers[Own::place(bit) & 127] = number;
    }
}

/// The context and the prediction of a cell from its neighbours (left and below within the word, then of the words to
/// the left and below): all of them, and those of which the rules show the same.
#[inline(always)]
fn look(
    (around, like): ([u16; 4], [u16; 4]),
    (error, shown, by_twos): (u16, u8, bool),
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
    let odd = around.iter().fold(0, |odd, &number| {
        odd | u32::from(number != NONE) << (number & 1)
    });
    let mixed = u32::from(by_twos && odd == 3);
    let fine = ((mixed * 3 + error) * 4 + alike as u32) * 256 + u32::from(shown);
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
