//! Where the pieces of a word stand in the table that an exit leads into.
//!
//! The pieces of a table are listed in one order (kings, pawns, indexed pieces, lane piece). An exit takes some of
//! them away or changes them; a [`Remap`] gives for each place of the table it leads into which piece
//! of the old list comes there, and whether colours are swapped.

use super::super::layout::{Layout, MAX_PIECES, Placement};
use super::super::pawns::MAX_PAWNS;
use super::super::symmetry::Symmetry;
use duchamp_chess::{Color, Role};
use duchamp_retro::{Bits, Cell};
use duchamp_tablebase::View;

/// Room for the pieces of a word, the lane piece included.
pub(super) const SLOTS: usize = 9;

/// Squares of the pieces of a word in the order of [`Fixed::pieces`], then the lane piece's.
pub(super) type Squares = [u8; SLOTS];

/// Which piece, by its place in [`Squares`].
pub(super) type PieceIndex = u8;

/// How the pieces of a word become those of another table after an exit of one kind.
#[derive(Clone, Debug)]
pub(super) struct Remap<'a, V> {
    pub(super) view: View<'a, Layout, V>,
    /// 56 if colours are swapped, else 0: mirrors the squares.
    pub(super) flip: u8,
    /// The side to move after the exit, in the table's colours.
    pub(super) turn: usize,
    pub(super) kings: [PieceIndex; 2],
    pub(super) pawns: [PieceIndex; MAX_PAWNS],
    pub(super) pawn_count: usize,
    pub(super) pieces: [PieceIndex; MAX_PIECES],
    pub(super) piece_count: usize,
}

/// What a move takes and what it becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind {
    pub(super) mover: Color,
    pub(super) captured: Option<PieceIndex>,
    pub(super) promoted: Option<(PieceIndex, Role)>,
}

impl Kind {
    /// A pawn's push inside the table.
    pub(super) const fn push(mover: Color) -> Kind {
        Kind {
            mover,
            captured: None,
            promoted: None,
        }
    }
}

