//! The trait that a game implements: one slice of it, as operations on sets of positions.

use super::cell::Cell;
use super::sets::{Layer, RowSet, RowWords};

/// The two players: [`Side::First`] and [`Side::Second`].
///
/// The names say nothing about who begins: the solver finds the values of all positions with either side to move. A
/// game decides which of its players is First (chess tables: the stronger side, or White) and keeps to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// One player; index 0.
    First,
    /// The other player; index 1.
    Second,
}

impl Side {
    /// Both sides, in the order of their indices.
    pub const ALL: [Side; 2] = [Side::First, Side::Second];

    /// 0 for First, 1 for Second.
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
///
/// # When the game is over
/// An ended game is a position like any other, with the side to move that would have to go on. Either this side has
/// *lost*: mark the position in [`Seed::lost_if_stuck`] and give it no move. Or the game is *drawn*: give it no move
/// and no mark. There is no mark for an ended game that the side to move has *won*; leave such positions void, and
/// describe the moves into them as exits of the position before, lost in one ply (which a [`Wide`](super::Wide) cell
/// can store).
///
/// A position with moves or exits is not stuck, whatever its mark says: `lost_if_stuck` may hold all checks of a chess
/// slice, and the solver finds the mates among them.
#[derive(Debug)]
pub struct Seed<'a, C> {
    /// The positions that exist. All other numbers are void: nothing may lead there.
    pub legal: &'a mut [u64],
    /// The positions that are lost if the side to move has neither a move nor an exit (in chess: checks).
    pub lost_if_stuck: &'a mut [u64],
    /// By position, the value of its best exit for the side to move, counted *before* the move (an exit that mates is
    /// `C::win(1)`), 64 a word; [`Cell::NONE`](super::Cell::NONE) where there is no exit, and where void.
    /// [`Cell::before_move`](super::Cell::before_move) turns the value after an exit into the value before it.
    pub exits: &'a mut [[C; 64]],
}

/// One slice of a game.
///
/// # Positions
/// A slice numbers its positions from 0, separately for each side to move. Position `p` is bit `p % 64` of word
/// `p / 64`. The words lie in *rows* of equal length, [`Slice::row_words`] words each; a row is the unit that the
/// solver requests. Numbers that are no position are *void*. A good numbering has few void numbers and lets whole words
/// move at once: in chess, a word holds the 64 squares of one piece while all other pieces stand still.
///
/// # Moves
/// A *move* in this trait is one that stays inside the slice; it leads from a legal position with one side to move to a
/// legal position with the other side to move. Moves that leave the slice are *exits*, and enter only as values,
/// through [`Slice::seed`]. No sequence of moves may come back into a slice once it is left: the solver cannot see such
/// loops, and its values would be wrong.
///
/// # Laws
/// - [`Slice::unmove`] and [`Slice::stuck`] agree about which moves exist.
/// - [`Slice::sources`] names every row that a move into the given row comes from; it may name more.
/// - Void positions have no mark and no exit.
/// - All methods answer the same question in the same way each time. They are called from several threads at once.
///
/// [`laws::check`](super::laws::check) tests them. Sets that the solver passes in hold legal positions only. Sets that
/// come out may hold void numbers, which the solver drops.
///
/// # Examples
/// The example `pursuit` of this crate implements the trait in about 60 lines.
pub trait Slice: Sync {
    /// How a value is stored: [`Code`](super::Code) or [`Wide`](super::Wide), see [`Cell`].
    type Cell: Cell;

    /// The number of rows, the same for both sides to move.
    fn rows(&self) -> usize;

    /// The number of words in a row, at least 1.
    fn row_words(&self) -> usize;

    /// Describes the positions of a row with `side` to move. The slices of `seed` are one row long.
    fn seed(&self, side: Side, row: usize, seed: Seed<'_, Self::Cell>);

    /// Adds to `rows` every row from which a move of `mover` leads into `row`. More rows are allowed; each costs a call
    /// of [`Slice::unmove`].
    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet);

    /// Un-moves: adds to `into` the positions of `row` with `mover` to move from which some move leads into `to`, a set
    /// of positions with the opponent to move.
    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords);

    /// Removes from `candidates`, positions of `row` with `mover` to move, those that have a move into `open`, a set of
    /// positions with the opponent to move (all rows, all words).
    ///
    /// This answers the same as [`Slice::unmove`], for few positions and a large set: a game may un-move the set
    /// or try the moves of the candidates, whichever is faster.
    fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]);
}
