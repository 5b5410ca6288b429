//! How the positions of one table are numbered: the trait that a game implements.
//!
//! A table is an array of 64-bit words for each side to move; a *cell* is one bit of it, or one value of the array of
//! values. A table falls into *slices* of equal length, which the players leave but never come back to, and a slice
//! into
//! *rows* of equal length, the unit of the solver ([`duchamp_retro::Slice`]).
//!
//! Several cells may stand for one position: symmetric duplicates. The solver may fill all of them; files keep the
//! *canonical* one.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::ops::Range;
use std::str::FromStr;

use duchamp_retro::{Bits, Code, Side};

use crate::format::{Form, Planes, Visitor};

/// The name of a table: which pieces are on the board, without regard to where they stand.
///
/// `Display` gives at most 16 bytes of ASCII that can be part of a file name, such as `KRPvKR`; `FromStr` reads it
/// back. A key is *canonical*: of two sets of pieces that differ by an exchange of the sides only one is a key, and
/// `FromStr` returns it for both.
pub trait TableKey:
    Copy + Ord + Hash + Debug + Display + FromStr<Err: std::error::Error> + Send + Sync + 'static
{
    /// The number of pieces, kings included.
    fn men(&self) -> u32;

    /// The number of pieces whose moves cannot be taken back, such as pawns: they cut the table into slices. A key of 0
    /// has one slice.
    fn pawns(&self) -> u32 {
        0
    }

    /// Whether both sides have the same pieces. The table of such a key stores the first side to move only.
    fn is_symmetric(&self) -> bool;

    /// The keys of the tables that one capture or promotion leads to, each once, fewer men first. The key itself and
    /// [`Game::TRIVIAL`](crate::Game::TRIVIAL) are not among them. No chain of children leads back to a key.
    fn children(&self) -> Vec<Self>;
}

/// A cell of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId {
    /// The side to move. Always [`Side::First`] in a table of a symmetric key.
    pub side: Side,
    /// Word number times 64 plus the bit, within the side.
    pub cell: u64,
}

impl CellId {
    /// The word of the cell, within its side.
    #[must_use]
    #[inline]
    pub const fn word(self) -> usize {
        (self.cell >> 6) as usize
    }

    /// The bit of the word.
    #[must_use]
    #[inline]
    pub const fn bit(self) -> u32 {
        (self.cell & 63) as u32
    }
}

/// How the positions of one table are numbered.
///
/// [`laws::check`](crate::laws::check) tests what an implementation must obey.
pub trait Index: Debug + Send + Sync + 'static {
    /// The names of the game's tables.
    type Key: TableKey;

    /// The index of a canonical key. Equal keys give equal numbers, in every process: files depend on them.
    fn new(key: Self::Key) -> Self
    where
        Self: Sized;

    /// The key.
    fn key(&self) -> Self::Key;

    /// Which numbering this is, if a key has had others before: files of another one are not read.
    fn revision(&self) -> u8 {
        0
    }

    /// The number of slices, at least 1.
    fn slices(&self) -> usize;

    /// Ranges of slices that together are `0..slices()`, in order. Moves inside the table stay in a slice or lead to a
    /// slice of an earlier range; slices of one range are solved side by side.
    fn waves(&self) -> &[Range<usize>];

    /// Words of a row, at least 1: a divisor of [`Index::slice_words`].
    fn row_words(&self) -> usize;

    /// Words of a slice, for one side to move.
    fn slice_words(&self) -> usize;

    /// The cells of a word (below [`Index::words`]) that are legal positions with `side` to move, symmetric duplicates
    /// included.
    fn legal(&self, side: Side, word: usize) -> u64;

    /// The cells of a word that files keep: one of each set of symmetric duplicates. Cells that are not legal may be
    /// among them.
    fn canonical(&self, _word: usize) -> u64 {
        !0
    }

    /// How many positions a canonical cell stands for when identical pieces are distinguished: the weight of the cell
    /// in statistics.
    fn namings(&self, _at: CellId) -> u64 {
        1
    }

    /// Copies the value of every canonical cell to its duplicates; `codes` are the cells of a side.
    fn fill_duplicates(&self, _codes: &mut [Code]) {}

    /// Fills the words that the solver leaves out because they are duplicates of others; `words` are one or more whole
    /// rows.
    fn complete_rows<C: Copy + Send + Sync>(&self, _words: &mut [C]) {}

    /// The slice that differs from a slice by an exchange of the sides alone, in a symmetric table whose slices are
    /// solved for both sides: one of the two need not be solved.
    fn exchanged_slice(&self, _slice: usize) -> Option<usize> {
        None
    }

    /// Calls `each` for every cell of a slice that has an [`exchanged_slice`](Index::exchanged_slice) with that
    /// cell's number in its slice, and the number in the other slice of the same position with the sides exchanged.
    fn exchanged_cells(&self, _slice: usize, _each: &mut dyn FnMut(usize, usize)) {}

    /// The slices that moves inside the table lead to from a slice; all are of earlier waves. Without knowledge of the
    /// game all of these.
    fn leads_to(&self, slice: usize) -> Vec<usize> {
        let wave = self.waves().iter().find(|wave| wave.contains(&slice));
        (0..wave.map_or(slice, |wave| wave.start)).collect()
    }

    /// In which form the file of results is written. Coded files are several times smaller and slower to probe.
    fn form(&self) -> Form {
        Form::Direct
    }

    /// Contexts of the coded form of results, besides those of [`walk`](Index::walk)'s places.
    fn settings(&self) -> Settings {
        Settings {
            bits: 0,
            common: u16::MAX,
        }
    }

    /// Goes through the words `first..first + planes.len()` of a side in the coded form: passes to or takes from
    /// `visitor` the value of every legal canonical cell, with its context, and puts the values into `planes`; other
    /// cells become draws. What a context is, is free, as long as it follows from cells visited before.
    ///
    /// Without knowledge of the game the context of a cell is the values of the two cells before it and of the same
    /// bit in the word before.
    fn walk<V: Visitor>(&self, side: Side, first: usize, planes: &mut [Planes], visitor: &mut V) {
        walk_plainly(self, side, first, planes, visitor);
    }

    /// How many words [`walk`](Index::walk) takes together: it is called for a multiple of these, a power of two.
    fn walk_step(&self) -> usize {
        1
    }

    /// Whether distances are coded with a model of the table (if results are), by
    /// [`outlooks`](Index::outlooks). Such files are smaller and slower to probe.
    fn codes_distances(&self) -> bool {
        false
    }

    /// What can be known of the words `first..first + outlooks.len()` of a side, a block of the coded form of distances,
    /// before any of its distances is known. Readers and writers must find the same.
    fn outlooks(&self, _side: Side, _first: usize, outlooks: &mut [Outlook]) {
        for (n, outlook) in outlooks.iter_mut().enumerate() {
            *outlook = Outlook {
                left: n.checked_sub(1).map(|left| left as u8),
                ..Outlook::default()
            };
        }
    }

    /// The sides to move that a table holds: the first only if the key is symmetric.
    fn stored_sides(&self) -> &'static [Side] {
        if self.key().is_symmetric() {
            &[Side::First]
        } else {
            &Side::ALL
        }
    }

    /// Words of the table, for one side to move.
    fn words(&self) -> usize {
        self.slices() * self.slice_words()
    }

    /// Cells of the table, for one side to move: 64 a word.
    fn cells(&self) -> u64 {
        self.words() as u64 * 64
    }

    /// Rows of a slice.
    fn row_count(&self) -> usize {
        self.slice_words() / self.row_words()
    }
}

