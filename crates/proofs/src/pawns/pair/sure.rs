//! Each side has a queen: what the attacker surely wins.
//!
//! The counterpart of `may.rs`, from below. The defender may do what the rules allow, and what comes of moves that are not
//! looked into saves him. The attacker may move king and queen, take, step with his pawns, and promote to a queen that then
//! *stands still*: it gives check and guards, and it takes the defender's queen, but it does not move otherwise until the
//! other queen is gone. So what comes out won is won.

use super::super::bounds::Known;
use super::super::exits::{Mover, Step, steps};
use super::super::kings::STAGES;
use super::super::queen::Queens as Lone;
use super::super::queen::{Queen, Quest, Task, own_steps, work};
use super::super::rows::Kings;
use super::super::scene::{Ground, Map, Scene};
use super::field::{Field, Outcome, Queens, at, play, unchecked};
use duchamp_chess::{Bitboard, Color, Rank, Square, attacks};

/// A structure with a queen of either side, and perhaps a second one of the attacker that stands still.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in super::super) struct Stand {
    pub(in super::super) scene: Scene,
    pub(in super::super) still: Option<Square>,
}

impl Stand {
    /// What it leads to: captures, pawn moves of both sides, promotions of the attacker, the loss of a second queen.
    fn successors(self) -> Vec<Stand> {
        let Stand { scene, still } = self;
        let taken = scene.pawns().into_iter();
        let mut list: Vec<Scene> = taken.map(|square| scene.without(square)).collect();
        list.extend(steps(scene, Mover::Defender).iter().map(|step| step.after));
        if still.is_none() {
            list.extend(own_steps(scene).iter().map(|step| step.after));
        }
        list.retain(|next| still.is_none_or(|still| !next.pawns().has(still)));
        let mut list: Vec<Stand> = list
            .into_iter()
            .map(|scene| Stand { scene, still })
            .collect();
        match still {
            Some(_) => list.push(Stand { scene, still: None }),
            None => list.extend(self.promotions().map(|(_, after)| after)),
        }
        list
    }

    /// Where pawns of the attacker may promote to a queen that stands still, and what that leads to.
    fn promotions(self) -> impl Iterator<Item = (Square, Stand)> {
        let Stand { scene, still } = self;
        let ready = match still {
            None => scene.attack & Bitboard::rank(Rank::R7),
            Some(_) => Bitboard::EMPTY,
        };
        ready.into_iter().filter_map(move |from| {
            let to = (Bitboard::of(from).up() - scene.pawns()).first()?;
            let after = Stand {
                scene: scene.without(from),
                still: Some(to),
            };
            Some((to, after))
        })
    }

    /// Where the still queen may take the defender's.
    fn lines(self) -> Bitboard {
        let pawns = self.scene.pawns();
        self.still.map_or(Bitboard::EMPTY, |still| {
            attacks::queen(still, pawns) - pawns
        })
    }

    /// Where pawns of the attacker may take the defender's queen, and the table that this leads to.
    fn by_pawn(self) -> impl Iterator<Item = (Square, Task)> {
        takes(self.scene).filter_map(move |(scene, to)| {
            let still = match (to.rank() == Rank::R8, self.still) {
                (true, None) => Some(to),
                (false, still) if still != Some(to) => still,
                _ => return None,
            };
            Some((to, Task::with_still(scene, still)))
        })
    }

    /// The tables with one side's queens that it leads to.
    fn lone(self) -> Vec<Task> {
        let task = |still| Task::with_still(self.scene, still);
        let mut list = vec![task(self.still)];
        list.extend(self.lines().into_iter().map(|at| task(Some(at))));
        list.extend(self.by_pawn().map(|(_, task)| task));
        list
    }
}

/// Where pawns of the attacker can take a piece, and the structure after it: on the last rank without the pawn.
fn takes(scene: Scene) -> impl Iterator<Item = (Scene, Square)> {
    scene.attack.into_iter().flat_map(move |from| {
        let targets = attacks::pawn(Color::White, from) - scene.pawns();
        targets.into_iter().map(move |to| {
            let mut next = scene.without(from);
            if to.rank() != Rank::R8 {
                next.attack |= Bitboard::of(to);
            }
            (next, to)
        })
    })
}

/// What the attacker surely wins.
pub(in super::super) struct Sure(Outcome);

