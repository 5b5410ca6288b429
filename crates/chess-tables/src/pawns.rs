//! The ways the pawns can stand: the slices of a table.
//!
//! A slice fixes every pawn, so a pawn move always leaves it, into a slice nearer to promotion: the
//! slices form a DAG. They are numbered so that those nearer to promotion come first, and slices
//! with the same total advance (a *wave*) lie side by side and do not depend on each other.
//!
//! Of a placement and its mirror image only one is a slice: the one whose first White (else Black)
//! pawn is on the files a to d, and the smaller of the two where that does not decide. Like pawns
//! are listed in ascending order.

use super::symmetry::Symmetry;
use std::ops::Range;

/// The most pawns that a table may have.
pub(crate) const MAX_PAWNS: usize = 4;

/// Pawn squares, White's first; only the first `n` count.
pub(crate) type PawnSquares = [u8; MAX_PAWNS];

/// The slices of a number of white and black pawns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PawnSlices {
    white: usize,
    total: usize,
    squares: Vec<PawnSquares>,
    /// By the squares, 48 each: `slice * 2 + mirrored`, or [`NO_SLICE`].
    index: Vec<u32>,
    waves: Vec<Range<usize>>,
}

const NO_SLICE: u32 = u32::MAX;

impl PawnSlices {
    /// The slices of so many pawns, at most [`MAX_PAWNS`] in all; without pawns there is one slice.
    pub(crate) fn new(white: usize, black: usize) -> PawnSlices {
        let total = white + black;
        assert!(total <= MAX_PAWNS, "too many pawns for one table");
        let mut slices = PawnSlices {
            white,
            total,
            squares: Vec::new(),
            index: vec![NO_SLICE; 48usize.pow(total as u32)],
            waves: Vec::new(),
        };
        for key in 0..slices.index.len() {
            let squares = slices.unkey(key);
            let used = squares[..total].iter().fold(0u64, |set, &s| set | 1 << s);
            if used.count_ones() as usize == total && slices.normalise(squares) == (squares, false)
            {
                slices.squares.push(squares);
            }
        }
        let mut squares = std::mem::take(&mut slices.squares);
        squares.sort_by_key(|s| (std::cmp::Reverse(slices.advance(s)), *s));
        slices.squares = squares;
        for slice in 0..slices.squares.len() {
            let advance = slices.advance(&slices.squares[slice]);
            let before = slice
                .checked_sub(1)
                .map(|s| slices.advance(&slices.squares[s]));
            match slices.waves.last_mut() {
                Some(wave) if before == Some(advance) => wave.end = slice + 1,
                _ => slices.waves.push(slice..slice + 1),
            }
            let key = slices.key(slices.squares[slice]);
            slices.index[key] = slice as u32 * 2;
        }
        for key in 0..slices.index.len() {
            let squares = slices.unkey(key);
            let (normal, mirrored) = slices.normalise(squares);
            let found = slices.index[slices.key(normal)];
            if found != NO_SLICE {
                slices.index[key] = found & !1 | u32::from(mirrored);
            }
        }
        slices
    }

    /// Number of slices.
    pub(crate) fn len(&self) -> usize {
        self.squares.len()
    }

    /// Number of pawns of both colours.
    pub(crate) fn pawns(&self) -> usize {
        self.total
    }

    /// Number of White's pawns.
    pub(crate) fn white(&self) -> usize {
        self.white
    }

    /// The pawns' squares in a slice, White's first.
    #[inline]
    pub(crate) fn squares(&self, slice: usize) -> &[u8] {
        &self.squares[slice][..self.total]
    }

    /// Ranges of slices that do not depend on each other; each depends only on earlier ones.
    pub(crate) fn waves(&self) -> &[Range<usize>] {
        &self.waves
    }

