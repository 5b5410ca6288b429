//! The board as the numbering and the kernels see it: squares are numbers, sets of squares are 128-bit words.
//!
//! Square `9 * rank + file`, rank 0 is Red's back rank, file 0 the `a` file. This is independent of the rules in
//! `duchamp-xiangqi`, so that verification compares two programs.

/// Files of the board.
pub(crate) const FILES: u8 = 9;
/// Squares of the board.
pub(crate) const SQUARES: usize = 90;
/// All squares.
pub(crate) const BOARD: u128 = (1 << SQUARES) - 1;
/// The squares from which a pawn has crossed the river: ranks 5 to 9.
pub(crate) const BEYOND_RIVER: u128 = BOARD & !((1 << 45) - 1);

/// One file of the board.
const fn file(number: u32) -> u128 {
    let mut set = 0;
    let mut rank = 0;
    while rank < 10 {
        set |= 1 << (9 * rank + number);
        rank += 1;
    }
    set
}

/// The `a` file.
pub(crate) const FILE_A: u128 = file(0);
/// The `i` file.
pub(crate) const FILE_I: u128 = file(8);

/// The files from `a` to the middle one.
pub(crate) const LEFT_HALF: u128 = file(0) | file(1) | file(2) | file(3) | file(4);

/// The squares on which a red pawn can stand: files a, c, e, g, i of the two ranks before the river, and all beyond.
pub(crate) const PAWN_SQUARES: u128 = {
    let files = file(0) | file(2) | file(4) | file(6) | file(8);
    files & (((1 << 45) - 1) & !((1 << 27) - 1)) | BEYOND_RIVER
};

/// The set of one square.
#[inline(always)]
pub(crate) const fn bit(square: u8) -> u128 {
    1 << square
}

/// The squares of a set, ascending.
pub(crate) fn squares(mut set: u128) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as u8;
        (set != 0).then(|| {
            set &= set - 1;
            square
        })
    })
}

/// The square on the other side of the middle file.
#[inline(always)]
pub(crate) const fn mirror(square: u8) -> u8 {
    square / FILES * FILES + (FILES - 1 - square % FILES)
}

/// The square with the ranks counted from the other side.
#[inline(always)]
pub(crate) const fn flip(square: u8) -> u8 {
    (9 - square / FILES) * FILES + square % FILES
}

/// A set of squares mirrored at the middle file.
#[inline(always)]
pub(crate) const fn mirror_set(set: u128) -> u128 {
    const PAIRS: [(u128, u32); 4] = [(file(0), 8), (file(1), 6), (file(2), 4), (file(3), 2)];
    let mut mirrored = set & file(4);
    let mut i = 0;
    while i < 4 {
        let (left, by) = PAIRS[i];
        mirrored |= (set & left) << by | set >> by & left;
        i += 1;
    }
    mirrored
}

/// The squares strictly between two squares of one rank or file; empty otherwise.
#[inline(always)]
pub(crate) fn between(a: u8, b: u8) -> u128 {
    BETWEEN[usize::from(a)][usize::from(b)]
}

/// Whether two squares lie on one rank or file.
#[inline(always)]
pub(crate) const fn aligned(a: u8, b: u8) -> bool {
    a != b && (a % FILES == b % FILES || a / FILES == b / FILES)
}

static BETWEEN: [[u128; SQUARES]; SQUARES] = {
    let mut table = [[0; SQUARES]; SQUARES];
    let mut a = 0;
    while a < SQUARES {
        let mut b = 0;
        while b < SQUARES {
            if aligned(a as u8, b as u8) {
                let step = if a % 9 == b % 9 { 9 } else { 1 };
                let (low, high) = if a < b { (a, b) } else { (b, a) };
                let mut square = low + step;
                while square < high {
                    table[a][b] |= 1 << square;
                    square += step;
                }
            }
            b += 1;
        }
        a += 1;
    }
    table
};

/// The square so many files and ranks away, if it is on the board.
pub(crate) const fn offset(square: u8, files: i8, ranks: i8) -> Option<u8> {
    let file = (square % FILES) as i8 + files;
    let rank = (square / FILES) as i8 + ranks;
    if file < 0 || file > 8 || rank < 0 || rank > 9 {
        return None;
    }
    Some((rank * 9 + file) as u8)
}

/// The squares that a chariot or cannon passes from `from` to the edges, by direction, near ones first.
pub(crate) struct Rays {
    /// The squares, direction after direction.
    squares: [u8; 17],
    /// Where each direction ends in them.
    ends: [u8; 4],
}

