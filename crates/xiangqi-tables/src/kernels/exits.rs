//! The tables and slices that the moves which leave a slice lead into, and their values by lanes.

use duchamp_retro::{Cell, Code, bytes};
use duchamp_tablebase::{View, Worth};
use duchamp_xiangqi::Role;

use super::lanes::join;
use crate::geometry::{SQUARES, mirror, mirror_set};
use crate::layout::{Layout, Placement};
use crate::material::Material;

/// The exits of a material.
#[derive(Debug)]
pub struct Exits<'a, W: Worth> {
    pub(crate) layout: &'a Layout,
    /// The table itself: its earlier slices.
    pub(crate) own: View<'a, Layout, W::Own>,
    /// The table without a defender of Black's: advisor, elephant.
    pub(crate) defenders: [Option<View<'a, Layout, Code>>; 2],
    /// The table without an attacker: horse, chariot, cannon, pawn.
    pub(crate) attackers: [Option<View<'a, Layout, Code>>; 4],
}

/// The place of an attacker's kind in [`Exits::attackers`].
pub(crate) fn place(role: Role) -> usize {
    match role {
        Role::Horse => 0,
        Role::Chariot => 1,
        Role::Cannon => 2,
        _ => 3,
    }
}

impl<'a, W: Worth> Exits<'a, W> {
    /// The exits of a table whose solved slices are `own`; `sub` finds the finished tables.
    pub(crate) fn new(
        layout: &'a Layout,
        own: View<'a, Layout, W::Own>,
        sub: &dyn Fn(Material) -> Option<View<'a, Layout, Code>>,
    ) -> Exits<'a, W> {
        let view = |black, role| layout.material().without(black, role).and_then(sub);
        Exits {
            layout,
            own,
            defenders: [Role::Advisor, Role::Elephant].map(|role| view(true, role)),
            attackers: [Role::Horse, Role::Chariot, Role::Cannon, Role::Pawn]
                .map(|role| view(false, role)),
        }
    }
}

/// The values of a lane of some table, by the square of the lane piece.
pub(crate) struct Line<'v, V> {
    codes: &'v [V],
    void: u128,
    mirrored: bool,
}

impl<'v, V: Cell> Line<'v, V> {
    /// The lane that begins at a cell, with a side to move; `mirrored`: its squares are the mirror image of ours.
    #[inline(always)]
    pub(crate) fn new(
        view: &View<'v, Layout, V>,
        side: usize,
        first: usize,
        mirrored: bool,
    ) -> Self {
        Line {
            codes: &view.codes[side][first..first + 128],
            void: join(view.void[side], first / 128),
            mirrored,
        }
    }

    /// Raises the values of a lane at the squares `at` to what the move into this line is worth.
    #[inline(always)]
    pub(crate) fn raise<C: Cell>(
        &self,
        values: &mut [[C; 64]],
        at: u128,
        worth: impl Fn(V) -> C + Copy,
    ) {
        if self.mirrored {
            let at = at & !mirror_set(self.void);
            for square in crate::geometry::squares(at) {
                let value = worth(self.codes[usize::from(mirror(square))]);
                let (word, bit) = (usize::from(square >> 6), usize::from(square & 63));
                values[word][bit] = values[word][bit].max(value);
            }
            return;
        }
        let at = at & !self.void;
        let (codes, _) = self.codes.as_chunks::<64>();
        for ((values, codes), cells) in values
            .iter_mut()
            .zip(codes)
            .zip([at as u64, (at >> 64) as u64])
        {
            if cells == 0 {
                continue;
            }
            let mask = bytes::spread(cells);
            for ((value, &code), mask) in values.iter_mut().zip(codes).zip(mask) {
                *value = (*value).max(if mask == 0 { C::NONE } else { worth(code) });
            }
        }
    }
}

/// The value of one cell of a table; `None` if it is void.
#[inline]
pub(crate) fn value_at<V: Cell>(view: &View<'_, Layout, V>, side: usize, cell: usize) -> Option<V> {
    (view.void[side][cell / 64] >> (cell % 64) & 1 == 0).then(|| view.codes[side][cell])
}

/// The value of a placement in a table; `None` if it is no legal position.
#[inline]
pub(crate) fn value_of<V: Cell>(
    view: &View<'_, Layout, V>,
    side: usize,
    placement: &Placement,
) -> Option<V> {
    value_at(view, side, view.index.any_cell(placement)?)
}

/// Raises the values of a lane at the squares `at` to one value.
#[inline(always)]
pub(crate) fn raise_to<C: Cell>(values: &mut [[C; 64]], at: u128, value: C) {
    for square in crate::geometry::squares(at) {
        debug_assert!(usize::from(square) < SQUARES);
        let cell = &mut values[usize::from(square >> 6)][usize::from(square & 63)];
        *cell = (*cell).max(value);
    }
}
