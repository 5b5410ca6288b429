//! The moves that change the pawns: what each is, and which structure it leads to.

use arrayvec::ArrayVec;

use super::scene::Scene;
use duchamp_chess::{Bitboard, Color, Rank, Square, attacks};

/// Who moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mover {
    Attacker,
    Defender,
}

/// How the pawns change.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A pawn's step or capture. The kings must not stand on `crossed` (the square that a double step passes); the
    /// opponent may capture en passant, which leads to one of `passants` with the mover to move.
    Pawn {
        crossed: Bitboard,
        passants: ArrayVec<Scene, 2>,
    },
    /// The king captures a pawn here.
    King(Square),
    /// A pawn promotes here. `Exit::to` is the structure without it.
    Promotion(Square),
}

/// A move that changes the pawns.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    pub(super) mover: Mover,
    pub(super) kind: Kind,
    /// The square that the piece comes from, for pawns.
    pub(super) from: Option<Square>,
    /// The structure after it.
    pub(super) to: Scene,
}

impl Exit {
    /// The structures that it leads to: with those after captures en passant.
    pub(super) fn successors(&self) -> impl Iterator<Item = Scene> {
        let passants = match &self.kind {
            Kind::Pawn { passants, .. } => passants.as_slice(),
            Kind::King(_) | Kind::Promotion(_) => &[],
        };
        std::iter::once(self.to).chain(passants.iter().copied())
    }
}

/// All moves of both sides that change the pawns of a scene, whatever the kings' places forbid.
pub(super) fn exits(scene: Scene) -> Vec<Exit> {
    let mut list = Vec::with_capacity(24);
    pawn_exits(scene, Mover::Attacker, &mut list);
    pawn_exits(scene, Mover::Defender, &mut list);
    // A guarded pawn cannot be taken by the king; a pawn does not guard itself.
    for square in scene.defend - scene.guarded() {
        list.push(Exit {
            mover: Mover::Attacker,
            kind: Kind::King(square),
            from: None,
            to: Scene {
                defend: scene.defend - Bitboard::of(square),
                ..scene
            },
        });
    }
    for square in scene.attack - scene.attacked() {
        list.push(Exit {
            mover: Mover::Defender,
            kind: Kind::King(square),
            from: None,
            to: Scene {
                attack: scene.attack - Bitboard::of(square),
                ..scene
            },
        });
    }
    list
}

fn pawn_exits(scene: Scene, mover: Mover, list: &mut Vec<Exit>) {
    let (own, other, color, home, last) = match mover {
        Mover::Attacker => (scene.attack, scene.defend, Color::White, Rank::R2, Rank::R8),
        Mover::Defender => (scene.defend, scene.attack, Color::Black, Rank::R7, Rank::R1),
    };
    let scene_of = |own: Bitboard, other: Bitboard| match mover {
        Mover::Attacker => Scene {
            attack: own,
            defend: other,
        },
        Mover::Defender => Scene {
            attack: other,
            defend: own,
        },
    };
    let ahead = |set: Bitboard| match color {
        Color::White => set.up(),
        Color::Black => set.down(),
    };
    let mut add = |from: Square, to: Scene, kind: Kind| {
        list.push(Exit {
            mover,
            kind,
            from: Some(from),
            to,
        });
    };
    let pawns = scene.pawns();
    for from in own {
        let without = own - Bitboard::of(from);
        for victim in attacks::pawn(color, from) & other {
            let victim = Bitboard::of(victim);
            let kind = Kind::Pawn {
                crossed: Bitboard::EMPTY,
                passants: ArrayVec::new(),
            };
            add(from, scene_of(without | victim, other - victim), kind);
        }
        let step = ahead(Bitboard::of(from)) - pawns;
        let Some(target) = step.first() else { continue };
        if target.rank() == last {
            add(from, scene_of(without, other), Kind::Promotion(target));
            continue;
        }
        let kind = Kind::Pawn {
            crossed: Bitboard::EMPTY,
            passants: ArrayVec::new(),
        };
        add(from, scene_of(without | step, other), kind);
        let double = ahead(step) - pawns;
        if from.rank() == home && double.any() {
            // Who stands beside takes the pawn on the square that it has passed.
            let beside = (double.east() | double.west()) & other;
            let passants = beside
                .into_iter()
                .map(|taker| scene_of(without, (other - Bitboard::of(taker)) | step))
                .collect();
            let kind = Kind::Pawn {
                crossed: step,
                passants,
            };
            add(from, scene_of(without | double, other), kind);
        }
    }
}

/// A pawn's step or capture that does not promote.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) from: Square,
    pub(super) to: Square,
    /// The square that a double step passes.
    pub(super) crossed: Bitboard,
    /// The structure after it.
    pub(super) after: Scene,
}

/// One side's pawn moves that do not promote, captures en passant apart.
pub(super) fn steps(scene: Scene, mover: Mover) -> Vec<Step> {
    let mut list = Vec::new();
    for exit in exits(scene).into_iter().filter(|exit| exit.mover == mover) {
        let (Kind::Pawn { crossed, .. }, Some(from)) = (&exit.kind, exit.from) else {
            continue;
        };
        let (before, now) = match mover {
            Mover::Attacker => (scene.attack, exit.to.attack),
            Mover::Defender => (scene.defend, exit.to.defend),
        };
        if let Some(to) = (now - before).first() {
            list.push(Step {
                from,
                to,
                crossed: *crossed,
                after: exit.to,
            });
        }
    }
    list
}
