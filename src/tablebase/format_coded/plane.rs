//! Going through the cells of a block, each with its context.
//!
//! Encoding, decoding and learning share this walk, so they cannot differ in what a context is. The
//! *setting* of a cell (one number) is all that is known before its word is looked at: the values of the two
//! neighbouring words at this square, whether they change there, check, and which men hang. The *place* adds
//! the cell's neighbours in its own word. Cells that are no position, or a symmetric twin of another, have
//! no symbol; they pass the value of the neighbouring word on to their neighbours.

use super::scene::{MAX_TARGETS, Scene};
use crate::chess::Color;
use crate::tablebase::layout::{Layout, Rows};

/// Words of a block: decoded together, from nothing but the model.
pub(super) const BLOCK: usize = 64;
/// Values of the left and of the lower neighbour in the word: three by three.
pub(super) const PLACES: usize = 9;
/// Bits of a setting that all tables have: two values of two bits, two changes, check.
const COMMON_BITS: usize = 7;

/// Bits of the settings of a table.
pub(super) fn setting_bits(layout: &Layout) -> u32 {
    let men = layout.material().men() as usize - 2;
    (COMMON_BITS + 2 * men.min(MAX_TARGETS)) as u32
}

/// The setting without what only some tables or few cells have: values of the neighbouring words, check.
pub(super) const fn common(setting: u16) -> u16 {
    setting & 0b1_1111
}

/// Won and lost cells of a word; what is neither is drawn or no position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in crate::tablebase) struct Planes {
    pub(in crate::tablebase) won: u64,
    pub(in crate::tablebase) lost: u64,
}

/// Who goes through a block.
pub(super) trait Visitor {
    /// The value (0 loss, 1 draw, 2 win) of the cell `bit` of word `word` of the block.
    fn cell(&mut self, word: usize, bit: u32, setting: u16, place: usize) -> u8;
}

/// The walk through the blocks of one side of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk<'a> {
    pub(super) layout: &'a Layout,
    /// The side to move.
    pub(super) side: Color,
}

impl Walk<'_> {
    /// Goes through the words `first..first + planes.len()`, at most [`BLOCK`]; `planes` takes the values, those of
    /// void cells being draws.
    pub(super) fn block(self, first: usize, planes: &mut [Planes], visitor: &mut impl Visitor) {
        let mut filled = [Planes::default(); BLOCK];
        for n in 0..planes.len().min(BLOCK) {
            let (left, below) = self.neighbours(first, n);
            let left_planes = left.or(below).map_or(Planes::default(), |n| filled[n]);
            let below_planes = below.or(left).map_or(Planes::default(), |n| filled[n]);
            let word = first + n;
            let scene = Scene::new(self.layout, &self.layout.fixed(word));
            let legal = match &scene {
                Some(scene) => scene.legal(self.side),
                None => 0,
            };
            let legal = if legal == 0 {
                0
            } else {
                legal & self.layout.canonical(word)
            };
            let (mut all, mut told) = (left_planes, Planes::default());
            if let Some(scene) = scene
                && legal != 0
            {
                let settings = Settings::new(&scene, self.side, left_planes, below_planes);
                told = word_cells(n, legal, left_planes, &settings, visitor);
                all.won = all.won & !legal | told.won;
                all.lost = all.lost & !legal | told.lost;
            }
            filled[n] = all;
            planes[n] = told;
        }
    }

    /// The words of the block that differ from word `n` by one man's step to the left and down.
    fn neighbours(self, first: usize, n: usize) -> (Option<usize>, Option<usize>) {
        let word = first + n;
        if self.layout.rows() == Rows::Pairs && self.layout.word_men().is_empty() {
            // The words are king pairs; Black's king steps.
            let pairs = self.layout.pairs();
            let row = word % pairs.len();
            let [white, black] = pairs.kings(row);
            let number = |black: u8| {
                let step = pairs
                    .find(white, black)
                    .filter(|step| step.symmetry.is_none())?;
                (word - row + usize::from(step.row))
                    .checked_sub(first)
                    .filter(|&m| m < n)
            };
            let left = if black % 8 > 0 {
                number(black - 1)
            } else {
                None
            };
            let below = if black >= 8 { number(black - 8) } else { None };
            return (left, below);
        }
        let square = word % 64;
        let left = (!square.is_multiple_of(8))
            .then(|| n.checked_sub(1))
            .flatten();
        let below = (square >= 8).then(|| n.checked_sub(8)).flatten();
        (left, below)
    }
}

/// The settings of the cells of a word, low and high bytes.
struct Settings {
    low: [u64; 8],
    high: [u64; 8],
}

impl Settings {
    fn new(scene: &Scene, side: Color, left: Planes, below: Planes) -> Settings {
        let mut settings = Settings {
            low: [0; 8],
            high: [0; 8],
        };
        let low = [
            left.won,
            left.lost,
            below.won,
            below.lost,
            scene.check(side),
            changes(left),
            changes(below),
        ];
        for (bit, plane) in low.into_iter().enumerate() {
            spread(plane, bit, &mut settings.low);
        }
        for (bit, plane) in scene.hanging.iter().flatten().enumerate() {
            spread(*plane, bit, &mut settings.high);
        }
        settings
    }

    #[inline]
    fn get(&self, bit: u32) -> u16 {
        let byte = |bytes: &[u64; 8]| (bytes[bit as usize / 8] >> (8 * (bit % 8)) & 255) as u16;
        byte(&self.low) | byte(&self.high) << 7
    }
}

/// Adds a bit for each cell of a plane to the bytes of the cells.
#[inline]
fn spread(plane: u64, bit: usize, bytes: &mut [u64; 8]) {
    if plane != 0 {
        for (rank, cells) in plane.to_le_bytes().into_iter().zip(bytes) {
            *cells |= SPREAD[usize::from(rank)] << bit;
        }
    }
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

/// Where the neighbours of a cell stand among the values: by file, by rank. On the first file that of the rank
/// stands for both, on the first rank that of the file; 64 is the cell in the word to the left.
static BEFORE: [[u8; 2]; 64] = {
    let mut table = [[64; 2]; 64];
    let mut bit = 1;
    while bit < 64 {
        let (left, below) = (bit as u8 - 1, (bit as u8).wrapping_sub(8));
        table[bit] = if bit % 8 == 0 {
            [below, below]
        } else if bit < 8 {
            [left, left]
        } else {
            [left, below]
        };
        bit += 1;
    }
    table
};

/// Goes through the legal cells of a word.
fn word_cells(
    word: usize,
    legal: u64,
    left: Planes,
    settings: &Settings,
    visitor: &mut impl Visitor,
) -> Planes {
    let mut values = [1_u8; 65];
    let (lefts, _) = values.as_chunks_mut::<8>();
    let bytes = |plane: u64, rank: usize| SPREAD[(plane >> (8 * rank) & 255) as usize];
    for (rank, values) in lefts.iter_mut().enumerate() {
        let ones = 0x0101_0101_0101_0101;
        *values = (ones + bytes(left.won, rank) - bytes(left.lost, rank)).to_le_bytes();
    }
    values[64] = values[0];
    let mut planes = Planes::default();
    let mut open = legal;
    while open != 0 {
        let bit = open.trailing_zeros();
        open &= open - 1;
        let [file, rank] = BEFORE[bit as usize];
        let place = values[usize::from(file)] + 3 * values[usize::from(rank)];
        let value = visitor.cell(word, bit, settings.get(bit), usize::from(place));
        values[bit as usize] = value;
        planes.won |= u64::from(value == 2) << bit;
        planes.lost |= u64::from(value == 0) << bit;
    }
    planes
}
