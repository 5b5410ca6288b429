//! What a move that leaves a slice is worth in a metric.

use crate::retro::{Cell, Code};
use std::fmt::Debug;

/// A metric's rules for exits. All values are as the side sees them that makes the move, counted
/// from before it.
pub(crate) trait Worth: Copy + Debug + Send + Sync + 'static {
    /// How the metric's values are kept.
    type Cell: Cell;

    /// A capture or promotion into a position of a finished table with distance to mate `code`;
    /// `cursed` tells that its win or loss takes more than a hundred plies by the 50-move rule.
    fn converting(code: u8, cursed: bool) -> Self::Cell;

    /// A pawn's push into a position of this metric's value `after`.
    fn push(after: Self::Cell) -> Self::Cell;
}

/// Distance to mate: every move is one ply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToMate;

impl Worth for ToMate {
    type Cell = u8;

    #[inline(always)]
    fn converting(code: u8, _: bool) -> u8 {
        Code(code).before_move().0
    }

    #[inline(always)]
    fn push(after: u8) -> u8 {
        Code(after).before_move().0
    }
}