    /// The slice of pawns on these squares (any order within a colour) and the symmetry into it;
    /// `None` if a pawn is on a wrong rank or two share a square.
    #[inline]
    pub(crate) fn find(&self, squares: &[u8]) -> Option<(usize, Symmetry)> {
        let mut key = 0;
        for &square in &squares[..self.total] {
            let square = usize::from(square).wrapping_sub(8);
            if square >= 48 {
                return None;
            }
            key = key * 48 + square;
        }
        match self.index[key] {
            NO_SLICE => None,
            found => Some((
                (found >> 1) as usize,
                Symmetry::new(found & 1 != 0, false, false),
            )),
        }
    }

    /// Whether a slice is its own mirror image, so that its positions come in duplicates.
    pub(crate) fn is_mirror_image(&self, slice: usize) -> bool {
        self.total > 0 && self.sorted(self.squares[slice].map(|s| s ^ 7)) == self.squares[slice]
    }

    fn key(&self, squares: PawnSquares) -> usize {
        squares[..self.total]
            .iter()
            .fold(0, |key, &s| key * 48 + usize::from(s) - 8)
    }

    fn unkey(&self, mut key: usize) -> PawnSquares {
        let mut squares = [0; MAX_PAWNS];
        for square in squares[..self.total].iter_mut().rev() {
            *square = (key % 48) as u8 + 8;
            key /= 48;
        }
        squares
    }

    fn sorted(&self, mut squares: PawnSquares) -> PawnSquares {
        squares[..self.white].sort_unstable();
        squares[self.white..self.total].sort_unstable();
        squares[self.total..].fill(0);
        squares
    }

    /// The smaller of a placement and its mirror image, the files a to d of the leading pawn first.
    fn normalise(&self, squares: PawnSquares) -> (PawnSquares, bool) {
        let rank = |s: &PawnSquares| (s[0] & 7 > 3, *s);
        let (plain, mirrored) = (self.sorted(squares), self.sorted(squares.map(|s| s ^ 7)));
        if self.total > 0 && rank(&mirrored) < rank(&plain) {
            (mirrored, true)
        } else {
            (plain, false)
        }
    }

    /// Ranks gone by all pawns together.
    fn advance(&self, squares: &PawnSquares) -> u32 {
        let gone =
            |(i, &s): (usize, &u8)| u32::from(if i < self.white { s >> 3 } else { 7 - (s >> 3) });
        squares[..self.total].iter().enumerate().map(gone).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cover_all_placements_once() {
        for (white, black, count) in [
            (0, 0, 1),
            (1, 0, 24),
            (0, 1, 24),
            (1, 1, 24 * 47),
            (2, 0, 576),
            (2, 1, 26_496 - 24),
        ] {
            let slices = PawnSlices::new(white, black);
            if white + black < 3 {
                assert_eq!(slices.len(), count, "{white} {black}");
            }
            assert_eq!(
                slices
                    .waves()
                    .iter()
                    .map(ExactSizeIterator::len)
                    .sum::<usize>(),
                slices.len()
            );
            for slice in 0..slices.len() {
                let squares = slices.squares(slice);
                assert_eq!(slices.find(squares), Some((slice, Symmetry::NONE)));
                let mirrored: Vec<u8> = squares.iter().map(|s| s ^ 7).collect();
                let symmetry = if slices.is_mirror_image(slice) || squares.is_empty() {
                    Symmetry::NONE
                } else {
                    Symmetry::MIRROR_FILES
                };
                assert_eq!(slices.find(&mirrored), Some((slice, symmetry)));
            }
            // A push leads into an earlier wave.
            for (number, wave) in slices.waves().iter().enumerate() {
                for slice in wave.clone() {
                    for i in 0..white + black {
                        let mut pushed = slices.squares(slice).to_vec();
                        pushed[i] = if i < white {
                            pushed[i] + 8
                        } else {
                            pushed[i] - 8
                        };
                        if let Some((to, _)) = slices.find(&pushed) {
                            assert!(
                                slices.waves()[..number]
                                    .iter()
                                    .any(|wave| wave.contains(&to))
                            );
                        }
                    }
                }
            }
        }
    }
}
