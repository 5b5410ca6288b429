//! A finished table in memory, and where the solver finds those it depends on.

use crate::index::{CellId, Index};
use crate::values::{Part, PartRoom, Values};
use duchamp_base::{Buffer, Cancelled, Control};
use duchamp_retro::{Cell, Code, Side};
use rayon::prelude::*;
use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Words that a thread looks through between two checks.
const CHUNK: usize = 1 << 12;

/// The values of a solved table with one side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedSide {
    /// A bit for every cell that is no legal position with this side to move. Symmetric duplicates of a
    /// legal position are not void.
    pub void: Buffer<u64>,
    /// The value of every cell, 64 a word; meaningless where void. Duplicates hold the same value.
    pub codes: Buffer<Code>,
}

impl SolvedSide {
    /// The 64 values of a word.
    #[must_use]
    #[inline]
    pub fn word(&self, word: usize) -> &[Code; 64] {
        &self.codes.as_chunks().0[word]
    }
}

/// A solved table in memory: every position's value with its distance to mate in plies.
#[derive(Clone, Debug)]
pub struct Solved<I> {
    index: Arc<I>,
    sides: Vec<SolvedSide>,
    /// Once known: per side the cursed and blessed cells, `None` if there are none.
    cursed: OnceLock<[Option<Buffer<u64>>; 2]>,
    /// Once known: whether it [is full](Solved::is_full).
    full: OnceLock<bool>,
}

impl<I: Index> Solved<I> {
    /// A table of sides that are complete, duplicates included: what the solver makes.
    pub(crate) fn new(index: Arc<I>, sides: Vec<SolvedSide>) -> Solved<I> {
        debug_assert_eq!(sides.len(), index.stored_sides().len());
        Solved {
            index,
            sides,
            cursed: OnceLock::new(),
            full: OnceLock::new(),
        }
    }

    /// A table from values: for each of [`Index::stored_sides`] an array of values, 64 a word. Only the legal canonical
    /// cells count: void cells are marked, duplicates get the value of the cell that [`Index::canonical`] keeps.
    ///
    /// # Panics
    /// If the number or length of the arrays is not the index's.
    #[must_use]
    pub fn from_codes(index: Arc<I>, codes: Vec<Vec<Code>>) -> Solved<I> {
        assert_eq!(
            codes.len(),
            index.stored_sides().len(),
            "one array for each side to move"
        );
        let sides = codes.into_iter().zip(index.stored_sides());
        let sides = sides.map(|(mut codes, &side)| {
            assert_eq!(codes.len() as u64, index.cells(), "64 values a word");
            index.fill_duplicates(&mut codes);
            SolvedSide {
                void: (0..index.words())
                    .map(|word| !index.legal(side, word))
                    .collect::<Vec<_>>()
                    .into(),
                codes: codes.into(),
            }
        });
        Solved {
            sides: sides.collect(),
            index,
            cursed: OnceLock::new(),
            full: OnceLock::new(),
        }
    }

