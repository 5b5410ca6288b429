//! The trait of a game whose endings are solved and stored.

use std::fmt::Debug;

use duchamp_retro::{Code, Side, Slice};

use crate::format::Metric;
use crate::gather::Gather;
use crate::index::{Index, TableKey};
use crate::solve::{View, Worth};

/// A two-player game whose endings have tables.
///
/// A game gives its tables names ([`Game::Key`]), numbers their positions ([`Game::Index`]) and moves sets of positions
/// ([`Game::slice`]). That is enough to generate tables; to probe, verify and count them the game also implements
/// [`Rules`](crate::Rules).
///
/// The sides are [`Side::First`] and `Second`; in chess the first is the stronger one of the key.
/// A game is over when the side to move has no legal move: then it has lost, or the game is drawn.
pub trait Game: Copy + Debug + Send + Sync + 'static {
    /// The number of the game in the header of files: a file of another game is not opened. 0 is chess.
    const ID: u8;
    /// The name of the game as users say it.
    const NAME: &'static str;
    /// The metrics that its tables can have; [`Metric::Wdl`] is one of them.
    const METRICS: &'static [Metric];
    /// The metrics that are solved by themselves, in bytes ([`solve_primary`](crate::solve_primary)): [`Metric::Dtm`],
    /// and perhaps [`Metric::Dtc`] as [`ToConversionMoves`](crate::ToConversionMoves) counts it. Larger tables read
    /// their values. A run of the generator solves one of them; the first if no distance is asked for. The other
    /// distances are solved after those to mate.
    const PRIMARY: &'static [Metric] = &[Metric::Dtm];
    /// Whether the generator reads the tables that others need from their files, if they are present and results are all
    /// that is needed of them (for [`Metric::Dtc`] of [`Game::PRIMARY`]), instead of solving them again.
    const SUBS_FROM_FILES: bool = false;
    /// The name of a table, for messages that say how to name one.
    const EXAMPLE: &'static str = "KRPvKR";
    /// The fewest pieces of a table, kings included.
    const MIN_MEN: u32 = 3;
    /// The most pieces of a table that is solved in memory, kings included.
    const MAX_MEN: u32;
    /// The most pieces of any table. Tables of more than [`Game::MAX_MEN`] pieces are solved one at a time, with bitmaps in
    /// memory and values in scratch files ([`Game::is_large`]).
    const MAX_LARGE_MEN: u32 = Self::MAX_MEN;
    /// The ending that needs no table because every position of it is drawn, such as bare kings.
    const TRIVIAL: Option<Self::Key>;

    /// The names of tables.
    type Key: TableKey;
    /// How positions are numbered.
    type Index: Index<Key = Self::Key>;
    /// The moves that leave a slice, prepared for one metric, and the values of the positions that they lead to.
    type Exits<'a, W: Worth>: Send + Sync;

    /// Prepares the exits of a table. `own` holds the values of the table's slices that are solved; `sub` gives the
    /// finished table of each of [`TableKey::children`], and of [`Game::TRIVIAL`]. [`Worth`] turns their values into
    /// those before the move.
    fn exits<'a, W: Worth>(
        index: &'a Self::Index,
        own: View<'a, Self::Index, W::Own>,
        sub: &dyn Fn(Self::Key) -> Option<View<'a, Self::Index, Code>>,
    ) -> Self::Exits<'a, W>;

    /// One slice of the table as the solver sees it, below [`Index::slices`]; its contract is that of
    /// [`duchamp_retro::Slice`].
    fn slice<'e, 'a: 'e, W: Worth>(
        exits: &'e Self::Exits<'a, W>,
        slice: usize,
    ) -> impl Slice<Cell = W::Cell> + 'e;

    /// All canonical keys of `men` pieces, in the order in which users want to see them listed; none if there are none.
    fn all(men: u32) -> Vec<Self::Key>;

    /// The numbers under which probing finds the table of a key: first that of its own pieces, then that of the same
    /// pieces with the sides exchanged (equal if the key is symmetric). None is 0, and no two keys share one. A
    /// position's number is [`Rules::code`](crate::Rules::code).
    fn codes(key: Self::Key) -> [u64; 2];

    /// Whether a table is solved and written without ever being in memory as a whole: it has more than
    /// [`Game::MAX_MEN`] pieces.
    #[must_use]
    fn is_large(key: Self::Key) -> bool {
        (Self::MAX_MEN + 1..=Self::MAX_LARGE_MEN).contains(&key.men())
    }

    /// Whether the slices of a large table are too large for memory, so that each is solved in little memory. The moves of
    /// such a table that lead to another slice must all be [gathered](Game::gather).
    #[must_use]
    fn spills_slices(key: Self::Key) -> bool {
        key.pawns() <= 1
    }

    /// Calls `each` for the moves from a row of a slice, of those with `side` to move, that lead into large tables: those
    /// of [`TableKey::children`] that `sub` finds, and with `own` into other slices of the table itself, captures not
    /// among them. A game whose large tables have one slice and no such moves need not say anything.
    ///
    /// [`Game::exits`] must leave out the moves into tables that are not at hand.
    fn gather<'a>(
        _index: &'a Self::Index,
        _slice: usize,
        _side: Side,
        _row: usize,
        _own: bool,
        _sub: &dyn Fn(Self::Key) -> Option<&'a Self::Index>,
        _each: &mut dyn FnMut(Gather<Self::Key>),
    ) {
    }

    /// Whether the table of a key can be generated.
    #[must_use]
    fn has_table(key: Self::Key) -> bool {
        (Self::MIN_MEN..=Self::MAX_MEN).contains(&key.men()) || Self::is_large(key)
    }
}
