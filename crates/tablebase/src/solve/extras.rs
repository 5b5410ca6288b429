//! Moves of a large table that lead into tables of as many pieces, or into slices that are not in memory: their values
//! enter beside the exits that the game finds.
//!
//! All that such moves need of the other table are cells by addition ([`Gather`]). What promotions give is worked out
//! before a slice is solved, in the order of the rows that they lead into, so that each block of the other table is
//! unpacked once for all slices at hand; it waits, row by row, in a scratch file.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::kept::{Kept, NO_EXIT};
use super::large_sub::LargeSubs;
use super::packed::{Blocks, Packer, Unpacked, VOID, unpack};
use super::worth::{LongWorth, Worth};
use crate::game::Game;
use crate::gather::{Gather, NOWHERE};
use crate::index::Index;
use duchamp_base::{Control, Passage, Scroll};
use duchamp_retro::{Bits, Layer, RowSet, RowWords, Seed, Side, Slice, Wide};

/// Bytes of unpacked blocks that are kept for each thread.
const CACHED: usize = 128 << 20;

/// Rows that a thread takes at a time.
const ROWS: usize = 16;

/// Blocks unpacked lately, by table, stored side and number.
#[derive(Default)]
struct Cache {
    blocks: HashMap<(usize, usize, usize), Arc<Unpacked>>,
    order: VecDeque<(usize, usize, usize)>,
    bytes: usize,
}

/// By place in the palette of a block, what a move to such a cell is worth.
type Worths = Box<[Wide; 256]>;

/// The blocks of one side of a table that one kind of move leads to.
struct Hand<'s> {
    /// The table and its number.
    source: (&'s dyn Blocks, usize),
    side: usize,
    block_cells: usize,
    /// No block before it is looked at.
    first: usize,
    /// By number, from that of the first on.
    blocks: Vec<Option<(Arc<Unpacked>, Worths)>>,
}

/// Where the bits of a word lead ([`Gather::lane`]), as steps from the least of these cells.
struct Lane {
    /// The bits that lead anywhere.
    there: u64,
    least: usize,
    /// The steps are below it.
    span: usize,
    steps: [u32; 64],
}

impl Lane {
    /// `None` if no bit leads anywhere.
    fn of(lane: &[usize; 64]) -> Option<Lane> {
        let cells = || lane.iter().copied().filter(|&cell| cell != NOWHERE);
        let (least, most) = (cells().min()?, cells().max()?);
        let there = lane.iter().enumerate().fold(0, |set, (bit, &cell)| {
            set | u64::from(cell != NOWHERE) << bit
        });
        Some(Lane {
            there,
            least,
            span: most - least + 1,
            // Nobody looks where bits that lead nowhere lead.
            steps: lane.map(|cell| cell.wrapping_sub(least) as u32),
        })
    }

    /// Where the first of some bits leads, which must lead somewhere.
    #[inline(always)]
    fn nearest(&self, cells: u64) -> usize {
        self.least + self.steps[cells.trailing_zeros() as usize & 63] as usize
    }
}

/// What is prepared of one slice and side: by row, where it is.
type Prepared = HashMap<(usize, usize), Vec<Passage>>;

/// The values of moves that the game does not see as exits.
pub(super) struct Extras<'a, G: Game> {
    index: &'a G::Index,
    own: &'a Kept<G::Index>,
    subs: &'a LargeSubs<G>,
    /// Whether moves into other slices of the table are among them.
    pushes: bool,
    control: &'a Control,
    scroll: Scroll,
    prepared: Prepared,
    cache: Mutex<Cache>,
    /// What went wrong where no error can be returned.
    error: Mutex<Option<io::Error>>,
}

impl<'a, G: Game> Extras<'a, G> {
    pub(super) fn new(
        index: &'a G::Index,
        own: &'a Kept<G::Index>,
        subs: &'a LargeSubs<G>,
        pushes: bool,
        (folder, control): (&Path, &'a Control),
    ) -> io::Result<Extras<'a, G>> {
        Ok(Extras {
            index,
            own,
            subs,
            pushes,
            control,
            scroll: Scroll::new_in(folder)?,
            prepared: HashMap::new(),
            cache: Mutex::default(),
            error: Mutex::default(),
        })
    }

    /// Bytes of memory for blocks on so many threads.
    pub(super) fn memory(threads: usize) -> u64 {
        (CACHED * threads) as u64
    }

    /// The moves of a row into large tables, or into other slices.
    fn gathers(&self, slice: usize, side: Side, row: usize, own: bool) -> Vec<Gather<G::Key>> {
        let mut gathers = Vec::new();
        let sub = |key| self.subs.index(key);
        let key = self.index.key();
        G::gather(self.index, slice, side, row, own, &sub, &mut |gather| {
            if own == (gather.child == key) {
                gathers.push(gather);
            }
        });
        gathers
    }

