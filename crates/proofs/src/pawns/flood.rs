//! All structures that one can lead to, solved from the last to the first.
//!
//! Lines go where both sides' hopes meet and solve each structure of their way again and again. Where not many
//! structures are left below one that many lines pass, it takes less time to solve each of them once, when all that it
//! leads to is solved: then only promotions are left to ask about.

use super::exits::{Kind, exits};
use super::prover::Prover;
use super::scene::{Map, Scene};

/// Lines that pass a structure before what is below it is counted for the first time.
const FIRST: u32 = 8;

/// Structures that may be solved for each line.
const PER_LINE: usize = 64;

/// The share of the room for structures that those below one may take; where there is much room, all but so many.
const ROOM: usize = 8;
const RESERVE: usize = 20_000;

/// Structures solved in one step.
const BATCH: usize = 32;

/// Everything below a structure, while it is being solved.
pub(super) struct Flood {
    /// Those with the most pawn moves left first; they are taken from the end.
    waiting: Vec<Scene>,
    /// Those that are done.
    done: Vec<Scene>,
}

impl Flood {
    /// Everything that a structure leads to, and itself, but for what `whole` says is solved with all below it. `None` if
    /// that is more than `most` structures.
    fn of(root: Scene, most: usize, whole: impl Fn(Scene) -> bool) -> Option<Flood> {
        let mut seen: Map<Scene, ()> = Map::default();
        let mut waiting = vec![root];
        seen.insert(root, ());
        let mut place = 0;
        while place < waiting.len() {
            if waiting.len() > most {
                return None;
            }
            let mut next = Vec::new();
            for exit in exits(waiting[place]) {
                next.push(exit.to);
                if let Kind::Pawn { passants, .. } = exit.kind {
                    next.extend(passants);
                }
            }
            // Without pawns of his own the attacker does not win.
            next.retain(|scene| {
                scene.attack.any() && seen.insert(*scene, ()).is_none() && !whole(*scene)
            });
            waiting.append(&mut next);
            place += 1;
        }
        waiting.sort_by_cached_key(|scene| std::cmp::Reverse(scene.moves_left()));
        Some(Flood {
            waiting,
            done: Vec::new(),
        })
    }
}

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
