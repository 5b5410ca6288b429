//! The defender has a queen more: what the attacker may still win.
//!
//! The counterpart of `queen.rs`, from above: the attacker may do what the rules allow, and what comes of moves that are
//! not looked into counts as won for him; of the defender's moves those of his pawns are left out. So what does
//! not come out as a possible win is none.

use super::bounds::Known;
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
            guards: self,
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
    let without = move |square: Square| {
        let gone = Bitboard::of(square);
        Scene {
            attack: scene.attack - gone,
            defend: scene.defend - gone,
        }
    };
    let taken = scene.pawns().into_iter().map(without);
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
    guards: &'a Guards,
    known: &'a dyn Known,
}

impl Field<'_> {
    fn solve(&self) -> Guard {
        let empty = || vec![Rows::EMPTY; 64];
        let pawns = self.scene.pawns();
        let (mut legal, mut open) = (empty(), empty());
        // The defender to move: not saved by a capture, the attacker not in check.
        let mut exposed = empty();
        let steps = steps(self.scene, Mover::Attacker);
        for queen in !pawns {
            let at = queen.index();
            let here = Bitboard::of(queen);
            for king in !(pawns | here) {
                legal[at][king] = self.ground.attacker_row(king) - here;
                open[at][king] = self.exits(&steps, queen, king) & legal[at][king];
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
                let now = Rows::by(|king| exposed[at][king] - saved[at][king]);
                if now == yielding[at] {
                    continue;
                }
                yielding[at] = now;
                let steps = yielding[at].attacker_steps();
                for king in Square::ALL {
                    let new = (steps[king] & legal[at][king]) - open[at][king];
                    grown |= new.any();
                    open[at][king] |= new;
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
                let saved = &mut saved[queen.index()];
                for king in Square::ALL {
                    saved[king] |= beyond[king];
                }
            },
        );
        saved
    }

    /// Placements in a successor, the attacker to move, that he cannot win.
    fn closed(&self, next: Scene, queen: Square, king: Square) -> Bitboard {
        if next.attack.is_empty() {
            return Ground::of(next).attacker_row(king) - Bitboard::of(queen);
        }
        let guard = self.guards.get(next);
        guard.map_or(Bitboard::EMPTY, |guard| {
            guard.legal[queen.index()][king] - guard.open[queen.index()][king]
        })
    }

    /// From where the defender has a capture by king or queen after which the attacker cannot win.
    fn captures(&self, queen: Square, king: Square) -> Bitboard {
        let mut saved = Bitboard::EMPTY;
        let reach = attacks::queen(queen, self.scene.pawns() | Bitboard::of(king));
        for victim in self.scene.attack {
            let next = Scene {
                attack: self.scene.attack - Bitboard::of(victim),
                ..self.scene
            };
            if reach.has(victim) {
                saved |= self.closed(next, victim, king) - attacks::between(queen, victim);
            }
            if self.closed(next, queen, king).has(victim) {
                saved |= attacks::king(victim);
            }
        }
        saved
    }

    /// From where the attacker has a capture or pawn move after which he may win.
    fn exits(&self, steps: &[Step], queen: Square, king: Square) -> Bitboard {
        let yielding = |next: Scene, queen: Square, king: Square| match next.attack.is_empty() {
            true => Bitboard::EMPTY,
            false => self
                .guards
                .get(next)
                .map_or(Bitboard::FULL, |guard| guard.yielding[queen.index()][king]),
        };
        let taken = |next: Scene, king: Square| {
            let all = Ground::of(next).defender_row(king);
            self.known
                .bounds(next)
                .map_or(all, |bounds| bounds.high.defender[king])
        };
        let mut open = Bitboard::EMPTY;
        let near = attacks::king(king);
        if near.has(queen) {
            open |= taken(self.scene, queen);
        }
        for victim in self.scene.defend & near {
            let next = Scene {
                defend: self.scene.defend - Bitboard::of(victim),
                ..self.scene
            };
            open |= yielding(next, queen, victim);
        }
        let stand = Bitboard::of(king) | Bitboard::of(queen);
        for step in steps {
            if ((Bitboard::of(step.to) | step.crossed) & stand).is_empty() {
                open |= yielding(step.after, queen, king) - step.crossed;
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
                taken(next, king)
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
        let next = Scene {
            attack: self.scene.attack - Bitboard::of(from),
            ..self.scene
        };
        let mut safe = Bitboard::of(to);
        if attacks::queen(queen, next.pawns() | Bitboard::of(king)).has(to) {
            safe |= self.closed(next, to, king) - attacks::between(queen, to);
        }
        if self.closed(next, queen, king).has(to) {
            safe |= attacks::king(to);
        }
        // Legal only if the king is not left in check; where he is, nothing is lost by calling it possible.
        !safe
    }
}