    /// How the cells are numbered.
    #[must_use]
    pub fn index(&self) -> &Arc<I> {
        &self.index
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> I::Key {
        self.index.key()
    }

    /// The values with `side` to move. The table of a symmetric key holds the first side's only and returns it for
    /// both.
    #[must_use]
    #[inline]
    pub fn side(&self, side: Side) -> &SolvedSide {
        &self.sides[side.index().min(self.sides.len() - 1)]
    }

    /// A bit for every cell whose win is cursed, or whose loss is blessed, by the 50-move rule (its
    /// distance to zeroing is above 100 plies); `None` if there are none or it is not known.
    #[must_use]
    pub fn cursed(&self, side: Side) -> Option<&[u64]> {
        self.cursed.get()?[side.index().min(self.sides.len() - 1)].as_deref()
    }

    /// Whether the cursed wins and blessed losses are known.
    #[must_use]
    pub fn knows_cursed(&self) -> bool {
        self.cursed.get().is_some()
    }

    /// Makes them known; what is known already stays.
    pub(crate) fn set_cursed(&self, cursed: [Option<Buffer<u64>>; 2]) {
        let _ = self.cursed.set(cursed);
    }

    /// Whether a position is lost in as many plies as a byte can say. A move into it wins in more, which a larger table in
    /// bytes would take for a draw.
    pub(crate) fn is_full(&self, control: &Control) -> Result<bool, Cancelled> {
        const LAST: Code = Code::loss(Code::MAX_LOSS);
        if let Some(&full) = self.full.get() {
            return Ok(full);
        }
        let mut full = false;
        for side in &self.sides {
            let codes = side.codes.par_chunks(64 * CHUNK);
            let found = codes
                .zip(side.void.par_chunks(CHUNK))
                .map(|(codes, void)| {
                    control.check()?;
                    let mut words = codes.as_chunks::<64>().0.iter().zip(void);
                    let found = words.any(|(codes, void)| Code::equal(codes, LAST) & !void != 0);
                    Ok::<bool, Cancelled>(found)
                })
                .try_reduce(|| false, |one, other| Ok(one || other))?;
            full |= found;
        }
        Ok(*self.full.get_or_init(|| full))
    }

    /// The value of a cell; `None` where it is no legal position.
    #[must_use]
    #[inline]
    pub fn get(&self, at: CellId) -> Option<Code> {
        let side = self.side(at.side);
        let (word, bit) = (at.word(), at.bit());
        let void = side.void.get(word)? >> bit & 1 != 0;
        (!void).then(|| side.codes[at.cell as usize])
    }
}

/// Distances to mate in memory.
impl<I: Index> Values for Solved<I> {
    type Cell = Code;
    type Index = I;

    fn index(&self) -> &Arc<I> {
        Solved::index(self)
    }

    fn stride(&self) -> usize {
        1
    }

    fn read<'a>(
        &'a self,
        side: Side,
        words: Range<usize>,
        _: &'a mut PartRoom<Code>,
    ) -> io::Result<Part<'a, Code>> {
        let side = self.side(side);
        Ok(Part {
            void: &side.void[words.clone()],
            cells: &side.codes.as_chunks::<64>().0[words],
        })
    }
}

/// Why a table was not solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError<K> {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A table that this one depends on is not at hand.
    #[error("{key} needs the table {child}, which is not at hand")]
    Missing {
        /// The table to be solved.
        key: K,
        /// The table that it needs.
        child: K,
    },
    /// The cursed wins and blessed losses of a table that this one depends on are not known.
    #[error("{key} needs the table {child}, whose distances to zeroing are not solved")]
    NoZeroing {
        /// The table to be solved.
        key: K,
        /// The table that it needs.
        child: K,
    },
    /// The scratch folder has no room for a table, or cannot be written to.
    #[error("no room in the scratch folder for {key}: {source}")]
    Scratch {
        /// The table.
        key: K,
        /// What the system says.
        source: std::io::Error,
    },
    /// A table that this one depends on has distances that are longer than what larger tables read of it can say.
    #[error(
        "{key} cannot be solved to mate: its sub-table {child} has wins or losses of 254 plies or more"
    )]
    LongSub {
        /// The table to be solved.
        key: K,
        /// The table that it needs.
        child: K,
    },
    /// A distance does not fit into the cells: a byte holds distances of up to 254 plies.
    #[error("{0} has longer wins than a byte can say")]
    TooLong(K),
    /// Two metrics do not agree on who wins: a fault of the game's implementation or of the solver.
    #[error("{0}: distances in two metrics contradict each other")]
    Contradiction(K),
}

/// Where the solver finds the finished tables that a key depends on.
pub trait SubTables<I: Index>: Sync {
    /// The finished table of a canonical key, one of [`TableKey::children`](crate::TableKey::children); `None` if it is
    /// not at hand.
    fn get(&self, key: I::Key) -> Option<Arc<Solved<I>>>;
}
