//! What the machinery needs to know of a game to solve and keep its tables.

use std::fmt::Debug;

use duchamp_retro::Slice;

use crate::format::Metric;
use crate::index::{Index, TableKey};
use crate::solve::{View, Worth};

/// A two-player game whose endings have tables.
///
/// A game says how tables are named ([`Game::Key`]), how positions are numbered ([`Game::Index`]) and how sets of them
/// move ([`Game::slice`]); solving, files, scheduling, resuming and statistics follow. To be probed and verified it
/// also tells its rules, move by move ([`Rules`](crate::Rules)).
pub trait Game: Copy + Debug + Send + Sync + 'static {
    /// The number of the game in the header of files. 0 is chess.
    const ID: u8;
    /// The name of the game as users say it.
    const NAME: &'static str;
    /// What its tables can tell; [`Metric::Wdl`] among them.
    const METRICS: &'static [Metric];
    /// The fewest pieces of a table.
    const MIN_MEN: u32 = 3;
    /// The most pieces of a table that is solved in memory.
    const MAX_MEN: u32;
    /// Tables of one slice may have as many pieces as this: they are solved in little memory, one at a time.
    const LARGEST_MEN: u32 = Self::MAX_MEN;
    /// The ending that needs no table because every position of it is drawn, such as bare kings.
    const TRIVIAL: Option<Self::Key>;

    /// The names of tables.
    type Key: TableKey;
    /// How positions are numbered.
    type Index: Index<Key = Self::Key>;
    /// The moves that leave the slices of a table, in a metric, and the values that they lead to.
    type Exits<'a, W: Worth>: Send + Sync;

    /// The exits of a table whose slices solved so far are `own`; `sub` finds the finished tables, among them the
    /// [`Game::TRIVIAL`] one.
    fn exits<'a, W: Worth>(
        index: &'a Self::Index,
        own: View<'a, Self::Index, W::Own>,
        sub: &dyn Fn(Self::Key) -> Option<View<'a, Self::Index, u8>>,
    ) -> Self::Exits<'a, W>;

    /// A slice of the table as the solver sees it.
    fn slice<'e, 'a: 'e, W: Worth>(
        exits: &'e Self::Exits<'a, W>,
        slice: usize,
    ) -> impl Slice<Cell = W::Cell> + 'e;

    /// All keys of so many pieces that have tables, in the order of lists.
    fn all(men: u32) -> Vec<Self::Key>;

    /// The numbers under which probing finds the table of a key: of its own pieces, and of them with the sides
    /// exchanged. None is 0. See [`Rules::code`](crate::Rules::code).
    fn codes(key: Self::Key) -> [u64; 2];

    /// Whether a table is solved and written without ever being in memory as a whole: it has more than
    /// [`Game::MAX_MEN`] pieces, and one slice.
    #[must_use]
    fn is_large(key: Self::Key) -> bool {
        (Self::MAX_MEN + 1..=Self::LARGEST_MEN).contains(&key.men()) && key.pawns() == 0
    }

    /// Whether tables of a key can be generated.
    #[must_use]
    fn has_table(key: Self::Key) -> bool {
        (Self::MIN_MEN..=Self::MAX_MEN).contains(&key.men()) || Self::is_large(key)
    }
}
