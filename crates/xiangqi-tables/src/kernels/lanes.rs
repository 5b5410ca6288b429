//! The lanes of a row: what the digits of a lane's number say, found once for a slice.

use crate::geometry::bit;
use crate::layout::{Layout, Squares};

/// One lane.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// The squares of the attackers but the lane piece.
    pub(crate) men: Squares,
    /// They as a set.
    pub(crate) occupied: u128,
    /// The lane of the mirrored squares, in the same slice.
    pub(crate) mirror: u32,
}

/// The lanes of a row of one slice; `None` where two men share a square or a digit is none.
#[derive(Debug)]
pub(crate) struct Lanes(Vec<Option<Lane>>);

impl Lanes {
    pub(crate) fn new(layout: &Layout, slice: usize) -> Lanes {
        let lane = |number| {
            let men = layout.lane_squares_of(slice, number)?;
            let mut occupied = 0;
            for &square in &men {
                if occupied & bit(square) != 0 {
                    return None;
                }
                occupied |= bit(square);
            }
            let mut all = men.clone();
            all.push(0);
            let (_, mirror) = layout.lane_of(&all, true)?;
            let mirror = mirror as u32;
            Some(Lane {
                men,
                occupied,
                mirror,
            })
        };
        Lanes((0..layout.lanes()).map(lane).collect())
    }

    #[inline(always)]
    pub(crate) fn get(&self, number: usize) -> Option<&Lane> {
        self.0[number].as_ref()
    }
}

/// The two words of a lane as one set.
#[inline(always)]
pub(crate) fn join(words: &[u64], lane: usize) -> u128 {
    u128::from(words[2 * lane]) | u128::from(words[2 * lane + 1]) << 64
}
