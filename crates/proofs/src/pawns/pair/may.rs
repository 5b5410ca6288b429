//! Each side has a queen: what the attacker may still win.
//!
//! `guard.rs` with a queen more. The attacker may do what the rules allow, and what comes of moves that are not looked
//! into counts as won for him; of the defender's moves those of his pawns are left out. So what does not come out as a
//! possible win is none: exchanges of queens into structures that hold, and checks without end, are found alike.

use super::super::bounds::Known;
use super::super::exits::{Mover, Step, steps};
use super::super::guard::{Guards, successors};
use super::super::queen::{Quest, work};
use super::super::rows::Kings;
use super::super::scene::{Ground, Map, Scene};
use super::field::{Field, Outcome, Queens, at, play, unchecked};
use duchamp_chess::{Bitboard, Color, Rank, Square, attacks};

/// What the attacker may win.
pub(in super::super) struct Pair(Outcome);

impl Pair {
    /// Whether the attacker is proved not to win.
    pub(in super::super) fn holds(
        &self,
        queens: Queens,
        kings: Kings,
        attacker_to_move: bool,
    ) -> bool {
        if attacker_to_move {
            self.0.closed[at(queens)].has(kings)
        } else {
            !self.0.yielding[at(queens)].has(kings)
        }
    }
}

/// All structures with both queens that have been solved.
#[derive(Default)]
pub(in super::super) struct Pairs {
    solved: Map<Scene, Pair>,
}

impl Pairs {
    pub(in super::super) fn get(&self, scene: Scene) -> Option<&Pair> {
        self.solved.get(&scene)
    }

    pub(in super::super) fn len(&self) -> usize {
        self.solved.len()
    }

    /// How many structures are to be solved; `None` if more than `most`.
    pub(in super::super) fn work(&self, scene: Scene, most: usize) -> Option<usize> {
        work(
            scene,
            most,
            |scene| self.solved.contains_key(scene),
            successors,
        )
    }

    /// Solves a structure with all that it leads to. `guards` and `known` tell about structures with the defender's queen
    /// only, and without queens; `None` if the time ends before.
    pub(in super::super) fn solve(
        &mut self,
        scene: Scene,
        guards: &Guards,
        known: &dyn Known,
        quest: &Quest,
    ) -> Option<()> {
        if self.solved.contains_key(&scene) {
            return Some(());
        }
        for next in successors(scene) {
            self.solve(next, guards, known, quest)?;
        }
        let structure = Structure {
            scene,
            ground: Ground::of(scene),
            steps: steps(scene, Mover::Attacker),
            pairs: self,
            guards,
            known,
        };
        let pair = Pair(play(&structure, usize::MAX, quest)?);
        self.solved.insert(scene, pair);
        Some(())
    }
}

/// One structure while it is solved.
struct Structure<'a> {
    scene: Scene,
    ground: Ground,
    /// The attacker's pawn moves.
    steps: Vec<Step>,
    pairs: &'a Pairs,
    guards: &'a Guards,
    known: &'a dyn Known,
}

