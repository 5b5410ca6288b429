//! [`Layout`] as the numbering that the table machinery needs.

use std::ops::Range;

use duchamp_chess::Piece;
use duchamp_retro::{Code, Side};
use duchamp_tablebase::{CellId, Form, Index, Outlook, Planes, Settings, Visitor};

use crate::contexts;
use crate::layout::{Layout, Rows};
use crate::material::Material;
use crate::sides::color;
use crate::symmetry::Symmetry;

impl Index for Layout {
    type Key = Material;

    fn new(key: Material) -> Layout {
        Layout::new(key)
    }

    fn key(&self) -> Material {
        self.material()
    }

    fn revision(&self) -> u8 {
        Layout::revision(self)
    }

    fn slices(&self) -> usize {
        self.pawns().len()
    }

    fn waves(&self) -> &[Range<usize>] {
        self.pawns().waves()
    }

    fn row_words(&self) -> usize {
        Layout::row_words(self)
    }

    fn slice_words(&self) -> usize {
        Layout::slice_words(self)
    }

    fn legal(&self, side: Side, word: usize) -> u64 {
        Layout::legal(self, color(side), word)
    }

    fn canonical(&self, word: usize) -> u64 {
        Layout::canonical(self, word)
    }

    fn namings(&self, at: CellId) -> u64 {
        crate::namings::namings(self, at)
    }

    fn fill_duplicates(&self, codes: &mut [Code]) {
        Layout::fill_duplicates(self, codes);
    }

    fn complete_rows<C: Copy + Send + Sync>(&self, words: &mut [C]) {
        self.fill_other_half(words);
    }

    fn exchanged_slice(&self, slice: usize) -> Option<usize> {
        self.exchanged(slice).map(|(other, _)| other)
    }

    fn exchanged_cells(&self, slice: usize, each: &mut dyn FnMut(usize, usize)) {
        let Some((_, symmetry)) = self.exchanged(slice) else {
            return;
        };
        // The kings change places, and the symmetry turns the board.
        let turn = symmetry.after_flip_ranks();
        if self.rows() == Rows::WhiteKing {
            for white in 0..64 {
                for black in 0..64 {
                    let word = usize::from(turn.square(black));
                    let cell = usize::from(white) * 64 + usize::from(black);
                    each(cell, word * 64 + usize::from(turn.square(white)));
                }
            }
            return;
        }
        let partners = self.partners();
        let pieces = partners.len();
        let place = |piece: usize, square: usize| {
            let shift = 6 * (pieces - 1 - partners[piece]);
            usize::from(turn.square(square as u8)) << shift
        };
        for row in 0..self.row_count() {
            let [white, black] = self.pairs().kings(row);
            let step = self.pairs().find(turn.square(black), turn.square(white));
            let Some(step) = step else { continue };
            let [from, to] = [row, step.row.into()].map(|row| row << (6 * pieces));
            for word in 0..self.row_words() {
                let squares = (0..pieces - 1).map(|piece| word >> (6 * (pieces - 2 - piece)) & 63);
                let others = squares.enumerate();
                let others: usize = others.map(|(piece, square)| place(piece, square)).sum();
                for lane in 0..64 {
                    let other = to + others + place(pieces - 1, lane);
                    each(from + word * 64 + lane, other);
                }
            }
        }
    }

    fn leads_to(&self, slice: usize) -> Vec<usize> {
        self.pushes_lead_to(slice)
    }

    /// Tables of five men and more are coded: smaller ones are small anyway, and are probed most.
    fn form(&self) -> Form {
        if self.material().men() < 5 {
            Form::Direct
        } else {
            Form::Coded
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            bits: contexts::setting_bits(self),
            common: contexts::COMMON,
        }
    }

    fn walk<V: Visitor>(&self, side: Side, first: usize, planes: &mut [Planes], visitor: &mut V) {
        let walk = contexts::Walk {
            layout: self,
            side: color(side),
        };
        walk.block(first, planes, visitor);
    }

    fn codes_distances(&self) -> bool {
        true
    }

    fn outlooks(&self, side: Side, first: usize, outlooks: &mut [Outlook]) {
        let walk = contexts::Walk {
            layout: self,
            side: color(side),
        };
        walk.outlooks(first, outlooks);
    }
}

impl Layout {
    /// For each piece but kings and pawns, the place of the like one of the other colour.
    fn partners(&self) -> Vec<usize> {
        let pieces: Vec<Piece> = self
            .indexed_pieces()
            .iter()
            .copied()
            .chain([self.lane_piece()])
            .collect();
        let nth = |piece: usize| {
            pieces[..piece]
                .iter()
                .filter(|it| **it == pieces[piece])
                .count()
        };
        let partner = |piece: usize| {
            let wanted = Piece {
                color: !pieces[piece].color,
                ..pieces[piece]
            };
            let mut like = (0..pieces.len()).filter(|&other| pieces[other] == wanted);
            like.nth(nth(piece)).unwrap_or(piece)
        };
        (0..pieces.len()).map(partner).collect()
    }

    /// The slice with colours exchanged and the symmetry into it, in a symmetric table with pawns.
    fn exchanged(&self, slice: usize) -> Option<(usize, Symmetry)> {
        let pawns = self.pawns();
        if !self.material().is_symmetric() || pawns.pawns() == 0 {
            return None;
        }
        let (white, black) = pawns.squares(slice).split_at(pawns.white());
        let exchanged: Vec<u8> = black
            .iter()
            .chain(white)
            .map(|square| square ^ 56)
            .collect();
        pawns.find(&exchanged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::Board;

    /// A cell and that of the other slice are one position with the colours exchanged.
    #[test]
    fn exchanged_cells_are_one_position() {
        for (name, every) in [("KPvKP", 61), ("KRPvKRP", 49_999)] {
            let layout = Layout::new(name.parse().expect("a material"));
            let cells = layout.slice_words() * 64;
            let mut compared = 0;
            for slice in (0..layout.slices()).step_by(layout.slices() / 4) {
                let other = layout.exchanged_slice(slice).expect("symmetric");
                layout.exchanged_cells(slice, &mut |cell, to| {
                    let at = |slice: usize, cell: usize| CellId {
                        side: Side::First,
                        cell: (slice * cells + cell) as u64,
                    };
                    if cell % every != 0 {
                        return;
                    }
                    let Some((board, _)) = layout.place(at(slice, cell)) else {
                        return;
                    };
                    let mut turned = Board::EMPTY;
                    for square in board.occupied() {
                        let piece = board.at(square).expect("a piece");
                        let color = !piece.color;
                        turned.put(Piece { color, ..piece }, square.flip_rank());
                    }
                    let (there, _) = layout.place(at(other, to)).expect("the same pieces");
                    let cell =
                        |board: &Board| layout.locate_as(board, duchamp_chess::Color::White, false);
                    assert_eq!(cell(&there), cell(&turned), "{name} {slice}");
                    compared += 1;
                });
            }
            assert!(compared > 100, "{name}: {compared}");
        }
    }
}