impl<V: Cell> Remap<'_, V> {
    /// The pieces' squares in the table's order and colours.
    #[inline]
    pub(super) fn placement(&self, squares: &Squares) -> Placement {
        let square = |man: PieceIndex| squares[usize::from(man)] ^ self.flip;
        let mut placement = Placement {
            kings: self.kings.map(square),
            pawns: [0; MAX_PAWNS],
            pieces: [0; MAX_PIECES],
        };
        for (slot, &man) in placement
            .pawns
            .iter_mut()
            .zip(&self.pawns[..self.pawn_count])
        {
            *slot = square(man);
        }
        for (slot, &man) in placement
            .pieces
            .iter_mut()
            .zip(&self.pieces[..self.piece_count])
        {
            *slot = square(man);
        }
        placement
    }

    /// The value of a cell and whether it is cursed, `None` if void.
    #[inline]
    pub(super) fn at(&self, cell: usize) -> Option<(V, bool)> {
        let has = |set: &[u64]| set[cell >> 6] >> (cell & 63) & 1 != 0;
        let cursed = self.view.cursed[self.turn].is_some_and(has);
        (!has(self.view.void[self.turn])).then(|| (self.view.codes[self.turn][cell], cursed))
    }

    /// The values of a word of the table.
    #[inline]
    pub(super) fn word(&self, word: usize) -> &[V; 64] {
        &self.view.codes[self.turn].as_chunks().0[word]
    }

    /// The void cells of a word of the table.
    #[inline]
    pub(super) fn void(&self, word: usize) -> u64 {
        self.view.void[self.turn][word]
    }

    /// The cursed cells of a word of the table.
    #[inline]
    pub(super) fn cursed(&self, word: usize) -> u64 {
        self.view.cursed[self.turn].map_or(0, |set| set[word])
    }

    /// The cell without the square of the piece in `slot`, and the symmetry into the table after
    /// the change of colours.
    #[inline]
    fn base(&self, squares: &Squares, slot: usize) -> Option<(usize, Symmetry)> {
        let placement = self.placement(squares);
        let (mut cell, symmetry) = self.view.index.base(&placement)?;
        let last = self.piece_count - 1;
        for (i, &square) in placement.pieces[..=last].iter().enumerate() {
            if i != slot {
                cell |= usize::from(symmetry.square(square)) << (6 * (last - i));
            }
        }
        let symmetry = if self.flip == 0 {
            symmetry
        } else {
            symmetry.after_flip_ranks()
        };
        Some((cell, symmetry))
    }

    /// The word that holds the values for all squares of the piece `free`, and the symmetry that takes
    /// its squares to its bits; `None` if they are in several words.
    #[inline]
    pub(super) fn word_of(&self, squares: &Squares, free: PieceIndex) -> Option<(usize, Symmetry)> {
        let last = self.piece_count.checked_sub(1)?;
        if self.pieces[last] != free {
            return None;
        }
        let (cell, symmetry) = self.base(squares, last)?;
        Some((cell >> 6, symmetry))
    }

    /// The first cell of the row that the kings and pawns make, and where all squares go; if Black's
    /// king is the table's lane piece, the cell.
    pub(super) fn row(&self, squares: &Squares) -> Option<(usize, &'static [u8; 64])> {
        let (cell, symmetry) = self.view.index.base(&self.placement(squares))?;
        let symmetry = if self.flip == 0 {
            symmetry
        } else {
            symmetry.after_flip_ranks()
        };
        Some((cell, symmetry.squares()))
    }

    /// The values for all squares of the piece `free`, an indexed piece of the table, and which of them are void. They
    /// lie in 64 lines of memory: without a branch between them the processor waits for many at a time.
    #[inline]
    pub(super) fn gathered(&self, squares: &Squares, free: PieceIndex) -> Option<([V; 64], u64)> {
        let pieces = &self.pieces[..self.piece_count];
        let slot = pieces.iter().position(|&man| man == free)?;
        let (cell, symmetry) = self.base(squares, slot)?;
        let (to, shift) = (symmetry.squares(), 6 * (pieces.len() - 1 - slot));
        let (codes, voids) = (self.view.codes[self.turn], self.view.void[self.turn]);
        let mut void = 0;
        let values = std::array::from_fn(|bit| {
            let at = cell | usize::from(to[bit]) << shift;
            void |= (voids[at >> 6] >> (at & 63) & 1) << bit;
            codes[at]
        });
        Some((values, void))
    }

    /// Whether some cell is cursed.
    pub(super) fn has_cursed(&self) -> bool {
        self.view.cursed[self.turn].is_some()
    }

    /// Calls `f` with the value, and whether it is cursed, for each square in `cells` of the piece
    /// `free`, all others being placed, as far as they are not void.
    #[inline]
    pub(super) fn line(
        &self,
        squares: &Squares,
        free: PieceIndex,
        cells: u64,
        mut f: impl FnMut(usize, V, bool),
    ) {
        let mut hand = |bit: usize, cell: usize| {
            if let Some((value, cursed)) = self.at(cell) {
                f(bit, value, cursed);
            }
        };
        let pieces = &self.pieces[..self.piece_count];
        if let Some(slot) = pieces.iter().position(|&man| man == free) {
            if let Some((cell, symmetry)) = self.base(squares, slot) {
                let (to, shift) = (symmetry.squares(), 6 * (pieces.len() - 1 - slot));
                for bit in Bits(cells) {
                    hand(bit, cell | usize::from(to[bit]) << shift);
                }
            }
            return;
        }
        // A king or a pawn: each square is another row.
        let mut placement = self.placement(squares);
        let king = self.kings.iter().position(|&man| man == free);
        let pawns = &self.pawns[..self.pawn_count];
        let pawn = pawns.iter().position(|&man| man == free);
        for bit in Bits(cells) {
            let square = bit as u8 ^ self.flip;
            match (king, pawn) {
                (Some(king), _) => placement.kings[king] = square,
                (None, Some(pawn)) => placement.pawns[pawn] = square,
                (None, None) => return,
            }
            if let Some(cell) = self.view.index.any_cell(&placement) {
                hand(bit, cell);
            }
        }
    }
}

/// Raises the values where `cells` has a bit to those of `with`.
#[inline(always)]
pub(super) fn raise<C: Cell>(values: &mut [C; 64], with: &[C; 64], cells: u64) {
    if cells != 0 {
        C::raise(values, with, cells);
    }
}