impl Field for Structure<'_> {
    fn men(&self) -> Bitboard {
        self.scene.pawns()
    }

    fn legal(&self, queens: Queens, king: Square) -> Bitboard {
        let stand = Bitboard::of(queens.attacker) | Bitboard::of(queens.defender);
        let men = self.scene.pawns() | Bitboard::of(king) | Bitboard::of(queens.defender);
        self.ground.attacker_row(king) - (stand | attacks::queen(queens.attacker, men))
    }

    fn replies(&self, queens: Queens, king: Square) -> Bitboard {
        let stand = Bitboard::of(queens.attacker) | Bitboard::of(queens.defender);
        let row = self.ground.defender_row(king) - stand;
        unchecked(row, self.scene.pawns(), queens, king)
    }

    /// From where the attacker has a capture, a pawn move or a promotion after which he may win. Some that are not legal may be
    /// among them.
    fn exits(&self, queens: Queens, king: Square) -> Bitboard {
        let Queens { attacker, defender } = queens;
        let scene = self.scene;
        let near = attacks::king(king);
        let reach = attacks::queen(
            attacker,
            scene.pawns() | Bitboard::of(king) | Bitboard::of(defender),
        );
        if near.has(defender) || scene.attacked().has(defender) {
            return Bitboard::FULL;
        }
        let mut open = Bitboard::EMPTY;
        if reach.has(defender) {
            open |= !(attacks::between(attacker, defender) | self.retaken(defender, king));
        }
        let yielding = |next: Scene, queens: Queens, king: Square| {
            let pair = self.pairs.get(next);
            pair.map_or(Bitboard::FULL, |pair| pair.0.yielding[at(queens)][king])
        };
        for victim in scene.defend & (near | reach) {
            let next = scene.without(victim);
            if near.has(victim) {
                open |= yielding(next, queens, victim);
            }
            if reach.has(victim) {
                let queens = Queens {
                    attacker: victim,
                    defender,
                };
                open |= yielding(next, queens, king) - attacks::between(attacker, victim);
            }
        }
        let stand = Bitboard::of(king) | Bitboard::of(attacker) | Bitboard::of(defender);
        for step in &self.steps {
            if ((Bitboard::of(step.to) | step.crossed) & stand).is_empty() {
                open |= yielding(step.after, queens, king) - step.crossed;
            }
        }
        for from in scene.attack & Bitboard::rank(Rank::R7) {
            let to = Bitboard::of(from).up() - (scene.pawns() | stand);
            if let Some(to) = to.first() {
                open |= !self.harmless(scene.without(from), queens, king, to);
            }
        }
        open
    }

    /// From where the defender has a capture after which the attacker cannot win.
    fn saves(&self, queens: Queens, king: Square) -> Bitboard {
        let Queens { attacker, defender } = queens;
        let scene = self.scene;
        let guarded = |queen: Square, king: Square| {
            if scene.attack.is_empty() {
                return Ground::of(scene).attacker_row(king) - Bitboard::of(queen);
            }
            let guard = self.guards.get(scene);
            guard.map_or(Bitboard::EMPTY, |guard| guard.closed(queen, king))
        };
        let reach = attacks::queen(
            defender,
            scene.pawns() | Bitboard::of(king) | Bitboard::of(attacker),
        );
        let mut saved = Bitboard::EMPTY;
        if reach.has(attacker) {
            saved |= guarded(attacker, king) - attacks::between(defender, attacker);
        }
        if guarded(defender, king).has(attacker) {
            saved |= attacks::king(attacker);
        }
        for victim in scene.attack {
            let next = scene.without(victim);
            if reach.has(victim) {
                let queens = Queens {
                    defender: victim,
                    attacker,
                };
                saved |= self.paired(next, queens, king) - attacks::between(defender, victim);
            }
            if self.paired(next, queens, king).has(victim) {
                saved |= attacks::king(victim);
            }
        }
        saved
    }
}

impl Structure<'_> {
    /// Placements of a structure without queens, the attacker to move, that he cannot win.
    fn quiet(&self, scene: Scene, king: Square) -> Bitboard {
        let legal = Ground::of(scene).attacker_row(king);
        if scene.attack.is_empty() {
            return legal;
        }
        let bounds = self.known.bounds(scene);
        bounds.map_or(Bitboard::EMPTY, |bounds| legal - bounds.high.attacker[king])
    }

    /// The same with both queens.
    fn paired(&self, scene: Scene, queens: Queens, king: Square) -> Bitboard {
        let pair = self.pairs.get(scene);
        pair.map_or(Bitboard::EMPTY, |pair| pair.0.closed[at(queens)][king])
    }

    /// From where the defender retakes on the square of his queen, and the attacker cannot win then.
    fn retaken(&self, square: Square, king: Square) -> Bitboard {
        let mut safe = Bitboard::EMPTY;
        if self.quiet(self.scene, king).has(square) {
            safe |= attacks::king(square);
        }
        if square.rank() == Rank::R1 {
            return safe;
        }
        for from in attacks::pawn(Color::White, square) & self.scene.defend {
            let next = Scene {
                defend: (self.scene.defend - Bitboard::of(from)) | Bitboard::of(square),
                ..self.scene
            };
            safe |= self.quiet(next, king);
        }
        safe
    }

    /// From where the defender takes a new piece at once, and the attacker cannot win then.
    fn harmless(&self, next: Scene, queens: Queens, king: Square, to: Square) -> Bitboard {
        let mut safe = Bitboard::of(to);
        let men = next.pawns() | Bitboard::of(king) | Bitboard::of(queens.attacker);
        if attacks::queen(queens.defender, men).has(to) {
            let taken = Queens {
                defender: to,
                ..queens
            };
            safe |= self.paired(next, taken, king) - attacks::between(queens.defender, to);
        }
        if self.paired(next, queens, king).has(to) {
            safe |= attacks::king(to);
        }
        safe
    }
}
