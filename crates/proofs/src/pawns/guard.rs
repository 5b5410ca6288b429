//! The defender has a queen more: what the attacker may still win.
//!
//! The counterpart of `queen.rs`, from above: the attacker may do what the rules allow, and what comes of moves that are
//! not looked into counts as won for him; of the defender's moves those of his pawns are left out. So what does
//! not come out as a possible win is none.

use super::bounds::{Bounds, Known};
use super::exits::{Mover, Step, steps};
use super::queen::{Planes, Quest, slide, work};
use super::rows::{Kings, Rows, neighbours};
use super::scene::{Ground, Map, Scene};
use duchamp_chess::{Bitboard, Color, Rank, Square, attacks};

/// What the attacker may win against a queen. Planes are the queen's squares.
pub(super) struct Guard {
    /// The attacker to move: legal placements, and those that he may win.
    legal: Planes,
    pub(super) open: Planes,
    /// The defender to move: placements that the attacker may win.
    yielding: Planes,
    /// When it was solved.
    pub(super) born: u64,
}

impl Guard {
    /// Whether the attacker is proved not to win against the queen on a square.
    pub(super) fn holds(&self, queen: Square, kings: Kings, attacker_to_move: bool) -> bool {
        let at = queen.index();
        if attacker_to_move {
            self.legal[at].has(kings) && !self.open[at].has(kings)
        } else {
            !self.yielding[at].has(kings)
        }
    }

    /// The defender's squares with which the attacker, to move, cannot win.
    pub(super) fn closed(&self, queen: Square, king: Square) -> Bitboard {
        self.legal[queen.index()][king] - self.open[queen.index()][king]
    }
}

/// All structures in which the defender has a queen that have been solved.
#[derive(Default)]
pub(super) struct Guards {
    solved: Map<Scene, Guard>,
}

impl Guards {
    pub(super) fn get(&self, scene: Scene) -> Option<&Guard> {
        self.solved.get(&scene)
    }

    pub(super) fn len(&self) -> usize {
        self.solved.len()
    }

    /// How many structures are to be solved; `None` if more than `most`.
    pub(super) fn work(&self, scene: Scene, most: usize) -> Option<usize> {
        let solved = |scene: &Scene| scene.attack.is_empty() || self.solved.contains_key(scene);
        work(scene, most, solved, successors)
    }

    /// Solves a structure with all that it leads to. `known` tells about structures without the queen; `None` if
    /// the time ends before.
    pub(super) fn solve(&mut self, scene: Scene, known: &dyn Known, quest: &Quest) -> Option<()> {
        // A bare king wins nothing; the rules below know it.
        if scene.attack.is_empty() || self.solved.contains_key(&scene) {
            return Some(());
        }
        for next in successors(scene) {
            self.solve(next, known, quest)?;
        }
        if quest.is_over() {
            return None;
        }
        let mut guard = Field {
            scene,
            ground: Ground::of(scene),
            alone: known.bounds(scene),
            by_victim: scene.by_victim(|scene| self.get(scene)),
            steps: steps(scene, Mover::Attacker)
                .into_iter()
                .map(|step| (step, self.get(step.after)))
                .collect(),
            known,
        }
        .solve();
        guard.born = quest.clock;
        self.solved.insert(scene, guard);
        Some(())
    }
}

/// Structures with the queen that captures and the attacker's pawn moves lead to.
pub(super) fn successors(scene: Scene) -> impl Iterator<Item = Scene> {
    let taken = scene.pawns().into_iter();
    let taken = taken.map(move |square| scene.without(square));
    taken.chain(
        steps(scene, Mover::Attacker)
            .into_iter()
            .map(|step| step.after),
    )
}