impl Sure {
    /// The most plies that a win takes to a capture, a pawn move or the mate.
    pub(in super::super) fn longest(&self) -> u16 {
        self.0.longest
    }

    /// Whether the attacker is proved to win a legal placement.
    pub(in super::super) fn wins(
        &self,
        queens: Queens,
        kings: Kings,
        attacker_to_move: bool,
    ) -> bool {
        match attacker_to_move {
            true => !self.0.closed[at(queens)].has(kings),
            false => self.0.yielding[at(queens)].has(kings),
        }
    }
}

/// All that has been solved.
#[derive(Default)]
pub(in super::super) struct Sures {
    solved: Map<Stand, Sure>,
}

impl Sures {
    pub(in super::super) fn get(&self, stand: Stand) -> Option<&Sure> {
        self.solved.get(&stand)
    }

    pub(in super::super) fn len(&self) -> usize {
        self.solved.len()
    }

    /// How many are to be solved; `None` if more than `most`.
    pub(in super::super) fn work(&self, stand: Stand, most: usize) -> Option<usize> {
        let solved = |stand: &Stand| self.solved.contains_key(stand);
        work(stand, most, solved, Stand::successors)
    }

    /// Solves one with all that it leads to. `lone` and `known` tell about structures with queens of the attacker only, and
    /// without queens; of the first so many as there is `room` for are solved, and of the others nothing is known. `None` if
    /// the time ends before.
    pub(in super::super) fn solve(
        &mut self,
        stand: Stand,
        lone: &mut Lone,
        room: &mut usize,
        known: &dyn Known,
        quest: &Quest,
    ) -> Option<()> {
        if self.solved.contains_key(&stand) {
            return Some(());
        }
        for next in stand.successors() {
            self.solve(next, lone, room, known, quest)?;
        }
        for task in stand.lone() {
            if let Some(tables) = lone.work(task, *room) {
                *room -= tables;
                lone.solve(task, known, quest)?;
            }
        }
        let sure = Sure(play(
            &Structure::of(stand, self, lone, known),
            usize::from(STAGES),
            quest,
        )?);
        self.solved.insert(stand, sure);
        Some(())
    }
}

