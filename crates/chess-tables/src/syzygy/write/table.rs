//! The bytes of the two files of a table.

use std::ops::RangeInclusive;

use duchamp_base::{Cancelled, Control};
use duchamp_chess::{Color, Role};
use rayon::prelude::*;

use super::super::file::{SyzygyKind, flags};
use super::coding::{CodedBlocks, CodedPairs};
use super::orders::{self, Order};
use super::pairing::Dictionary;
use super::places::{Cells, MOST_ARRANGED, Places};
use super::runs::{Choice, Distances, Results, runs};
use super::values::{SideValues, TableValues};
use crate::layout::Layout;

/// Bits of the size of blocks: of results, of distances.
const BLOCK_BITS: [RangeInclusive<u8>; 2] = [4..=6, 4..=10];
/// Indices that are read at a time.
const CHUNK: u64 = 1 << 18;
/// Symbols that are replaced at a time, again and again.
const IN_CACHE: usize = 1 << 16;
/// Symbols that a dictionary is learnt from, at most.
const SAMPLE: usize = 6 << 20;

/// A sub-table with one side to move, ready to be written.
#[derive(Debug)]
struct Part {
    order: Order,
    flags: u8,
    pairs: CodedPairs,
    /// Lists of distances, where values are ranks.
    lists: Option<[Vec<u8>; 4]>,
}

/// The bytes that it takes to make a file, about: runs and symbols of the largest sub-tables, and either side's cells in
/// another order, of which only those of one file of the leading pawn are touched.
pub(super) fn memory(layout: &Layout) -> u64 {
    let cells = layout.cells();
    let arranged = match layout.pawns().pawns() {
        _ if cells > MOST_ARRANGED => 0,
        0 => 2 * cells,
        _ => 2 * cells / 4,
    };
    cells / 2 + arranged + (64 << 20)
}

/// Makes the bytes of one file, its checksum excepted.
pub(super) fn file(
    kind: SyzygyKind,
    layout: &Layout,
    table: &TableValues,
    control: &Control,
) -> Result<Vec<u8>, Cancelled> {
    let cells = Cells::new(layout);
    let orders = orders::all(table.material);
    let files = if table.material.pawns() > 0 { 4 } else { 1 };
    let mut parts: Vec<Vec<Part>> = Vec::new();
    for file in 0..files {
        let sides = match kind {
            SyzygyKind::Wdl => {
                let side = |values| results(&orders, &cells, file, values, control);
                let sides = table.sides.par_iter().map(side);
                sides.collect::<Result<_, _>>()?
            }
            SyzygyKind::Dtz => vec![distances(&orders, &cells, file, &table.sides, control)?],
        };
        parts.push(sides);
    }
    Ok(assemble(kind, table, &parts))
}

fn results(
    orders: &[Order],
    cells: &Cells<'_>,
    file: usize,
    values: &SideValues,
    control: &Control,
) -> Result<Part, Cancelled> {
    let choice = Results::new(&values.result_counts);
    let source = (&values.results[..], choice);
    let (order, _) = orders::best(orders, cells, file, source, control)?;
    let pairs = coded(&order, cells, file, source, BLOCK_BITS[0].clone(), control)?;
    Ok(Part {
        order,
        flags: 0,
        pairs,
        lists: None,
    })
}

