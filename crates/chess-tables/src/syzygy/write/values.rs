//! What the cells of a solved table mean in Syzygy files.
//!
//! A prober takes the best of what is stored and of the captures, so where a capture gives the result, anything up to it
//! may be stored; and distances are stored only where no capture and no pawn move wins.

use std::io;

use duchamp_base::{Buffer, Cancelled, Control, Plies, Room};
use duchamp_chess::Color;
use duchamp_retro::{Bits, Code, Wide};
use duchamp_tablebase::{Part, View, Worth};
use rayon::prelude::*;

use super::super::numbering::leading_pawn;
use super::runs::{Choice, Distances, Results};
use crate::kernels::exits::Exits;
use crate::kernels::row_moves::place;
use crate::kernels::seeds::Seeds;
use crate::layout::Layout;
use crate::material::Material;

/// The last ply at which a win counts under the 50-move rule.
const LAST_PLY: u16 = duchamp_chess::FIFTY_MOVES;

/// Results by grade, as Syzygy files count them: 0 loss to 4 win.
mod grade {
    pub(super) const LOSS: usize = 0;
    pub(super) const BLESSED: usize = 1;
    pub(super) const DRAW: usize = 2;
    pub(super) const CURSED: usize = 3;
    pub(super) const WIN: usize = 4;

    /// By list of distances.
    pub(super) const OF_LISTS: [usize; 4] = [WIN, LOSS, CURSED, BLESSED];
}

/// What a capture or pawn move is worth: its result in five grades. As a code it has one distance for each.
#[derive(Clone, Copy, Debug)]
struct ToResult;

const WIN: Code = Code::win(0);
const CURSED: Code = Code::win(100);
const BLESSED: Code = Code::loss(100);
const LOSS: Code = Code::loss(1);

/// By grade.
const GRADED: [Code; 5] = [LOSS, BLESSED, Code::DRAW, CURSED, WIN];

impl ToResult {
    fn graded(code: Code, cursed: bool) -> Code {
        match (code.is_win(), code.is_loss(), cursed) {
            (true, _, false) => WIN,
            (true, _, true) => CURSED,
            (_, true, false) => LOSS,
            (_, true, true) => BLESSED,
            _ => Code::DRAW,
        }
    }

    fn negated(code: Code) -> Code {
        match code {
            WIN => LOSS,
            CURSED => BLESSED,
            BLESSED => CURSED,
            LOSS => WIN,
            other => other,
        }
    }
}

impl Worth for ToResult {
    type Cell = Code;
    type Own = Code;

    #[inline(always)]
    fn converting(code: Code, cursed: bool) -> Code {
        ToResult::negated(ToResult::graded(code, cursed))
    }

    #[inline(always)]
    fn stored(own: Code, cursed: bool) -> Code {
        ToResult::graded(own, cursed)
    }

    #[inline(always)]
    fn push(after: Code) -> Code {
        ToResult::negated(after)
    }
}

/// The values of one side to move.
#[derive(Debug)]
pub(super) struct SideValues {
    /// By cell: the results that may be stored, a bit each; [`Results`].
    /// Until captures are looked at: the true result alone, and nothing where void.
    pub(super) results: Buffer<u8>,
    /// By cell: the rank of the distance, or anything; [`Distances`]. Until the ranks are known: the distance.
    pub(super) distances: Buffer<u8>,
    /// How often each set of results occurs.
    pub(super) result_counts: [u64; 32],
    /// By file of the leading pawn: distances by rank, of wins, losses, cursed wins and blessed losses, as stored.
    pub(super) lists: [[Vec<u8>; 4]; 4],
    /// Whether a distance is the last before the 50-move rule: of a win, of a loss.
    at_last: [bool; 2],
    /// Whether distances are in plies: those of wins, of losses.
    pub(super) in_plies: [bool; 2],
}

/// The values of a table.
#[derive(Debug)]
pub(super) struct TableValues {
    pub(super) material: Material,
    /// By stored side to move.
    pub(super) sides: Vec<SideValues>,
}

/// A distance that does not fit into a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooLong(pub(super) Plies);

/// The list of a distance and its number there, counted from 0: plies up to the 50-move rule, beyond it moves, as files
/// have them; `None` for a draw.
fn listed(value: Wide) -> Option<(usize, u16)> {
    use duchamp_base::Value;
    match value.value() {
        Value::Draw => None,
        Value::Win(Plies(n)) if n > LAST_PLY => Some((2, (n - LAST_PLY - 1) / 2)),
        Value::Win(Plies(n)) => Some((0, n.saturating_sub(1))),
        Value::Loss(Plies(n)) if n > LAST_PLY => Some((3, (n - LAST_PLY - 1) / 2)),
        Value::Loss(Plies(n)) => Some((1, n.saturating_sub(1))),
    }
}

