//! Going through the cells of a block, each with its context.
//!
//! Encoding, decoding and learning share this walk, so they cannot differ in what a context is. The
//! *setting* of a cell (one number) is what is known before its word is looked at: the value at this
//! square in the word to the left, how those in three other words differ, check, and which pieces hang. The
//! *place* adds the cell's neighbours in its own word. Cells that are no position, or a symmetric duplicate of
//! another, have no symbol; they pass the value of the neighbouring word on to their neighbours.
//!
//! The diagonal neighbours matter as much as the others: a bishop that steps sideways changes the
//! colour of its squares.

use super::scene::{MAX_TARGETS, Scene, Scenes};
use crate::layout::{Layout, Rows};
use duchamp_chess::{Color, Role};
use duchamp_tablebase::{CODED_BLOCK, Outlook, PLACES, Planes, Visitor};

/// Words of a block.
const BLOCK: usize = CODED_BLOCK;
/// Contexts of a setting: values of the neighbours by rank, on the diagonal to the left, and by file, and
/// whether the other diagonal one is like that by rank. The one by file, which is decoded last, is the last
/// digit, so that its three contexts lie side by side and can be fetched before it is known.
const _: () = assert!(PLACES == 54);
/// Bits of a setting that all tables have.
const COMMON_BITS: u32 = 8;
/// The most informative of them.
pub(crate) const COMMON: u16 = 0b0101_1111;

/// Bits of what hangs, and the bits above them that tell how far the foremost pawn has come, where there is room for them.
const HANGING_BITS: u32 = 2 * MAX_TARGETS as u32;
const ADVANCE_BITS: u32 = 2;

/// Bits of the settings of a table.
pub(crate) fn setting_bits(layout: &Layout) -> u32 {
    if tells_advance(layout) {
        return COMMON_BITS + HANGING_BITS;
    }
    let men = layout.material().men() as usize - 2;
    COMMON_BITS + 2 * men.min(MAX_TARGETS) as u32
}

/// Whether a setting tells how far the foremost pawn has come.
fn tells_advance(layout: &Layout) -> bool {
    let hanging = 2 * (layout.material().men() - 2);
    layout.pawns().pawns() > 0 && hanging + ADVANCE_BITS <= HANGING_BITS
}

/// The walk through the blocks of one side of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'a> {
    pub(crate) layout: &'a Layout,
    /// The side to move.
    pub(crate) side: Color,
}

