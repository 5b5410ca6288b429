//! Pawn moves, all pawns at once.

use super::super::position::Position;
use super::super::{Bitboard, Rank, Role, Square, attacks};
use super::kind::{NOISY, QUIET, color};
use super::sink::Sink;

/// For each square its two diagonals: towards h8, and towards a8.
static DIAGONALS: [[Bitboard; 2]; 64] = {
    let mut table = [[Bitboard::EMPTY; 2]; 64];
    let mut s = 0;
    while s < 64 {
        let square = Square::ALL[s];
        let mut n = -7;
        while n < 8 {
            if let Some(on) = square.offset(n, n) {
                table[s][0].0 |= 1 << on as u32;
            }
            if let Some(on) = square.offset(n, -n) {
                table[s][1].0 |= 1 << on as u32;
            }
            n += 1;
        }
        s += 1;
    }
    table
};

/// `set` one rank ahead.
#[inline]
fn ahead<const WHITE: bool>(set: Bitboard) -> Bitboard {
    if WHITE { set.up() } else { set.down() }
}

#[inline]
pub(super) fn moves<S: Sink, const WHITE: bool, const KIND: u8>(
    position: &Position,
    allowed: Bitboard,
    sink: &mut S,
) {
    let us = color(WHITE);
    let occupied = position.occupied();
    let targets = position.color(!us) & allowed;
    let king = position.king(us);
    let pinned = position.pinned();
    let pawns = position.of(us, Role::Pawn);
    let last = Bitboard::rank(if WHITE { Rank::R8 } else { Rank::R1 });
    let forward: i8 = if WHITE { 8 } else { -8 };

    let free = pawns - pinned;
    let pinned = pawns & pinned;
    let pushing = free | pinned & Bitboard::file(king.file());
    let one = ahead::<WHITE>(pushing) - occupied;
    if KIND != NOISY {
        let third = Bitboard::rank(if WHITE { Rank::R3 } else { Rank::R6 });
        let two = ahead::<WHITE>(one & third) - occupied;
        sink.pawns((one - last) & allowed, forward);
        sink.pawns(two & allowed, 2 * forward);
    }
    if KIND == QUIET {
        return;
    }
    let [rising, falling] = DIAGONALS[king.index()];
    let (to_east, to_west) = if WHITE {
        (rising, falling)
    } else {
        (falling, rising)
    };
    let east = ahead::<WHITE>(free | pinned & to_east).east() & targets;
    let west = ahead::<WHITE>(free | pinned & to_west).west() & targets;
    sink.pawns(east - last, forward + 1);
    sink.pawns(west - last, forward - 1);
    let seventh = Bitboard::rank(if WHITE { Rank::R7 } else { Rank::R2 });
    if (pawns & seventh).any() {
        sink.promotions(one & last & allowed, forward);
        sink.promotions(east & last, forward + 1);
        sink.promotions(west & last, forward - 1);
    }
    if let Some(ep) = position.ep_square() {
        for from in attacks::pawn(!us, ep) & pawns {
            if position.is_ep_legal(from, ep) {
                sink.en_passant(from, ep);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagonals_cross_their_square() {
        let [rising, falling] = DIAGONALS[Square::D4.index()];
        assert_eq!(rising & falling, Square::D4.into());
        assert!(rising.has(Square::H8) && falling.has(Square::A7));
        assert_eq!(rising & Bitboard::file(crate::File::A), Square::A1.into());
    }
}
