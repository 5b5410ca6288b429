//! The Gödel index: from a position to a cell of its table and back.
//!
//! A table is an array of 64-bit words for each side to move; a *cell* is one bit of it (or one byte
//! of the array of values). The squares of one *lane piece* are the 64 cells of a word; the word's
//! number fixes the others:
//!
//! | material | word number | lane piece |
//! |---|---|---|
//! | no pawns | king pair (462), then 64 squares for each other piece | the cheapest piece, or White's cheapest (see `black_first`) |
//! | pawns and others | pawn slice, king pair (3,612), then 64 squares for each other piece | the cheapest but pawns |
//! | kings and pawns only | pawn slice, White's king (64) | Black's king |
//!
//! En-passant and castling rights are not in the index.

use super::material::Material;
use super::pairs::KingPairs;
use super::pawns::{MAX_PAWNS, PawnSlices};
use super::symmetry::Symmetry;
use crate::sides::{color, side};
use arrayvec::ArrayVec;
use duchamp_chess::{Bitboard, Board, Color, Piece, Role, Square};
use duchamp_tablebase::CellId;

/// Pieces other than kings and pawns that a table may have.
pub(crate) const MAX_PIECES: usize = 6;

/// What the rows of a table are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rows {
    /// Both kings, 462 or 3,612 pairs.
    Pairs,
    /// White's king; Black's is the lane piece.
    WhiteKing,
}

/// How the positions of one material are numbered: the [`Index`](duchamp_tablebase::Index) of chess.
#[derive(Clone, Debug)]
pub struct Layout {
    material: Material,
    rows: Rows,
    pairs: &'static KingPairs,
    pawns: PawnSlices,
    /// The pieces with a square in the word number, in the order of [`pieces`].
    indexed_pieces: ArrayVec<Piece, MAX_PIECES>,
    lane_piece: Piece,
}

/// A position as plain squares, in the colours of the material.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// White's and Black's king.
    pub(crate) kings: [u8; 2],
    /// The pawns, White's first.
    pub(crate) pawns: [u8; MAX_PAWNS],
    /// The indexed pieces in order, then the lane piece unless it is a king.
    pub(crate) pieces: [u8; MAX_PIECES],
}

impl Layout {
    /// The layout of a canonical material.
    ///
    /// # Panics
    /// With more than four pawns.
    #[must_use]
    pub fn new(material: Material) -> Layout {
        let mut men = pieces(material);
        let lane_piece = men.pop();
        let pawns = PawnSlices::new(
            material.count(Color::White, Role::Pawn).into(),
            material.count(Color::Black, Role::Pawn).into(),
        );
        Layout {
            material,
            rows: if lane_piece.is_some() {
                Rows::Pairs
            } else {
                Rows::WhiteKing
            },
            pairs: if pawns.pawns() == 0 && lane_piece.is_some() {
                KingPairs::symmetric()
            } else {
                KingPairs::all()
            },
            pawns,
            indexed_pieces: men,
            lane_piece: lane_piece.unwrap_or(Piece {
                color: Color::Black,
                role: Role::King,
            }),
        }
    }

    /// What files depend on that has changed since tables were first written: in bit 0 which of the two orders of pieces the
    /// layout has (0 by value, 1 Black's first), in bit 1 whether the ways of Black's pawns are among the contexts of coded
    /// files, from which they were missing.
    #[must_use]
    pub(crate) fn revision(&self) -> u8 {
        let black_pawns = self.material.count(Color::Black, Role::Pawn) > 0;
        let ways = self.material.men() > 4 && black_pawns;
        u8::from(black_first(self.material)) | u8::from(ways) << 1
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The sides to move that a table holds: White only if the material is symmetric.
    #[must_use]
    pub fn sides(&self) -> &'static [Color] {
        if self.material.is_symmetric() {
            &[Color::White]
        } else {
            &Color::ALL
        }
    }

    /// Number of slices (pawn placements); 1 without pawns.
    #[must_use]
    pub(crate) fn slices(&self) -> usize {
        self.pawns.len()
    }

    /// Words of one slice, for one side to move.
    #[must_use]
    pub(crate) fn slice_words(&self) -> usize {
        self.row_count() * self.row_words()
    }

    /// Words of the table, for one side to move.
    #[must_use]
    pub(crate) fn words(&self) -> usize {
        self.slices() * self.slice_words()
    }

    /// Cells of the table, for one side to move: 64 a word.
    #[must_use]
    pub fn cells(&self) -> u64 {
        self.words() as u64 * 64
    }

    pub(crate) fn rows(&self) -> Rows {
        self.rows
    }