impl Walk<'_> {
    /// Goes through the words `first..first + planes.len()`, at most [`BLOCK`]; `planes` takes the values, those of
    /// void cells being draws.
    pub(crate) fn block(self, first: usize, planes: &mut [Planes], visitor: &mut impl Visitor) {
        let mut filled = [Planes::default(); BLOCK];
        let mut scenes = Scenes::new(self.layout, first);
        let plain = self.has_no_duplicates(first);
        let advance = self.advance(first);
        for n in 0..planes.len().min(BLOCK) {
            let around = Around::new(self.neighbours(first, n), &filled);
            let word = first + n;
            let scene = scenes.scene(word);
            let legal = match &scene {
                Some(scene) => scene.legal(self.side),
                None => 0,
            };
            let legal = if plain || legal == 0 {
                legal
            } else {
                legal & self.layout.canonical(word)
            };
            let (mut all, mut told) = (around.left, Planes::default());
            if let Some(scene) = scene
                && legal != 0
            {
                let settings = Settings::new(&scene, self.side, &around, advance);
                told = word_cells(n, legal, around.left, &settings, visitor);
                all.won = all.won & !legal | told.won;
                all.lost = all.lost & !legal | told.lost;
            }
            filled[n] = all;
            planes[n] = told;
        }
    }

    /// What the words of a block show before their distances are known: neighbours, check, and which pieces hang.
    pub(crate) fn outlooks(self, first: usize, outlooks: &mut [Outlook]) {
        let mut scenes = Scenes::new(self.layout, first);
        let last = self.layout.indexed_pieces().last();
        let slanted = last.is_some_and(|piece| piece.role == Role::Bishop);
        let advanced = self.has_advanced_pawn(first);
        for (n, outlook) in outlooks.iter_mut().enumerate() {
            // A bishop's step sideways changes the colour of its squares.
            let [left, below] = match (self.neighbours(first, n), slanted) {
                ([left, below, ..], false) => [left, below],
                ([.., left, right], true) => [left, right],
            };
            let mut planes = [0; 8];
            if let Some(scene) = scenes.scene(first + n) {
                planes[0] = scene.check(self.side);
                let hanging = scene.hanging.iter().flatten();
                for (plane, &hanging) in planes[1..].iter_mut().zip(hanging) {
                    *plane = hanging;
                }
                if advanced {
                    planes[7] = !planes[7];
                }
            }
            *outlook = Outlook {
                left: left.map(|word| word as u8),
                below: below.map(|word| word as u8),
                slanted: self.layout.lane_piece().role == Role::Bishop,
                planes,
            };
        }
    }

    /// Whether a pawn of a block has passed the middle of the board.
    fn has_advanced_pawn(self, first: usize) -> bool {
        self.foremost_rank(first) >= 4
    }

    /// How far the foremost pawn of a block has come, in [`ADVANCE_BITS`] bits of the high byte of a setting.
    fn advance(self, first: usize) -> u8 {
        if !tells_advance(self.layout) {
            return 0;
        }
        let step = match self.foremost_rank(first) {
            0..=2 => 0,
            3..=4 => 1,
            5 => 2,
            _ => 3,
        };
        step << (HANGING_BITS - ADVANCE_BITS)
    }

    /// The rank of the foremost pawn, as its side counts from 0; 0 if there is none.
    fn foremost_rank(self, first: usize) -> u8 {
        let (fixed, pawns) = (self.layout.fixed(first), self.layout.pawns().pawns());
        let men = fixed.pieces.iter().skip(self.layout.first_pawn());
        let ranks = men
            .take(pawns)
            .map(|&(man, square)| (square.relative(man.color).index() / 8) as u8);
        ranks.max().unwrap_or(0)
    }

    /// Whether every cell of a block is the only one of its position.
    fn has_no_duplicates(self, first: usize) -> bool {
        let (layout, men) = (self.layout, self.layout.indexed_pieces());
        // One row's words.
        !men.is_empty()
            && men.windows(2).all(|pair| pair[0] != pair[1])
            && men.last() != Some(&layout.lane_piece())
            && layout.canonical(first) == !0
            && (layout.pawns().pawns() > 0 || !layout.is_on_diagonal(first / layout.row_words()))
    }

    /// The words of the block that differ from word `n` by one piece's step to the left, down, and
    /// diagonally down to the left and to the right.
    fn neighbours(self, first: usize, n: usize) -> [Option<usize>; 4] {
        let word = first + n;
        let kings = self.layout.rows() == Rows::Pairs && self.layout.indexed_pieces().is_empty();
        let (square, pair) = if kings {
            let row = word % self.layout.pairs().len();
            let [white, black] = self.layout.pairs().kings(row);
            (usize::from(black), Some((white, row)))
        } else {
            (word % 64, None)
        };
        let number = |back: usize| match pair {
            None => n.checked_sub(back),
            Some((white, row)) => {
                // The words are king pairs; Black's king steps.
                let step = self.layout.pairs().find(white, (square - back) as u8);
                let step = step.filter(|step| step.symmetry.is_none())?;
                let other = (word - row + usize::from(step.row)).checked_sub(first);
                other.filter(|&other| other < n)
            }
        };
        let (file, rank) = (square % 8, square / 8);
        [
            if file > 0 { number(1) } else { None },
            if rank > 0 { number(8) } else { None },
            if rank > 0 && file > 0 {
                number(9)
            } else {
                None
            },
            if rank > 0 && file < 7 {
                number(7)
            } else {
                None
            },
        ]
    }
}

/// The values of the neighbouring words; where there is none, the next best.
struct Around {
    left: Planes,
    below: Planes,
    below_left: Planes,
    below_right: Planes,
}

impl Around {
    fn new(
        [left, below, below_left, below_right]: [Option<usize>; 4],
        filled: &[Planes; BLOCK],
    ) -> Around {
        let get = |n: Option<usize>| n.map_or(Planes::default(), |n| filled[n]);
        Around {
            left: get(left.or(below)),
            below: get(below.or(left)),
            below_left: get(below_left.or(left).or(below)),
            below_right: get(below_right.or(below).or(left)),
        }
    }
}

/// The settings of the cells of a word, low and high bytes, eight a rank.
struct Settings {
    low: [u64; 8],
    high: [u64; 8],
}