/// One structure while it is solved.
struct Structure<'a> {
    scene: Scene,
    still: Option<Square>,
    ground: Ground,
    known: &'a dyn Known,
    /// The structures without each of the pawns.
    by_victim: [Option<&'a Sure>; 64],
    /// Pawn moves of the attacker, none of which can be answered en passant, and of the defender.
    own: Vec<(Step, &'a Sure)>,
    others: Vec<(Step, Option<&'a Sure>)>,
    /// Where pawns of the attacker promote, and what is won then.
    promoted: Vec<(Square, &'a Sure)>,
    /// Without the queen that stands still.
    single: Option<&'a Sure>,
    /// Without the defender's queen.
    alone: Option<&'a Queen>,
    /// The same, the still queen having taken it, by the square of that.
    taken: [Option<&'a Queen>; 64],
    /// The same, a pawn having taken it on a square.
    by_pawn: Vec<(Square, &'a Queen)>,
}

impl<'a> Structure<'a> {
    fn of(stand: Stand, sures: &'a Sures, lone: &'a Lone, known: &'a dyn Known) -> Structure<'a> {
        let Stand { scene, still } = stand;
        let sure = |scene| sures.get(Stand { scene, still });
        let queen = |task: Task| match task.still {
            None => lone.best(task.scene).map(|(queen, _)| queen),
            Some(_) => lone.get(task),
        };
        let own = match still {
            None => own_steps(scene),
            Some(_) => Vec::new(),
        };
        let mut taken = [None; 64];
        for at in stand.lines() {
            taken[at.index()] = queen(Task::with_still(scene, Some(at)));
        }
        let others = steps(scene, Mover::Defender).into_iter();
        Structure {
            scene,
            still,
            ground: Ground::of(scene),
            known,
            by_victim: scene.by_victim(sure),
            own: own
                .into_iter()
                .filter_map(|step| Some((step, sure(step.after)?)))
                .collect(),
            others: others.map(|step| (step, sure(step.after))).collect(),
            promoted: stand
                .promotions()
                .filter_map(|(to, after)| Some((to, sures.get(after)?)))
                .collect(),
            single: still.and_then(|_| sures.get(Stand { scene, still: None })),
            alone: queen(Task::with_still(scene, still)),
            taken,
            by_pawn: stand
                .by_pawn()
                .filter_map(|(to, task)| Some((to, queen(task)?)))
                .collect(),
        }
    }

    /// The still queen's square, if there is one.
    fn stands(&self) -> Bitboard {
        self.still.map_or(Bitboard::EMPTY, Bitboard::of)
    }

    /// What the attacker's queens attack through the defender's king, with `pawns` in the way.
    fn reach(&self, pawns: Bitboard, queens: Queens, king: Square) -> Bitboard {
        let men = pawns | Bitboard::of(king) | Bitboard::of(queens.defender);
        let reach = attacks::queen(queens.attacker, men | self.stands());
        let still = self.still.map_or(Bitboard::EMPTY, |still| {
            attacks::queen(still, men | Bitboard::of(queens.attacker))
        });
        reach | still
    }

    /// From where the defender has taken the attacker's only queen, is taken in turn, and loses.
    fn retaken(&self, square: Square, king: Square) -> Bitboard {
        let lost = |scene: Scene, king: Square| {
            let bounds = self.known.bounds(scene);
            bounds.map_or(Bitboard::EMPTY, |bounds| bounds.low.defender[king])
        };
        let mut won = Bitboard::EMPTY;
        if attacks::king(king).has(square) {
            won |= lost(self.scene, square);
        }
        for (next, to) in takes(self.scene) {
            if to == square && to.rank() != Rank::R8 {
                won |= lost(next, king);
            }
        }
        won
    }

    /// From where the defender has a move by which he takes a queen and is not lost; `reach` is what his own attacks.
    fn takes_queen(&self, queens: Queens, king: Square, reach: Bitboard) -> Bitboard {
        let Queens { attacker, defender } = queens;
        let row = self.ground.attacker_row(king);
        let mut saved = Bitboard::EMPTY;
        if (self.scene.guarded() & (self.stands() | Bitboard::of(attacker))).any() {
            saved |= row;
        }
        let Some(still) = self.still else {
            if reach.has(attacker) {
                let away = attacks::between(defender, attacker) | self.retaken(attacker, king);
                saved |= row - away;
            }
            if !(self.scene.attacked() | attacks::king(king)).has(attacker) {
                saved |= attacks::king(attacker);
            }
            return saved;
        };
        let closed = |queens| closed(self.single, queens, king);
        // The one that stands still is left, and may move now; or it is the one that goes.
        let left = |defender| Queens {
            attacker: still,
            defender,
        };
        if reach.has(attacker) {
            saved |= closed(left(attacker)) - attacks::between(defender, attacker);
        }
        if closed(left(defender)).has(attacker) {
            saved |= attacks::king(attacker);
        }
        if reach.has(still) {
            let queens = Queens {
                attacker,
                defender: still,
            };
            saved |= closed(queens) - attacks::between(defender, still);
        }
        if closed(queens).has(still) {
            saved |= attacks::king(still);
        }
        saved
    }

    /// From where the defender can promote and is not lost: the new piece is not taken at once, or in vain.
    fn promotes(&self, queens: Queens, king: Square) -> Bitboard {
        let Queens { attacker, defender } = queens;
        let pieces = Bitboard::of(king) | Bitboard::of(attacker) | Bitboard::of(defender);
        let mut saved = Bitboard::EMPTY;
        for from in self.scene.defend & Bitboard::rank(Rank::R2) {
            let to = Bitboard::of(from).down() - (self.scene.pawns() | self.stands() | pieces);
            let Some(to) = to.first() else {
                continue;
            };
            let here = Bitboard::of(to);
            let pawns = self.scene.pawns() - Bitboard::of(from);
            let legal = self.ground.attacker_row(king) - self.reach(pawns | here, queens, king);
            let mut won = Bitboard::EMPTY;
            if let Some(next) = self.by_victim[from.index()] {
                let men = pawns | self.stands() | Bitboard::of(king) | Bitboard::of(defender);
                if attacks::queen(attacker, men).has(to) {
                    let taken = Queens {
                        attacker: to,
                        defender,
                    };
                    let lost = next.0.yielding[at(taken)][king];
                    won |= lost - attacks::between(attacker, to);
                }
                if attacks::king(king).has(to) {
                    won |= next.0.yielding[at(queens)][to];
                }
            }
            saved |= legal - (won | here);
        }
        saved
    }
}

/// Placements, the attacker to move, that are not proved to be won; all of them if nothing is known.
fn closed(sure: Option<&Sure>, queens: Queens, king: Square) -> Bitboard {
    sure.map_or(Bitboard::FULL, |sure| sure.0.closed[at(queens)][king])
}

impl Field for Structure<'_> {
    const SURE: bool = true;

    fn men(&self) -> Bitboard {
        self.scene.pawns() | self.stands()
    }

    fn legal(&self, queens: Queens, king: Square) -> Bitboard {
        let stand = Bitboard::of(queens.attacker) | Bitboard::of(queens.defender);
        let reach = self.reach(self.scene.pawns(), queens, king);
        self.ground.attacker_row(king) - (stand | self.stands() | reach)
    }

    fn replies(&self, queens: Queens, king: Square) -> Bitboard {
        let stand = Bitboard::of(queens.attacker) | Bitboard::of(queens.defender);
        let row = self.ground.defender_row(king) - (stand | self.stands());
        unchecked(row, self.men(), queens, king)
    }

    fn checks(&self, queens: Queens, king: Square) -> Bitboard {
        self.ground.attacked | self.reach(self.scene.pawns(), queens, king)
    }

    fn exits(&self, queens: Queens, king: Square) -> Bitboard {
        let Queens { attacker, defender } = queens;
        let near = attacks::king(king);
        let men = self.men() | Bitboard::of(king);
        let reach = attacks::queen(attacker, men | Bitboard::of(defender));
        let mut won = Bitboard::EMPTY;
        // The defender's queen is taken.
        if let Some(alone) = self.alone {
            if reach.has(defender) {
                won |= alone.lost[defender.index()][king] - attacks::between(attacker, defender);
            }
            if near.has(defender) {
                won |= alone.lost[attacker.index()][defender];
            }
        }
        if let (Some(still), Some(taken)) = (self.still, self.taken[defender.index()])
            && attacks::queen(still, men | Bitboard::of(attacker)).has(defender)
        {
            won |= taken.lost[attacker.index()][king] - attacks::between(still, defender);
        }
        for (to, after) in &self.by_pawn {
            if *to == defender {
                won |= after.lost[attacker.index()][king];
            }
        }
        // A pawn is taken, or moves.
        for victim in self.scene.defend & (near | reach) {
            let Some(next) = self.by_victim[victim.index()] else {
                continue;
            };
            if near.has(victim) {
                won |= next.0.yielding[at(queens)][victim];
            }
            if reach.has(victim) {
                let queens = Queens {
                    attacker: victim,
                    defender,
                };
                let lost = next.0.yielding[at(queens)][king];
                won |= lost - attacks::between(attacker, victim);
            }
        }
        let stand = Bitboard::of(king) | Bitboard::of(attacker) | Bitboard::of(defender);
        for (step, next) in &self.own {
            let path = Bitboard::of(step.to) | step.crossed;
            if (path & stand).is_empty() {
                won |= next.0.yielding[at(queens)][king] - path;
            }
        }
        for (to, next) in &self.promoted {
            if !stand.has(*to) {
                won |= next.0.yielding[at(queens)][king] - Bitboard::of(*to);
            }
        }
        won
    }

    fn saves(&self, queens: Queens, king: Square) -> Bitboard {
        let Queens { attacker, defender } = queens;
        let men = self.men() | Bitboard::of(king) | Bitboard::of(attacker);
        let reach = attacks::queen(defender, men);
        let mut saved = self.takes_queen(queens, king, reach) | self.promotes(queens, king);
        for victim in self.scene.attack {
            let next = self.by_victim[victim.index()];
            if reach.has(victim) {
                let queens = Queens {
                    attacker,
                    defender: victim,
                };
                saved |= closed(next, queens, king) - attacks::between(defender, victim);
            }
            if closed(next, queens, king).has(victim) {
                saved |= attacks::king(victim);
            }
        }
        let stand = self.stands() | Bitboard::of(king) | Bitboard::of(attacker);
        for (step, next) in &self.others {
            let path = Bitboard::of(step.to) | step.crossed;
            if (path & (stand | Bitboard::of(defender))).is_empty() {
                saved |= closed(*next, queens, king) - path;
            }
        }
        saved
    }
}
