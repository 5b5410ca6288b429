//! How the middlegame and endgame scores of the hand-crafted evaluation become one value.

/// How the terms of a position are tapered to one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mix {
    /// The game phase, the weight of the middlegame: 0 to [`FULL_PHASE`](super::FULL_PHASE).
    pub phase: i32,
    /// The scale factor of the endgame score, 0 to 64.
    pub scale: i32,
    /// The mop-up bonus that is added at the end, from White's view.
    pub extra: i32,
}
