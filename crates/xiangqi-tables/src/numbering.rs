//! [`Layout`] as the numbering that the table machinery needs.

use std::ops::Range;

use duchamp_retro::{Code, Side};
use duchamp_tablebase::{CellId, Form, Index, Planes, Settings, Visitor};

use crate::layout::Layout;
use crate::material::Material;
use crate::walk;

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
        2 * self.lanes()
    }

    fn slice_words(&self) -> usize {
        Layout::slice_words(self)
    }

    fn legal(&self, side: Side, word: usize) -> u64 {
        self.legal_cells(side, word)
    }

    fn canonical(&self, word: usize) -> u64 {
        self.canonical_cells(word)
    }

    fn namings(&self, at: CellId) -> u64 {
        self.orders_of(at.cell as usize)
    }

    fn fill_duplicates(&self, codes: &mut [Code]) {
        let words = codes.as_chunks::<64>().0.len();
        debug_assert_eq!(words, self.words());
        self.copy_duplicates(codes);
    }

    fn form(&self) -> Form {
        Form::Coded
    }

    /// The squares of a piece take two words.
    fn walk_step(&self) -> usize {
        2
    }

    fn settings(&self) -> Settings {
        Settings {
            bits: walk::SETTING_BITS,
            common: 0,
        }
    }

    fn walk<V: Visitor>(&self, side: Side, first: usize, planes: &mut [Planes], visitor: &mut V) {
        walk::walk(self, side, first, planes, visitor);
    }
}