/// One structure while it is solved.
struct Field<'a> {
    scene: Scene,
    ground: Ground,
    known: &'a dyn Known,
    /// The structure without the queen.
    alone: Option<&'a Bounds>,
    /// The structures without each of the pawns.
    by_victim: [Option<&'a Guard>; 64],
    /// The attacker's pawn moves, and what they lead to.
    steps: Vec<(Step, Option<&'a Guard>)>,
}

impl Field<'_> {
    fn solve(&self) -> Guard {
        let empty = || vec![Rows::EMPTY; 64];
        let pawns = self.scene.pawns();
        let (mut legal, mut open) = (empty(), empty());
        // The defender to move: not saved by a capture, the attacker not in check.
        let mut exposed = empty();
        for queen in !pawns {
            let at = queen.index();
            let here = Bitboard::of(queen);
            for king in !(pawns | here) {
                legal[at][king] = self.ground.attacker_row(king) - here;
                open[at][king] = self.exits(queen, king) & legal[at][king];
                let row =
                    self.ground.defender_row(king) - (here | self.checked(queen, king, pawns));
                exposed[at][king] = row - self.captures(queen, king);
            }
        }
        let mut yielding = empty();
        loop {
            let saved = self.saved(&legal, &open);
            let mut grown = false;
            for at in 0..64 {
                let changed = yielding[at]
                    .update([&exposed[at], &saved[at]], |_, [exposed, saved]| {
                        exposed - saved
                    });
                if changed {
                    let steps = yielding[at].attacker_steps();
                    grown |= open[at].update([&steps, &legal[at]], |open, [steps, legal]| {
                        open | (steps & legal)
                    });
                }
            }
            if !grown {
                return Guard {
                    legal,
                    open,
                    yielding,
                    born: 0,
                };
            }
        }
    }

    /// The defender's squares with which the queen gives check to a king, other pieces being where `men` says.
    fn checked(&self, queen: Square, king: Square, men: Bitboard) -> Bitboard {
        if attacks::queen(queen, men).has(king) {
            !attacks::between(queen, king)
        } else {
            Bitboard::EMPTY
        }
    }

    /// Placements, the defender to move, from which a quiet move of king or queen leads to none that the attacker may win.
    fn saved(&self, legal: &[Rows], open: &[Rows]) -> Planes {
        let closed: Planes = (0..64)
            .map(|at| Rows::by(|king| legal[at][king] - open[at][king]))
            .collect();
        let mut saved: Planes = closed
            .iter()
            .map(|plane| Rows::by(|king| neighbours(plane[king])))
            .collect();
        slide(
            self.scene.pawns(),
            |queen| &closed[queen.index()],
            Bitboard::FULL,
            |queen, beyond| {
                saved[queen.index()].update([beyond], |saved, [beyond]| saved | beyond);
            },
        );
        saved
    }

    /// Placements without one of the pawns, the attacker to move, that he cannot win.
    fn closed(&self, victim: Square, queen: Square, king: Square) -> Bitboard {
        if self.scene.attack == Bitboard::of(victim) {
            let next = self.scene.without(victim);
            return Ground::of(next).attacker_row(king) - Bitboard::of(queen);
        }
        let guard = self.by_victim[victim.index()];
        guard.map_or(Bitboard::EMPTY, |guard| {
            guard.legal[queen.index()][king] - guard.open[queen.index()][king]
        })
    }

    /// From where the defender has a capture by king or queen after which the attacker cannot win.
    fn captures(&self, queen: Square, king: Square) -> Bitboard {
        let mut saved = Bitboard::EMPTY;
        let reach = attacks::queen(queen, self.scene.pawns() | Bitboard::of(king));
        for victim in self.scene.attack {
            if reach.has(victim) {
                saved |= self.closed(victim, victim, king) - attacks::between(queen, victim);
            }
            if self.closed(victim, queen, king).has(victim) {
                saved |= attacks::king(victim);
            }
        }
        saved
    }

    /// From where the attacker has a capture or pawn move after which he may win.
    fn exits(&self, queen: Square, king: Square) -> Bitboard {
        let yielding = |next: Option<&Guard>, queen: Square, king: Square| {
            next.map_or(Bitboard::FULL, |guard| guard.yielding[queen.index()][king])
        };
        let taken = |next: Scene, bounds: Option<&Bounds>, king: Square| {
            let all = || Ground::of(next).defender_row(king);
            bounds.map_or_else(all, |bounds| bounds.high.defender[king])
        };
        let mut open = Bitboard::EMPTY;
        let near = attacks::king(king);
        if near.has(queen) {
            open |= taken(self.scene, self.alone, queen);
        }
        for victim in self.scene.defend & near {
            open |= yielding(self.by_victim[victim.index()], queen, victim);
        }
        let stand = Bitboard::of(king) | Bitboard::of(queen);
        for (step, next) in &self.steps {
            if ((Bitboard::of(step.to) | step.crossed) & stand).is_empty() {
                open |= yielding(*next, queen, king) - step.crossed;
            }
        }
        for from in attacks::pawn(Color::Black, queen) & self.scene.attack {
            let next = Scene {
                attack: (self.scene.attack - Bitboard::of(from)) | Bitboard::of(queen),
                ..self.scene
            };
            // On the last rank the pawn promotes as well: nothing is known of that.
            open |= if queen.rank() == Rank::R8 {
                Bitboard::FULL
            } else {
                taken(next, self.known.bounds(next), king)
            };
        }
        for from in self.scene.attack & Bitboard::rank(Rank::R7) {
            open |= self.promotion(from, queen, king);
        }
        open
    }

    /// Where a promotion may win: not where the new piece can be taken at once with nothing left to win.
    fn promotion(&self, from: Square, queen: Square, king: Square) -> Bitboard {
        let stand = Bitboard::of(king) | Bitboard::of(queen);
        let Some(to) = (Bitboard::of(from).up() - (self.scene.pawns() | stand)).first() else {
            return Bitboard::EMPTY;
        };
        let men = self.scene.without(from).pawns() | Bitboard::of(king);
        let mut safe = Bitboard::of(to);
        if attacks::queen(queen, men).has(to) {
            safe |= self.closed(from, to, king) - attacks::between(queen, to);
        }
        if self.closed(from, queen, king).has(to) {
            safe |= attacks::king(to);
        }
        // Legal only if the king is not left in check; where he is, nothing is lost by calling it possible.
        !safe
    }
}
