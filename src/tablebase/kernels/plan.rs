//! Where the men of a word stand in the table that an exit leads into.
//!
//! The men of a table are listed in one order (kings, pawns, word men, bit man). An exit takes some of
//! them away or changes them; a [`Plan`] tells for each place of the table it leads into which man
//! of the old list comes there, and whether colours are swapped.

use super::super::layout::{Layout, MAX_PIECES, Placement};
use super::super::pawns::MAX_PAWNS;
use super::super::solved::Solved;
use crate::chess::{Color, Role};
use crate::retro::{Code, bytes};

/// The values of a table or of those of its slices that are done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) layout: &'a Layout,
    /// By side to move; a symmetric finished table has White's twice.
    pub(crate) codes: [&'a [u8]; 2],
    pub(crate) void: [&'a [u64]; 2],
    /// Whether Black to move must be turned into White to move.
    pub(crate) white_only: bool,
}

impl<'a> View<'a> {
    /// A finished table.
    pub(crate) fn of(solved: &'a Solved) -> View<'a> {
        let sides = Color::ALL.map(|side| solved.side(side));
        View {
            layout: solved.layout(),
            codes: sides.map(|side| &side.codes[..]),
            void: sides.map(|side| &side.void[..]),
            white_only: solved.material().is_symmetric(),
        }
    }
}

/// The most men of a word, the bit man included.
pub(super) const MAX_MEN: usize = 9;

/// Squares of the men of a word in the order of [`Fixed::men`], then the bit man's.
pub(super) type Squares = [u8; MAX_MEN];

/// Which man, by his place in [`Squares`].
pub(super) type Man = u8;

/// How the men of a word become those of another table after an exit of one kind.
#[derive(Clone, Debug)]
pub(super) struct Plan<'a> {
    pub(super) view: View<'a>,
    /// 56 if colours are swapped, else 0: mirrors the squares.
    pub(super) flip: u8,
    /// The side to move after the exit, in the table's colours.
    pub(super) turn: usize,
    pub(super) kings: [Man; 2],
    pub(super) pawns: [Man; MAX_PAWNS],
    pub(super) pawn_count: usize,
    pub(super) pieces: [Man; MAX_PIECES],
    pub(super) piece_count: usize,
}

/// What a move takes and what it becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind {
    pub(super) mover: Color,
    pub(super) captured: Option<Man>,
    pub(super) promoted: Option<(Man, Role)>,
}

impl Plan<'_> {
    /// The men's squares in the table's order and colours.
    #[inline]
    pub(super) fn placement(&self, squares: &Squares) -> Placement {
        let square = |man: Man| squares[usize::from(man)] ^ self.flip;
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

    /// The value of a cell, `None` if void.
    #[inline]
    pub(super) fn at(&self, cell: usize) -> Option<Code> {
        let void = self.view.void[self.turn][cell >> 6] >> (cell & 63) & 1 != 0;
        (!void).then(|| Code(self.view.codes[self.turn][cell]))
    }

    /// Raises some cells to the values of a word of the table, one ply earlier.
    #[inline]
    pub(super) fn raise_word(&self, word: usize, cells: u64, values: &mut [u8; 64]) {
        let cells = cells & !self.view.void[self.turn][word];
        if cells != 0 {
            bytes::raise_before(
                values,
                &self.view.codes[self.turn].as_chunks::<64>().0[word],
                cells,
            );
        }
    }
}
