//! [`Layout`] as the numbering that the table machinery needs.

use std::ops::Range;

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
        if let Some((_, symmetry)) = self.exchanged(slice) {
            // The kings change places, and the symmetry turns the board.
            let turn = symmetry.after_flip_ranks();
            for white in 0..64 {
                for black in 0..64 {
                    let word = usize::from(turn.square(black));
                    let cell = usize::from(white) * 64 + usize::from(black);
                    each(cell, word * 64 + usize::from(turn.square(white)));
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
    /// The slice with colours exchanged and the symmetry into it, in a symmetric table of kings and pawns.
    fn exchanged(&self, slice: usize) -> Option<(usize, Symmetry)> {
        let pawns = self.pawns();
        if !self.material().is_symmetric() || self.rows() != Rows::WhiteKing || pawns.pawns() == 0 {
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