impl Rays {
    const fn new(from: u8) -> Rays {
        const STEPS: [(i8, i8); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
        let mut rays = Rays {
            squares: [0; 17],
            ends: [0; 4],
        };
        let mut count = 0;
        let mut i = 0;
        while i < 4 {
            let mut at = from;
            while let Some(next) = offset(at, STEPS[i].0, STEPS[i].1) {
                rays.squares[count] = next;
                count += 1;
                at = next;
            }
            rays.ends[i] = count as u8;
            i += 1;
        }
        rays
    }

    /// The four directions.
    #[inline(always)]
    pub(crate) fn directions(&self) -> [&[u8]; 4] {
        let [a, b, c, d] = self.ends.map(usize::from);
        let squares = &self.squares;
        [
            &squares[..a],
            &squares[a..b],
            &squares[b..c],
            &squares[c..d],
        ]
    }
}

/// By square.
pub(crate) static RAYS: [Rays; SQUARES] = {
    let mut table = [const { Rays::new(0) }; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        table[square] = Rays::new(square as u8);
        square += 1;
    }
    table
};

/// A horse's leap between two squares: the other square, and the leg, which must be empty.
pub(crate) struct Leaps {
    leaps: [(u8, u8); 8],
    count: u8,
}

impl Leaps {
    /// From a square (`back` false: the leg is beside the square), or onto it (`back` true: the leg is beside the
    /// other).
    const fn new(square: u8, back: bool) -> Leaps {
        const LEAPS: [(i8, i8); 8] = [
            (1, 2),
            (-1, 2),
            (1, -2),
            (-1, -2),
            (2, 1),
            (2, -1),
            (-2, 1),
            (-2, -1),
        ];
        let mut leaps = Leaps {
            leaps: [(0, 0); 8],
            count: 0,
        };
        let mut i = 0;
        while i < 8 {
            let (files, ranks) = LEAPS[i];
            if let Some(other) = offset(square, files, ranks) {
                // Half of the long way from where the horse starts.
                let (start, sign) = if back { (other, -1) } else { (square, 1) };
                let leg = offset(start, sign * (files / 2), sign * (ranks / 2));
                if let Some(leg) = leg {
                    leaps.leaps[leaps.count as usize] = (other, leg);
                    leaps.count += 1;
                }
            }
            i += 1;
        }
        leaps
    }

    /// The other square and the leg of each leap.
    #[inline(always)]
    pub(crate) fn get(&self) -> &[(u8, u8)] {
        &self.leaps[..usize::from(self.count)]
    }

    const fn table(back: bool) -> [Leaps; SQUARES] {
        let mut table = [const { Leaps::new(0, false) }; SQUARES];
        let mut square = 0;
        while square < SQUARES {
            table[square] = Leaps::new(square as u8, back);
            square += 1;
        }
        table
    }
}

/// By the square that the horse starts from.
pub(crate) static LEAPS: [Leaps; SQUARES] = Leaps::table(false);
/// By the square that the horse comes to.
pub(crate) static LEAPS_BACK: [Leaps; SQUARES] = Leaps::table(true);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_their_sizes() {
        assert_eq!(PAWN_SQUARES.count_ones(), 55);
        assert_eq!(BEYOND_RIVER.count_ones(), 45);
        assert_eq!(FILE_A.count_ones() + FILE_I.count_ones(), 20);
        let leaps: usize = LEAPS.iter().map(|leaps| leaps.get().len()).sum();
        let back: usize = LEAPS_BACK.iter().map(|leaps| leaps.get().len()).sum();
        assert_eq!((leaps, back), (508, 508));
    }

    #[test]
    fn mirrors_agree() {
        for square in 0..SQUARES as u8 {
            assert_eq!(mirror_set(bit(square)), bit(mirror(square)));
            assert_eq!(mirror(mirror(square)), square);
            assert_eq!(flip(flip(square)), square);
        }
    }

    #[test]
    fn a_leap_back_is_a_leap_from_there() {
        for to in 0..SQUARES as u8 {
            for &(from, leg) in LEAPS_BACK[usize::from(to)].get() {
                assert!(LEAPS[usize::from(from)].get().contains(&(to, leg)));
            }
        }
    }

    #[test]
    fn rays_and_between_agree() {
        for from in 0..SQUARES as u8 {
            for way in RAYS[usize::from(from)].directions() {
                let mut passed = 0;
                for &to in way {
                    assert_eq!(between(from, to), passed);
                    passed |= bit(to);
                }
            }
        }
    }
}
