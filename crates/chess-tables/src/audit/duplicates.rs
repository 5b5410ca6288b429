//! Symmetric duplicates: which cells files keep, and from where the others get their backed-up values.

use std::ops::Range;

use rayon::prelude::*;

use crate::layout::{Layout, Rows};
use crate::symmetry::Symmetry;
use duchamp_retro::Bits;

/// The duplicates of a table. But for pawns that are their own mirror image they lie in one row, and at the same places
/// in all rows with both kings on the diagonal, and in all others.
#[derive(Debug)]
pub(super) struct Duplicates<'a> {
    layout: &'a Layout,
    plain: RowDuplicates,
    diagonal: RowDuplicates,
}

/// The duplicates within a row; nothing is stored if there are none.
#[derive(Debug, Default)]
struct RowDuplicates {
    /// By word of the row the cells that are kept.
    kept: Vec<u64>,
    /// The other cells of the row, each with the one that is kept.
    others: Vec<[u32; 2]>,
}

impl RowDuplicates {
    fn new(layout: &Layout, symmetries: &[Symmetry]) -> RowDuplicates {
        let mut duplicates = RowDuplicates::default();
        for word in 0..layout.row_words() {
            let mut placement = layout.placement(word, 0);
            let mut kept = 0;
            for bit in 0..64 {
                placement.pieces[layout.indexed_pieces().len()] = bit;
                let numbers = symmetries
                    .iter()
                    .map(|&symmetry| layout.number(&placement, symmetry));
                let own = (word * 64) as u32 + u32::from(bit);
                match numbers.min() {
                    Some(least) if least as u32 != own => {
                        duplicates.others.push([own, least as u32])
                    }
                    _ => kept |= 1 << bit,
                }
            }
            duplicates.kept.push(kept);
        }
        duplicates
    }
}

impl<'a> Duplicates<'a> {
    pub(super) fn new(layout: &'a Layout) -> Duplicates<'a> {
        let men = layout.indexed_pieces();
        let like = men.last() == Some(&layout.lane_piece())
            || men.windows(2).any(|pair| pair[0] == pair[1]);
        let row = |wanted: bool, symmetries: &[Symmetry]| {
            if wanted && layout.rows() == Rows::Pairs {
                RowDuplicates::new(layout, symmetries)
            } else {
                RowDuplicates::default()
            }
        };
        let turns = layout.pawns().pawns() == 0;
        Duplicates {
            layout,
            plain: row(like, &[Symmetry::NONE]),
            diagonal: row(turns, &[Symmetry::NONE, Symmetry::TRANSPOSE]),
        }
    }

    fn of_row(&self, row: usize) -> &RowDuplicates {
        let turns = self.layout.pawns().pawns() == 0 && self.layout.rows() == Rows::Pairs;
        if turns && self.layout.is_on_diagonal(row) {
            &self.diagonal
        } else {
            &self.plain
        }
    }

    /// The cells of a word that files keep: as [`Layout::canonical`], but remembered.
    #[inline]
    pub(super) fn kept(&self, word: usize) -> u64 {
        let layout = self.layout;
        let (slice, inside) = (word / layout.slice_words(), word % layout.slice_words());
        if layout.pawns().is_mirror_image(slice) {
            return layout.canonical(word);
        }
        let duplicates = self.of_row(inside / layout.row_words());
        duplicates
            .kept
            .get(inside % layout.row_words())
            .copied()
            .unwrap_or(!0)
    }

    /// Copies the backed-up values of the cells that are kept to their duplicates, in slices that `cells` holds.
    pub(super) fn fill(&self, slices: Range<usize>, cells: &mut [u16]) {
        let layout = self.layout;
        let words = layout.slice_words();
        let slices = cells.par_chunks_mut(words * 64).zip(slices);
        slices.for_each(|(cells, slice)| {
            if layout.pawns().is_mirror_image(slice) {
                let kept = cells.to_vec();
                for (n, backed) in cells.as_chunks_mut::<64>().0.iter_mut().enumerate() {
                    let word = slice * words + n;
                    for bit in Bits(!layout.canonical(word)) {
                        let cell = layout.cell_of(&layout.placement(word, bit as u8));
                        let place = cell.map(|cell| cell as usize - slice * words * 64);
                        backed[bit] = place.map_or(0, |place| kept[place]);
                    }
                }
                return;
            }
            let rows = cells.par_chunks_mut(layout.row_words() * 64).enumerate();
            rows.for_each(|(row, cells)| {
                for &[to, from] in &self.of_row(row).others {
                    cells[to as usize] = cells[from as usize];
                }
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Material;

    #[test]
    fn kept_cells_are_canonical() {
        for material in [3, 4].iter().flat_map(|&men| Material::all(men)) {
            let layout = Layout::new(material);
            let duplicates = Duplicates::new(&layout);
            for word in (0..layout.words()).step_by(if layout.words() > 5000 { 31 } else { 1 }) {
                assert_eq!(
                    duplicates.kept(word),
                    layout.canonical(word),
                    "{material} {word}"
                );
            }
        }
    }
}
