//! The policy for endless play.

use super::cell::Cell;

/// The value of a position from which neither side can force the end of the game: a draw.
///
/// This is the solver's only rule about endless play, and the only place that states it. A game that decides
/// repetition otherwise (as the perpetual checks of xiangqi) needs another rule here.
#[inline]
pub(super) const fn endless_play<C: Cell>() -> C {
    C::DRAW
}
