//! The moves inside a slice, by rows: all that the solver needs but the exits.
//!
//! A lane's bits are the squares of the lane piece, so its own moves are slides inside the lane. Another attacker's
//! move takes a lane to another one of the row, less the squares passed, where the lane piece would stand in the way.
//! A defender's step takes whole rows, less the squares of an elephant's eye, mirrored where the row is.
//!
//! Moves are *gathered*: an un-move reads what a position can move to, so duplicates come out right by themselves.

use duchamp_retro::{Bits, Layer, RowSet, RowWords, Side};
use duchamp_xiangqi::Role;

use super::lanes::{Lanes, join};
use crate::attacks::unmoves;
use crate::defenders::{NO_EYE, Step};
use crate::geometry::{
    BEYOND_RIVER, BOARD, LEAPS, LEAPS_BACK, RAYS, SQUARES, bit, mirror_set, offset,
};
use crate::layout::Layout;
use crate::pairs::Found;
use crate::pawns::{PLACES, zone_of};

/// The moves of a slice.
pub(crate) struct RowMoves<'a> {
    layout: &'a Layout,
    lanes: Lanes,
    /// The indexed attackers: kind, and what one step of the digit adds to the lane's number.
    indexed: Vec<(Role, usize)>,
    /// By sliced pawn the same, with the zone.
    pawns: Vec<(u8, usize)>,
    /// By place in a zone the places beside and behind: from where a pawn comes inside its slice.
    behind: Vec<[Vec<u8>; PLACES]>,
    ahead: Vec<[Vec<u8>; PLACES]>,
}

/// The places from which a pawn of a zone comes to a place (`back`), or to which it goes from there.
fn pawn_steps(zone: u8, back: bool) -> [Vec<u8>; PLACES] {
    std::array::from_fn(|place| {
        let Some(square) = crate::pawns::square_of(zone, place as u8) else {
            return Vec::new();
        };
        let sideways = bit(square) & BEYOND_RIVER != 0;
        let steps = [
            (0, if back { -1 } else { 1 }, true),
            (1, 0, sideways),
            (-1, 0, sideways),
        ];
        let steps = steps.into_iter().filter(|step| step.2);
        let squares = steps.filter_map(|(files, ranks, _)| offset(square, files, ranks));
        let inside = squares.filter_map(|s| zone_of(s).filter(|found| found.0 == zone));
        inside.map(|(_, place)| place).collect()
    })
}

impl<'a> RowMoves<'a> {
    pub(crate) fn new(layout: &'a Layout, slice: usize) -> RowMoves<'a> {
        let zones = layout.pawns().zones(slice);
        let (n, m) = (layout.indexed().len(), zones.len());
        let indexed = layout.indexed().iter().enumerate();
        let indexed = indexed.map(|(i, &role)| {
            let step = SQUARES.pow((n - 1 - i) as u32) * PLACES.pow(m as u32);
            (role, step)
        });
        let pawns = zones.iter().enumerate();
        let pawns = pawns.map(|(i, &zone)| (zone, PLACES.pow((m - 1 - i) as u32)));
        RowMoves {
            layout,
            lanes: Lanes::new(layout, slice),
            indexed: indexed.collect(),
            pawns: pawns.collect(),
            behind: zones.iter().map(|&zone| pawn_steps(zone, true)).collect(),
            ahead: zones.iter().map(|&zone| pawn_steps(zone, false)).collect(),
        }
    }

    pub(crate) fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// The steps of a side's defenders from a row, with the rows they lead to. They can be taken back.
    #[inline(always)]
    fn steps(&self, side: Side, row: usize, mut f: impl FnMut(Found, Step)) {
        let pairs = self.layout.pairs();
        let [red, black] = pairs.numbers(row);
        let placements = pairs.get(row);
        for step in &placements[side.index()].steps {
            let found = match side {
                Side::First => pairs.find(step.to, black),
                Side::Second => pairs.find(red, step.to),
            };
            f(found, *step);
        }
    }

    /// As [`Slice::sources`](duchamp_retro::Slice::sources).
    pub(crate) fn sources(&self, mover: Side, row: usize, rows: &mut RowSet) {
        if mover == Side::First {
            rows.add(row);
        }
        self.steps(mover, row, |found, _| rows.add(found.row as usize));
    }

    /// As [`Slice::unmove`](duchamp_retro::Slice::unmove).
    pub(crate) fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords) {
        self.steps(mover, row, |found, step| {
            if let Some((sets, marks)) = to.row(found.row as usize) {
                self.step_back(found.mirrored, step, (sets, marks), into);
            }
        });
        if mover == Side::First
            && let Some((sets, marks)) = to.row(row)
        {
            let occupied = self.layout.row_view(row).occupied;
            each_marked(marks, |lane| {
                let Some(here) = self.lanes.get(lane) else {
                    return;
                };
                let set = join(sets, lane);
                let occupied = occupied | here.occupied;
                let own = unmoves(self.layout.lane(), set, BOARD & !occupied);
                add(into, lane, own);
                self.each_unmove(lane, &here.men, occupied, |lane, passed| {
                    add(into, lane, set & !passed);
                });
            });
        }
    }

