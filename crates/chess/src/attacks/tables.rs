//! Attacks of king, knight and pawn, empty-board rays, and the squares between and on a line with
//! two squares.

use super::super::{Bitboard, Color, Square};

const KING_STEPS: [(i8, i8); 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];
const KNIGHT_STEPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

const fn leaper(steps: &[(i8, i8)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut s = 0;
    while s < 64 {
        let mut i = 0;
        while i < steps.len() {
            if let Some(to) = Square::ALL[s].offset(steps[i].0, steps[i].1) {
                table[s].0 |= 1 << to as u32;
            }
            i += 1;
        }
        s += 1;
    }
    table
}

static KING: [Bitboard; 64] = leaper(&KING_STEPS);
static KNIGHT: [Bitboard; 64] = leaper(&KNIGHT_STEPS);
static PAWN: [[Bitboard; 64]; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];

/// The squares a king attacks.
#[must_use]
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The squares a knight attacks.
#[must_use]
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// The squares a pawn of `color` attacks.
#[must_use]
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// For each square and each of the eight directions, the ray to the edge, itself excluded.
const RAYS: [[u64; 8]; 64] = {
    let mut rays = [[0; 8]; 64];
    let mut s = 0;
    while s < 64 {
        let mut d = 0;
        while d < 8 {
            let (df, dr) = KING_STEPS[d];
            let mut n = 1;
            while let Some(to) = Square::ALL[s].offset(df * n, dr * n) {
                rays[s][d] |= 1 << to as u32;
                n += 1;
            }
            d += 1;
        }
        s += 1;
    }
    rays
};

const fn rays(first: usize) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut s = 0;
    while s < 64 {
        let r = RAYS[s];
        table[s] = Bitboard(r[first] | r[first + 2] | r[first + 4] | r[first + 6]);
        s += 1;
    }
    table
}

static ROOK_RAYS: [Bitboard; 64] = rays(0);
static BISHOP_RAYS: [Bitboard; 64] = rays(1);

/// The squares a rook attacks on an empty board.
#[must_use]
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

/// The squares a bishop attacks on an empty board.
#[must_use]
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

/// Builds the table of [`between`], or with `whole` that of [`line`].
const fn lines(whole: bool) -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut d = 0;
        while d < 8 {
            let opposite = (d + 4) % 8;
            let mut rest = RAYS[a][d];
            while rest != 0 {
                let b = rest.trailing_zeros() as usize;
                table[a][b] = Bitboard(if whole {
                    RAYS[a][d] | RAYS[a][opposite] | 1 << a
                } else {
                    RAYS[a][d] & RAYS[b][opposite]
                });
                rest &= rest - 1;
            }
            d += 1;
        }
        a += 1;
    }
    table
}

static BETWEEN: [[Bitboard; 64]; 64] = lines(false);
static LINE: [[Bitboard; 64]; 64] = lines(true);

/// The squares strictly between two squares on one rank, file or diagonal; else empty.
#[must_use]
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole rank, file or diagonal through two different squares, from edge to edge and with
/// both; empty if they share none.
#[must_use]
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use Square::*;

    #[test]
    fn lines_and_gaps() {
        assert_eq!(between(A1, D4), [B2, C3].into_iter().collect());
        assert_eq!(between(H5, E5), [F5, G5].into_iter().collect());
        assert_eq!(between(A1, B3), Bitboard::EMPTY);
        assert_eq!(line(C3, B2).count(), 8);
        assert_eq!(line(C3, C3), Bitboard::EMPTY);
        assert_eq!(line(A2, B1), [A2, B1].into_iter().collect());
        for a in Square::ALL {
            for b in Square::ALL {
                assert_eq!(between(a, b), between(b, a));
                assert_eq!(line(a, b), line(b, a));
            }
        }
    }

    #[test]
    fn leapers_stay_on_the_board() {
        assert_eq!(king(A1), [B1, A2, B2].into_iter().collect());
        assert_eq!(knight(H8), [F7, G6].into_iter().collect());
        assert_eq!(pawn(Color::White, A2), B3.into());
        assert_eq!(pawn(Color::Black, H1), Bitboard::EMPTY);
        assert_eq!(
            Square::ALL.iter().map(|&s| king(s).count()).sum::<u32>(),
            420
        );
        assert_eq!(
            Square::ALL.iter().map(|&s| knight(s).count()).sum::<u32>(),
            336
        );
    }
}
