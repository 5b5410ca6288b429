//! Pawn structure and the pawn hash table.
//!
//! The terms that depend on pawns alone are stored by the position's pawn key, with the shelter of each king for its last
//! square.

use super::context::{backward, forward, pawn_attacks, rank};
use super::{material, shelter};
use crate::TaperedScore;
use crate::terms::*;
use crate::trace::{TermSum, Tracer};
use duchamp_chess::{Bitboard, ByColor, Color, Position, Role, Square};

/// An entry of the pawn hash table.
#[derive(Clone, Copy, Debug)]
pub(super) struct PawnEntry {
    key: u64,
    /// White's pawns minus Black's, places included.
    score: TaperedScore,
    /// Passed pawns of each side.
    pub(super) passed: ByColor<Bitboard>,
    /// Every square that a side's pawns attack now or after any advance.
    pub(super) spans: ByColor<Bitboard>,
    /// The shelter of a king on a square.
    shelter: ByColor<(Option<Square>, TaperedScore)>,
}

/// Entries of the pawn table; a power of two.
const ENTRIES: usize = 1 << 13;

/// The table. Its contents never change a value, only the time to find it.
#[derive(Debug)]
pub(super) struct PawnTable(Box<[PawnEntry]>);

impl Default for PawnTable {
    fn default() -> PawnTable {
        // An entry for no pawns at all is right under its key; elsewhere it never matches.
        let empty = PawnEntry {
            key: 0,
            score: TaperedScore::ZERO,
            passed: ByColor::default(),
            spans: ByColor::default(),
            shelter: ByColor([(None, TaperedScore::ZERO); 2]),
        };
        PawnTable(vec![empty; ENTRIES].into_boxed_slice())
    }
}

impl PawnTable {
    /// Counts pawn structure and shelters, from the table if possible, and returns the entry with the passed pawns.
    pub(super) fn count<T: Tracer>(
        &mut self,
        position: &Position,
        tally: &mut TermSum<T>,
    ) -> PawnEntry {
        let key = position.pawn_key();
        let entry = &mut self.0[key as usize % ENTRIES];
        if entry.key != key || T::RECORDS {
            *entry = structure(position, tally);
        } else {
            tally.score += entry.score;
        }
        for us in Color::ALL {
            let king = position.king(us);
            let (known, score) = entry.shelter[us];
            if known == Some(king) && !T::RECORDS {
                tally.score += score;
            } else {
                let before = tally.score;
                let pawns = ByColor(Color::ALL.map(|c| position.of(c, Role::Pawn)));
                shelter::shelter(pawns, tally, us, king);
                entry.shelter[us] = (Some(king), tally.score - before);
            }
        }
        *entry
    }
}

/// Counts what depends on pawns alone.
fn structure<T: Tracer>(position: &Position, tally: &mut TermSum<T>) -> PawnEntry {
    let pawns = ByColor(Color::ALL.map(|c| position.of(c, Role::Pawn)));
    let before = tally.score;
    let mut entry = PawnEntry {
        key: position.pawn_key(),
        score: TaperedScore::ZERO,
        passed: ByColor::default(),
        spans: ByColor::default(),
        shelter: ByColor([(None, TaperedScore::ZERO); 2]),
    };
    for us in Color::ALL {
        let (left, right) = pawn_attacks(us, pawns[us]);
        entry.spans[us] = ahead(us, left | right) | left | right;
        for square in pawns[us] {
            if pawn(tally, us, square, pawns[us], pawns[!us]) {
                entry.passed[us] |= square.into();
            }
        }
    }
    entry.score = tally.score - before;
    entry
}

/// Counts one pawn and returns whether it is passed.
fn pawn<T: Tracer>(
    tally: &mut TermSum<T>,
    us: Color,
    square: Square,
    own: Bitboard,
    enemy: Bitboard,
) -> bool {
    let here = Bitboard::of(square);
    let rank = rank(us, square);
    let path = ahead(us, here);
    let beside = here.west() | here.east();
    let beside_path = path.west() | path.east();
    let neighbours = own & files_beside(square);
    let phalanx = own & beside;
    let guards = own & backward(us, beside);
    let opposed = (path & enemy).any();
    let kind = usize::from(!opposed);
    material::piece(tally, us, Role::Pawn, square);

    if (path & own).any() {
        tally.add(us, DOUBLED.one(), 1);
    }
    if neighbours.is_empty() {
        tally.add(us, ISOLATED.at(kind), 1);
    } else if is_backward(us, square, neighbours, enemy) {
        tally.add(us, BACKWARD.at(kind), 1);
    }
    if phalanx.any() {
        tally.add(us, PHALANX.at(rank), 1);
    }
    if guards.any() {
        tally.add(us, GUARDED.at(rank), guards.count() as i32);
    }

    let sentries = enemy & beside_path;
    if opposed || (path & own).any() {
        return false;
    }
    if sentries.is_empty() {
        tally.add(us, PASSED.at(rank), 1);
        return true;
    }
    let helpers = neighbours & (beside | ahead(!us, beside));
    if helpers.count() >= sentries.count() {
        tally.add(us, CANDIDATE.at(rank), 1);
    }
    false
}

/// Whether no neighbour can defend the pawn and enemy pawns hold the square in front of it.
fn is_backward(us: Color, square: Square, neighbours: Bitboard, enemy: Bitboard) -> bool {
    let here = Bitboard::of(square);
    let stop = forward(us, here);
    let beside = here.west() | here.east();
    let (left, right) = pawn_attacks(!us, enemy);
    (neighbours & (beside | ahead(!us, beside))).is_empty() && (stop & (left | right | enemy)).any()
}

/// All squares in front of a set on its files, the set itself left out.
#[inline]
pub(super) fn ahead(us: Color, set: Bitboard) -> Bitboard {
    let mut fill = forward(us, set);
    match us {
        Color::White => {
            fill.0 |= fill.0 << 8;
            fill.0 |= fill.0 << 16;
            fill.0 |= fill.0 << 32;
        }
        Color::Black => {
            fill.0 |= fill.0 >> 8;
            fill.0 |= fill.0 >> 16;
            fill.0 |= fill.0 >> 32;
        }
    }
    fill
}

#[inline]
fn files_beside(square: Square) -> Bitboard {
    let file = Bitboard::file(square.file());
    file.west() | file.east()
}
