//! Sums the terms of an evaluation and optionally traces them: the same evaluation code serves play and tuning.

use super::tapered::TaperedScore;
use super::terms::{FIRST_DANGER, TERMS, Term};
use super::weights::WEIGHTS;
use duchamp_chess::{ByColor, Color};

/// Receives every term that counts. [`NoTrace`] costs nothing; [`Trace`] records.
pub trait Tracer {
    /// Whether every term must be recorded, so that no term may come from a cache.
    const RECORDS: bool;

    /// `count` times `term` counts for `side`.
    fn term(&mut self, side: Color, term: Term, count: i32);

    /// `count` times `term` endangers the king of `side`.
    fn danger(&mut self, side: Color, term: Term, count: i32);

    /// The king of `side` is in no danger after all.
    fn no_danger(&mut self, side: Color);
}

/// A borrowed tracer traces as well.
impl<T: Tracer> Tracer for &mut T {
    const RECORDS: bool = T::RECORDS;
    #[inline]
    fn term(&mut self, side: Color, term: Term, count: i32) {
        (**self).term(side, term, count);
    }
    #[inline]
    fn danger(&mut self, side: Color, term: Term, count: i32) {
        (**self).danger(side, term, count);
    }
    #[inline]
    fn no_danger(&mut self, side: Color) {
        (**self).no_danger(side);
    }
}

/// Records nothing: for play.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoTrace;

impl Tracer for NoTrace {
    const RECORDS: bool = false;
    #[inline]
    fn term(&mut self, _: Color, _: Term, _: i32) {}
    #[inline]
    fn danger(&mut self, _: Color, _: Term, _: i32) {}
    #[inline]
    fn no_danger(&mut self, _: Color) {}
}

/// How often each term counts in a position: for tuning.
#[derive(Clone, Debug)]
pub struct Trace {
    /// White's count minus Black's, by term.
    pub counts: [i16; TERMS],
    /// How often each term endangers each king; index 0 is [`FIRST_DANGER`].
    pub dangers: ByColor<[i16; TERMS - FIRST_DANGER.0 as usize]>,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace {
            counts: [0; TERMS],
            dangers: ByColor([[0; TERMS - FIRST_DANGER.0 as usize]; 2]),
        }
    }
}

impl Tracer for Trace {
    const RECORDS: bool = true;

    fn term(&mut self, side: Color, term: Term, count: i32) {
        let sign = if side == Color::White { 1 } else { -1 };
        self.counts[term.0 as usize] += sign * count as i16;
    }

    fn danger(&mut self, side: Color, term: Term, count: i32) {
        self.dangers[side][(term.0 - FIRST_DANGER.0) as usize] += count as i16;
    }

    fn no_danger(&mut self, side: Color) {
        self.dangers[side].fill(0);
    }
}

/// The sum so far.
#[derive(Debug)]
pub(super) struct TermSum<T> {
    /// White's terms minus Black's.
    pub(super) score: TaperedScore,
    /// How endangered each side's king is.
    pub(super) danger: ByColor<TaperedScore>,
    /// Receives the terms.
    pub(super) tracer: T,
}

impl<T: Tracer> TermSum<T> {
    /// Nothing counted yet.
    pub(super) fn new(tracer: T) -> TermSum<T> {
        TermSum {
            score: TaperedScore::ZERO,
            danger: ByColor::default(),
            tracer,
        }
    }

    /// Counts a term for a side.
    #[inline]
    pub(super) fn add(&mut self, side: Color, term: Term, count: i32) {
        debug_assert!(term < FIRST_DANGER);
        let value = WEIGHTS[term.0 as usize] * count;
        match side {
            Color::White => self.score += value,
            Color::Black => self.score -= value,
        }
        self.tracer.term(side, term, count);
    }

    /// Counts a term against the king of a side.
    #[inline]
    pub(super) fn endanger(&mut self, side: Color, term: Term, count: i32) {
        debug_assert!(term >= FIRST_DANGER);
        self.danger[side] += WEIGHTS[term.0 as usize] * count;
        self.tracer.danger(side, term, count);
    }

    /// The king of a side is in no danger after all.
    #[inline]
    pub(super) fn forget(&mut self, side: Color) {
        self.danger[side] = TaperedScore::ZERO;
        self.tracer.no_danger(side);
    }
}
