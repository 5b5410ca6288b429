//! What several terms want to know of a position.

use crate::chess::{Position, Role};

/// The phase of the opening position.
pub(super) const FULL_PHASE: i32 = 24;

/// A position and what has been found out about it.
pub(super) struct Context<'p> {
    pub(super) position: &'p Position,
}

impl<'p> Context<'p> {
    pub(super) fn new(position: &'p Position) -> Context<'p> {
        Context { position }
    }

    /// From 24, all pieces on the board, to 0, only kings and pawns.
    pub(super) fn phase(&self) -> i32 {
        let count = |role| self.position.role(role).count() as i32;
        let phase = count(Role::Knight)
            + count(Role::Bishop)
            + 2 * count(Role::Rook)
            + 4 * count(Role::Queen);
        phase.min(FULL_PHASE)
    }
}
