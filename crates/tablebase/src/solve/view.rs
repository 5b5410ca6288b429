//! The values of a table as exits read them.

use super::solved::Solved;
use crate::index::{Index, TableKey};
use duchamp_retro::{Code, Side};

/// The values that exits lead to: those of a finished table (bytes, distances to mate), or those of a table's own
/// slices that are solved, in the metric at hand.
#[derive(Debug)]
pub struct View<'a, I, V> {
    /// How the cells are numbered.
    pub index: &'a I,
    /// By side to move, 64 values a word; a finished table of a symmetric key has the first side's twice. Of a table's
    /// own slices there are those of earlier waves only.
    pub codes: [&'a [V]; 2],
    /// By side to move: a bit for every cell that is no legal position.
    pub void: [&'a [u64]; 2],
    /// Of a finished table: the cells whose win is cursed or whose loss is blessed; `None` if there are none.
    pub cursed: [Option<&'a [u64]>; 2],
    /// Whether the table holds the first side to move only, so that a position with the second to move must be looked
    /// up with the sides exchanged.
    pub first_only: bool,
}

impl<I, V> Clone for View<'_, I, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, V> Copy for View<'_, I, V> {}

impl<'a, I: Index> View<'a, I, Code> {
    /// A finished table.
    #[must_use]
    pub fn of(solved: &'a Solved<I>) -> View<'a, I, Code> {
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
