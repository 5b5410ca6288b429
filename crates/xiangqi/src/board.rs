//! A board: which piece stands where, and nothing else.

use super::{Bitboard, Color, Piece, Role, Square};

/// A square without a piece, in `Board::squares`.
const NOBODY: u8 = Piece::COUNT as u8;

/// A placement of pieces, legal or not. Sets by role and by colour for the generators, a piece by square for look-ups; the
/// three always agree.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    roles: [Bitboard; 7],
    colors: [Bitboard; 2],
    /// [`Piece::index`], or [`NOBODY`].
    squares: [u8; 90],
}

impl Board {
    /// No pieces.
    pub const EMPTY: Board = Board {
        roles: [Bitboard::EMPTY; 7],
        colors: [Bitboard::EMPTY; 2],
        squares: [NOBODY; 90],
    };

    /// Puts a piece on a square; what stood there is gone.
    #[inline]
    pub fn put(&mut self, piece: Piece, square: Square) {
        self.remove(square);
        let set = Bitboard::of(square);
        self.roles[piece.role.index()] |= set;
        self.colors[piece.color.index()] |= set;
        self.squares[square.index()] = piece.index() as u8;
    }

    /// Takes away the piece of a square, if there is one, and returns it.
    #[inline]
    pub fn remove(&mut self, square: Square) -> Option<Piece> {
        let piece = self.at(square)?;
        let set = Bitboard::of(square);
        self.roles[piece.role.index()] ^= set;
        self.colors[piece.color.index()] ^= set;
        self.squares[square.index()] = NOBODY;
        Some(piece)
    }

    /// The piece on a square.
    #[must_use]
    #[inline]
    pub const fn at(&self, square: Square) -> Option<Piece> {
        Piece::from_index(self.squares[square.index()] as usize)
    }

    /// All squares with a piece.
    #[must_use]
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.colors[0].0 | self.colors[1].0)
    }

    /// The pieces of a side and kind.
    #[must_use]
    #[inline]
    pub const fn of(&self, color: Color, role: Role) -> Bitboard {
        Bitboard(self.colors[color as usize].0 & self.roles[role as usize].0)
    }

    /// All pieces of a side.
    #[must_use]
    #[inline]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    /// All pieces of a kind, both sides.
    #[must_use]
    #[inline]
    pub const fn role(&self, role: Role) -> Bitboard {
        self.roles[role as usize]
    }

    /// How many pieces of each sort there are: 4 bits each, those of a [`Piece`] from bit `4 * Piece::index()` up; more than
    /// 15 count as 15.
    #[must_use]
    pub fn material_counts(&self) -> u64 {
        (0..Piece::COUNT)
            .filter_map(Piece::from_index)
            .fold(0, |counts, piece| {
                let count = self.of(piece.color, piece.role).count().min(15);
                counts | u64::from(count) << (4 * piece.index())
            })
    }

    /// Mirrored left to right.
    #[must_use]
    pub fn mirror_files(&self) -> Board {
        self.map(|piece, square| (piece, square.mirror_file()))
    }

    /// Turned round for the other side: mirrored top to bottom with the colours exchanged.
    #[must_use]
    pub fn swap_colors(&self) -> Board {
        self.map(|Piece { color, role }, square| {
            let color = !color;
            (Piece { color, role }, square.flip_rank())
        })
    }

    fn map(&self, change: impl Fn(Piece, Square) -> (Piece, Square)) -> Board {
        let mut board = Board::EMPTY;
        for square in self.occupied() {
            if let Some(piece) = self.at(square) {
                let (piece, square) = change(piece, square);
                board.put(piece, square);
            }
        }
        board
    }
}