impl TableValues {
    /// Space in `room` for the values of a table.
    ///
    /// # Errors
    /// When the scratch folder has no room.
    pub(super) fn new(layout: &Layout, room: Room<'_>) -> io::Result<TableValues> {
        let cells = layout.cells() as usize;
        let side = |_: &Color| {
            Ok(SideValues {
                results: room.zeros(cells)?,
                distances: room.zeros(cells)?,
                result_counts: [0; 32],
                lists: Default::default(),
                at_last: [false; 2],
                in_plies: [false; 2],
            })
        };
        let sides = layout.sides().iter().map(side);
        Ok(TableValues {
            material: layout.material(),
            sides: sides.collect::<io::Result<_>>()?,
        })
    }

    /// The bytes that the values of a table take.
    pub(super) fn memory(layout: &Layout) -> u64 {
        2 * layout.cells() * layout.sides().len() as u64
    }

    /// Takes distances to zeroing of words from `first` on, symmetric duplicates included.
    pub(super) fn take(
        &mut self,
        side: usize,
        first: usize,
        part: Part<'_, Wide>,
    ) -> Result<(), TooLong> {
        let values = &mut self.sides[side];
        let bytes = first * 64..(first + part.cells.len()) * 64;
        let distances = values.distances[bytes.clone()].as_chunks_mut::<64>().0;
        let results = values.results[bytes].as_chunks_mut::<64>().0;
        let into = distances.par_chunks_mut(1 << 10);
        let into = into.zip(results.par_chunks_mut(1 << 10));
        let from = part.cells.par_chunks(1 << 10);
        let from = from.zip(part.void.par_chunks(1 << 10));
        let last = into.zip(from).map(|((distances, results), (cells, void))| {
            let mut last = [false; 2];
            let into = distances.iter_mut().zip(results);
            for ((distances, results), (cells, void)) in into.zip(cells.iter().zip(void)) {
                for bit in Bits(!void) {
                    let Some((list, number)) = listed(cells[bit]) else {
                        results[bit] = 1 << grade::DRAW;
                        continue;
                    };
                    results[bit] = 1 << grade::OF_LISTS[list];
                    let plies = cells[bit].value().plies().unwrap_or_default();
                    distances[bit] = u8::try_from(number).map_err(|_| TooLong(plies))?;
                    if plies.0 == LAST_PLY {
                        last[list] = true;
                    }
                }
            }
            Ok(last)
        });
        let last = last.try_reduce(|| [false; 2], |a, b| Ok([a[0] || b[0], a[1] || b[1]]))?;
        values.at_last = [values.at_last[0] || last[0], values.at_last[1] || last[1]];
        Ok(())
    }

