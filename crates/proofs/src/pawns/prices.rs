//! Which exits a line looks into first: their prices.

use super::exits::{Exit, Kind};
use super::prover::Prover;
use super::scene::Scene;

/// The price of a promotion whose consequences are unknown.
const PROMOTION: u32 = 4;

/// The price of each unit of [`Scene::promise`] that an exit takes from the side whose hopes it is to serve.
const SPOILED: u32 = 3;

impl Prover {
    /// The prices of exits from a structure, to the attacker's hopes and to the defender's: what spoils a side's chances is
    /// dear to it.
    pub(super) fn prices(&self, scene: Scene, exits: &[Exit]) -> (Vec<u32>, Vec<u32>) {
        let now = scene.promise();
        let prices = exits.iter().map(|exit| {
            let loss = match exit.kind {
                // The structure lacks the new piece.
                Kind::Promotion(_) => 0,
                Kind::King(_) | Kind::Pawn { .. } => now - exit.to.promise(),
            };
            let price = self.price(exit);
            let dear = |loss: i32| price + SPOILED * loss.max(0) as u32;
            (dear(loss), dear(-loss))
        });
        prices.unzip()
    }

    /// The work to be expected of an exit.
    fn price(&self, exit: &Exit) -> u32 {
        match &exit.kind {
            Kind::Promotion(_) => PROMOTION + self.promotions.effort(exit),
            Kind::King(_) => 1 + self.effort(exit.to),
            Kind::Pawn { passants, .. } => {
                2 + self.effort(exit.to) + passants.iter().map(|&to| self.effort(to)).sum::<u32>()
            }
        }
    }

    fn effort(&self, scene: Scene) -> u32 {
        self.nodes
            .get(&scene)
            .map_or(0, |node| 2 * (32 - node.effort.leading_zeros()))
    }
}
