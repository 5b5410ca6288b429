//! A board: who stands where, and nothing else.

use super::attacks;
use super::{Bitboard, Color, File, Piece, Rank, Role, Square};
use std::fmt;
use std::str::FromStr;

/// A placement of pieces, legal or not; the first field of a FEN. Sets by role and by colour for the generators, a role
/// by square for look-ups; the three always agree.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    squares: [Option<Role>; 64],
}

impl Board {
    /// No pieces.
    pub const EMPTY: Board = Board {
        roles: [Bitboard::EMPTY; 6],
        colors: [Bitboard::EMPTY; 2],
        squares: [None; 64],
    };

    /// All pieces of a kind, both colours.
    #[must_use]
    #[inline]
    pub const fn role(&self, role: Role) -> Bitboard {
        self.roles[role as usize]
    }

    /// All pieces of a side.
    #[must_use]
    #[inline]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    /// The pieces of a side and kind.
    #[must_use]
    #[inline]
    pub const fn of(&self, color: Color, role: Role) -> Bitboard {
        Bitboard(self.colors[color as usize].0 & self.roles[role as usize].0)
    }

    /// The bishops and queens of both sides.
    #[must_use]
    #[inline]
    pub const fn diagonal_sliders(&self) -> Bitboard {
        Bitboard(self.role(Role::Bishop).0 | self.role(Role::Queen).0)
    }

    /// The rooks and queens of both sides.
    #[must_use]
    #[inline]
    pub const fn straight_sliders(&self) -> Bitboard {
        Bitboard(self.role(Role::Rook).0 | self.role(Role::Queen).0)
    }

    /// All squares with a piece.
    #[must_use]
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.colors[0].0 | self.colors[1].0)
    }

    /// The number of pieces, kings included.
    #[must_use]
    #[inline]
    pub const fn men(&self) -> u32 {
        self.occupied().count()
    }

    /// The squares on which two boards do not have the same.
    #[must_use]
    #[inline]
    pub fn differing(&self, other: &Board) -> Bitboard {
        let roles = self.roles.iter().zip(&other.roles);
        let colors = self.colors.iter().zip(&other.colors);
        let sets = roles.chain(colors);
        sets.fold(Bitboard::EMPTY, |all, (&a, &b)| all | (a ^ b))
    }

    /// All squares that a side attacks, `occupied` in the way of sliders.
    #[must_use]
    #[inline]
    pub fn attacked_by(&self, color: Color, occupied: Bitboard) -> Bitboard {
        let men = self.color(color);
        let mut set = attacks::pawns(color, men & self.role(Role::Pawn));
        for king in men & self.role(Role::King) {
            set |= attacks::king(king);
        }
        for knight in men & self.role(Role::Knight) {
            set |= attacks::knight(knight);
        }
        for slider in men & self.diagonal_sliders() {
            set |= attacks::bishop(slider, occupied);
        }
        for slider in men & self.straight_sliders() {
            set |= attacks::rook(slider, occupied);
        }
        set
    }

    /// The kind of piece on a square.
    #[must_use]
    #[inline]
    pub const fn role_at(&self, square: Square) -> Option<Role> {
        self.squares[square as usize & 63]
    }

    /// The piece on a square.
    #[must_use]
    #[inline]
    pub const fn at(&self, square: Square) -> Option<Piece> {
        match self.role_at(square) {
            Some(role) => {
                let white = self.colors[0].has(square);
                Some(Piece {
                    color: if white { Color::White } else { Color::Black },
                    role,
                })
            }
            None => None,
        }
    }

    /// Puts a piece on a square, in place of what stands there.
    #[inline]
    pub fn put(&mut self, piece: Piece, square: Square) {
        self.take(square);
        self.add(piece, square);
    }

    /// Takes the piece from a square and returns it.
    #[inline]
    pub fn take(&mut self, square: Square) -> Option<Piece> {
        let piece = self.at(square)?;
        self.remove(piece, square);
        Some(piece)
    }

    /// Puts a piece on a square that is known to be empty.
    #[inline]
    pub(super) fn add(&mut self, piece: Piece, square: Square) {
        self.roles[piece.role.index()] |= square.into();
        self.colors[piece.color.index()] |= square.into();
        self.squares[square.index() & 63] = Some(piece.role);
    }

    /// Takes a piece from a square where it is known to stand.
    #[inline]
    pub(super) fn remove(&mut self, piece: Piece, square: Square) {
        self.roles[piece.role.index()] ^= square.into();
        self.colors[piece.color.index()] ^= square.into();
        self.squares[square.index() & 63] = None;
    }

    /// Moves a piece that is known to stand on `from` to `to`, known to be empty.
    #[inline]
    pub(super) fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        let both = Bitboard::from(from) | to.into();
        self.roles[piece.role.index()] ^= both;
        self.colors[piece.color.index()] ^= both;
        self.squares[from.index() & 63] = None;
        self.squares[to.index() & 63] = Some(piece.role);
    }

    /// Whether the sets by role, by colour and by square agree. Always true; for tests.
    #[must_use]
    pub(super) fn is_consistent(&self) -> bool {
        let mut other = Board::EMPTY;
        for square in self.occupied() {
            match self.at(square) {
                Some(piece) => other.add(piece, square),
                None => return false,
            }
        }
        other == *self
    }
}

/// What is wrong with the board field of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BoardError {
    /// Not eight ranks.
    #[error("the board has {0} ranks instead of 8")]
    Ranks(usize),
    /// A rank that is too long or too short.
    #[error("rank {} does not have 8 squares", .0.to_char())]
    Files(Rank),
    /// A character that is no piece and no digit 1 to 8.
    #[error("{0:?} is not a piece")]
    Man(char),
}

impl FromStr for Board {
    type Err = BoardError;

    /// Reads the first field of a FEN.
    fn from_str(text: &str) -> Result<Board, BoardError> {
        let ranks = text.split('/').count();
        if ranks != 8 {
            return Err(BoardError::Ranks(ranks));
        }
        let mut board = Board::EMPTY;
        for (rank, row) in Rank::ALL.into_iter().rev().zip(text.split('/')) {
            let mut file = 0;
            for c in row.chars() {
                match c {
                    '1'..='8' => file += c as usize - '0' as usize,
                    _ => {
                        let piece = Piece::from_char(c).ok_or(BoardError::Man(c))?;
                        let &at = File::ALL.get(file).ok_or(BoardError::Files(rank))?;
                        board.add(piece, Square::at(at, rank));
                        file += 1;
                    }
                }
            }
            if file != 8 {
                return Err(BoardError::Files(rank));
            }
        }
        Ok(board)
    }
}

/// The first field of a FEN.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                match self.at(Square::at(file, rank)) {
                    Some(piece) => {
                        if empty > 0 {
                            write!(f, "{empty}")?;
                        }
                        empty = 0;
                        write!(f, "{}", piece.to_char())?;
                    }
                    None => empty += 1,
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if rank != Rank::R1 {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}
