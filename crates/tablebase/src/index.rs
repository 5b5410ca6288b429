//! How the positions of one table are numbered: the trait that a game implements.
//!
//! A table is an array of 64-bit words for each side to move; a *cell* is one bit of it, or one value of the array of
//! values. A table falls into *slices* of equal length, which the players leave but never come back to, and a slice into
//! *rows* of equal length, the unit of the solver ([`duchamp_retro::Slice`]).
//!
//! Several cells may stand for one position: symmetric duplicates. The solver may fill all of them; files keep the
//! *canonical* one.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::ops::Range;
use std::str::FromStr;

use duchamp_retro::{Bits, Side};

use crate::format::{Form, Planes, Visitor};

/// The name of a table: which pieces are on the board, without regard to where they stand.
///
/// Its text (at most 16 bytes of ASCII, such as `KRPvKR`) is the name of the files; it is read back by `FromStr`.
/// A key is *canonical*: of two that differ by an exchange of the sides only one is a key.
pub trait TableKey:
    Copy + Ord + Hash + Debug + Display + FromStr<Err: std::error::Error> + Send + Sync + 'static
{
    /// The number of pieces, kings included.
    fn men(&self) -> u32;

    /// The number of pieces whose moves cannot be taken back, and which so cut the table into slices.
    fn pawns(&self) -> u32 {
        0
    }

    /// Whether both sides have the same pieces, so that a table with the first side to move says all.
    fn is_symmetric(&self) -> bool;

    /// The tables that captures and promotions lead to, each once, fewer men first. Endings that need no table
    /// ([`Game::TRIVIAL`](crate::Game::TRIVIAL)) are not among them.
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

    /// The index of a canonical key.
    fn new(key: Self::Key) -> Self
    where
        Self: Sized;

    /// The key.
    fn key(&self) -> Self::Key;

    /// The number of slices.
    fn slices(&self) -> usize;

    /// Ranges of slices that do not depend on each other; each depends on earlier ones only.
    fn waves(&self) -> &[Range<usize>];

    /// Words of a row: a power of two.
    fn row_words(&self) -> usize;

    /// Words of a slice, for one side to move.
    fn slice_words(&self) -> usize;

    /// The legal positions of a word with `side` to move, symmetric duplicates included.
    fn legal(&self, side: Side, word: usize) -> u64;

    /// The cells of a word that files keep: of symmetric duplicates one. Whether they are legal is not regarded.
    fn canonical(&self, _word: usize) -> u64 {
        !0
    }

    /// How many positions a canonical cell stands for when identical pieces are told apart.
    fn namings(&self, _at: CellId) -> u64 {
        1
    }

    /// Copies the value of every canonical cell to its duplicates; `codes` are the cells of a side.
    fn fill_duplicates(&self, _codes: &mut [u8]) {}

    /// Copies to the words of some rows that the solver leaves out, because they are duplicates of others, what those hold.
    fn complete_rows<C: Copy + Send + Sync>(&self, _words: &mut [C]) {}

    /// The slice that differs from a slice by an exchange of the sides alone, in a symmetric table whose slices are
    /// solved for both sides: one of the two need not be solved.
    fn exchanged_slice(&self, _slice: usize) -> Option<usize> {
        None
    }

    /// Calls `each` for every cell of a slice that has an [`exchanged_slice`](Index::exchanged_slice) with that
    /// cell's number in its slice, and the number in the other slice of the same position with the sides exchanged.
    fn exchanged_cells(&self, _slice: usize, _each: &mut dyn FnMut(usize, usize)) {}

    /// In which form results are written.
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

    /// Goes through the words `first..first + planes.len()` of a side in the coded form: tells or asks `visitor` the value
    /// of every legal canonical cell, with its context, and puts the values into `planes`; other cells become draws. What
    /// a context is, is free, as long as it follows from cells visited before.
    ///
    /// Without knowledge of the game the context of a cell is the values of the two cells before it and of the same
    /// bit in the word before.
    fn walk<V: Visitor>(&self, side: Side, first: usize, planes: &mut [Planes], visitor: &mut V) {
        walk_plainly(self, side, first, planes, visitor);
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
    /// The bits of a setting that tell most: rare settings share the odds of all that agree in these. As a number below 128.
    pub common: u16,
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
