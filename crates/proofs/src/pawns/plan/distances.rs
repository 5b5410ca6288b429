//! Plies to the decision: the least that the attacker needs and the most that the defender holds out, by what is proved.
//!
//! Decided is a game by mate, by a promotion that is proved to win, and by a won position of the tables. Inside a structure
//! the kings' game (`kings.rs`) is played level by level, one move of both sides each: at level `n` an exit counts as won
//! only if the position after it is decided soon enough. So structures with fewer pawn moves left are solved first.
//! Every move of the attacker brings the decision nearer by a ply, and no move of the defender puts it off.

use std::collections::BTreeSet;
use std::time::Instant;

use super::super::bounds::{Bound, Bounds, Known, Stage};
use super::super::budget::Spent;
use super::super::exits::{Exit, Mover, exits};
use super::super::kings::{Game, STAGES, Won};
use super::super::prover::Prover;
use super::super::rows::{Kings, Rows};
use super::super::scene::{Map, Scene};
use super::super::spots::Spots;
use super::types::Unplanned;
use duchamp_base::{Plies, limits};
use duchamp_chess::Square;

/// Sets of placements in memory, of 1 KB each.
const MOST_SETS: usize = 300_000;

/// The distances of one structure.
struct Levels {
    /// What is decided from a level on, in rising order; only levels at which something is added.
    sets: Vec<(u16, Won)>,
}

impl Levels {
    /// What is decided at a level.
    fn at(&self, level: u16) -> Option<&Won> {
        let below = self.sets.partition_point(|(from, _)| *from <= level);
        Some(&self.sets[below.checked_sub(1)?].1)
    }

    /// The level at which a placement is decided.
    fn level(&self, kings: Kings, attacker_to_move: bool) -> Option<u16> {
        let open = |(_, won): &(u16, Won)| !won.has(kings, attacker_to_move);
        let (level, _) = self.sets.get(self.sets.partition_point(open))?;
        Some(*level)
    }
}

/// The distances of all structures that a won position can lead to.
pub(super) struct Distances {
    levels: Map<Scene, Levels>,
}

impl Distances {
    /// Works them out from what a prover knows by now.
    pub(super) fn of(
        prover: &mut Prover,
        roots: Vec<Scene>,
        deadline: Option<Instant>,
    ) -> Result<Distances, Unplanned> {
        let mut distances = Distances {
            levels: Map::default(),
        };
        let mut sets = 0;
        // If there is no memory still, the work ends at once.
        limits::recover();
        for scene in reachable(prover, roots) {
            if let Some(spent @ (Spent::Stopped | Spent::Memory)) = prover.spent() {
                return Err(Unplanned::Spent(spent));
            }
            if deadline.is_some_and(|end| Instant::now() >= end) {
                return Err(Unplanned::Spent(Spent::Time));
            }
            // What the structures after it have learnt meanwhile counts.
            prover.refresh(scene);
            let levels = distances.solve(prover, scene);
            sets += levels.sets.len();
            if sets > MOST_SETS {
                return Err(Unplanned::TooLarge);
            }
            distances.levels.insert(scene, levels);
        }
        Ok(distances)
    }

    /// Plies to the decision; `None` where no win is known.
    pub(super) fn plies(&self, scene: Scene, kings: Kings, to_move: Mover) -> Option<Plies> {
        let attacking = to_move == Mover::Attacker;
        let level = self.levels.get(&scene)?.level(kings, attacking)?;
        Some(Plies(2 * level - 2 + u16::from(attacking)))
    }

    fn solve(&self, prover: &Prover, scene: Scene) -> Levels {
        let mut sets: Vec<(u16, Won)> = Vec::new();
        match prover.nodes.get(&scene) {
            None => return Levels { sets },
            Some(node) if node.fixed => {
                sets.push((1, node.bounds.low.clone()));
                return Levels { sets };
            }
            Some(node) if node.bounds.low == Won::NONE => return Levels { sets },
            Some(_) => {}
        }
        let stage = Stage::of(scene);
        let events = self.events(&stage.exits);
        let last = events.last().copied().unwrap_or(0);
        let mut won = Won::NONE;
        let mut game = None;
        for level in 1.. {
            if events.contains(&level) {
                game = Some(self.game(prover, &stage, level));
            }
            let news = game.as_ref().is_some_and(|game| game.step(&mut won));
            if news {
                sets.push((level, won.clone()));
            }
            // Whoever is decided here leaves the structure within the 50-move rule.
            let late = sets
                .first()
                .is_some_and(|(first, _)| level + 1 >= first + STAGES);
            if late || !news && level >= last {
                break;
            }
        }
        Levels { sets }
    }

