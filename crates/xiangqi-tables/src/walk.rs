//! Going through the cells of a block in the coded form of results, each with its context.
//!
//! Encoding, decoding and learning share this walk. The context of a cell is the values at the squares beside and below
//! it, and at the same square in the lane before and, where a row has few lanes, in the row before. Cells that are no
//! position, or a duplicate of another, have no symbol; for their neighbours they take the value in the lane before.

use duchamp_retro::Side;
use duchamp_tablebase::{CODED_BLOCK, PLACES, Planes, Visitor};

use crate::geometry::{FILES, squares};
use crate::layout::Layout;

/// Lanes of a block.
const LANES: usize = CODED_BLOCK / 2;
/// Values of three neighbours, and whether a fourth is like that of the lane before.
const _: () = assert!(PLACES == 54);
/// Bits of a setting: the value in the row before.
pub(crate) const SETTING_BITS: u32 = 2;

/// Results of a lane.
#[derive(Clone, Copy, Default)]
struct Lane {
    won: u128,
    lost: u128,
}

impl Lane {
    /// 0 loss, 1 draw, 2 win.
    #[inline(always)]
    fn value(self, square: u8) -> usize {
        (1 + (self.won >> square & 1) - (self.lost >> square & 1)) as usize
    }
}

/// Goes through the words from `first` on, at most a block, as [`Index::walk`](duchamp_tablebase::Index::walk) says.
pub(crate) fn walk(
    layout: &Layout,
    side: Side,
    first: usize,
    planes: &mut [Planes],
    visitor: &mut impl Visitor,
) {
    let mut filled = [Lane::default(); LANES];
    for n in 0..planes.len() / 2 {
        let before = n.checked_sub(1).map_or(Lane::default(), |n| filled[n]);
        let row_before = n.checked_sub(layout.lanes());
        let row_before = row_before.map_or(before, |n| filled[n]);
        let (slice, row, lane, _) = layout.split(first + 2 * n);
        let mut cells = 0;
        if let Some(men) = layout.lane_squares_of(slice, lane) {
            cells = layout.row_view(row).legal(layout, side, &men).0;
            if cells != 0 {
                cells &= layout.canonical_lane(slice, row, lane, &men);
            }
        }
        let mut all = Lane {
            won: before.won & !cells,
            lost: before.lost & !cells,
        };
        if cells != 0 {
            let known =
                [visitor.known(2 * n), visitor.known(2 * n + 1)].map(Option::unwrap_or_default);
            let join = |part: fn(Planes) -> u64| {
                u128::from(part(known[0])) | u128::from(part(known[1])) << 64
            };
            let known = Lane {
                won: join(|planes| planes.won),
                lost: join(|planes| planes.lost),
            };
            for square in squares(cells) {
                let near = |away: u8| {
                    square
                        .checked_sub(away)
                        .map_or(1, |square| all.value(square))
                };
                let (left, below, diagonal) = (near(1), near(FILES), near(FILES + 1));
                let place = ((below * 3 + left) * 3 + before.value(square)) * 2
                    + usize::from(diagonal == below);
                let setting = row_before.value(square) as u16;
                let value = visitor.cell(setting, place, known.value(square) as u8);
                all.won |= u128::from(value == 2) << square;
                all.lost |= u128::from(value == 0) << square;
            }
        }
        filled[n] = all;
        let (won, lost) = (all.won & cells, all.lost & cells);
        planes[2 * n] = Planes {
            won: won as u64,
            lost: lost as u64,
        };
        planes[2 * n + 1] = Planes {
            won: (won >> 64) as u64,
            lost: (lost >> 64) as u64,
        };
    }
}
