//! Where the pieces of each side may stand.

use super::{Bitboard, Color, Role};

const fn ranks(from: u8, to: u8) -> u128 {
    let mut set = 0;
    let mut rank = from;
    while rank <= to {
        set |= Bitboard::rank(rank).0;
        rank += 1;
    }
    set
}

const fn squares(places: &[(u8, u8)]) -> u128 {
    let mut set = 0;
    let mut i = 0;
    while i < places.len() {
        set |= 1 << (9 * places[i].1 + places[i].0);
        i += 1;
    }
    set
}

/// The files on which pawns start: a, c, e, g and i.
const PAWN_FILES: u128 = Bitboard::file(0).0
    | Bitboard::file(2).0
    | Bitboard::file(4).0
    | Bitboard::file(6).0
    | Bitboard::file(8).0;

/// By [`Piece::index`](super::Piece::index).
const ZONES: [u128; 14] = [
    ranks(0, 2) & (Bitboard::file(3).0 | Bitboard::file(4).0 | Bitboard::file(5).0),
    squares(&[(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)]),
    squares(&[(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)]),
    ranks(0, 9),
    ranks(0, 9),
    ranks(0, 9),
    ranks(3, 4) & PAWN_FILES | ranks(5, 9),
    ranks(7, 9) & (Bitboard::file(3).0 | Bitboard::file(4).0 | Bitboard::file(5).0),
    squares(&[(3, 9), (5, 9), (4, 8), (3, 7), (5, 7)]),
    squares(&[(2, 9), (6, 9), (0, 7), (4, 7), (8, 7), (2, 5), (6, 5)]),
    ranks(0, 9),
    ranks(0, 9),
    ranks(0, 9),
    ranks(5, 6) & PAWN_FILES | ranks(0, 4),
];

/// The squares on which a piece can stand: 9 for a king, 5 for an advisor, 7 for an elephant, 55 for a pawn (before the
/// river it cannot have left the file on which it started), all 90 for the others.
///
/// ```
/// use duchamp_xiangqi::{Color, Role, zone};
///
/// assert_eq!(zone(Color::Red, Role::Pawn).count(), 55);
/// ```
#[must_use]
#[inline]
pub const fn zone(color: Color, role: Role) -> Bitboard {
    Bitboard(ZONES[7 * color as usize + role as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_have_their_sizes_and_are_mirrored() {
        let sizes = [9, 5, 7, 90, 90, 90, 55];
        for (role, size) in Role::ALL.into_iter().zip(sizes) {
            let red = zone(Color::Red, role);
            assert_eq!(red.count(), size, "{role}");
            assert_eq!(zone(Color::Black, role), red.flip_ranks(), "{role}");
            assert_eq!(red.mirror_files(), red, "{role}");
        }
    }
}
