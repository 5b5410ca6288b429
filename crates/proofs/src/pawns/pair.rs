//! Each side has a queen: what the attacker may still win.
//!
//! `guard.rs` with a queen more: all squares of both queens and both kings for one structure, 64 x 64 planes. The attacker may do
//! what the rules allow, and what comes of moves that are not looked into counts as won for him; of the
//! defender's moves those of his pawns are left out. So what does not come out as a possible win is none: exchanges of queens
//! into structures that hold, and checks without end, are found alike.

use super::bounds::Known;
use super::exits::{Mover, Step, steps};
use super::guard::{Guards, successors};
use super::queen::{Quest, slide, work};
use super::rows::{Kings, Rows, neighbours};
use super::scene::{Ground, Map, Scene};
use duchamp_chess::{Bitboard, Color, Rank, Square, attacks};

/// What the attacker may win, a plane for each square of the defender's queen and each of his own.
pub(super) struct Pair {
    /// The attacker to move: legal placements that he cannot win.
    closed: Vec<Rows>,
    /// The defender to move: placements that the attacker may win.
    yielding: Vec<Rows>,
}

/// The number of a plane.
#[inline]
fn at(queens: Queens) -> usize {
    64 * queens.defender.index() + queens.attacker.index()
}

/// Where the queens stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queens {
    pub(super) attacker: Square,
    pub(super) defender: Square,
}

impl Pair {
    /// Whether the attacker is proved not to win.
    pub(super) fn holds(&self, queens: Queens, kings: Kings, attacker_to_move: bool) -> bool {
        if attacker_to_move {
            self.closed[at(queens)].has(kings)
        } else {
            !self.yielding[at(queens)].has(kings)
        }
    }
}

/// All structures with both queens that have been solved.
#[derive(Default)]
pub(super) struct Pairs {
    solved: Map<Scene, Pair>,
}

impl Pairs {
    pub(super) fn get(&self, scene: Scene) -> Option<&Pair> {
        self.solved.get(&scene)
    }

    pub(super) fn len(&self) -> usize {
        self.solved.len()
    }

    /// How many structures are to be solved; `None` if more than `most`.
    pub(super) fn work(&self, scene: Scene, most: usize) -> Option<usize> {
        work(
            scene,
            most,
            |scene| self.solved.contains_key(scene),
            successors,
        )
    }

    /// Solves a structure with all that it leads to. `guards` and `known` tell about structures with the defender's queen
    /// only, and without queens; `None` if the time ends before.
    pub(super) fn solve(
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
        let pair = Field {
            scene,
            ground: Ground::of(scene),
            steps: steps(scene, Mover::Attacker),
            pairs: self,
            guards,
            known,
        }
        .solve(quest)?;
        self.solved.insert(scene, pair);
        Some(())
    }
}

/// One structure while it is solved.
struct Field<'a> {
    scene: Scene,
    ground: Ground,
    /// The attacker's pawn moves.
    steps: Vec<Step>,
    pairs: &'a Pairs,
    guards: &'a Guards,
    known: &'a dyn Known,
}