    /// A defender's step from the row at hand into another one.
    #[inline(always)]
    fn step_back(
        &self,
        mirrored: bool,
        step: Step,
        (sets, marks): (&[u64], &[u64]),
        into: &mut RowWords,
    ) {
        if !mirrored && step.eye == NO_EYE {
            let (words, marked) = into.parts();
            for (group, (mark, &marks)) in marked.iter_mut().zip(marks).enumerate() {
                *mark |= marks;
                for word in Bits(marks) {
                    words[64 * group + word] |= sets[64 * group + word];
                }
            }
            return;
        }
        each_marked(marks, |lane| {
            let Some(there) = self.lanes.get(lane) else {
                return;
            };
            let mut set = join(sets, lane);
            let mut to = lane;
            if mirrored {
                to = there.mirror as usize;
                set = mirror_set(set);
            }
            if step.eye != NO_EYE {
                let own = self.lanes.get(to).map_or(!0, |own| own.occupied);
                if own & bit(step.eye) != 0 {
                    return;
                }
                set &= !bit(step.eye);
            }
            add(into, to, set);
        });
    }

    /// Calls `f` for every un-move of an attacker with a digit: the lane it comes from, and the squares on which the
    /// lane piece would have been in the way.
    #[inline(always)]
    fn each_unmove(&self, lane: usize, men: &[u8], occupied: u128, mut f: impl FnMut(usize, u128)) {
        for (&(role, step), &at) in self.indexed.iter().zip(men) {
            let base = lane - usize::from(at) * step;
            match role {
                Role::Horse => {
                    for &(from, leg) in LEAPS_BACK[usize::from(at)].get() {
                        if occupied & (bit(leg) | bit(from)) == 0 {
                            f(base + usize::from(from) * step, bit(leg));
                        }
                    }
                }
                _ => ride(at, occupied, |from, passed| {
                    f(base + usize::from(from) * step, passed);
                }),
            }
        }
        self.each_pawn_step(lane, men, occupied, &self.behind, &mut f);
    }

    /// Calls `f` for every quiet move of an attacker with a digit, as [`RowMoves::each_unmove`].
    #[inline(always)]
    fn each_move(&self, lane: usize, men: &[u8], occupied: u128, mut f: impl FnMut(usize, u128)) {
        for (&(role, step), &at) in self.indexed.iter().zip(men) {
            let base = lane - usize::from(at) * step;
            match role {
                Role::Horse => {
                    for &(to, leg) in LEAPS[usize::from(at)].get() {
                        if occupied & (bit(leg) | bit(to)) == 0 {
                            f(base + usize::from(to) * step, bit(leg));
                        }
                    }
                }
                _ => ride(at, occupied, |to, passed| {
                    f(base + usize::from(to) * step, passed);
                }),
            }
        }
        self.each_pawn_step(lane, men, occupied, &self.ahead, &mut f);
    }

