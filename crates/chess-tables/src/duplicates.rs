//! Symmetric duplicates: cells that stand for the same position.
//!
//! Duplicates arise where both kings are on the diagonal of a table without pawns, with two identical pieces, and
//! where the pawns are their own mirror image. The solver fills all of them; files keep one.

use super::layout::{Layout, MAX_PIECES, Placement, Rows};
use super::pawns::MAX_PAWNS;
use super::symmetry::Symmetry;
use duchamp_retro::Code;
use rayon::prelude::*;

impl Layout {
    /// Copies the value of every canonical cell to its duplicates.
    pub(crate) fn fill_duplicates(&self, codes: &mut [Code]) {
        for word in 0..self.words() {
            let mut duplicates = !self.canonical(word);
            while duplicates != 0 {
                let bit = duplicates.trailing_zeros() as u8;
                duplicates &= duplicates - 1;
                if let Some(kept) = self.cell_of(&self.placement(word, bit)) {
                    codes[word * 64 + usize::from(bit)] = codes[kept as usize];
                }
            }
        }
    }

    /// Whether the two indexed pieces are alike, so that half of the words need solving: those with the
    /// pieces in ascending order.
    pub(crate) fn halves(&self) -> bool {
        matches!(self.indexed_pieces(), [a, b] if a == b)
    }

    /// Copies what is in the solved half of a slice's words to the other.
    pub(crate) fn fill_other_half<C: Copy + Send + Sync>(&self, words: &mut [C]) {
        if self.halves() {
            words.par_chunks_mut(self.row_words()).for_each(|row| {
                for high in 1..64 {
                    for low in 0..high {
                        row[high << 6 | low] = row[low << 6 | high];
                    }
                }
            });
        }
    }

    /// The squares of a cell.
    pub(crate) fn placement(&self, word: usize, bit: u8) -> Placement {
        let (slice, inside) = (word / self.slice_words(), word % self.slice_words());
        let (row, men) = (inside / self.row_words(), inside % self.row_words());
        let kings = if self.rows() == Rows::Pairs {
            self.pairs().kings(row)
        } else {
            [row as u8, bit]
        };
        let mut placement = Placement {
            kings,
            pawns: [0; MAX_PAWNS],
            pieces: [0; MAX_PIECES],
        };
        let pawns = self.pawns().squares(slice);
        placement.pawns[..pawns.len()].copy_from_slice(pawns);
        let n = self.indexed_pieces().len();
        for (i, square) in placement.pieces[..n].iter_mut().enumerate() {
            *square = (men >> (6 * (n - 1 - i)) & 63) as u8;
        }
        placement.pieces[n] = bit;
        placement
    }

    /// The cells of a word that [`Layout::locate`] can give: of symmetric duplicates one. (Two pieces on one
    /// square, touching kings and checks are ignored here.)
    #[must_use]
    pub fn canonical(&self, word: usize) -> u64 {
        let (slice, row) = (
            word / self.slice_words(),
            word % self.slice_words() / self.row_words(),
        );
        if self.pawns().is_mirror_image(slice) {
            let white = if self.rows() == Rows::Pairs {
                self.pairs().kings(row)[0]
            } else {
                row as u8
            };
            if white & 7 > 3 {
                return 0;
            }
        }
        if self.rows() == Rows::WhiteKing {
            return !0;
        }
        let diagonal = self.pawns().pawns() == 0 && self.is_on_diagonal(row);
        let men = self.indexed_pieces();
        let alike = men.last() == Some(&self.lane_piece()) || men.windows(2).any(|w| w[0] == w[1]);
        if !diagonal && !alike {
            return !0;
        }
        if !diagonal {
            // Identical pieces in ascending order.
            let n = men.len();
            let square = |i: usize| word >> (6 * (n - 1 - i)) & 63;
            let sorted = (1..n).all(|i| men[i - 1] != men[i] || square(i - 1) <= square(i));
            return match men.last() {
                _ if !sorted => 0,
                Some(&last) if last == self.lane_piece() => !0 << square(n - 1),
                _ => !0,
            };
        }
        let mut placement = self.placement(word, 0);
        let mut keep = 0;
        for bit in 0..64u8 {
            placement.pieces[men.len()] = bit;
            let mut least = self.number(&placement, Symmetry::NONE);
            least = least.min(self.number(&placement, Symmetry::TRANSPOSE));
            let own = (word % self.row_words()) as u64 * 64 + u64::from(bit);
            keep |= u64::from(least == own) << bit;
        }
        keep
    }
}