    /// Works out what promotions give in some slices, in place of what was prepared before.
    pub(super) fn prepare<W: LongWorth>(
        &mut self,
        slices: &[usize],
        folder: &Path,
    ) -> io::Result<()> {
        self.prepared.clear();
        if self.subs.is_empty() {
            return Ok(());
        }
        self.scroll = Scroll::new_in(folder)?;
        let mut rows = Vec::new();
        for &slice in slices {
            for side in Side::ALL {
                let of_slice: Vec<_> = (0..self.index.row_count())
                    .into_par_iter()
                    .filter_map(|row| {
                        let gathers = self.gathers(slice, side, row, false);
                        let first = gathers.first()?;
                        let table = self.subs.number(first.child)?;
                        Some(((table, first.side, first.base), slice, side, row))
                    })
                    .collect();
                if !of_slice.is_empty() {
                    let passages = vec![Passage::EMPTY; self.index.row_count()];
                    self.prepared.insert((slice, side.index()), passages);
                    rows.extend(of_slice);
                }
            }
        }
        rows.sort_unstable_by_key(|row| (row.0, row.1, row.3));
        let made: Vec<_> = rows
            .par_chunks(ROWS)
            .map(|rows| {
                let mut packer = Packer::new();
                self.subs.release();
                let of_row = |&(_, slice, side, row): &(_, usize, Side, usize)| {
                    self.control.check().map_err(|_| interrupted())?;
                    let gathers = self.gathers(slice, side, row, false);
                    let mut values = vec![[NO_EXIT; 64]; self.index.row_words()];
                    self.raise::<W>(&gathers, None, &mut values)?;
                    let cells = values.as_flattened();
                    let passage = match cells.iter().all(|&cell| cell == NO_EXIT) {
                        true => Passage::EMPTY,
                        false => self.scroll.append(&packer.pack(cells))?,
                    };
                    Ok((slice, side, row, passage))
                };
                rows.iter().map(of_row).collect::<io::Result<Vec<_>>>()
            })
            .collect::<io::Result<_>>()?;
        for (slice, side, row, passage) in made.into_iter().flatten() {
            if let Some(passages) = self.prepared.get_mut(&(slice, side.index())) {
                passages[row] = passage;
            }
        }
        Ok(())
    }

    /// Raises the values of a row to what the moves give; of words of which the legal cells are known only these.
    fn raise<W: LongWorth>(
        &self,
        gathers: &[Gather<G::Key>],
        legal: Option<&[u64]>,
        values: &mut [[Wide; 64]],
    ) -> io::Result<()> {
        for gather in gathers {
            let own = gather.child == self.index.key();
            let source: (&dyn Blocks, usize) = if own {
                (self.own, usize::MAX)
            } else if let Some(number) = self.subs.number(gather.child) {
                (self.subs.blocks(number), number)
            } else {
                continue;
            };
            let Some(lane) = Lane::of(&gather.lane) else {
                continue;
            };
            let worth = |after: Wide| match (after, own) {
                (VOID, _) => NO_EXIT,
                (_, true) => {
                    let (own, cursed) = W::own(after);
                    W::push(W::stored(own, cursed))
                }
                (_, false) => W::entering(after),
            };
            let block_cells = 64 * source.0.block_words();
            let mut hand = Hand {
                source,
                side: gather.side.index(),
                block_cells,
                first: (gather.base + lane.least) / block_cells,
                blocks: Vec::new(),
            };
            for (number, values) in values.iter_mut().enumerate() {
                let cells = lane.there & legal.map_or(!0, |legal| legal[number]);
                let word = match cells {
                    0 => NOWHERE,
                    _ => gather.word(number),
                };
                if word != NOWHERE {
                    self.raise_word(&mut hand, (&lane, word), cells, &worth, values)?;
                }
            }
        }
        Ok(())
    }

    /// Raises the values of some cells of a word to those of the cells that they lead to.
    #[inline(always)]
    fn raise_word(
        &self,
        hand: &mut Hand<'_>,
        (lane, word): (&Lane, usize),
        mut cells: u64,
        worth: &impl Fn(Wide) -> Wide,
        values: &mut [Wide; 64],
    ) -> io::Result<()> {
        // Which lie near each other, mostly in one block.
        while cells != 0 {
            let nearest = lane.nearest(cells);
            let place = (word + nearest) / hand.block_cells;
            let start = (word + lane.least).wrapping_sub(place * hand.block_cells);
            let (block, table) = self.at_hand(hand, place, worth)?;
            if let Some(bytes) = block.bytes(start, lane.span) {
                for bit in Bits(cells) {
                    let after = bytes[lane.steps[bit] as usize];
                    values[bit] = values[bit].max(table[usize::from(after)]);
                }
                return Ok(());
            }
            for bit in Bits(cells) {
                let cell = start.wrapping_add(lane.steps[bit] as usize);
                if cell < block.len() {
                    cells &= !(1 << bit);
                    values[bit] = values[bit].max(worth(block.get(cell)));
                }
            }
        }
        Ok(())
    }

