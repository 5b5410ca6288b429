//! The defenders of both sides, one of each two mirror images: the rows of a table.

use std::sync::OnceLock;

use crate::defenders::{Camp, Defenders};

/// Pairs of placements under the mirror at the middle file.
#[derive(Debug)]
pub(crate) struct Pairs {
    red: &'static Camp,
    black: &'static Camp,
    rows: Vec<[u16; 2]>,
    /// By the placements: the row, and in the lowest bit whether the pair is the mirror image of the row's.
    numbers: Vec<u32>,
}

/// Where a pair is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub(crate) row: u32,
    /// Whether all squares must be mirrored.
    pub(crate) mirrored: bool,
}

impl Pairs {
    /// The pairs for so many advisors and elephants of each side.
    pub(crate) fn of(red: [u8; 2], black: [u8; 2]) -> &'static Pairs {
        static PAIRS: [OnceLock<Pairs>; 81] = [const { OnceLock::new() }; 81];
        let number = |[a, e]: [u8; 2]| usize::from(a) * 3 + usize::from(e);
        PAIRS[number(red) * 9 + number(black)].get_or_init(|| {
            Pairs::new(
                Camp::of(false, red[0], red[1]),
                Camp::of(true, black[0], black[1]),
            )
        })
    }

    fn new(red: &'static Camp, black: &'static Camp) -> Pairs {
        let mut rows = Vec::with_capacity(red.len() * black.len() / 2 + black.len());
        let mut numbers = vec![0; red.len() * black.len()];
        for r in 0..red.len() as u16 {
            for b in 0..black.len() as u16 {
                let image = [red.get(r).mirror, black.get(b).mirror];
                if image < [r, b] {
                    continue;
                }
                let row = rows.len() as u32;
                let place = |[r, b]: [u16; 2]| usize::from(r) * black.len() + usize::from(b);
                numbers[place(image)] = row << 1 | 1;
                numbers[place([r, b])] = row << 1;
                rows.push([r, b]);
            }
        }
        rows.shrink_to_fit();
        Pairs {
            red,
            black,
            rows,
            numbers,
        }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Red's and Black's camp.
    pub(crate) fn camps(&self) -> [&'static Camp; 2] {
        [self.red, self.black]
    }

    /// The numbers of the placements of a row.
    #[inline(always)]
    pub(crate) fn numbers(&self, row: usize) -> [u16; 2] {
        self.rows[row]
    }

    /// The placements of a row.
    #[inline(always)]
    pub(crate) fn get(&self, row: usize) -> [&'static Defenders; 2] {
        let [red, black] = self.rows[row];
        [self.red.get(red), self.black.get(black)]
    }

    /// Whether the row is its own mirror image.
    #[inline]
    pub(crate) fn is_symmetric(&self, row: usize) -> bool {
        let [red, black] = self.rows[row];
        self.red.get(red).mirror == red && self.black.get(black).mirror == black
    }

    /// The row of two placements.
    #[inline(always)]
    pub(crate) fn find(&self, red: u16, black: u16) -> Found {
        let number = self.numbers[usize::from(red) * self.black.len() + usize::from(black)];
        Found {
            row: number >> 1,
            mirrored: number & 1 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_and_its_image_share_a_row() {
        let pairs = Pairs::of([1, 1], [2, 0]);
        assert_eq!(pairs.len(), (275 * 70 + 6) / 2);
        for row in 0..pairs.len() {
            let [red, black] = pairs.numbers(row);
            let here = pairs.find(red, black);
            assert_eq!((here.row as usize, here.mirrored), (row, false));
            let [red, black] = pairs.get(row);
            let image = pairs.find(red.mirror, black.mirror);
            assert_eq!(image.row as usize, row);
            assert_eq!(image.mirrored, !pairs.is_symmetric(row));
        }
    }
}
