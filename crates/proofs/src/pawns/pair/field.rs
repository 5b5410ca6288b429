//! All squares of both queens and both kings for one structure, 64 x 64 planes: the set of placements that the attacker does
//! not win shrinks until nothing changes.

use super::super::queen::{Quest, slide, within};
use super::super::rows::{Rows, neighbours};
use duchamp_chess::{Bitboard, Square, attacks};

/// Where the queens stand.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Queens {
    pub(in super::super) attacker: Square,
    pub(in super::super) defender: Square,
}

/// The number of a plane.
#[inline]
pub(super) fn at(queens: Queens) -> usize {
    64 * queens.defender.index() + queens.attacker.index()
}

/// Planes for each square of the defender's queen and each of the attacker's.
pub(super) type Planes = Vec<Rows>;

fn planes() -> Planes {
    vec![Rows::EMPTY; 64 * 64]
}

/// What the game is about: the moves that leave the planes.
pub(super) trait Field {
    /// What stands still and is in the way: pawns, and pieces that do not move.
    fn men(&self) -> Bitboard;

    /// The defender's squares, the attacker to move: not in check.
    fn legal(&self, queens: Queens, king: Square) -> Bitboard;

    /// The defender's squares, he to move: the attacker not in check.
    fn replies(&self, queens: Queens, king: Square) -> Bitboard;

    /// From where the attacker wins by a move that leaves the planes.
    fn exits(&self, queens: Queens, king: Square) -> Bitboard;

    /// From where the defender has such a move after which he is not lost.
    fn saves(&self, queens: Queens, king: Square) -> Bitboard;

    /// Whether what comes out must be won: then a defender who can make none of the moves inside is lost only if he is in
    /// check, since he may be stalemated.
    const SURE: bool = false;

    /// Where the defender is in check; asked for sure wins only.
    fn checks(&self, _: Queens, _: Square) -> Bitboard {
        Bitboard::FULL
    }
}

/// Of a row of the defender's squares, he to move, those with which his queen gives no check to the attacker's king, other
/// pieces being where `men` says.
pub(super) fn unchecked(row: Bitboard, men: Bitboard, queens: Queens, king: Square) -> Bitboard {
    let men = men | Bitboard::of(queens.attacker);
    if attacks::queen(queens.defender, men).has(king) {
        row & attacks::between(queens.defender, king)
    } else {
        row
    }
}

/// What is won of a field.
pub(super) struct Outcome {
    /// The attacker to move: legal placements that he does not win.
    pub(super) closed: Planes,
    /// The defender to move: placements that he loses.
    pub(super) yielding: Planes,
    /// The most plies that a win takes to a move that leaves the planes, or the mate.
    pub(super) longest: u16,
}

/// Plays a field out, for so many stages at most; `None` if the time ends before.
pub(super) fn play<F: Field>(field: &F, most: usize, quest: &Quest) -> Option<Outcome> {
    let (mut closed, mut exposed) = (planes(), planes());
    let free = !field.men();
    for defender in free {
        if quest.is_over() {
            return None;
        }
        for attacker in free - Bitboard::of(defender) {
            let queens = Queens { attacker, defender };
            let plane = at(queens);
            for king in free - (Bitboard::of(attacker) | Bitboard::of(defender)) {
                closed[plane][king] = field.legal(queens, king);
                exposed[plane][king] = field.replies(queens, king) - field.saves(queens, king);
            }
        }
    }
    if F::SURE {
        keep_movable(field, &closed, &mut exposed);
    }
    for defender in free {
        for attacker in free - Bitboard::of(defender) {
            let queens = Queens { attacker, defender };
            let closed = &mut closed[at(queens)];
            for king in free - (Bitboard::of(attacker) | Bitboard::of(defender)) {
                if closed[king].any() {
                    closed[king] = closed[king] - field.exits(queens, king);
                }
            }
        }
    }
    let mut yielding = planes();
    // Squares of the attacker's queen whose planes have changed.
    let mut dirty = free;
    let mut stages = 0;
    while stages < most && dirty.any() {
        if quest.is_over() {
            return None;
        }
        let fresh = defend(field.men(), dirty, &closed, &exposed, &mut yielding);
        dirty = attack(field.men(), &fresh, &yielding, &mut closed);
        stages += 1;
    }
    Some(Outcome {
        closed,
        yielding,
        longest: within(stages),
    })
}

/// Takes out of `exposed` where the defender may be stalemated: no quiet move, and no check.
fn keep_movable(field: &impl Field, legal: &[Rows], exposed: &mut [Rows]) {
    let free = !field.men();
    for attacker in free {
        let saved = saved(field.men(), attacker, legal);
        for defender in free - Bitboard::of(attacker) {
            let queens = Queens { attacker, defender };
            let exposed = &mut exposed[at(queens)];
            for king in free - (Bitboard::of(attacker) | Bitboard::of(defender)) {
                exposed[king] &= saved[defender.index()][king] | field.checks(queens, king);
            }
        }
    }
}

/// Placements, for each square of the defender's queen, from which he has a quiet move into `closed`.
fn saved(men: Bitboard, attacker: Square, closed: &[Rows]) -> Vec<Rows> {
    let closed = |defender| &closed[at(Queens { attacker, defender })];
    let mut saved: Vec<Rows> = Square::ALL
        .into_iter()
        .map(|defender| {
            let closed = closed(defender);
            Rows::by(|king| neighbours(closed[king]))
        })
        .collect();
    let men = men | Bitboard::of(attacker);
    slide(men, closed, Bitboard::FULL, |defender, beyond| {
        saved[defender.index()].update([beyond], |saved, [beyond]| saved | beyond);
    });
    saved
}

/// Placements from which quiet moves of the defender save him no more. `dirty` are squares of the attacker's queen;
/// returns, for each square of the defender's, where that is new.
fn defend(
    men: Bitboard,
    dirty: Bitboard,
    closed: &[Rows],
    exposed: &[Rows],
    yielding: &mut [Rows],
) -> [Bitboard; 64] {
    let mut fresh = [Bitboard::EMPTY; 64];
    for attacker in dirty {
        let saved = saved(men, attacker, closed);
        for defender in !(men | Bitboard::of(attacker)) {
            let plane = at(Queens { attacker, defender });
            let (exposed, saved) = (&exposed[plane], &saved[defender.index()]);
            let changed =
                yielding[plane].update([exposed, saved], |_, [exposed, saved]| exposed - saved);
            if changed {
                fresh[defender.index()] |= Bitboard::of(attacker);
            }
        }
    }
    fresh
}

/// Takes away from where the attacker can move quietly into `yielding`, of which `fresh` is new. Returns the squares of
/// his queen whose planes have changed.
fn attack(
    men: Bitboard,
    fresh: &[Bitboard; 64],
    yielding: &[Rows],
    closed: &mut [Rows],
) -> Bitboard {
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
        let men = men | Bitboard::of(defender);
        slide(men, |attacker| &yielding[plane(attacker)], fresh, take);
    }
    dirty
}