    /// The levels at which what is known of an exit changes.
    fn events(&self, exits: &[Exit]) -> BTreeSet<u16> {
        // Promotions of the attacker, and searched ones of the defender.
        let mut events = BTreeSet::from([1, 2]);
        for scene in exits.iter().flat_map(Exit::successors) {
            if let Some(levels) = self.levels.get(&scene) {
                let changes = levels.sets.iter().map(|(level, _)| *level);
                events.extend(changes.flat_map(|level| [level, level + 1]));
            }
        }
        events
    }

    /// The kings' game at a level.
    fn game(&self, prover: &Prover, stage: &Stage, level: u16) -> Game {
        let view = |mover| View::of(self, prover, &stage.exits, level, mover);
        let (own, other) = (view(Mover::Attacker), view(Mover::Defender));
        let outlooks = stage.outlooks_by(|mover| match mover {
            Mover::Attacker => &own,
            Mover::Defender => &other,
        });
        stage.game(&outlooks, |_| Bound::Low)
    }
}

/// The structures that a prover knows and that can come from some, those with the fewest pawn moves left first.
fn reachable(prover: &Prover, roots: Vec<Scene>) -> Vec<Scene> {
    let mut seen: Map<Scene, ()> = roots.iter().map(|&scene| (scene, ())).collect();
    let mut found = roots;
    let mut next = 0;
    while let Some(&scene) = found.get(next) {
        next += 1;
        if prover.nodes.get(&scene).is_none_or(|node| node.fixed) {
            continue;
        }
        for to in exits(scene).iter().flat_map(Exit::successors) {
            let known = to.attack.any() && prover.nodes.contains_key(&to);
            if known && seen.insert(to, ()).is_none() {
                found.push(to);
            }
        }
    }
    found.sort_by_key(|scene| scene.moves_left());
    found
}

/// What is decided soon enough after one side's exits from a structure at a level.
struct View<'a> {
    prover: &'a Prover,
    bounds: Map<Scene, Bounds>,
    level: u16,
}

impl<'a> View<'a> {
    fn of(
        distances: &Distances,
        prover: &'a Prover,
        exits: &[Exit],
        level: u16,
        mover: Mover,
    ) -> View<'a> {
        let mut bounds = Map::default();
        // An exit of the attacker is answered at the same level, one of the defender at the level below.
        let answered = match mover {
            Mover::Attacker => level,
            Mover::Defender => level - 1,
        };
        let own = exits.iter().filter(|exit| exit.mover == mover);
        for scene in own.flat_map(Exit::successors) {
            let Some(levels) = distances.levels.get(&scene) else {
                continue;
            };
            let rows = |won: Option<&Won>, of: fn(&Won) -> &Rows| {
                won.map_or(Rows::EMPTY, |won| of(won).clone())
            };
            let low = Won {
                attacker: rows(levels.at(level - 1), |won| &won.attacker),
                defender: rows(levels.at(answered), |won| &won.defender),
            };
            let known = Bounds {
                low,
                ..Bounds::DEAD
            };
            bounds.insert(scene, known);
        }
        View {
            prover,
            bounds,
            level,
        }
    }
}

impl Known for View<'_> {
    fn bounds(&self, scene: Scene) -> Option<&Bounds> {
        self.bounds.get(&scene)
    }

    fn queened(&self, scene: Scene, square: Square) -> Option<(&Rows, bool)> {
        self.prover.queened(scene, square)
    }

    fn conceded(&self, scene: Scene, square: Square) -> Option<&Rows> {
        self.prover.conceded(scene, square)
    }

    fn trying(&self) -> bool {
        self.prover.trying()
    }

    fn spots(&self, scene: Scene, square: Square, mover: Mover) -> Option<&Spots> {
        // A defender's promotion and the winning answer are a move of both sides.
        let soon = mover == Mover::Attacker || self.level > 1;
        self.prover.spots(scene, square, mover).filter(|_| soon)
    }
}
