//! The bytes of the two files of a table.

use std::ops::RangeInclusive;

use duchamp_base::{Cancelled, Control};
use duchamp_chess::{Color, Role};
use rayon::prelude::*;

use super::super::file::{SyzygyKind, flags};
use super::arranged::Spare;
use super::coding::{CodedBlocks, CodedPairs};
use super::orders::{self, Best, Order};
use super::pairing::{Dictionary, MAX_SYMBOLS};
use super::places::{Cells, MOST_ARRANGED, Places};
use super::rules::{Rules, Workspace};
use super::runs::{Choice, Distances, Results, runs};
use super::values::{SideValues, TableValues};
use crate::layout::Layout;

/// Bits of the size of blocks: of results, of distances.
const BLOCK_BITS: [RangeInclusive<u8>; 2] = [4..=6, 4..=10];
/// Indices that are read at a time.
const CHUNK: u64 = 1 << 18;
/// Samples that a dictionary is learnt from, one after another: their symbols, and how many symbols the dictionary then has,
/// at most. What is most frequent shows in a small one.
const SAMPLES: [(usize, usize); 3] = [(1 << 18, 768), (1 << 20, 2048), (3 << 20, MAX_SYMBOLS)];
/// Symbols of a piece of a sample.
const PIECE: usize = 1 << 12;

/// A sub-table with one side to move, ready to be written.
#[derive(Debug)]
struct Part {
    order: Order,
    flags: u8,
    pairs: CodedPairs,
    /// Lists of distances, where values are ranks.
    lists: Option<[Vec<u8>; 4]>,
}

/// Sub-tables that are coded side by side.
const ABREAST: usize = 2;

/// The bytes that it takes to make a file, about: runs and symbols of the largest sub-tables, and the cells in another order
/// of those that are coded side by side, each of one file of the leading pawn.
pub(super) fn memory(layout: &Layout) -> u64 {
    let cells = layout.cells();
    let arranged = match layout.pawns().pawns() {
        _ if cells > MOST_ARRANGED => 0,
        0 => ABREAST as u64 * cells,
        _ => ABREAST as u64 * cells / 4,
    };
    cells / 2 + arranged + (64 << 20)
}

/// Makes the bytes of one file, its checksum excepted. Both files of a table may use the same `spare` arrays.
pub(super) fn file(
    kind: SyzygyKind,
    layout: &Layout,
    table: &TableValues,
    spare: &Spare,
    control: &Control,
) -> Result<Vec<u8>, Cancelled> {
    let making = Making {
        cells: Cells::new(layout),
        orders: orders::all(table.material),
        files: if table.material.pawns() > 0 { 4 } else { 1 },
        spare,
        control,
    };
    let parts = match kind {
        SyzygyKind::Wdl => making.results(&table.sides)?,
        SyzygyKind::Dtz => making.distances(&table.sides)?,
    };
    Ok(assemble(kind, table, &parts))
}

/// A file of a table on its way.
struct Making<'m> {
    cells: Cells<'m>,
    orders: Vec<Order>,
    /// Files of the leading pawn that have sub-tables of their own.
    files: usize,
    spare: &'m Spare,
    control: &'m Control,
}

