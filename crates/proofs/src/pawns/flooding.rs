//! When a flood begins, and how it goes on.

use super::flood::Flood;
use super::prover::Prover;
use super::scene::Scene;

/// Lines that pass a structure before what is below it is counted for the first time.
const FIRST: u32 = 8;

/// Structures that may be solved for each line.
const PER_LINE: usize = 64;

/// The share of the room for structures that those below one may take; where there is much room, all but so many.
const ROOM: usize = 8;
const RESERVE: usize = 20_000;

/// Structures solved in one step.
const BATCH: usize = 32;

impl Prover {
    /// Called when one more line passes a structure: sees whether what is below it is to be solved as a whole.
    pub(super) fn consider(&mut self, scene: Scene) {
        let Some(node) = self.nodes.get(&scene) else {
            return;
        };
        if node.whole || node.effort < FIRST || !node.effort.is_power_of_two() {
            return;
        }
        let room = self.most.saturating_sub(self.nodes.len());
        let most = room.saturating_sub(RESERVE).max(room / ROOM);
        let most = most.min(PER_LINE * node.effort as usize);
        let whole = |scene| self.nodes.get(&scene).is_some_and(|node| node.whole);
        if let Some(flood) = Flood::of(scene, most, whole) {
            self.floods.push(flood);
        }
    }

    /// Solves some of the structures that are to be solved as a whole; `false` if there are none.
    pub(super) fn pour(&mut self) -> bool {
        let Some(mut flood) = self.floods.pop() else {
            return false;
        };
        for _ in 0..BATCH {
            if self.is_full() || self.is_over() {
                break;
            }
            let Some(scene) = flood.waiting.pop() else {
                break;
            };
            if self.nodes.contains_key(&scene) {
                self.refresh(scene);
            } else {
                self.create(scene);
            }
            flood.done.push(scene);
        }
        if flood.waiting.is_empty() {
            for scene in flood.done {
                if let Some(node) = self.nodes.get_mut(&scene) {
                    node.whole = true;
                }
            }
        } else {
            self.floods.push(flood);
        }
        true
    }
}
