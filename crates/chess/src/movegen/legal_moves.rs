//! The legal moves of a position in lists.

use super::super::position::Position;
use super::generate::{any, generate};
use super::kind::Which;
use super::sink::MoveList;

impl Position {
    /// All legal moves, in no particular order.
    ///
    /// ```
    /// # use duchamp_chess::Position;
    /// assert_eq!(Position::start().legal_moves().len(), 20);
    /// ```
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        generate(self, Which::All, &mut moves);
        moves
    }

    /// Appends the legal captures and all legal promotions.
    pub fn captures(&self, moves: &mut MoveList) {
        generate(self, Which::Noisy, moves);
    }

    /// Appends the legal moves that are neither captures nor promotions.
    pub fn quiets(&self, moves: &mut MoveList) {
        generate(self, Which::Quiet, moves);
    }

    /// Whether there is a legal move.
    #[must_use]
    pub fn has_legal_move(&self) -> bool {
        any(self)
    }

    /// Whether the side to move is mated.
    #[must_use]
    #[inline]
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Whether the side to move is stalemated.
    #[must_use]
    #[inline]
    pub fn is_stalemate(&self) -> bool {
        !self.in_check() && !self.has_legal_move()
    }
}