impl Field<'_> {
    fn solve(&self, quest: &Quest) -> Option<Pair> {
        let empty = || vec![Rows::EMPTY; 64 * 64];
        let (mut closed, mut exposed) = (empty(), empty());
        let free = !self.scene.pawns();
        for defender in free {
            if quest.is_over() {
                return None;
            }
            for attacker in free - Bitboard::of(defender) {
                let queens = Queens { attacker, defender };
                let (closed, exposed) = (&mut closed[at(queens)], &mut exposed[at(queens)]);
                for king in free - (Bitboard::of(attacker) | Bitboard::of(defender)) {
                    closed[king] = self.legal(queens, king) - self.exits(queens, king);
                    exposed[king] = self.replies(queens, king) - self.saves(queens, king);
                }
            }
        }
        let mut yielding = empty();
        // Squares of the attacker's queen whose planes have changed.
        let mut dirty = free;
        while dirty.any() {
            if quest.is_over() {
                return None;
            }
            let fresh = self.defend(dirty, &closed, &exposed, &mut yielding);
            dirty = self.attack(&fresh, &yielding, &mut closed);
        }
        Some(Pair { closed, yielding })
    }

    /// Placements from which quiet moves of the defender save him no more. `dirty` are squares of the attacker's queen;
    /// returns, for each square of the defender's, where that is new.
    fn defend(
        &self,
        dirty: Bitboard,
        closed: &[Rows],
        exposed: &[Rows],
        yielding: &mut [Rows],
    ) -> [Bitboard; 64] {
        let mut fresh = [Bitboard::EMPTY; 64];
        for attacker in dirty {
            let plane = |defender| at(Queens { attacker, defender });
            let mut saved = vec![Rows::EMPTY; 64];
            for defender in Square::ALL {
                let closed = &closed[plane(defender)];
                saved[defender.index()] = Rows::by(|king| neighbours(closed[king]));
            }
            let men = self.scene.pawns() | Bitboard::of(attacker);
            let closed = |defender| &closed[plane(defender)];
            slide(men, closed, Bitboard::FULL, |defender, beyond| {
                saved[defender.index()].update([beyond], |saved, [beyond]| saved | beyond);
            });
            for defender in !men {
                let (exposed, saved) = (&exposed[plane(defender)], &saved[defender.index()]);
                let changed = yielding[plane(defender)]
                    .update([exposed, saved], |_, [exposed, saved]| exposed - saved);
                if changed {
                    fresh[defender.index()] |= Bitboard::of(attacker);
                }
            }
        }
        fresh
    }

    /// Takes away from where the attacker can move quietly into `yielding`, of which `fresh` is new. Returns the squares of
    /// his queen whose planes have changed.
    fn attack(&self, fresh: &[Bitboard; 64], yielding: &[Rows], closed: &mut [Rows]) -> Bitboard {
        let mut dirty = Bitboard::EMPTY;
        for defender in Square::ALL {
            let fresh = fresh[defender.index()];
            if fresh.is_empty() {
                continue;
            }
            let plane = |attacker| at(Queens { attacker, defender });
            let mut take = |attacker: Square, steps: &Rows| {
                let closed = &mut closed[plane(attacker)];
                if closed.update([steps], |closed, [steps]| closed - steps) {
                    dirty |= Bitboard::of(attacker);
                }
            };
            for attacker in fresh {
                take(attacker, &yielding[plane(attacker)].attacker_steps());
            }
            let men = self.scene.pawns() | Bitboard::of(defender);
            slide(men, |attacker| &yielding[plane(attacker)], fresh, take);
        }
        dirty
    }

    /// The defender's squares, the attacker to move: not in check.
    fn legal(&self, queens: Queens, king: Square) -> Bitboard {
        let stand = Bitboard::of(queens.attacker) | Bitboard::of(queens.defender);
        let men = self.scene.pawns() | Bitboard::of(king) | Bitboard::of(queens.defender);
        self.ground.attacker_row(king) - (stand | attacks::queen(queens.attacker, men))
    }

    /// The defender's squares, he to move: the attacker not in check.
    fn replies(&self, queens: Queens, king: Square) -> Bitboard {
        let stand = Bitboard::of(queens.attacker) | Bitboard::of(queens.defender);
        let men = self.scene.pawns() | Bitboard::of(queens.attacker);
        let row = self.ground.defender_row(king) - stand;
        if attacks::queen(queens.defender, men).has(king) {
            row & attacks::between(queens.defender, king)
        } else {
            row
        }
    }

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
        pair.map_or(Bitboard::EMPTY, |pair| pair.closed[at(queens)][king])
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
            pair.map_or(Bitboard::FULL, |pair| pair.yielding[at(queens)][king])
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::pawns::Prover;
    use crate::pawns::duel::tests::Nobody;
    use crate::pawns::duel::{Duel, Finding};
    use duchamp_base::Random;
    use duchamp_chess::{NoOracle, Piece, Position, Role, Setup};

    /// Kings and queens on squares, with the pawns of a structure.
    fn position(scene: Scene, squares: [Square; 4], turn: Color) -> Option<Position> {
        let mut setup = Setup::EMPTY;
        let men = [
            (Color::White, Role::King),
            (Color::Black, Role::King),
            (Color::White, Role::Queen),
            (Color::Black, Role::Queen),
        ];
        let pawns = [(Color::White, scene.attack), (Color::Black, scene.defend)]
            .into_iter()
            .flat_map(|(color, pawns)| pawns.into_iter().map(move |at| ((color, Role::Pawn), at)));
        for ((color, role), square) in men.into_iter().zip(squares).chain(pawns) {
            if setup.board.at(square).is_some() {
                return None;
            }
            setup.board.put(Piece { color, role }, square);
        }
        setup.turn = turn;
        Position::from_setup(&setup).ok()
    }

    /// What is held is never won by search. Returns how often each is so.
    fn compare(scene: Scene) -> [usize; 2] {
        let prover = Prover::new(Arc::new(NoOracle));
        let quest = Quest {
            clock: 0,
            deadline: None,
        };
        let mut guards = Guards::default();
        let mut pairs = Pairs::default();
        guards.solve(scene, &prover, &quest).expect("no deadline");
        pairs
            .solve(scene, &guards, &prover, &quest)
            .expect("no deadline");
        let pair = pairs.get(scene).expect("solved");
        let mut counts = [0; 2];
        let mut random = Random::new(7);
        let mut duel = Duel::default();
        for _ in 0..600 {
            let squares = [(); 4].map(|()| Square::new(random.below(64)));
            let turn = *random.pick(&Color::ALL);
            let Some(position) = position(scene, squares, turn) else {
                continue;
            };
            let [attacker, defender, own, other] = squares;
            let queens = Queens {
                attacker: own,
                defender: other,
            };
            let holds = pair.holds(queens, Kings { attacker, defender }, turn == Color::White);
            let (finding, _) = duel.ask(&position, &mut Nobody, 300);
            let won = matches!(finding, Finding::Won(_));
            assert!(!(holds && won), "{}", position.fen());
            counts[0] += usize::from(holds);
            counts[1] += usize::from(won);
        }
        counts
    }

    #[test]
    fn what_is_held_is_not_won_by_search() {
        let empty = Scene {
            attack: Bitboard::EMPTY,
            defend: Bitboard::EMPTY,
        };
        let [held, won] = compare(empty);
        assert!(held > 100 && won > 5, "{held} {won}");
        let blocked = Scene {
            attack: Bitboard::of(Square::E4),
            defend: Bitboard::of(Square::E5),
        };
        let [held, won] = compare(blocked);
        assert!(held > 0 && won > 5, "{held} {won}");
    }
}