impl Making<'_> {
    /// The best order of each file of the leading pawn. The other files try those that are good for the first.
    fn best<C: Choice>(&self, source: (&[u8], C)) -> Result<Vec<Best>, Cancelled> {
        let best =
            |orders: &[Order], file| orders::best(orders, &self.cells, file, source, self.control);
        let mut all = vec![best(&self.orders, 0)?];
        for file in 1..self.files {
            all.push(best(&all[0].near, file)?);
        }
        Ok(all)
    }

    /// By file of the leading pawn and side: results.
    fn results(&self, sides: &[SideValues]) -> Result<Vec<Vec<Part>>, Cancelled> {
        let source = |values: &'_ SideValues| Results::new(&values.result_counts);
        let of_side = |values: &SideValues| self.best((&values.results[..], source(values)));
        let best: Vec<Vec<Best>> = sides
            .par_iter()
            .map(of_side)
            .collect::<Result<_, Cancelled>>()?;
        let tasks = (0..self.files).flat_map(|file| (0..sides.len()).map(move |side| (file, side)));
        let part = |(file, side): (usize, usize)| {
            let (values, order) = (&sides[side], &best[side][file].order);
            let source = (&values.results[..], source(values));
            let pairs = self.coded(order, file, source, BLOCK_BITS[0].clone())?;
            Ok(Part {
                order: order.clone(),
                flags: 0,
                pairs,
                lists: None,
            })
        };
        let mut parts = side_by_side(tasks, part)?.into_iter();
        let files = (0..self.files).map(|_| parts.by_ref().take(sides.len()).collect());
        Ok(files.collect())
    }

    /// By file of the leading pawn: distances of one side, the one that takes less.
    fn distances(&self, sides: &[SideValues]) -> Result<Vec<Vec<Part>>, Cancelled> {
        let of_side = |values: &SideValues| self.best((&values.distances[..], Distances));
        let sides_best: Vec<Vec<Best>> = sides
            .par_iter()
            .map(of_side)
            .collect::<Result<_, Cancelled>>()?;
        let of_file = |file: usize| {
            let best = sides_best.iter().map(|best| &best[file]).enumerate();
            let cheapest = best.min_by_key(|(side, best)| (best.cost, *side));
            let (side, best) = cheapest.expect("a table has a side");
            Ok(vec![self.distances_of(
                &sides[side],
                side,
                &best.order,
                file,
            )?])
        };
        side_by_side(0..self.files, of_file)
    }

    /// The distances of a side.
    fn distances_of(
        &self,
        values: &SideValues,
        side: usize,
        order: &Order,
        file: usize,
    ) -> Result<Part, Cancelled> {
        let source = (&values.distances[..], Distances);
        let mut pairs = self.coded(order, file, source, BLOCK_BITS[1].clone())?;
        let mut flags = if side == 1 { flags::BLACK } else { 0 };
        let in_plies = [flags::WINS_IN_PLIES, flags::LOSSES_IN_PLIES];
        for (exact, flag) in values.in_plies.iter().zip(in_plies) {
            flags |= if *exact { flag } else { 0 };
        }
        if let CodedPairs::Single(rank) = pairs {
            // The format has no lists here.
            let stored = |list: &Vec<u8>| list.get(usize::from(rank)).is_none_or(|&n| n == 0);
            if values.lists[file].iter().all(stored) {
                pairs = CodedPairs::Single(0);
            } else {
                let len = Places::new(&self.cells, &order.numbering(file), file).len();
                let chunk = |first| vec![(rank, CHUNK.min(len - first) as u32)];
                let chunks: Vec<_> = (0..len).step_by(CHUNK as usize).map(chunk).collect();
                let blocks = blocks(&chunks, BLOCK_BITS[1].clone(), self.control);
                pairs = CodedPairs::Blocks(blocks?);
            }
        }
        let mut lists = None;
        if !matches!(pairs, CodedPairs::Single(_)) {
            flags |= flags::MAPPED;
            lists = Some(values.lists[file].clone());
        }
        Ok(Part {
            order: order.clone(),
            flags,
            pairs,
            lists,
        })
    }

    /// Codes the values of a sub-table in an order.
    fn coded<C: Choice>(
        &self,
        order: &Order,
        file: usize,
        (values, choice): (&[u8], C),
        block_bits: RangeInclusive<u8>,
    ) -> Result<CodedPairs, Cancelled> {
        let numbering = order.numbering(file);
        let mut places = Places::new(&self.cells, &numbering, file);
        let files = self.cells.leading_files();
        let values = places.arrange(values, |slice| files[slice] == file, self.spare);
        let places = places;
        let read = |chunk: u64| -> Result<Vec<(u8, u32)>, Cancelled> {
            self.control.check()?;
            let start = chunk * CHUNK;
            let end = (start + CHUNK).min(places.len());
            let mut bytes = Vec::with_capacity((end - start) as usize);
            places.read(start..end, &values, C::ANY, &mut bytes);
            Ok(runs(choice, &bytes))
        };
        let chunks = (0..places.len().div_ceil(CHUNK)).into_par_iter();
        let chunks: Vec<Vec<(u8, u32)>> = chunks.map(read).collect::<Result<_, _>>()?;
        self.spare.give(values);
        let first = chunks[0][0].0;
        if chunks.iter().flatten().all(|run| run.0 == first) {
            return Ok(CodedPairs::Single(first));
        }
        blocks(&chunks, block_bits, self.control).map(CodedPairs::Blocks)
    }
}

/// Works on [`ABREAST`] tasks at a time. A thread that waits for a part of its task would begin another, and each takes memory.
fn side_by_side<T: Send, U: Send>(
    mut tasks: impl Iterator<Item = T>,
    work: impl Fn(T) -> Result<U, Cancelled> + Sync,
) -> Result<Vec<U>, Cancelled> {
    let mut done = Vec::new();
    loop {
        let some: Vec<T> = tasks.by_ref().take(ABREAST).collect();
        if some.is_empty() {
            return Ok(done);
        }
        let some = some.into_par_iter().map(&work);
        done.extend(some.collect::<Result<Vec<_>, Cancelled>>()?);
    }
}