    /// Finds what may be stored in each cell. All distances must have come; `sub` finds the finished tables. Of a table
    /// with pawns its own values are needed, too.
    pub(super) fn finish<'s>(
        &mut self,
        layout: &'s Layout,
        own: Option<View<'s, Layout, Code>>,
        sub: &dyn Fn(Material) -> Option<View<'s, Layout, Code>>,
        control: &Control,
    ) -> Result<(), Cancelled> {
        self.find_exact();
        let captures = Exits::<ToResult>::captures(layout, sub);
        let pawn_moves = layout.pawns().pawns() > 0;
        let zeroing = own.filter(|_| pawn_moves);
        let zeroing = zeroing.map(|own| (own, Exits::<ToResult>::new(layout, own, sub)));
        let (rows, row_words) = (layout.row_count(), layout.row_words());
        let files: Vec<usize> = (0..layout.slices())
            .map(|slice| leading_file(layout, slice))
            .collect();
        for (&turn, values) in layout.sides().iter().zip(&mut self.sides) {
            let results = values
                .results
                .as_chunks_mut::<64>()
                .0
                .par_chunks_mut(row_words);
            let distances = values.distances.as_chunks::<64>().0.par_chunks(row_words);
            let counted = results
                .zip(distances)
                .enumerate()
                .map(|(at, (results, distances))| {
                    control.check()?;
                    let row = Row {
                        layout,
                        turn,
                        slice: at / rows,
                        row: at % rows,
                    };
                    row.captures(&captures, results);
                    if let Some((own, zeroing)) = &zeroing {
                        let own = &own.codes[turn.index()][64 * at * row_words..];
                        row.zeroing(zeroing, own, results, distances);
                    }
                    if layout.halves() {
                        complete(results);
                    }
                    let mut counts = Counts::default();
                    counts.add(files[row.slice], results, distances);
                    Ok(counts)
                });
            let counts = counted.try_reduce(Counts::default, |a, b| Ok(a.with(b)))?;
            values.result_counts = counts.results;
            values.make_lists(&counts);
            let ranks = values.ranks();
            let results = values.results.par_chunks_mut(64 * row_words);
            let distances = values.distances.par_chunks_mut(64 * row_words);
            results
                .zip(distances)
                .enumerate()
                .for_each(|(at, (results, distances))| {
                    let ranks = &ranks[files[at / rows]];
                    for (result, distance) in results.iter_mut().zip(distances) {
                        finish_cell(result, distance, ranks);
                    }
                });
        }
        Ok(())
    }

    /// Whether distances are in plies: a win in 100 plies must not be taken for one in 99, nor one in 101 for one in 100.
    fn find_exact(&mut self) {
        let last: Vec<[bool; 2]> = self.sides.iter().map(|side| side.at_last).collect();
        let other = self.sides.len() - 1;
        for (n, values) in self.sides.iter_mut().enumerate() {
            let other = last[other - n];
            values.in_plies = [values.at_last[0] || other[1], values.at_last[1] || other[0]];
        }
    }
}

impl SideValues {
    /// Distances by rank: the most frequent first.
    fn make_lists(&mut self, counts: &Counts) {
        for (lists, counts) in self.lists.iter_mut().zip(counts.distances.iter()) {
            for (n, (list, counts)) in lists.iter_mut().zip(counts).enumerate() {
                let mut stored = [0u64; 256];
                for (number, &count) in counts.iter().enumerate() {
                    let number = stored_number(n, number as u8, self.in_plies);
                    stored[usize::from(number)] += u64::from(count);
                }
                *list = (0..=255).filter(|&n| stored[usize::from(n)] > 0).collect();
                list.sort_by_key(|&n| (std::cmp::Reverse(stored[usize::from(n)]), n));
            }
        }
    }

    /// By file, list and distance: the rank.
    fn ranks(&self) -> Vec<[[u8; 256]; 4]> {
        let of_file = |lists: &[Vec<u8>; 4]| {
            std::array::from_fn(|list| {
                std::array::from_fn(|number| {
                    let stored = stored_number(list, number as u8, self.in_plies);
                    let rank = lists[list].iter().position(|&other| other == stored);
                    rank.unwrap_or(0) as u8
                })
            })
        };
        self.lists.iter().map(of_file).collect()
    }
}

/// How often sets of results occur, and distances that must be stored.
#[derive(Clone, Debug)]
struct Counts {
    results: [u64; 32],
    /// By file of the leading pawn and list.
    distances: Box<[[[u32; 256]; 4]; 4]>,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts {
            results: [0; 32],
            distances: Box::new([[[0; 256]; 4]; 4]),
        }
    }
}

impl Counts {
    fn add(&mut self, file: usize, results: &[[u8; 64]], distances: &[[u8; 64]]) {
        for (&result, &distance) in results.as_flattened().iter().zip(distances.as_flattened()) {
            self.results[usize::from(result & !FREE)] += 1;
            if result & FREE == 0
                && let Some(counts) = self.distances[file].get_mut(list_of(result))
            {
                counts[usize::from(distance)] += 1;
            }
        }
    }

    fn with(mut self, other: Counts) -> Counts {
        for (sum, count) in self.results.iter_mut().zip(other.results) {
            *sum += count;
        }
        let sums = self.distances.as_flattened_mut().as_flattened_mut();
        let counts = other.distances.as_flattened().as_flattened();
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(*count);
        }
        self
    }
}

/// The file of the pawn that leads a slice's pawns in Syzygy files, 0 to 3; 0 without pawns.
pub(super) fn leading_file(layout: &Layout, slice: usize) -> usize {
    let pawns = layout.pawns();
    let (white, black) = pawns.squares(slice).split_at(pawns.white());
    let white_leads = black.is_empty() || (!white.is_empty() && white.len() <= black.len());
    let mut leading: Vec<u8> = if white_leads { white } else { black }.to_vec();
    if leading.is_empty() {
        0
    } else {
        leading_pawn(&mut leading).0
    }
}