impl Settings {
    fn new(scene: &Scene, side: Color, around: &Around, advance: u8) -> Settings {
        let low = [
            around.left.won,
            around.left.lost,
            differ(around.below, around.left),
            differ(around.below_left, around.left),
            differ(around.below_right, around.below),
            changes(around.left),
            scene.check(side),
            scene.path,
        ];
        Settings {
            low: spread(low.into_iter()),
            high: spread(scene.hanging.iter().flatten().copied())
                .map(|rank| rank | (ONES * u64::from(advance))),
        }
    }
}

/// A byte for each cell, eight a rank: its bits in the planes.
#[inline]
fn spread(planes: impl Iterator<Item = u64>) -> [u64; 8] {
    let mut ranks = [0_u64; 8];
    for (bit, plane) in planes.enumerate().filter(|&(_, plane)| plane != 0) {
        for (cells, rank) in ranks.iter_mut().zip(plane.to_le_bytes()) {
            *cells |= SPREAD[usize::from(rank)] << bit;
        }
    }
    ranks
}

/// The bits of a byte as the lowest bits of eight bytes.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 * 8 {
        table[i / 8] |= (((i / 8) >> (i % 8) & 1) as u64) << (8 * (i % 8));
        i += 1;
    }
    table
};

/// Where two words have other values.
const fn differ(a: Planes, b: Planes) -> u64 {
    (a.won ^ b.won) | (a.lost ^ b.lost)
}

/// Where a neighbour on the board (by file or rank) has another value.
const fn changes(planes: Planes) -> u64 {
    const A_FILE: u64 = 0x0101_0101_0101_0101;
    const fn edges(x: u64) -> u64 {
        let across = (x ^ x >> 1) & !(A_FILE << 7);
        let up = (x ^ x >> 8) & !(255 << 56);
        across | across << 1 | up | up << 8
    }
    edges(planes.won) | edges(planes.lost)
}

/// A byte of 1 for each cell of a rank.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Goes through the legal cells of a word. Where a neighbour is missing another stands for it: below the first
/// rank that of the word to the left, beside the first and last file the cell below.
#[inline(always)]
fn word_cells(
    word: usize,
    legal: u64,
    left: Planes,
    settings: &Settings,
    visitor: &mut impl Visitor,
) -> Planes {
    let known = visitor.known(word);
    let mut values = values_of(left);
    let mut below = values[0];
    if let Some(known) = known {
        values = values_of(Planes {
            won: left.won & !legal | known.won & legal,
            lost: left.lost & !legal | known.lost & legal,
        });
    }
    for (rank, values) in values.iter_mut().enumerate() {
        let open = (legal >> (8 * rank)) as u8;
        if open != 0 {
            // The contexts of eight cells at a time, but for the neighbour in this rank.
            let below_left = below << 8 | (below & 255);
            let below_right = below >> 8 | (below & 255 << 56);
            let unlike = below ^ below_right;
            let alike = !(unlike | unlike >> 1) & ONES;
            let places = (3 * (6 * below + 2 * below_left + alike)).to_le_bytes();
            let low = settings.low[rank].to_le_bytes();
            let high = settings.high[rank].to_le_bytes();
            let mut cells = values.to_le_bytes();
            let mut left = below as u8;
            for file in 0..8 {
                if open >> file & 1 != 0 {
                    let setting = u16::from(low[file]) | u16::from(high[file]) << COMMON_BITS;
                    cells[file] =
                        visitor.cell(setting, usize::from(places[file] + left), cells[file]);
                }
                left = cells[file];
            }
            *values = u64::from_le_bytes(cells);
        }
        below = *values;
    }
    let all = known.unwrap_or_else(|| planes_of(&values));
    Planes {
        won: all.won & legal,
        lost: all.lost & legal,
    }
}

/// The values of the cells of a word, a byte each, eight a rank.
#[inline]
fn values_of(planes: Planes) -> [u64; 8] {
    let (won, lost) = (planes.won.to_le_bytes(), planes.lost.to_le_bytes());
    std::array::from_fn(|rank| {
        ONES + SPREAD[usize::from(won[rank])] - SPREAD[usize::from(lost[rank])]
    })
}

/// The same back.
#[inline]
fn planes_of(values: &[u64; 8]) -> Planes {
    // Gathers the lowest bit of each byte.
    let gather = |x: u64| (x & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let mut planes = Planes::default();
    for (rank, &x) in values.iter().enumerate() {
        planes.won |= gather(x >> 1) << (8 * rank);
        planes.lost |= gather(!(x | x >> 1)) << (8 * rank);
    }
    planes
}
