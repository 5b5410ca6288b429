//! Looks at single values of a large table that is solved, and of all that its moves lead to.
//!
//! The values lie in blocks that are packed, or in memory, as the solver left them; so looks are made in the order of their
//! places, and each block is unpacked once for many of them.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::large_solution::Solution;
use crate::format::SideCounts;
use crate::game::Game;
use crate::index::{CellId, Index};
use crate::solve::{LargeSubs, Subs, look};
use crate::values::{PartRoom, Values};
use crate::write::EncodeError;
use duchamp_base::{Control, Gauge, Value};

/// Looks at large tables that get no files while their values are at hand: what
/// [`Generator::inspecting`](crate::Generator::inspecting) takes.
pub trait Inspector<G: Game>: Debug + Sync {
    /// Nanoseconds of one thread that an inspection takes, about.
    fn nanoseconds(&self) -> u64;

    /// Looks at a table, of which so many positions are won, drawn and lost by side to move. Works on the threads of the
    /// current pool; the gauge counts any parts.
    ///
    /// # Errors
    /// When cancelled, or when values cannot be read from where the solver left them.
    fn inspect(
        &self,
        table: &AtHand<'_, G>,
        counts: &[SideCounts; 2],
        steering: (&Gauge, &Control),
    ) -> Result<Inspected, EncodeError>;
}

/// What an inspection has found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Inspected {
    /// Positions looked at, both sides to move.
    pub positions: u64,
    /// Those that are wrong.
    pub errors: u64,
    /// The first one found, in words for the user.
    pub first: Option<String>,
    /// Wall time.
    pub time: Duration,
}

/// A table whose distances to mate are solved, and those that its moves lead to.
#[derive(Debug)]
pub struct AtHand<'a, G: Game> {
    own: &'a Solution<G::Index>,
    small: Subs<G>,
    large: LargeSubs<G>,
}

/// The place of a value, and the value.
#[derive(Clone, Copy, Debug)]
pub struct Look<K> {
    /// The table.
    pub key: K,
    /// The cell.
    pub at: CellId,
    /// What [`AtHand::look`] has found there; `None` if the cell is no position.
    pub value: Option<Value>,
}

impl<'a, G: Game> AtHand<'a, G> {
    pub(super) fn new(
        own: &'a Solution<G::Index>,
        small: Subs<G>,
        large: LargeSubs<G>,
    ) -> AtHand<'a, G> {
        AtHand { own, small, large }
    }

    /// How the table's cells are numbered.
    #[must_use]
    pub fn index(&self) -> &Arc<G::Index> {
        self.own.index()
    }

    /// How the cells of a table are numbered that the table's moves lead to, or of the table itself.
    #[must_use]
    pub fn index_of(&self, key: G::Key) -> Option<&G::Index> {
        let own = self.index();
        if own.key() == key {
            return Some(own);
        }
        let small = self.small.get(&key).map(|table| &**table.index());
        small.or_else(|| self.large.index(key))
    }

    /// Words of the table that are read together.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.own.stride()
    }

    /// Finds the values of cells.
    ///
    /// # Errors
    /// When values cannot be read from where the solver left them.
    ///
    /// # Panics
    /// If a table is not one of [`AtHand::index_of`].
    pub fn look(&self, looks: &mut [Look<G::Key>]) -> io::Result<()> {
        let place = |(n, look): (usize, &Look<G::Key>)| (look.key, look.at.side, look.at.cell, n);
        let mut order: Vec<_> = looks.iter().enumerate().map(place).collect();
        order.sort_unstable();
        // Mapped pages count as memory: what earlier looks have read goes.
        self.large.release();
        for run in order.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let (key, side, ..) = run[0];
            let index = self.index_of(key).expect("a table at hand");
            let side = side.index().min(index.stored_sides().len() - 1);
            let places: Vec<(usize, u64)> = run.iter().map(|place| (place.3, place.2)).collect();
            self.look_in(key, side, &places, |n, value| looks[n].value = value)?;
        }
        Ok(())
    }

    /// The values of cells of a table and stored side, which come in their order.
    fn look_in(
        &self,
        key: G::Key,
        side: usize,
        places: &[(usize, u64)],
        mut found: impl FnMut(usize, Option<Value>),
    ) -> io::Result<()> {
        if let Some(table) = self.small.get(&key) {
            let side = table.index().stored_sides()[side];
            for &(n, cell) in places {
                found(n, table.get(CellId { side, cell }).map(|code| code.value()));
            }
            return Ok(());
        }
        if let Some(number) = self.large.number(key) {
            return look(self.large.blocks(number), side, places, found);
        }
        match self.own {
            Solution::Sliced(table) => look(&table.kept, side, places, found),
            Solution::Spilled(table) => {
                let side = table.index().stored_sides()[side];
                let mut room = PartRoom::default();
                for &(n, cell) in places {
                    let (word, bit) = (cell as usize / 64, cell % 64);
                    let part = table.read(side, word..word + 1, &mut room)?;
                    let void = part.void[0] >> bit & 1 != 0;
                    found(n, (!void).then(|| part.cells[0][bit as usize].value()));
                }
                Ok(())
            }
        }
    }
}
