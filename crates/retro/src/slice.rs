//! What the solver asks of a game: one slice of it, as operations on sets of positions.
//!
//! A *slice* is a part of the game that the players can leave but not come back to (in chess: a
//! material with every pawn placed). For each side to move its positions are numbered from 0, 64 a
//! word, the words in *rows* of equal length. The solver works on sets of positions and never looks
//! at one; a game needs to know only how a whole row of positions moves.
//!
//! Moves that leave the slice are *exits*: they enter once, as the best value that they give.

use super::cell::Cell;
use super::sets::{Layer, RowSet, RowWords};

/// The two players.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The first of the two.
    First,
    /// The second of the two.
    Second,
}

impl Side {
    /// Both.
    pub const ALL: [Side; 2] = [Side::First, Side::Second];

    /// 0 or 1.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opponent.
    #[must_use]
    #[inline]
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// Where a slice describes one row of positions; everything is zero at first.
#[derive(Debug)]
pub struct Seed<'a, C> {
    /// The positions that exist. All other numbers are void.
    pub legal: &'a mut [u64],
    /// Those that are lost if the side to move has no move at all (in chess: checks).
    pub lost_if_stuck: &'a mut [u64],
    /// The best value that an exit gives, seen by the side to move *before* it moves, 64 a word;
    /// [`Cell::NONE`](super::Cell::NONE) where there is no exit, and where void.
    pub exits: &'a mut [[C; 64]],
}

/// One slice of a game.
///
/// A *move* below is one that stays inside the slice. Sets passed in hold legal positions only;
/// what comes out may hold void numbers, the solver drops them. [`laws::check`](super::laws::check)
/// tests what an implementation must obey.
pub trait Slice: Sync {
    /// How a value is kept.
    type Cell: Cell;

    /// Number of rows.
    fn rows(&self) -> usize;

    /// Words of a row: a power of two.
    fn row_words(&self) -> usize;

    /// Describes the positions of a row with `side` to move.
    fn seed(&self, side: Side, row: usize, seed: Seed<'_, Self::Cell>);

    /// Adds to `rows` every row from which a move of `mover` leads into `row` (more are allowed).
    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet);

    /// Un-moves: adds to `into` the positions of `row` with `mover` to move from which some move
    /// leads into `to`, a set of positions with the opponent to move.
    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords);

    /// Keeps of `candidates`, positions of `row` with `mover` to move, those that have no move into
    /// `open`, a set of positions with the opponent to move (all rows).
    ///
    /// This is the same question as [`Slice::unmove`], asked about few positions and a large set.
    fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]);
}
