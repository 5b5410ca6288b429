//! Which squares of the lane piece make a legal position.
//!
//! Legal: no two men on a square, the kings do not face each other on an open file, and with Red to move Black's king
//! is not attacked, for Black has just moved. Nothing of Black's attacks.

use duchamp_retro::Side;

use crate::attacks::{attackers, attacking_lanes};
use crate::geometry::{FILES, between, bit};
use crate::layout::Layout;

/// What the defenders of a row fix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowView {
    /// All defenders of both sides.
    pub(crate) occupied: u128,
    /// Black's king.
    pub(crate) king: u8,
    /// Squares between kings on one file that no defender separates: one must be occupied. Empty if they cannot face.
    pub(crate) facing: u128,
}

impl RowView {
    /// The row of two placements of defenders.
    #[inline]
    pub(crate) fn new(
        red: &crate::defenders::Defenders,
        black: &crate::defenders::Defenders,
    ) -> RowView {
        let occupied = red.occupied | black.occupied;
        let mut facing = 0;
        if red.king % FILES == black.king % FILES {
            let way = between(red.king, black.king);
            if way & occupied == 0 {
                facing = way;
            }
        }
        RowView {
            occupied,
            king: black.king,
            facing,
        }
    }

    /// The squares of the lane piece for which no two men share a square and the kings do not face, and all other men.
    /// `men` are the squares of the other attackers; `None` if two of them share a square.
    #[inline]
    pub(crate) fn placed(&self, layout: &Layout, men: &[u8]) -> Option<(u128, u128)> {
        let mut occupied = self.occupied;
        for &square in men {
            if occupied & bit(square) != 0 {
                return None;
            }
            occupied |= bit(square);
        }
        let mut lanes = layout.lane_squares() & !occupied;
        if self.facing != 0 && self.facing & occupied == 0 {
            lanes &= self.facing;
        }
        Some((lanes, occupied))
    }

    /// The squares of the lane piece for which Black's king is attacked; `men` as above, in the layout's order.
    #[inline]
    pub(crate) fn checks(&self, layout: &Layout, men: &[u8], occupied: u128) -> u128 {
        let mut attacked = attackers(layout.lane(), self.king, occupied);
        for (role, &square) in layout.attackers().zip(men) {
            attacked |= attacking_lanes(role, square, self.king, occupied);
        }
        attacked
    }

    /// The legal squares of the lane piece with a side to move, and the squares that the other men occupy.
    #[inline]
    pub(crate) fn legal(&self, layout: &Layout, side: Side, men: &[u8]) -> (u128, u128) {
        let Some((mut lanes, occupied)) = self.placed(layout, men) else {
            return (0, 0);
        };
        if side == Side::First && lanes != 0 {
            lanes &= !self.checks(layout, men, occupied);
        }
        (lanes, occupied)
    }
}

impl Layout {
    /// What the defenders of a row fix.
    #[inline]
    pub(crate) fn row_view(&self, row: usize) -> RowView {
        let [red, black] = self.pairs().get(row);
        RowView::new(red, black)
    }

    /// The legal cells of a word, duplicates included.
    pub(crate) fn legal_cells(&self, side: Side, word: usize) -> u64 {
        let (slice, row, lane, second) = self.split(word);
        let Some(men) = self.lane_squares_of(slice, lane) else {
            return 0;
        };
        let (lanes, _) = self.row_view(row).legal(self, side, &men);
        if second {
            (lanes >> 64) as u64
        } else {
            lanes as u64
        }
    }
}
