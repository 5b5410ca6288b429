//! A player's positions at the start: what is legal, what has no exits, and when the exits come due.
//!
//! Exits are sorted by chunk and value into records, so that a level reads what is due to it and nothing else. Where
//! the records are kept is the book's affair.

use super::cell::Cell;
use super::halt::Halt;
use super::parallel::try_map;
use super::records::Writer;
use super::shape::Shape;
use super::slice::{Seed, Side, Slice};
use super::vectors::{Work, widest};
use duchamp_base::Control;
use std::io;
use std::marker::PhantomData;

/// The records of the exits of one value in one chunk.
#[derive(Clone, Default, Debug)]
pub(super) struct ChunkExits<P> {
    /// The rows that hold one.
    pub(super) rows: u64,
    /// Where the records are.
    pub(super) place: P,
}

/// All waiting exits of a player. Those with the value [`Cell::NONE`] are the mates to be: positions
/// without exits that are lost if no move is left.
#[derive(Debug)]
pub(super) struct Waiting<P> {
    /// By [`Cell::slot`] and chunk; empty where nothing waits.
    slots: Vec<Vec<ChunkExits<P>>>,
}

impl<P: Clone + Default> Waiting<P> {
    pub(super) fn new<C: Cell>() -> Waiting<P> {
        Waiting {
            slots: vec![Vec::new(); C::SLOTS],
        }
    }

    /// Whether some exit has this value.
    pub(super) fn has<C: Cell>(&self, value: C) -> bool {
        value
            .slot()
            .is_some_and(|slot| !self.slots[slot].is_empty())
    }

    /// The exits of a value in a chunk.
    pub(super) fn find<C: Cell>(&self, value: C, chunk: usize) -> ChunkExits<P> {
        let of_value = value.slot().map(|slot| &self.slots[slot]);
        of_value
            .and_then(|chunks| chunks.get(chunk))
            .cloned()
            .unwrap_or_default()
    }

    /// Adds what waits in a chunk of so many.
    fn add(&mut self, chunk: usize, chunks: usize, found: Vec<(usize, ChunkExits<P>)>) {
        for (slot, exits) in found {
            let of_value = &mut self.slots[slot];
            of_value.resize(chunks, ChunkExits::default());
            of_value[chunk] = exits;
        }
    }
}

/// A chunk as a book takes it in.
pub(super) struct Described<'r> {
    pub(super) legal: &'r [u64],
    /// Legal positions without exits.
    pub(super) inside: &'r [u64],
}

/// What a book does with the chunks of its player at the start.
pub(super) trait Keep<P>: Send {
    /// Keeps the records of one value.
    fn exits(&mut self, records: &[u8]) -> io::Result<P>;

    /// Keeps the positions. Comes last.
    fn positions(self, chunk: Described<'_>) -> io::Result<()>;
}

/// Asks the slice for the positions and exits of `side`; `chunks` are the keepers of all chunks.
pub(super) fn seed<S: Slice, P: Clone + Default + Send, K: Keep<P>>(
    slice: &S,
    side: Side,
    shape: Shape,
    chunks: Vec<K>,
    control: &Control,
) -> Result<Waiting<P>, Halt> {
    let count = chunks.len();
    let found = try_map(
        chunks,
        || Seeding::new(shape),
        |room, chunk, keep| {
            widest(ChunkSeed {
                room,
                slice,
                side,
                chunk,
                keep,
                control,
                place: PhantomData,
            })
        },
    )?;
    let mut waiting = Waiting::new::<S::Cell>();
    for (chunk, found) in found.into_iter().enumerate() {
        waiting.add(chunk, count, found);
    }
    Ok(waiting)
}

/// A chunk to be described.
struct ChunkSeed<'s, S: Slice, P, K> {
    room: &'s mut Seeding<S::Cell>,
    slice: &'s S,
    side: Side,
    chunk: usize,
    keep: K,
    control: &'s Control,
    place: PhantomData<P>,
}

impl<S: Slice, P, K: Keep<P>> Work for ChunkSeed<'_, S, P, K> {
    type Output = Result<Vec<(usize, ChunkExits<P>)>, Halt>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        self.room
            .seed(self.slice, self.side, self.chunk, self.keep, self.control)
    }
}

/// A thread's room for describing a chunk.
struct Seeding<C> {
    shape: Shape,
    legal: Vec<u64>,
    /// First the positions lost if stuck, then those without exits.
    inside: Vec<u64>,
    cells: Vec<[C; 64]>,
    /// By [`Cell::slot`].
    writers: Vec<Writer>,
    rows: Vec<u64>,
}

impl<C: Cell> Seeding<C> {
    fn new(shape: Shape) -> Seeding<C> {
        Seeding {
            shape,
            legal: Vec::new(),
            inside: Vec::new(),
            cells: vec![[C::NONE; 64]; shape.row_words],
            writers: vec![Writer::default(); C::SLOTS],
            rows: vec![0; C::SLOTS],
        }
    }

    /// Describes a chunk to its keeper; gives back what waits in it, by slot.
    #[inline(always)]
    fn seed<S: Slice<Cell = C>, P>(
        &mut self,
        slice: &S,
        side: Side,
        chunk: usize,
        mut keep: impl Keep<P>,
        control: &Control,
    ) -> Result<Vec<(usize, ChunkExits<P>)>, Halt> {
        let first_row = chunk * self.shape.chunk_rows();
        let rows = self.shape.chunk_rows().min(self.shape.rows - first_row);
        let words = self.shape.row_words;
        for set in [&mut self.legal, &mut self.inside] {
            set.clear();
            set.resize(rows * words, 0);
        }
        for row in 0..rows {
            // A row looks at a megabyte of other tables.
            control.check()?;
            let range = row * words..(row + 1) * words;
            self.cells.fill([C::NONE; 64]);
            let seed = Seed {
                legal: &mut self.legal[range.clone()],
                lost_if_stuck: &mut self.inside[range.clone()],
                exits: &mut self.cells,
            };
            slice.seed(side, first_row + row, seed);
            for at in range {
                self.sort(row, at)?;
            }
        }
        let mut exits = Vec::new();
        for (slot, rows) in self.rows.iter_mut().enumerate() {
            if *rows != 0 {
                let place = keep.exits(self.writers[slot].bytes())?;
                self.writers[slot].clear();
                let rows = std::mem::take(rows);
                exits.push((slot, ChunkExits { rows, place }));
            }
        }
        keep.positions(Described {
            legal: &self.legal,
            inside: &self.inside,
        })?;
        Ok(exits)
    }

    /// Sorts the exits of a word by value.
    #[inline(always)]
    fn sort(&mut self, row: usize, at: usize) -> Result<(), Halt> {
        let cells = &self.cells[at % self.shape.row_words];
        let (legal, checks) = (self.legal[at], self.inside[at]);
        let (writers, due) = (&mut self.writers, &mut self.rows);
        let mut wait = |value: C, set| {
            let slot = value.slot().ok_or(Halt::TooLong)?;
            writers[slot].push(at, set);
            due[slot] |= 1 << row;
            Ok::<(), Halt>(())
        };
        let inside = legal & C::equal(cells, C::NONE);
        let mut rest = legal & !inside;
        if rest != 0 {
            rest &= !C::equal(cells, C::DRAW);
        }
        while rest != 0 {
            let value = cells[rest.trailing_zeros() as usize];
            let set = rest & C::equal(cells, value);
            rest &= !set;
            wait(value, set)?;
        }
        if checks & inside != 0 {
            wait(C::NONE, checks & inside)?;
        }
        self.inside[at] = inside;
        Ok(())
    }
}
