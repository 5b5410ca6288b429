//! All structures that one can lead to, solved from the last to the first.
//!
//! Lines go where both sides' hopes meet and solve each structure of their way again and again. Where not many
//! structures are left below one that many lines pass, it takes less time to solve each of them once, when all that it
//! leads to is solved: then only promotions are left to ask about.

use super::exits::{Exit, exits};
use super::scene::{Map, Scene};

/// Everything below a structure, while it is being solved.
pub(super) struct Flood {
    /// Those with the most pawn moves left first; they are taken from the end.
    pub(super) waiting: Vec<Scene>,
    /// Those that are done.
    pub(super) done: Vec<Scene>,
}

impl Flood {
    /// Everything that a structure leads to, and itself, but for what `whole` says is solved with all below it. `None` if
    /// that is more than `most` structures.
    pub(super) fn of(root: Scene, most: usize, whole: impl Fn(Scene) -> bool) -> Option<Flood> {
        let mut seen: Map<Scene, ()> = Map::default();
        let mut waiting = vec![root];
        seen.insert(root, ());
        let mut place = 0;
        while place < waiting.len() {
            if waiting.len() > most {
                return None;
            }
            let exits = exits(waiting[place]);
            let next = exits.iter().flat_map(Exit::successors);
            // Without pawns of his own the attacker does not win.
            waiting.extend(next.filter(|&scene| {
                scene.attack.any() && seen.insert(scene, ()).is_none() && !whole(scene)
            }));
            place += 1;
        }
        waiting.sort_by_cached_key(|scene| std::cmp::Reverse(scene.moves_left()));
        Some(Flood {
            waiting,
            done: Vec::new(),
        })
    }
}
