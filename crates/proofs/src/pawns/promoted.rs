//! Positions just after a promotion: what the prover already knows of them.

use super::bounds::Known;
use super::duel::Finding;
use super::exits::Mover;
use super::prover::{Prover, WinStatus};
use super::rows::Kings;
use super::scene::Scene;
use super::trial;
use duchamp_base::Plies;
use duchamp_chess::{Color, FIFTY_MOVES, Position, Role};

impl Prover {
    /// Whether `attacker` wins a position of kings, pawns and one other piece whose owner has just moved, as far as it has
    /// been worked out; `None` if the position is none of these.
    #[must_use]
    pub fn promoted(&self, position: &Position, attacker: Color) -> Option<WinStatus> {
        let scene = Scene::of(position, attacker);
        let owner = !position.turn();
        let pieces = position.pieces();
        let piece = pieces.first().filter(|_| !pieces.many())?;
        let role = position.at(piece).filter(|man| man.color == owner)?.role;
        if position.ep_square().is_some() {
            return None;
        }
        let square = piece.relative(attacker);
        let kings = Kings {
            attacker: position.king(attacker).relative(attacker),
            defender: position.king(!attacker).relative(attacker),
        };
        let mover = match owner == attacker {
            true => Mover::Attacker,
            false => Mover::Defender,
        };
        if mover == Mover::Defender && scene.attack.is_empty() {
            return Some(WinStatus::NotWon);
        }
        if role == Role::Queen {
            let won = self.queened(scene, square);
            if mover == Mover::Attacker && won.is_some_and(|(rows, _)| rows.has(kings)) {
                return Some(WinStatus::Won(Plies(FIFTY_MOVES)));
            }
            let open = self.conceded(scene, square);
            if mover == Mover::Defender && open.is_some_and(|rows| !rows.has(kings)) {
                return Some(WinStatus::NotWon);
            }
        }
        let tried = trial::promoted(scene, mover, role, square, kings);
        Some(match tried.map(|tried| self.duel.known(&tried)) {
            Some(Finding::Won(plies)) => WinStatus::Won(Plies(plies)),
            Some(Finding::Held) => WinStatus::NotWon,
            Some(Finding::Open) | None => WinStatus::Open,
        })
    }
}
