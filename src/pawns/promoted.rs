//! Positions just after a promotion: what the prover already knows of them.

use super::bounds::Known;
use super::prover::{Prover, Verdict};
use super::scene::Scene;
use crate::base::Plies;
use crate::chess::{Color, Position, Role};

impl Prover {
    /// Whether `attacker` wins a position of kings, pawns and one queen whose owner has just moved, as far as it has been
    /// worked out; `None` if the position is none of these.
    #[must_use]
    pub fn promoted(&self, position: &Position, attacker: Color) -> Option<Verdict> {
        let scene = Scene::of(position, attacker);
        let owner = !position.turn();
        let queens = position.of(owner, Role::Queen);
        let queen = queens.first()?.relative(attacker);
        if position.occupied().count() != scene.men() + 1 || position.ep_square().is_some() {
            return None;
        }
        let [king, other] =
            [attacker, !attacker].map(|side| position.king(side).relative(attacker));
        Some(if owner == attacker {
            match self.queened(scene, queen) {
                Some((lost, _)) if lost[king].has(other) => Verdict::Won(Plies(100)),
                _ => Verdict::Open,
            }
        } else if scene.attack.is_empty() {
            Verdict::NotWon
        } else {
            match self.conceded(scene, queen) {
                Some(open) if !open[king].has(other) => Verdict::NotWon,
                _ => Verdict::Open,
            }
        })
    }
}