    /// The steps of the sliced pawns inside the slice.
    #[inline(always)]
    fn each_pawn_step(
        &self,
        lane: usize,
        men: &[u8],
        occupied: u128,
        steps: &[[Vec<u8>; PLACES]],
        f: &mut impl FnMut(usize, u128),
    ) {
        for (i, &(zone, step)) in self.pawns.iter().enumerate() {
            let place = lane / step % PLACES;
            let base = lane - place * step;
            debug_assert_eq!(
                crate::pawns::square_of(zone, place as u8),
                Some(men[self.indexed.len() + i])
            );
            for &other in &steps[i][place] {
                let square = crate::pawns::square_of(zone, other).unwrap_or_default();
                if occupied & bit(square) == 0 {
                    f(base + usize::from(other) * step, 0);
                }
            }
        }
    }

    /// As [`Slice::stuck`](duchamp_retro::Slice::stuck).
    pub(crate) fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]) {
        let row_words = 2 * self.layout.lanes();
        let open_row = |row: usize| &open[row * row_words..][..row_words];
        let (words, marks) = candidates.parts();
        self.steps(mover, row, |found, step| {
            let there = open_row(found.row as usize);
            if !found.mirrored && step.eye == NO_EYE {
                for (group, &marks) in marks.iter().enumerate() {
                    for word in Bits(marks) {
                        words[64 * group + word] &= !there[64 * group + word];
                    }
                }
                return;
            }
            each_marked(marks, |lane| {
                let set = join(words, lane);
                let Some(here) = self.lanes.get(lane).filter(|_| set != 0) else {
                    return;
                };
                let mut escapes = if found.mirrored {
                    mirror_set(join(there, here.mirror as usize))
                } else {
                    join(there, lane)
                };
                if step.eye != NO_EYE {
                    if here.occupied & bit(step.eye) != 0 {
                        return;
                    }
                    escapes &= !bit(step.eye);
                }
                put(words, lane, set & !escapes);
            });
        });
        if mover == Side::First {
            let occupied = self.layout.row_view(row).occupied;
            let there = open_row(row);
            each_marked(marks, |lane| {
                let mut set = join(words, lane);
                let Some(here) = self.lanes.get(lane).filter(|_| set != 0) else {
                    return;
                };
                let occupied = occupied | here.occupied;
                let free = BOARD & !occupied;
                set &= !unmoves(self.layout.lane(), join(there, lane), free);
                self.each_move(lane, &here.men, occupied, |to, passed| {
                    set &= !(join(there, to) & !passed);
                });
                put(words, lane, set);
            });
        }
    }
}

/// A chariot's or cannon's quiet moves: where to, and the squares passed, the last one left out.
#[inline(always)]
fn ride(from: u8, occupied: u128, mut f: impl FnMut(u8, u128)) {
    for way in RAYS[usize::from(from)].directions() {
        let mut passed = 0;
        for &to in way {
            if occupied & bit(to) != 0 {
                break;
            }
            f(to, passed);
            passed |= bit(to);
        }
    }
}

/// Calls `f` with each lane of which a word is marked.
#[inline(always)]
fn each_marked(marks: &[u64], mut f: impl FnMut(usize)) {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    for (group, &marks) in marks.iter().enumerate() {
        for word in Bits((marks | marks >> 1) & EVEN) {
            f(32 * group + word / 2);
        }
    }
}

/// Adds a set to a lane.
#[inline(always)]
fn add(into: &mut RowWords, lane: usize, set: u128) {
    if set as u64 != 0 {
        into.add(2 * lane, set as u64);
    }
    if set >> 64 != 0 {
        into.add(2 * lane + 1, (set >> 64) as u64);
    }
}

/// Writes a lane.
#[inline(always)]
fn put(words: &mut [u64], lane: usize, set: u128) {
    words[2 * lane] = set as u64;
    words[2 * lane + 1] = (set >> 64) as u64;
}