    pub(crate) fn pairs(&self) -> &'static KingPairs {
        self.pairs
    }

    pub(crate) fn pawns(&self) -> &PawnSlices {
        &self.pawns
    }

    /// Where the pawns begin among the pieces that a word fixes (the kings come first).
    pub(crate) fn first_pawn(&self) -> usize {
        if self.rows == Rows::Pairs { 2 } else { 1 }
    }

    pub(crate) fn indexed_pieces(&self) -> &[Piece] {
        &self.indexed_pieces
    }

    pub(crate) fn lane_piece(&self) -> Piece {
        self.lane_piece
    }

    /// Rows of one slice.
    pub(crate) fn row_count(&self) -> usize {
        match self.rows {
            Rows::Pairs => self.pairs.len(),
            Rows::WhiteKing => 64,
        }
    }

    /// Words of one row.
    pub(crate) fn row_words(&self) -> usize {
        1 << (6 * self.indexed_pieces.len())
    }

    /// The cell of a position without en-passant or castling rights; `None` if the board has other
    /// pieces, touching kings or pawns on their first or last rank. The position need not be legal.
    /// All symmetric duplicates give the same cell, the one that
    /// [`Index::canonical`](duchamp_tablebase::Index::canonical) keeps.
    #[must_use]
    pub fn locate(&self, board: &Board, turn: Color) -> Option<CellId> {
        let (material, swapped) = Material::of(board);
        if material != self.material {
            None
        } else {
            self.locate_as(board, turn, swapped)
        }
    }

    /// As [`Layout::locate`], for a board that has this material; `swapped`: the board's Black is the
    /// material's White.
    #[must_use]
    pub(crate) fn locate_as(&self, board: &Board, turn: Color, swapped: bool) -> Option<CellId> {
        let swap = swapped || (turn == Color::Black && self.material.is_symmetric());
        let flip = if swap { 56 } else { 0 };
        let color = |c: Color| if swap { !c } else { c };
        let square = |piece: Piece| {
            board
                .of(color(piece.color), piece.role)
                .first()
                .map(|s| s.index() as u8 ^ flip)
        };
        let mut placement = Placement {
            kings: [
                square(Piece {
                    color: Color::White,
                    role: Role::King,
                })?,
                square(Piece {
                    color: Color::Black,
                    role: Role::King,
                })?,
            ],
            pawns: [0; MAX_PAWNS],
            pieces: [0; MAX_PIECES],
        };
        if self.pawns.pawns() > 0 {
            let pawns = |c| {
                board
                    .of(color(c), Role::Pawn)
                    .into_iter()
                    .map(|s| s.index() as u8 ^ flip)
            };
            for (slot, pawn) in placement
                .pawns
                .iter_mut()
                .zip(pawns(Color::White).chain(pawns(Color::Black)))
            {
                *slot = pawn;
            }
        }
        let men = self
            .indexed_pieces
            .iter()
            .chain((self.rows == Rows::Pairs).then_some(&self.lane_piece));
        let mut previous = None;
        let mut set = Bitboard::EMPTY;
        for (slot, &man) in placement.pieces.iter_mut().zip(men) {
            // Identical pieces stand side by side in the list: take their squares one after another.
            if previous != Some(man) {
                set = board.of(color(man.color), man.role);
                previous = Some(man);
            }
            let first = set.first()?;
            set = set - first.into();
            *slot = first.index() as u8 ^ flip;
        }
        Some(CellId {
            side: side(if swap { !turn } else { turn }),
            cell: self.cell_of(&placement)?,
        })
    }

    /// The cell of a placement after choosing among its duplicates.
    pub(crate) fn cell_of(&self, placement: &Placement) -> Option<u64> {
        let (slice, mut symmetry) = self.pawns.find(&placement.pawns)?;
        let [white, black] = placement.kings;
        if self.rows == Rows::WhiteKing {
            KingPairs::all().find(white, black)?;
            if symmetry.is_none() && self.pawns.is_mirror_image(slice) && white & 7 > 3 {
                symmetry = Symmetry::MIRROR_FILES;
            }
            let word = slice * 64 + usize::from(symmetry.square(white));
            return Some(word as u64 * 64 + u64::from(symmetry.square(black)));
        }
        let row = if self.pawns.pawns() > 0 {
            if symmetry.is_none() && self.pawns.is_mirror_image(slice) && white & 7 > 3 {
                symmetry = Symmetry::MIRROR_FILES;
            }
            self.pairs
                .find(symmetry.square(white), symmetry.square(black))?
                .row
        } else {
            let step = self.pairs.find(white, black)?;
            symmetry = step.symmetry;
            step.row
        };
        let row = (slice * self.pairs.len() + usize::from(row)) as u64;
        let number = self.number(placement, symmetry);
        let diagonal = self.pawns.pawns() == 0 && self.is_on_diagonal(row as usize);
        let number = if diagonal {
            number.min(self.number(placement, symmetry.then_transpose()))
        } else {
            number
        };
        Some((row << (6 * (self.indexed_pieces.len() + 1))) + number)
    }

    /// The cell of a placement, whichever of its duplicates it happens to be; `None` if the kings touch
    /// or a pawn is on a wrong rank.
    #[inline]
    pub(crate) fn any_cell(&self, placement: &Placement) -> Option<usize> {
        let (base, symmetry) = self.base(placement)?;
        let n = self.indexed_pieces.len();
        if self.rows == Rows::WhiteKing {
            return Some(base);
        }
        Some(
            placement.pieces[..=n].iter().fold(0, |number, &s| {
                number << 6 | usize::from(symmetry.square(s))
            }) | base,
        )
    }

    /// The first cell of a placement's row (kings and pawns only, all squares of the pieces zero) and
    /// the symmetry into it. If Black's king is the lane piece: the cell.
    #[inline]
    pub(crate) fn base(&self, placement: &Placement) -> Option<(usize, Symmetry)> {
        let [white, black] = placement.kings;
        let (slice, symmetry) = self.pawns.find(&placement.pawns)?;
        if self.rows == Rows::WhiteKing {
            KingPairs::all().find(white, black)?;
            let cell = (slice * 64 + usize::from(symmetry.square(white))) * 64
                + usize::from(symmetry.square(black));
            return Some((cell, symmetry));
        }
        let step = self
            .pairs
            .find(symmetry.square(white), symmetry.square(black))?;
        let symmetry = if self.pawns.pawns() > 0 {
            symmetry
        } else {
            step.symmetry
        };
        let row = slice * self.pairs.len() + usize::from(step.row);
        Some((row << (6 * (self.indexed_pieces.len() + 1)), symmetry))
    }

    /// The part of the cell number that the pieces make, identical pieces in ascending order.
    #[inline]
    pub(crate) fn number(&self, placement: &Placement, symmetry: Symmetry) -> u64 {
        let n = self.indexed_pieces.len();
        let mut squares = placement.pieces.map(|s| symmetry.square(s));
        for i in 0..n {
            let next = if i + 1 < n {
                self.indexed_pieces[i + 1]
            } else {
                self.lane_piece
            };
            if self.indexed_pieces[i] == next {
                // Insertion sort within the run of identical pieces.
                let mut j = i + 1;
                while j > 0 && self.indexed_pieces[j - 1] == next && squares[j - 1] > squares[j] {
                    squares.swap(j - 1, j);
                    j -= 1;
                }
            }
        }
        squares[..=n]
            .iter()
            .fold(0, |number, &s| number << 6 | u64::from(s))
    }

    /// Whether both kings of a row of a table without pawns stand on the diagonal.
    pub(crate) fn is_on_diagonal(&self, row: usize) -> bool {
        self.pairs.kings(row).iter().all(|s| s >> 3 == s & 7)
    }

    /// The board and side to move of a cell, in the colours of the material; `None` if the cell is
    /// out of range, two pieces share a square, or the kings touch. The position need not be legal.
    #[must_use]
    pub fn place(&self, at: CellId) -> Option<(Board, Color)> {
        if at.cell >= self.cells() || !self.sides().contains(&color(at.side)) {
            return None;
        }
        let word = at.word();
        let (slice, inside) = (word / self.slice_words(), word % self.slice_words());
        let bit = at.bit() as u8;
        let (row, mut men) = (inside / self.row_words(), inside % self.row_words());
        let kings = match self.rows {
            Rows::Pairs => self.pairs.kings(row),
            Rows::WhiteKing => [row as u8, bit],
        };
        KingPairs::all().find(kings[0], kings[1])?;
        let mut board = Board::EMPTY;
        let mut put = |piece: Piece, square: u8| {
            let square = Square::wrapping(square.into());
            let free = !board.occupied().has(square);
            if free {
                board.put(piece, square);
            }
            free.then_some(())
        };
        for color in Color::ALL {
            put(
                Piece {
                    color,
                    role: Role::King,
                },
                kings[color.index()],
            )?;
        }
        for (i, &square) in self.pawns.squares(slice).iter().enumerate() {
            let color = if i < self.pawns.white() {
                Color::White
            } else {
                Color::Black
            };
            put(
                Piece {
                    color,
                    role: Role::Pawn,
                },
                square,
            )?;
        }
        if self.rows == Rows::Pairs {
            put(self.lane_piece, bit)?;
        }
        for &man in self.indexed_pieces.iter().rev() {
            put(man, (men & 63) as u8)?;
            men >>= 6;
        }
        Some((board, color(at.side)))
    }
}

