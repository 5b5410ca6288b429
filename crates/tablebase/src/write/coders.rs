//! Which lengths a coded file of distances holds, and their encoders.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::encode::classes;
use crate::format::{Class, ClassEncoder, ClassPart, Holdings, Metric, OMITS};
use crate::index::Index;
use crate::values::{Part, PartRoom, Values};
use duchamp_base::Control;
use duchamp_retro::{Cell, Side};

/// Losses are held instead of wins where they take less than this share: a win is then found by its moves, which costs
/// a probe more than finding a loss does, for the winner has more moves.
const WORTH: f64 = 0.9;

/// The encoders of the coded form, by stored side and class.
pub(super) struct Coders<'a, I> {
    index: &'a I,
    metric: Metric,
    pub(super) held: Holdings,
    sides: Vec<[ClassEncoder<'a, I>; 2]>,
}

impl<'a, I: Index> Coders<'a, I> {
    /// Takes the encoders of all stored sides, and holds for each winner what is cheaper.
    pub(super) fn new(
        index: &'a I,
        metric: Metric,
        sides: Vec<[ClassEncoder<'a, I>; 2]>,
    ) -> Coders<'a, I> {
        let mut held = Holdings([[false; 2]; 2]);
        for winner in 0..sides.len() {
            let loser = sides.len() - 1 - winner;
            let [wins, losses] = [&sides[winner][0], &sides[loser][1]].map(ClassEncoder::cost);
            match losses < WORTH * wins {
                true => held.0[loser][1] = true,
                false => held.0[winner][0] = true,
            }
        }
        Coders {
            index,
            metric,
            held,
            sides,
        }
    }

    /// Learns from values that can be read anywhere.
    pub(super) fn learn(
        metric: Metric,
        values: &'a impl Values<Index = I>,
        control: &Control,
    ) -> Coders<'a, I> {
        let index: &I = values.index();
        let sides = index.stored_sides().iter().map(|&color| {
            let samples = Samples::new(values, color, control);
            let parts_of = |words: Range<usize>| {
                let first = words.start;
                let parts = samples.read(words, |part| classes(index, metric, first, part));
                parts.unwrap_or_default()
            };
            ClassEncoder::learn(index, (color, metric), parts_of)
        });
        Coders::new(index, metric, sides.collect())
    }

    /// The block of a side that begins at word `first`.
    pub(super) fn of_values<C: Cell>(
        &self,
        side: usize,
        first: usize,
        part: Part<'_, C>,
    ) -> Vec<u8> {
        let parts = classes(self.index, self.metric, first, part);
        self.group(side, first, false, &parts)
    }

    /// The same from the numbers of its wins and losses; immediate wins may be among those that are free.
    pub(super) fn group(
        &self,
        side: usize,
        first: usize,
        omits: bool,
        parts: &[ClassPart; 2],
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.metric.spec().omits_immediate_wins {
            bytes.push(if omits { OMITS } else { 0 });
        }
        for (class, part) in Class::ALL.into_iter().zip(parts) {
            if self.held.has(side, class) {
                bytes.extend(self.sides[side][class as usize].group(first, part));
            }
        }
        bytes
    }
}

/// Reads values of a side here and there.
pub(super) struct Samples<'a, V: Values> {
    values: &'a V,
    color: Side,
    control: &'a Control,
    /// By the stride that they hold: samples are taken in order, so one is read for many.
    rooms: Mutex<Vec<(usize, PartRoom<V::Cell>)>>,
}

impl<'a, V: Values> Samples<'a, V> {
    pub(super) fn new(values: &'a V, color: Side, control: &'a Control) -> Samples<'a, V> {
        Samples {
            values,
            color,
            control,
            rooms: Mutex::default(),
        }
    }

    /// What `take` makes of some words; `None` where they cannot be read, or all is cancelled: then the pass over all of
    /// them returns the error.
    pub(super) fn read<R>(
        &self,
        words: Range<usize>,
        take: impl FnOnce(Part<'_, V::Cell>) -> R,
    ) -> Option<R> {
        let stride = words.start / self.values.stride();
        let mut free = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let at = free.iter().position(|room| room.0 == stride);
        let at = at.or(free.len().checked_sub(1));
        let (_, mut room) = at.map(|at| free.swap_remove(at)).unwrap_or_default();
        drop(free);
        let _ = self.control.check();
        let part = self.values.read(self.color, words, &mut room).ok();
        let taken = part.map(take);
        let mut free = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        free.push((stride, room));
        taken
    }
}
