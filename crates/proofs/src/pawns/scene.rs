//! A pawn structure seen by the side that tries to win: the *attacker*, whose pawns move up the board.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::rows::Rows;
use duchamp_chess::{Bitboard, Color, Position, Role, Square, attacks};

/// The pawns of both sides; for Black as the attacker the board is turned upside down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scene {
    pub(super) attack: Bitboard,
    pub(super) defend: Bitboard,
}

impl Hash for Scene {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.attack.0);
        state.write_u64(self.defend.0);
    }
}

/// A map by structures, or by what is told apart by few numbers.
pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// Multiplies and folds: much faster than the standard hasher, whose strength is not needed here.
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }
}

impl Scene {
    /// The pawns of a position as `attacker` sees them.
    pub(super) fn of(position: &Position, attacker: Color) -> Scene {
        let pawns = |color| {
            let pawns = position.of(color, Role::Pawn);
            match attacker {
                Color::White => pawns,
                Color::Black => pawns.flip_ranks(),
            }
        };
        Scene {
            attack: pawns(attacker),
            defend: pawns(!attacker),
        }
    }

    #[inline]
    pub(super) fn pawns(self) -> Bitboard {
        self.attack | self.defend
    }

    /// Squares that the attacker's pawns attack.
    #[inline]
    pub(super) fn attacked(self) -> Bitboard {
        attacks::pawns(Color::White, self.attack)
    }

    /// Squares that the defender's pawns attack.
    #[inline]
    pub(super) fn guarded(self) -> Bitboard {
        attacks::pawns(Color::Black, self.defend)
    }

    /// Whether no pawn of the attacker can move, even if the defender's king steps aside: each is blocked by a pawn and
    /// attacks none.
    #[inline]
    pub(super) fn is_blocked(self) -> bool {
        (self.attack.up() - self.pawns()).is_empty() && (self.attacked() & self.defend).is_empty()
    }

    /// The most pawn moves that are left: less after every exit.
    pub(super) fn moves_left(self) -> u32 {
        let sum = |pawns: Bitboard| {
            pawns
                .into_iter()
                .map(|square| 1 + square.rank() as u32)
                .sum::<u32>()
        };
        sum(self.attack.flip_ranks()) + sum(self.defend)
    }

    /// The structure without one of its pawns.
    pub(super) fn without(self, square: Square) -> Scene {
        let gone = Bitboard::of(square);
        Scene {
            attack: self.attack - gone,
            defend: self.defend - gone,
        }
    }

    /// What is known of the structure without each of its pawns, by square.
    pub(super) fn by_victim<T>(self, known: impl Fn(Scene) -> Option<T>) -> [Option<T>; 64] {
        let mut all = [const { None }; 64];
        for square in self.pawns() {
            all[square.index()] = known(self.without(square));
        }
        all
    }

    /// How good the structure looks for the attacker: pawns more, and how far passed pawns have come. Only a guess that says
    /// where to look first.
    pub(super) fn promise(self) -> i32 {
        let side =
            |own: Bitboard, other: Bitboard, ahead: fn(Bitboard) -> Bitboard, last: usize| {
                // Squares that the other side's pawns stand on, or pass or attack on their way ahead.
                let mut stopped = other | other.east() | other.west();
                for _ in 0..6 {
                    stopped |= ahead(stopped);
                }
                let passed = (own - stopped).into_iter();
                let steps = passed.map(|square| 7 - square.rank().index().abs_diff(last));
                3 * own.count() as i32 + steps.map(|steps| steps as i32 / 2).sum::<i32>()
            };
        side(self.attack, self.defend, Bitboard::down, 7)
            - side(self.defend, self.attack, Bitboard::up, 0)
    }

    /// Kings and pawns.
    #[inline]
    pub(super) fn men(self) -> u32 {
        2 + self.pawns().count()
    }
}

/// Which placements of the kings are legal in a scene.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    pawns: Bitboard,
    pub(super) attacked: Bitboard,
    guarded: Bitboard,
}

impl Ground {
    pub(super) fn of(scene: Scene) -> Ground {
        Ground {
            pawns: scene.pawns(),
            attacked: scene.attacked(),
            guarded: scene.guarded(),
        }
    }

    /// Where the defender's king may stand, the attacker to move: in particular not in check. These are also the
    /// squares that it may step to, captures apart.
    #[inline]
    pub(super) fn attacker_row(&self, king: Square) -> Bitboard {
        if self.pawns.has(king) {
            return Bitboard::EMPTY;
        }
        !(self.pawns | self.attacked | attacks::king(king) | Bitboard::of(king))
    }

    /// Where the defender's king may stand, the defender to move; empty where the attacker's king is in check.
    #[inline]
    pub(super) fn defender_row(&self, king: Square) -> Bitboard {
        if (self.pawns | self.guarded).has(king) {
            return Bitboard::EMPTY;
        }
        !(self.pawns | attacks::king(king) | Bitboard::of(king))
    }

    /// Whether a pawn gives check to the attacker's king.
    #[inline]
    pub(super) fn in_check(&self, king: Square) -> bool {
        self.guarded.has(king)
    }

    /// Legal placements, the attacker to move.
    pub(super) fn attacker(&self) -> Rows {
        Rows::by(|king| self.attacker_row(king))
    }

    /// Legal placements, the defender to move.
    pub(super) fn defender(&self) -> Rows {
        Rows::by(|king| self.defender_row(king))
    }
}