/// Compresses runs of values, each with its length.
fn blocks(
    chunks: &[Vec<(u8, u32)>],
    block_bits: RangeInclusive<u8>,
    control: &Control,
) -> Result<CodedBlocks, Cancelled> {
    let mut used = [false; 256];
    for &(value, _) in chunks.iter().flatten() {
        used[usize::from(value)] = true;
    }
    let mut dictionary = Dictionary::new((0..=255).filter(|&value| used[usize::from(value)]));
    let mut symbols = Vec::new();
    let mut run = (chunks[0][0].0, 0u64);
    for &(value, len) in chunks.iter().flatten() {
        if value == run.0 {
            run.1 += u64::from(len);
        } else {
            dictionary.push_run(run.0, run.1, &mut symbols);
            run = (value, len.into());
        }
    }
    dictionary.push_run(run.0, run.1, &mut symbols);
    control.check()?;
    let symbols = learn(&mut dictionary, symbols, control)?;
    control.check()?;
    Ok(CodedBlocks::new(&dictionary, &symbols, block_bits))
}

/// Makes symbols of the frequent pairs of symbols and replaces them.
fn learn(
    dictionary: &mut Dictionary,
    symbols: Vec<u16>,
    control: &Control,
) -> Result<Vec<u16>, Cancelled> {
    for (len, most) in SAMPLES {
        control.check()?;
        if symbols.len() <= len {
            let mut symbols = replaced(dictionary, symbols.chunks(Rules::MOST));
            dictionary.learn(&mut symbols, MAX_SYMBOLS);
            return Ok(symbols);
        }
        let pieces = len / PIECE;
        let pieces = symbols.chunks(symbols.len() / pieces);
        let pieces = pieces.map(|piece| &piece[..PIECE.min(piece.len())]);
        let mut sample = replaced(dictionary, pieces);
        dictionary.learn(&mut sample, most);
    }
    control.check()?;
    Ok(replaced(dictionary, symbols.chunks(Rules::MOST)))
}

/// Pieces of symbols, one after another, with all pairs replaced that the dictionary knows.
fn replaced<'s>(dictionary: &Dictionary, pieces: impl Iterator<Item = &'s [u16]>) -> Vec<u16> {
    let pieces: Vec<&[u16]> = pieces.collect();
    let pieces = pieces.into_par_iter();
    let pieces = pieces.map_init(Workspace::default, |room, piece| {
        let mut into = Vec::new();
        dictionary.rules().apply(piece, room, &mut into);
        into
    });
    pieces.collect::<Vec<_>>().concat()
}

/// Puts a file together.
fn assemble(kind: SyzygyKind, table: &TableValues, parts: &[Vec<Part>]) -> Vec<u8> {
    let material = table.material;
    let split = !material.is_symmetric();
    let pawns = material.pawns() > 0;
    let both = Color::ALL
        .iter()
        .all(|&color| material.count(color, Role::Pawn) > 0);
    let mut bytes = kind.magic().to_vec();
    bytes.push((material.men() as u8) << 4 | u8::from(split) | u8::from(pawns) << 1);
    for sides in parts {
        // One nibble a side; where one side stands for both, twice the same but for distances.
        let nibbles = |of: &dyn Fn(&Order) -> u8| {
            let low = of(&sides[0].order);
            let high = match sides.get(1) {
                Some(part) => of(&part.order),
                None if kind == SyzygyKind::Wdl => low,
                None => 0,
            };
            low | high << 4
        };
        bytes.push(nibbles(&|order| order.places[0]));
        if both {
            bytes.push(nibbles(&|order| order.places[1]));
        }
        for n in 0..material.men() as usize {
            bytes.push(nibbles(&|order| order.men[n].bits()));
        }
    }
    align(&mut bytes, 2);
    let all = || parts.iter().flatten();
    for part in all() {
        part.pairs.describe(part.flags, &mut bytes);
    }
    if kind == SyzygyKind::Dtz {
        for lists in all().filter_map(|part| part.lists.as_ref()) {
            for list in lists {
                bytes.push(list.len() as u8);
                bytes.extend(list);
            }
        }
        align(&mut bytes, 2);
    }
    all().for_each(|part| part.pairs.write_index(&mut bytes));
    all().for_each(|part| part.pairs.write_sizes(&mut bytes));
    for part in all() {
        if !part.pairs.data().is_empty() {
            align(&mut bytes, 64);
            bytes.extend(part.pairs.data());
        }
    }
    align(&mut bytes, 64);
    bytes
}

fn align(bytes: &mut Vec<u8>, to: usize) {
    bytes.resize(bytes.len().next_multiple_of(to), 0);
}