/// The number that a file stores of a distance: plies, or moves.
fn stored_number(list: usize, number: u8, in_plies: [bool; 2]) -> u8 {
    match in_plies.get(list) {
        Some(false) => number / 2,
        _ => number,
    }
}

/// A cell's result was found with the flag that its distance need not be stored.
const FREE: u8 = 0x80;

/// Gives a cell its final bytes.
#[inline(always)]
fn finish_cell(result: &mut u8, distance: &mut u8, ranks: &[[u8; 256]; 4]) {
    let free = *result & FREE != 0;
    *result &= !FREE;
    *distance = match ranks.get(list_of(*result)) {
        Some(ranks) if !free => ranks[usize::from(*distance)],
        _ => Distances::ANY,
    };
}

/// The list of the distances of a result; none for draws. Whatever may be stored besides, the best is the true result.
#[inline(always)]
fn list_of(results: u8) -> usize {
    match results & !FREE {
        1 => 1,
        2..=3 => 3,
        8..=15 => 2,
        16..=31 => 0,
        _ => 4,
    }
}

/// A row of a table with one side to move.
#[derive(Clone, Copy)]
struct Row<'l> {
    layout: &'l Layout,
    turn: Color,
    slice: usize,
    row: usize,
}

impl Row<'_> {
    /// The words that are described.
    fn words(&self) -> impl Iterator<Item = usize> + use<> {
        let halves = self.layout.halves();
        let words = 0..self.layout.row_words();
        words.filter(move |&word| !halves || place::<true>(word) == word)
    }

    /// What results may be stored, from the true ones.
    fn captures(&self, exits: &Exits<'_, ToResult>, results: &mut [[u8; 64]]) {
        let mut seeds = Seeds::new(exits, self.turn, self.slice, self.row);
        for word in self.words() {
            let results = &mut results[word];
            if *results == [0; 64] {
                *results = [Results::ANY | FREE; 64];
                continue;
            }
            // Below a loss nothing is left that might be stored instead.
            let lost = results.iter().all(|&result| result <= 1 << grade::LOSS);
            let captures = match lost {
                true => None,
                false => seeds.word(word),
            };
            let captures = captures.map_or(&[Code::LOWEST; 64], |described| described.2);
            for (result, &capture) in results.iter_mut().zip(captures) {
                if *result == 0 {
                    *result = Results::ANY | FREE;
                    continue;
                }
                let grade = result.trailing_zeros() as usize;
                let by_capture = capture == GRADED[grade];
                let mut set = *result;
                if by_capture {
                    set |= set - 1;
                }
                let free = grade == grade::DRAW || (by_capture && grade > grade::DRAW);
                *result = set | if free { FREE } else { 0 };
            }
        }
    }

    /// Where a capture or pawn move wins no distance need be stored. Such a win is the first that counts: in 1 ply, or in 101
    /// without the 50-move rule; then a word's moves are looked at, unless all its wins in 1 ply take longer to mate by the
    /// table's `own` values.
    fn zeroing(
        &self,
        exits: &Exits<'_, ToResult>,
        own: &[Code],
        results: &mut [[u8; 64]],
        distances: &[[u8; 64]],
    ) {
        let mut seeds = Seeds::new(exits, self.turn, self.slice, self.row);
        let own = own.as_chunks::<64>().0;
        for word in self.words() {
            let mut unclear = false;
            for (cell, result) in results[word].iter_mut().enumerate() {
                if *result & FREE != 0 || distances[word][cell] != 0 {
                    continue;
                }
                match list_of(*result) {
                    0 if own[word][cell] < Code::win(0) => *result |= FREE,
                    0 | 2 => unclear = true,
                    _ => {}
                }
            }
            if !unclear {
                continue;
            }
            let Some((legal, _, moves)) = seeds.word(word) else {
                continue;
            };
            for bit in Bits(legal) {
                let best = match moves[bit] {
                    WIN => 16,
                    CURSED => 8,
                    _ => continue,
                };
                let result = &mut results[word][bit];
                if *result & !FREE >= best && *result & !FREE < 2 * best {
                    *result |= FREE;
                }
            }
        }
    }
}

/// The other half of a row with two like indexed pieces.
fn complete(words: &mut [[u8; 64]]) {
    for high in 1..64 {
        for low in 0..high {
            words[high << 6 | low] = words[low << 6 | high];
        }
    }
}
