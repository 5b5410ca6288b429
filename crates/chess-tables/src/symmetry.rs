//! The eight symmetries of the board, on squares and on words.

/// A symmetry: mirror files and/or ranks, then perhaps along the diagonal a1-h8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Symmetry(u8);

const FILES: u8 = 1;
const RANKS: u8 = 2;
const DIAGONAL: u8 = 4;

impl Symmetry {
    /// Leaves all as it is.
    pub(crate) const NONE: Symmetry = Symmetry(0);
    /// Mirrors left to right.
    pub(crate) const MIRROR_FILES: Symmetry = Symmetry(FILES);
    /// Mirrors along the diagonal a1-h8.
    pub(crate) const TRANSPOSE: Symmetry = Symmetry(DIAGONAL);

    /// The symmetry made of these steps, the diagonal last.
    pub(crate) const fn new(files: bool, ranks: bool, diagonal: bool) -> Symmetry {
        Symmetry(files as u8 | (ranks as u8) << 1 | (diagonal as u8) << 2)
    }

    /// Whether it leaves all as it is.
    #[inline(always)]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The same after the ranks were mirrored first.
    pub(crate) const fn after_flip_ranks(self) -> Symmetry {
        Symmetry(self.0 ^ RANKS)
    }

    /// The same followed by the mirror along the diagonal.
    pub(crate) const fn then_transpose(self) -> Symmetry {
        // T(x ^ m) with the diagonal undone is x ^ m again; so only the last step changes.
        Symmetry(self.0 ^ DIAGONAL)
    }

    /// The symmetry that takes all back.
    pub(crate) const fn inverse(self) -> Symmetry {
        // With the diagonal, files and ranks change their parts.
        match self.0 & DIAGONAL {
            0 => self,
            _ => Symmetry(DIAGONAL | (self.0 & FILES) << 1 | (self.0 & RANKS) >> 1),
        }
    }

    /// Where a square goes.
    #[inline(always)]
    pub(crate) const fn square(self, square: u8) -> u8 {
        let flip = ((self.0 & FILES) * 7) | ((self.0 & RANKS) * 28);
        let s = square ^ flip;
        if self.0 & DIAGONAL != 0 {
            s >> 3 | (s & 7) << 3
        } else {
            s
        }
    }

    /// Where all squares go.
    #[inline(always)]
    pub(crate) fn squares(self) -> &'static [u8; 64] {
        &SQUARES[self.0 as usize & 7]
    }

    /// Takes a set of squares back to what it was before the symmetry.
    #[inline(always)]
    pub(crate) const fn undo(self, mut set: u64) -> u64 {
        if self.0 & DIAGONAL != 0 {
            set = transpose(set);
        }
        if self.0 & RANKS != 0 {
            set = set.swap_bytes();
        }
        if self.0 & FILES != 0 {
            set = mirror_files(set);
        }
        set
    }
}

impl Symmetry {
    /// Takes values of all squares back to where they were before the symmetry.
    #[inline(always)]
    pub(crate) fn undo_all<T: Copy>(self, line: &[T; 64]) -> [T; 64] {
        if self.0 & DIAGONAL != 0 {
            return self.squares().map(|square| line[usize::from(square & 63)]);
        }
        let mut line = *line;
        let ranks = line.as_chunks_mut::<8>().0;
        if self.0 & RANKS != 0 {
            ranks.reverse();
        }
        if self.0 & FILES != 0 {
            ranks.iter_mut().for_each(|rank| rank.reverse());
        }
        line
    }
}

static SQUARES: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut i = 0;
    while i < 512 {
        table[i / 64][i % 64] = Symmetry((i / 64) as u8).square((i % 64) as u8);
        i += 1;
    }
    table
};

/// Mirrors each rank, by swapping ever larger groups of bits.
const fn mirror_files(x: u64) -> u64 {
    let x = (x >> 1 & 0x5555_5555_5555_5555) | (x & 0x5555_5555_5555_5555) << 1;
    let x = (x >> 2 & 0x3333_3333_3333_3333) | (x & 0x3333_3333_3333_3333) << 2;
    (x >> 4 & 0x0F0F_0F0F_0F0F_0F0F) | (x & 0x0F0F_0F0F_0F0F_0F0F) << 4
}

/// Mirrors along a1-h8, by swapping off-diagonal blocks of 4, 2 and 1 squares.
const fn transpose(mut x: u64) -> u64 {
    let mut t = 0x0F0F_0F0F_0000_0000 & (x ^ x << 28);
    x ^= t ^ t >> 28;
    t = 0x3333_0000_3333_0000 & (x ^ x << 14);
    x ^= t ^ t >> 14;
    t = 0x5500_5500_5500_5500 & (x ^ x << 7);
    x ^ t ^ t >> 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_where_squares_go() {
        let line: [u8; 64] = std::array::from_fn(|square| square as u8);
        for bits in 0..8 {
            let symmetry = Symmetry(bits);
            let undone = symmetry.undo_all(&line);
            for square in 0..64u8 {
                let image = symmetry.square(square);
                assert_eq!(symmetry.squares()[square as usize], image);
                assert_eq!(symmetry.undo(1 << image), 1 << square);
                assert_eq!(undone[usize::from(square)], image);
                assert_eq!(symmetry.inverse().square(image), square);
                let flipped = Symmetry(bits).after_flip_ranks();
                assert_eq!(flipped.square(square), symmetry.square(square ^ 56));
            }
        }
    }
}
