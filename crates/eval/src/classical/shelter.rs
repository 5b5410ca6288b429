//! Pawns in front of a king: the own ones that shelter it, the enemy's that storm.

use super::context::{distance, rank};
use crate::terms::*;
use crate::trace::{TermSum, Tracer};
use duchamp_chess::{Bitboard, ByColor, Color, Square};

/// Counts shelter and storm on the three files around the king, and how far it is from any pawn.
pub(super) fn shelter<T: Tracer>(
    pawns: ByColor<Bitboard>,
    tally: &mut TermSum<T>,
    us: Color,
    king: Square,
) {
    let level = not_behind(us, king);
    let own = pawns[us] & level;
    let enemy = pawns[!us] & level;
    for file in files_around(king) {
        let ours = nearest(us, own & file_set(file));
        let theirs = nearest(us, enemy & file_set(file));
        let folded = file.min(7 - file);
        tally.add(us, SHELTER.at(folded * 8 + ours), 1);
        if ours != 0 && theirs == ours + 1 {
            tally.add(us, STORM_BLOCKED.at(theirs), 1);
        } else {
            tally.add(us, STORM.at(folded * 8 + theirs), 1);
        }
    }
    let steps = (pawns[us] | pawns[!us])
        .into_iter()
        .map(|pawn| distance(king, pawn))
        .min();
    tally.add(us, KING_TO_PAWN.one(), steps.unwrap_or(0));
}

/// The files of the king and its neighbours; from the edge, the three outermost.
#[inline]
pub(super) fn files_around(king: Square) -> std::ops::RangeInclusive<usize> {
    let middle = (king.index() & 7).clamp(1, 6);
    middle - 1..=middle + 1
}

#[inline]
pub(super) fn file_set(file: usize) -> Bitboard {
    Bitboard(0x0101_0101_0101_0101 << file)
}

/// The ranks from the king's own up to the last.
fn not_behind(us: Color, king: Square) -> Bitboard {
    let row = king.index() & 56;
    match us {
        Color::White => Bitboard(!0 << row),
        Color::Black => Bitboard(!0 >> (56 - row)),
    }
}

/// The rank, as `us` sees it, of the pawn nearest to his back rank; 0 if there is none.
#[inline]
fn nearest(us: Color, pawns: Bitboard) -> usize {
    let pawn = match us {
        Color::White => pawns.first(),
        Color::Black => pawns.last(),
    };
    pawn.map_or(0, |square| rank(us, square))
}