    /// A block of a table at hand, with what its palette's values are worth.
    fn at_hand<'h>(
        &self,
        hand: &'h mut Hand<'_>,
        place: usize,
        worth: &impl Fn(Wide) -> Wide,
    ) -> io::Result<&'h (Arc<Unpacked>, Worths)> {
        let Hand { source, blocks, .. } = hand;
        let number = place - hand.first;
        if blocks.len() <= number {
            blocks.resize_with(number + 1, || None);
        }
        let slot = &mut blocks[number];
        if slot.is_none() {
            let block = self.cached(source.0, (source.1, hand.side, place))?;
            let table = block.each_of_palette(worth);
            *slot = Some((block, table));
        }
        slot.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// A block, unpacked lately or now.
    fn cached(
        &self,
        source: &dyn Blocks,
        name: (usize, usize, usize),
    ) -> io::Result<Arc<Unpacked>> {
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = lock().blocks.get(&name) {
            return Ok(Arc::clone(block));
        }
        let block = Arc::new(source.block(name.1, name.2)?);
        let mut cache = lock();
        if cache.blocks.insert(name, Arc::clone(&block)).is_none() {
            cache.order.push_back(name);
            cache.bytes += block.size();
        }
        while cache.bytes > CACHED * rayon::current_num_threads() {
            let Some(oldest) = cache.order.pop_front() else {
                break;
            };
            let gone = cache.blocks.remove(&oldest);
            cache.bytes -= gone.map_or(0, |block| block.size());
        }
        Ok(block)
    }

    /// Raises the exits of a row.
    fn add<W: LongWorth>(
        &self,
        slice: usize,
        side: Side,
        row: usize,
        seed: &mut Seed<'_, Wide>,
    ) -> io::Result<()> {
        if let Some(passages) = self.prepared.get(&(slice, side.index()))
            && !passages[row].is_empty()
        {
            let mut bytes = Vec::new();
            self.scroll.read(passages[row], &mut bytes)?;
            let values = unpack(&bytes)?;
            for (word, (exits, &legal)) in seed.exits.iter_mut().zip(&*seed.legal).enumerate() {
                for bit in Bits(legal) {
                    exits[bit] = exits[bit].max(values.get(64 * word + bit));
                }
            }
        }
        if self.pushes {
            let gathers = self.gathers(slice, side, row, true);
            self.raise::<W>(&gathers, Some(&*seed.legal), seed.exits)?;
        }
        Ok(())
    }

    /// What went wrong while a slice was solved.
    pub(super) fn error(&self) -> Option<io::Error> {
        self.error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// The error that stands for a cancel, which the caller finds by itself.
fn interrupted() -> io::Error {
    io::ErrorKind::Interrupted.into()
}

/// A slice with the exits that the game does not see.
pub(super) struct WithExtras<'e, 'a, G: Game, S, W> {
    pub(super) slice: S,
    pub(super) number: usize,
    pub(super) extras: &'e Extras<'a, G>,
    pub(super) worth: std::marker::PhantomData<W>,
}

impl<G: Game, W: LongWorth, S: Slice<Cell = Wide>> Slice for WithExtras<'_, '_, G, S, W>
where
    W: Worth<Cell = Wide>,
{
    type Cell = Wide;

    #[inline(always)]
    fn rows(&self) -> usize {
        self.slice.rows()
    }

    #[inline(always)]
    fn row_words(&self) -> usize {
        self.slice.row_words()
    }

    fn seed(&self, side: Side, row: usize, mut seed: Seed<'_, Wide>) {
        let described = Seed {
            legal: &mut *seed.legal,
            lost_if_stuck: &mut *seed.lost_if_stuck,
            exits: &mut *seed.exits,
        };
        self.slice.seed(side, row, described);
        let added = self.extras.add::<W>(self.number, side, row, &mut seed);
        if let Err(error) = added {
            let mut first = self.extras.error.lock();
            first
                .as_mut()
                .unwrap_or_else(|poisoned| poisoned.get_mut())
                .get_or_insert(error);
        }
    }

    #[inline(always)]
    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet) {
        self.slice.sources(mover, row, rows);
    }

    #[inline(always)]
    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords) {
        self.slice.unmove(mover, row, to, into);
    }

    #[inline(always)]
    fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]) {
        self.slice.stuck(mover, row, candidates, open);
    }
}
