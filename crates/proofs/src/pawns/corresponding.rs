//! Corresponding squares by Moshammer's routine (chess programming wiki, page "Corresponding Squares").
//!
//! For each square of the attacker's king: on which squares must the defender's king stand, the attacker to move, so
//! that it can keep answering? All squares at first; then those go from which some step of the attacker cannot be
//! answered, until nothing changes. As published the routine claims too much: the attacker's king
//! can stand where it may not step to (just after a pawn's check), and pawns move. [`Correspondence::holds`] answers only
//! where it is right: no pawn of the attacker can ever move or capture unless the defender lets it.

use super::rows::neighbours;
use super::scene::{Ground, Scene};
use duchamp_chess::{Bitboard, Color, Position, Square, attacks};

/// The corresponding squares of a pawn structure for one attacker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Correspondence {
    attacker: Color,
    scene: Scene,
    /// By the attacker's king, the board seen from his side.
    partners: [Bitboard; 64],
}

impl Correspondence {
    /// Works them out. Pieces other than kings and pawns are ignored, and so are the places of the kings.
    #[must_use]
    pub fn of(position: &Position, attacker: Color) -> Correspondence {
        let scene = Scene::of(position, attacker);
        Correspondence {
            attacker,
            scene,
            partners: partners(scene),
        }
    }

    /// Squares of the defender's pawns that the attacker's king takes if it gets there.
    #[must_use]
    pub fn critical(&self) -> Bitboard {
        self.turned(critical(self.scene))
    }

    /// Where the defender's king must stand, the attacker to move, when the attacker's is on `king`; empty if nothing
    /// helps.
    #[must_use]
    pub fn partners(&self, king: Square) -> Bitboard {
        self.turned(self.partners[king.relative(self.attacker).index()])
    }

    /// Whether the defender holds a position with these pawns, the attacker to move: he never wins. `false` says nothing;
    /// `None` where the routine is not sound: other pieces, an en-passant right, the defender to move, a pawn's check, a pawn
    /// of the attacker that is not blocked by a pawn or that attacks one.
    #[must_use]
    pub fn holds(&self, position: &Position) -> Option<bool> {
        let king = position.king(self.attacker).relative(self.attacker);
        let sound = position.pieces().is_empty()
            && position.ep_square().is_none()
            && position.turn() == self.attacker
            && !self.scene.guarded().has(king)
            && self.scene.is_blocked();
        let defender = position.king(!self.attacker).relative(self.attacker);
        sound.then(|| self.partners[king.index()].has(defender))
    }

    fn turned(&self, set: Bitboard) -> Bitboard {
        match self.attacker {
            Color::White => set,
            Color::Black => set.flip_ranks(),
        }
    }
}

fn critical(scene: Scene) -> Bitboard {
    scene.defend - scene.guarded()
}

fn partners(scene: Scene) -> [Bitboard; 64] {
    let ground = Ground::of(scene);
    let critical = critical(scene);
    let enterable = !(scene.attack | scene.guarded());
    let mut partners = Square::ALL.map(|king| {
        // The defender keeps off the attacker's pawns: taking one would be another structure.
        let free = !(scene.pawns() | ground.attacked | attacks::king(king) | Bitboard::of(king));
        if critical.has(king) {
            Bitboard::EMPTY
        } else {
            free
        }
    });
    let mut changed = Bitboard::FULL;
    while let Some(target) = changed.first() {
        changed = changed - Bitboard::of(target);
        if !enterable.has(target) {
            continue;
        }
        // Next to the square the defender forbids the step; a step away from a partner he answers it.
        let answered = attacks::king(target) | neighbours(partners[target.index()]);
        for king in attacks::king(target) {
            let kept = partners[king.index()] & answered;
            if kept != partners[king.index()] {
                partners[king.index()] = kept;
                changed |= Bitboard::of(king);
            }
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect(fen)
    }

    #[test]
    fn a_pawn_that_can_move_leaves_the_question_open() {
        let lockock = position("6k1/3p4/3p4/3P4/4P1p1/6P1/8/K7 w - - 0 1");
        let system = Correspondence::of(&lockock, Color::White);
        assert_eq!(system.holds(&lockock), None);
        assert_eq!(
            system.critical(),
            [Square::D6, Square::D7, Square::G4].into_iter().collect()
        );
    }

    #[test]
    fn the_black_king_holds_fine_70_from_its_partner_only() {
        let holds = |fen: &str| {
            let position = position(fen);
            Correspondence::of(&position, Color::White).holds(&position)
        };
        assert_eq!(
            holds("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"),
            Some(false)
        );
        assert_eq!(
            holds("8/1k6/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"),
            Some(true)
        );
        // The same with colours changed.
        assert_eq!(holds("k7/8/8/p2p1p2/P2p1P2/3P4/1K6/8 b - - 0 1"), None);
        let turned = position("k7/8/8/p2p1p2/P2P1P2/3P4/1K6/8 b - - 0 1");
        assert!(
            Correspondence::of(&turned, Color::Black)
                .holds(&turned)
                .is_some()
        );
    }
}