/// The pieces of a material but kings and pawns: those with a square in the word number, then the lane piece.
fn pieces(material: Material) -> ArrayVec<Piece, MAX_PIECES> {
    let mut pieces = ArrayVec::new();
    for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
        for color in Color::ALL {
            for _ in 0..material.count(color, role) {
                pieces.push(Piece { color, role });
            }
        }
    }
    if black_first(material) {
        // Stable: the order by value stays.
        pieces.sort_by_key(|piece: &Piece| piece.color == Color::White);
    }
    pieces
}

/// Whether Black's pieces come before White's.
///
/// The last two pieces vary within a block of a file. Values change less with two pieces of the stronger side than with
/// one of each, so such files are smaller (docs/lab/tables.md). With pawns a block holds all other pieces of most
/// tables; two like pieces of White come first, since the solver saves half of their squares
/// ([`Layout::halves`]); tables of four men are small.
fn black_first(material: Material) -> bool {
    let count = |color, role| material.count(color, role);
    let pawns = Color::ALL.iter().any(|&color| count(color, Role::Pawn) > 0);
    let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
    let alone = roles.iter().all(|&role| count(Color::Black, role) == 0);
    let pair = roles.iter().any(|&role| count(Color::White, role) == 2);
    let halved = pair && material.men() == 5;
    !(material.men() < 5 || pawns || alone || halved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (name, words) in [
            ("KvK", 64),
            ("KQvK", 462),
            ("KQvKR", 462 * 64),
            ("KPvK", 24 * 64),
            ("KRvKP", 24 * 3612),
            ("KPvKP", 24 * 47 * 64),
            ("KPPvK", 576 * 64),
            ("KRPvKR", 24 * 3612 * 64),
        ] {
            assert_eq!(
                Layout::new(name.parse().expect(name)).words(),
                words,
                "{name}"
            );
        }
    }

    /// Index of position of index is the identity on canonical cells, and every other cell leads to
    /// a canonical one.
    #[test]
    fn cells_and_positions() {
        for material in [3, 4].iter().flat_map(|&men| Material::all(men)) {
            let layout = Layout::new(material);
            let step = if layout.words() > 1000 { 7 } else { 1 };
            for word in (0..layout.words()).step_by(step) {
                let canonical = layout.canonical(word);
                for bit in 0..64 {
                    let side = layout.sides()[word % layout.sides().len()];
                    let index = CellId {
                        side: crate::sides::side(side),
                        cell: (word * 64 + bit) as u64,
                    };
                    let Some((board, turn)) = layout.place(index) else {
                        continue;
                    };
                    let found = layout
                        .locate(&board, turn)
                        .expect("a position of the table");
                    assert_eq!(
                        found == index,
                        canonical >> bit & 1 != 0,
                        "{material} {index:?} {found:?}"
                    );
                    let kept = layout.canonical((found.cell >> 6) as usize);
                    assert!(
                        kept >> (found.cell & 63) & 1 != 0,
                        "{material} {index:?} {found:?}"
                    );
                }
            }
        }
    }

    /// All eight symmetries and the change of colours lead to the same cell.
    #[test]
    fn symmetries_share_a_cell() {
        for name in ["KQvKR", "KBBvK", "KNvKN", "KRvK", "KPvKP", "KQvKP", "KPPvK"] {
            let layout = Layout::new(name.parse().expect(name));
            for word in (0..layout.words()).step_by(97) {
                let index = CellId {
                    side: duchamp_retro::Side::First,
                    cell: (word * 64 + word % 61) as u64,
                };
                let Some((board, turn)) = layout.place(index) else {
                    continue;
                };
                let cell = layout.locate(&board, turn);
                let images = if layout.pawns().pawns() > 0 { 2 } else { 8 };
                for image in 0..images {
                    let symmetry = Symmetry::new(image & 1 != 0, image & 2 != 0, image & 4 != 0);
                    let mut turned = Board::EMPTY;
                    let mut swapped = Board::EMPTY;
                    for square in board.occupied() {
                        let piece = board.at(square).expect("a piece");
                        let to = Square::wrapping(symmetry.square(square.index() as u8).into());
                        turned.put(piece, to);
                        swapped.put(
                            Piece {
                                color: !piece.color,
                                role: piece.role,
                            },
                            to.flip_rank(),
                        );
                    }
                    assert_eq!(layout.locate(&turned, turn), cell, "{name}");
                    assert_eq!(layout.locate(&swapped, !turn), cell, "{name}");
                }
            }
        }
    }
}
