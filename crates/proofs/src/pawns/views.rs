//! What a prover knows, told without any work.

use super::prover::{Prover, StructureNode, WinStatus, question};
use super::rows::{Kings, Rows};
use super::scene::{Ground, Scene};
use duchamp_base::Plies;
use duchamp_chess::{Color, Position, Square};

/// Planes for all squares of a queen, in bytes.
pub(super) const PLANES: usize = 64 * size_of::<Rows>();

impl Prover {
    /// Structures with a queen solved so far.
    #[must_use]
    pub fn queens(&self) -> usize {
        self.queens.len() + self.guards.len() + self.pairs.len() + self.sures.len()
    }

    /// Structures looked into so far.
    #[must_use]
    pub fn structures(&self) -> usize {
        self.nodes.len()
    }

    /// Mutual zugzwangs known so far among the placements of the kings over the pawns of a position: the attacker wins if
    /// the defender is to move, and cannot win if he is to move himself. Pairs of the attacker's and the defender's square.
    #[must_use]
    pub fn zugzwangs(&self, position: &Position, attacker: Color) -> Vec<(Square, Square)> {
        let Some(node) = self.nodes.get(&Scene::of(position, attacker)) else {
            return Vec::new();
        };
        let ground = Ground::of(Scene::of(position, attacker));
        let mut pairs = Vec::new();
        for king in Square::ALL {
            let open = node.bounds.high.attacker[king];
            for other in (node.bounds.low.defender[king] & ground.attacker_row(king)) - open {
                pairs.push((king.relative(attacker), other.relative(attacker)));
            }
        }
        pairs
    }

    /// Whether some pair may be a mutual zugzwang of which [`Prover::zugzwangs`] does not know it yet.
    #[must_use]
    pub fn may_have_more_zugzwangs(&self, position: &Position, attacker: Color) -> bool {
        let scene = Scene::of(position, attacker);
        if scene.attack.is_empty() {
            return false;
        }
        let Some(node) = self.nodes.get(&scene) else {
            return true;
        };
        let (bounds, ground) = (&node.bounds, Ground::of(scene));
        Square::ALL.into_iter().any(|king| {
            // Lost, perhaps, for the defender to move, and not won, perhaps, for the attacker to move.
            let legal = ground.attacker_row(king) & ground.defender_row(king);
            let may = legal & (bounds.high.defender[king] - bounds.low.attacker[king]);
            let known = bounds.low.defender[king] - bounds.high.attacker[king];
            (may - known).any()
        })
    }

    /// What is known of a position as by [`Prover::known`], with the most plies that any win of its structure takes.
    #[must_use]
    pub fn status(&self, position: &Position, attacker: Color) -> Option<WinStatus> {
        question(position, attacker)?;
        Some(match self.glimpse(position, attacker) {
            Some((Some(plies), _)) => WinStatus::Won(plies),
            Some((None, false)) => WinStatus::NotWon,
            _ => WinStatus::Open,
        })
    }

    /// What the kings' placement is worth as far as the structure was looked into: whether the attacker surely wins,
    /// with the most plies that any win of the structure takes, and whether he may win.
    pub(super) fn glimpse(
        &self,
        position: &Position,
        attacker: Color,
    ) -> Option<(Option<Plies>, bool)> {
        let scene = Scene::of(position, attacker);
        if scene.attack.is_empty() {
            return Some((None, false));
        }
        let bounds = &self.nodes.get(&scene)?.bounds;
        let kings = Kings {
            attacker: position.king(attacker).relative(attacker),
            defender: position.king(!attacker).relative(attacker),
        };
        let to_move = position.turn() == attacker;
        let won = bounds.low.has(kings, to_move);
        Some((
            won.then_some(bounds.longest),
            bounds.high.has(kings, to_move),
        ))
    }

    /// Memory of the tables with queens, in bytes.
    pub(super) fn bytes_of_tables(&self) -> usize {
        let pairs = self.pairs.len() + self.sures.len();
        let planes = 2 * self.queens.len() + 3 * self.guards.len() + 128 * pairs;
        planes * PLANES
    }

    /// Memory in use, in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<(Scene, StructureNode)>()
            + self.bytes_of_tables()
            + self.promotions.bytes()
            + self.duel.bytes()
    }
}