/// What contexts of the coded form a game has besides places ([`Index::settings`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Settings are numbers of so many bits, at most 16.
    pub bits: u32,
    /// The most informative bits of a setting: rare settings share the odds of all that agree in these. As a number
    /// below 128.
    pub common: u16,
}

/// What is known of a word of a block before its distances are ([`Index::outlooks`]).
#[derive(Clone, Copy, Default, Debug)]
pub struct Outlook {
    /// Earlier words of the block, counted from its first, in which one piece stands a step away in either of two
    /// directions: their distances are likely to be near.
    pub left: Option<u8>,
    /// The other direction.
    pub below: Option<u8>,
    /// Whether the cells nearest to a cell are the two diagonally below it, not those to the left and below: the piece
    /// of the cells moves so.
    pub slanted: bool,
    /// Up to eight properties of the cells, each a bit for each cell: cells with other properties are less alike.
    pub planes: [u64; 8],
}

impl Outlook {
    /// The properties of each cell as a byte, eight a rank.
    pub(crate) fn spread(&self) -> [[u8; 8]; 8] {
        const ONES: u64 = 0x0101_0101_0101_0101;
        let mut ranks = [0_u64; 8];
        for (bit, plane) in self
            .planes
            .iter()
            .enumerate()
            .filter(|&(_, &plane)| plane != 0)
        {
            for (cells, rank) in ranks.iter_mut().zip(plane.to_le_bytes()) {
                // Bit n of the byte comes to lie in byte n, then to its lowest bit.
                let apart = (u64::from(rank) * ONES) & 0x8040_2010_0804_0201;
                *cells |= ((apart + 0x7F * ONES) >> 7 & ONES) << bit;
            }
        }
        ranks.map(u64::to_le_bytes)
    }
}

/// The walk without knowledge of the game, as [`Index::walk`] describes it.
fn walk_plainly<I: Index + ?Sized, V: Visitor>(
    index: &I,
    side: Side,
    first: usize,
    planes: &mut [Planes],
    visitor: &mut V,
) {
    let mut before = Planes::default();
    for (n, slot) in planes.iter_mut().enumerate() {
        let known = visitor.known(n);
        let legal = index.legal(side, first + n) & index.canonical(first + n);
        let (mut told, mut last) = (Planes::default(), [1; 2]);
        for bit in Bits(legal) {
            let place = last[0] * 9 + last[1] * 3 + before.value(bit);
            let value = known.map_or(0, |known| known.value(bit));
            let value = visitor.cell(0, usize::from(place), value);
            told.won |= u64::from(value == 2) << bit;
            told.lost |= u64::from(value == 0) << bit;
            last = [last[1], value];
        }
        (*slot, before) = (told, told);
    }
}
