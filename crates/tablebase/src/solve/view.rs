//! The values of a table as exits read them.

use super::solved::Solved;
use crate::index::{Index, TableKey};
use duchamp_retro::Side;

/// The values of a finished table (bytes, distances to mate), or in the metric at hand those of the slices that are done.
#[derive(Debug)]
pub struct View<'a, I, V> {
    /// How the cells are numbered.
    pub index: &'a I,
    /// By side to move; a finished table of a symmetric key has the first side's twice.
    pub codes: [&'a [V]; 2],
    /// By side to move: a bit for every cell that is no legal position.
    pub void: [&'a [u64]; 2],
    /// Of a finished table: the cells whose win is cursed or whose loss is blessed; `None` if there are none.
    pub cursed: [Option<&'a [u64]>; 2],
    /// Whether the second side to move must be turned into the first.
    pub first_only: bool,
}

impl<I, V> Clone for View<'_, I, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, V> Copy for View<'_, I, V> {}

impl<'a, I: Index> View<'a, I, u8> {
    /// A finished table.
    #[must_use]
    pub fn of(solved: &'a Solved<I>) -> View<'a, I, u8> {
        let sides = Side::ALL.map(|side| solved.side(side));
        View {
            index: solved.index(),
            codes: sides.map(|side| &side.codes[..]),
            void: sides.map(|side| &side.void[..]),
            cursed: Side::ALL.map(|side| solved.cursed(side)),
            first_only: solved.key().is_symmetric(),
        }
    }
}