/// Distances of one side, the one that takes less.
fn distances(
    orders: &[Order],
    cells: &Cells<'_>,
    file: usize,
    sides: &[SideValues],
    control: &Control,
) -> Result<Part, Cancelled> {
    let best = |(side, values): (usize, &SideValues)| -> Result<_, Cancelled> {
        let source = (&values.distances[..], Distances);
        let (order, cost) = orders::best(orders, cells, file, source, control)?;
        Ok((cost, side, order))
    };
    let best: Vec<_> = sides
        .par_iter()
        .enumerate()
        .map(best)
        .collect::<Result<_, _>>()?;
    let cheapest = best.into_iter().min_by_key(|&(cost, side, _)| (cost, side));
    let (_, side, order) = cheapest.expect("a table has a side");
    let values = &sides[side];
    let source = (&values.distances[..], Distances);
    let mut pairs = coded(&order, cells, file, source, BLOCK_BITS[1].clone(), control)?;
    let mut flags = if side == 1 { flags::BLACK } else { 0 };
    for (exact, flag) in values
        .in_plies
        .iter()
        .zip([flags::WINS_IN_PLIES, flags::LOSSES_IN_PLIES])
    {
        flags |= if *exact { flag } else { 0 };
    }
    let mut lists = None;
    if let CodedPairs::Single(rank) = pairs {
        // The format has no lists here.
        let stored = |list: &Vec<u8>| list.get(usize::from(rank)).is_none_or(|&n| n == 0);
        if values.lists[file].iter().all(stored) {
            pairs = CodedPairs::Single(0);
        } else {
            let mut dictionary = Dictionary::new(std::iter::once(rank));
            let mut symbols = Vec::new();
            let len = Places::new(cells, &order.numbering(file), file).len();
            dictionary.push_run(rank, len, &mut symbols);
            dictionary.learn(&mut symbols);
            pairs = CodedPairs::Blocks(CodedBlocks::new(
                &dictionary,
                &symbols,
                BLOCK_BITS[1].clone(),
            ));
        }
    }
    if !matches!(pairs, CodedPairs::Single(_)) {
        flags |= flags::MAPPED;
        lists = Some(values.lists[file].clone());
    }
    Ok(Part {
        order,
        flags,
        pairs,
        lists,
    })
}

/// Codes the values of a sub-table in an order.
fn coded<C: Choice>(
    order: &Order,
    cells: &Cells<'_>,
    file: usize,
    (values, choice): (&[u8], C),
    block_bits: RangeInclusive<u8>,
    control: &Control,
) -> Result<CodedPairs, Cancelled> {
    let numbering = order.numbering(file);
    let mut places = Places::new(cells, &numbering, file);
    let files = cells.leading_files();
    let values = places.arrange(values, |slice| files[slice] == file);
    let places = places;
    let chunks = places.len().div_ceil(CHUNK);
    let read = |chunk: u64| -> Result<Vec<(u8, u32)>, Cancelled> {
        control.check()?;
        let start = chunk * CHUNK;
        let end = (start + CHUNK).min(places.len());
        let mut bytes = Vec::with_capacity((end - start) as usize);
        places.read(start..end, &values, C::ANY, &mut bytes);
        Ok(runs(choice, &bytes))
    };
    let chunks: Vec<Vec<(u8, u32)>> = (0..chunks)
        .into_par_iter()
        .map(read)
        .collect::<Result<_, _>>()?;
    let first = chunks[0][0].0;
    let mut used = [false; 256];
    for &(value, _) in chunks.iter().flatten() {
        used[usize::from(value)] = true;
    }
    if used.iter().filter(|&&used| used).count() == 1 {
        return Ok(CodedPairs::Single(first));
    }
    let mut dictionary = Dictionary::new((0..=255).filter(|&value| used[usize::from(value)]));
    let mut symbols = Vec::new();
    let mut run: Option<(u8, u64)> = None;
    for (value, len) in chunks.into_iter().flatten() {
        match &mut run {
            Some((last, sum)) if *last == value => *sum += u64::from(len),
            _ => {
                if let Some((value, len)) = run.replace((value, len.into())) {
                    dictionary.push_run(value, len, &mut symbols);
                }
            }
        }
    }
    if let Some((value, len)) = run {
        dictionary.push_run(value, len, &mut symbols);
    }
    control.check()?;
    if symbols.len() <= SAMPLE {
        dictionary.learn(&mut symbols);
    } else {
        // Pieces of all parts.
        const PIECE: usize = 1 << 12;
        let step = symbols.len() / (SAMPLE / PIECE);
        let pieces = symbols
            .chunks(step)
            .flat_map(|piece| &piece[..PIECE.min(piece.len())]);
        let mut sample: Vec<u16> = pieces.copied().collect();
        dictionary.learn(&mut sample);
        let chunks = symbols.par_chunks(IN_CACHE).map(|chunk| {
            let mut chunk = chunk.to_vec();
            dictionary.apply(&mut chunk);
            chunk
        });
        symbols = chunks.collect::<Vec<_>>().concat();
    }
    control.check()?;
    let blocks = CodedBlocks::new(&dictionary, &symbols, block_bits);
    Ok(CodedPairs::Blocks(blocks))
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
