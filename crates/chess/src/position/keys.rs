//! Zobrist keys: random numbers for every piece on every square, combined by exclusive or
//! (Zobrist, "A New Hashing Method with Application for Game Playing", 1970).

use super::super::{Color, File, Piece, Role, Square};

/// The numbers that keys are made of.
pub(super) struct Numbers {
    pub(super) pieces: [[u64; 64]; 12],
    /// A right to castle, by colour and file of the rook.
    pub(super) castling: [[u64; 8]; 2],
    /// A legal en-passant capture, by file.
    pub(super) en_passant: [u64; 8],
    pub(super) black_to_move: u64,
}

/// SplitMix64 (Steele, Lea & Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
const fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn number(index: usize) -> u64 {
    mix((index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

pub(super) static NUMBERS: Numbers = {
    let mut numbers = Numbers {
        pieces: [[0; 64]; 12],
        castling: [[0; 8]; 2],
        en_passant: [0; 8],
        black_to_move: 0,
    };
    let mut i = 0;
    while i < 12 * 64 {
        numbers.pieces[i / 64][i % 64] = number(i);
        i += 1;
    }
    let mut f = 0;
    while f < 8 {
        numbers.castling[0][f] = number(i + f);
        numbers.castling[1][f] = number(i + 8 + f);
        numbers.en_passant[f] = number(i + 16 + f);
        f += 1;
    }
    numbers.black_to_move = number(i + 24);
    numbers
};

/// The keys that a position keeps up to date.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Keys {
    /// All that matters for what can be played: pieces, turn, rights.
    pub(super) all: u64,
    /// Pawns of both sides only.
    pub(super) pawns: u64,
    /// King and pieces, for each side.
    pub(super) non_pawns: [u64; 2],
    /// How many pieces of each kind: four bits each, enough since no side has more than 16 pieces.
    pub(super) material: u64,
}

impl Keys {
    /// A piece comes to or leaves a square.
    #[inline]
    pub(super) fn toggle(&mut self, piece: Piece, square: Square) {
        self.place(piece, piece_key(piece, square));
    }

    /// A piece goes from a square to another.
    #[inline]
    pub(super) fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        self.place(piece, piece_key(piece, from) ^ piece_key(piece, to));
    }

    #[inline]
    fn place(&mut self, piece: Piece, number: u64) {
        self.all ^= number;
        if piece.role == Role::Pawn {
            self.pawns ^= number;
        } else {
            self.non_pawns[piece.color.index()] ^= number;
        }
    }

    /// One piece more of a kind.
    #[inline]
    pub(super) fn count_up(&mut self, piece: Piece) {
        self.material = self.material.wrapping_add(one(piece));
    }

    /// One piece fewer of a kind.
    #[inline]
    pub(super) fn count_down(&mut self, piece: Piece) {
        self.material = self.material.wrapping_sub(one(piece));
    }
}

#[inline]
pub(super) fn piece_key(piece: Piece, square: Square) -> u64 {
    NUMBERS.pieces[piece.index()][square.index()]
}

#[inline]
pub(super) fn castling(color: Color, rook: Square) -> u64 {
    NUMBERS.castling[color.index()][rook.file().index()]
}

#[inline]
pub(super) fn en_passant(file: File) -> u64 {
    NUMBERS.en_passant[file.index()]
}

/// One piece in the packed counts.
#[inline]
pub(super) const fn one(piece: Piece) -> u64 {
    1 << (4 * piece.index())
}

/// The packed counts as a key with all bits mixed.
#[inline]
pub(super) const fn material_key(counts: u64) -> u64 {
    mix(counts.wrapping_add(0x9E37_79B9_7F4A_7C15))
}
