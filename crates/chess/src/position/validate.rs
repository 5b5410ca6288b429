//! The slow truth about a position, for tests: some microseconds, too slow to assert at every move
//! of a debug build.

use super::super::{Bitboard, Role, attacks};
use super::{Faults, Position};

impl Position {
    /// Recomputes everything that is kept up to date and compares.
    ///
    /// # Errors
    /// What differs, in words.
    pub fn validate(&self) -> Result<(), String> {
        let fail = |what: &str| Err(format!("{what} is wrong in {}", self.fen()));
        if !self.board.is_consistent() {
            return fail("the board");
        }
        let fresh = match Position::from_setup_forgiving(&self.setup(), Faults::FORGIVABLE) {
            Ok(fresh) => fresh,
            Err(error) => return Err(format!("{error} in {}", self.fen())),
        };
        if fresh.castling != self.castling {
            return fail("a castling right");
        }
        if fresh.ep != self.ep {
            return fail("the en-passant square");
        }
        if fresh.keys != self.keys {
            return fail("a key");
        }
        let (checkers, pinned) = self.slow_checkers();
        if checkers != self.checkers || fresh.checkers != checkers {
            return fail("the set of checkers");
        }
        if pinned != self.pinned || fresh.pinned != pinned {
            return fail("the set of pinned pieces");
        }
        Ok(())
    }

    /// Checkers by looking from every enemy piece; pins by taking each piece away in turn.
    fn slow_checkers(&self) -> (Bitboard, Bitboard) {
        let us = self.turn;
        let king = self.king(us);
        let attackers = |occupied: Bitboard| -> Bitboard {
            let attacks_king = |square: &_| {
                let role = self.board.role_at(*square).unwrap_or(Role::King);
                attacks::of(role, !us, *square, occupied).has(king)
            };
            (self.color(!us)).into_iter().filter(attacks_king).collect()
        };
        let checkers = attackers(self.occupied());
        let pinned = (self.color(us) - king.into())
            .into_iter()
            .filter(|&piece| (attackers(self.occupied() ^ piece.into()) - checkers).any())
            .collect();
        (checkers, pinned)
    }
}
