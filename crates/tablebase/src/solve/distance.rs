//! Distances to conversion and to zeroing of a table that is solved to mate.
//!
//! The same solver with other exits: a capture or promotion counts one ply, and to zeroing a pawn's
//! push does too (`worth.rs`). Who wins is known already, so what is read of other tables, and to zeroing of
//! the table's own earlier slices, are their bytes of distances to mate. The values go wave by wave to
//! whoever wants them and are not kept, but for those to conversion of a table with pawns, whose
//! pushes count on.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::solved::{SolveError, Solved, SubTables};
use super::view::View;
use super::waves::{Means, Subs, Whole, solve_slices, solve_whole_with, sub_tables, wave_room};
use super::worth::{ToConversion, ToZeroing};
use crate::format::{DRAW_AFTER, Metric, SideCounts};
use crate::game::Game;
use crate::index::Index;
use crate::values::Part;
use crate::write::{DistanceWriter, EncodeError, grade};
use duchamp_base::files::WholeFile;
use duchamp_base::{Buffer, Cancelled, Control, Gauge, Room};
use duchamp_retro::{Bits, Cell, Code, Seed, Side, Slice, Wide};

/// Words that a thread counts at a time, between two checks.
const CHUNK: usize = 1 << 12;

/// Why a file of distances was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DistanceError<K> {
    #[error(transparent)]
    Solve(#[from] SolveError<K>),
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

type Result<T, K> = std::result::Result<T, DistanceError<K>>;

/// Writes the file of distances to conversion or zeroing of a table that is solved to mate, which goes with its `.wdl`
/// file, by `writer`. Tables that it leads to are taken from `tables`; to zeroing they must list their cursed cells
/// ([`find_cursed`]), as this table does afterwards.
pub(crate) fn write_distance_file<G: Game>(
    mut writer: DistanceWriter<'_, G::Index>,
    solved: &Solved<G::Index>,
    tables: &dyn SubTables<G::Index>,
    means: &Means<'_>,
    also: Option<&mut Listener<'_>>,
) -> Result<WholeFile, G::Key> {
    let metric = writer.metric();
    let mut also = also;
    let sink = &mut |side: usize, part: Part<'_, Wide>, traps: &[usize]| {
        writer.push(side, part, traps)?;
        if let Some(also) = &mut also {
            also(Side::ALL[side], part);
        }
        Ok(())
    };
    let counts = solve_distance::<G>(metric, solved, tables, means, true, Some(sink))?;
    finish(writer, solved.key(), counts)
}

/// Ends a file whose values are pushed; they must agree with the `.wdl` file.
pub(super) fn finish<I: Index>(
    writer: DistanceWriter<'_, I>,
    key: I::Key,
    counts: [SideCounts; 2],
) -> Result<WholeFile, I::Key> {
    let agree =
        |a: &SideCounts, b: &SideCounts| (a.won, a.drawn, a.lost) == (b.won, b.drawn, b.lost);
    if !counts.iter().zip(writer.told()).all(|(a, b)| agree(a, b)) {
        return Err(SolveError::Contradiction(key).into());
    }
    Ok(writer.finish(counts)?)
}

/// Hears the values of consecutive words of a side.
pub(crate) type Listener<'s> = dyn FnMut(Side, Part<'_, Wide>) + 's;

/// Solves a table to zeroing for a listener; finds its cursed cells, as [`find_cursed`].
pub(crate) fn tell_zeroing<G: Game>(
    solved: &Solved<G::Index>,
    tables: &dyn SubTables<G::Index>,
    means: &Means<'_>,
    listener: &mut Listener<'_>,
) -> Result<(), G::Key> {
    let sink = &mut |side: usize, part: Part<'_, Wide>, _: &[usize]| {
        listener(Side::ALL[side], part);
        Ok(())
    };
    solve_distance::<G>(Metric::Dtz, solved, tables, means, false, Some(sink)).map(|_| ())
}

/// Finds the cursed and blessed cells of a table, for tables that lead to it.
pub(crate) fn find_cursed<G: Game>(
    solved: &Solved<G::Index>,
    tables: &dyn SubTables<G::Index>,
    means: &Means<'_>,
) -> Result<(), G::Key> {
    if solved.knows_cursed() {
        return Ok(());
    }
    if longest_mate(solved, means.control).map_err(SolveError::from)? <= DRAW_AFTER {
        // Mate itself comes in time.
        solved.set_cursed([None, None]);
        return Ok(());
    }
    solve_distance::<G>(Metric::Dtz, solved, tables, means, false, None).map(|_| ())
}

/// The longest mate of a table in plies, symmetric duplicates and all.
fn longest_mate<I: Index>(
    solved: &Solved<I>,
    control: &Control,
) -> std::result::Result<u16, Cancelled> {
    let mut longest = 0;
    for &side in solved.index().stored_sides() {
        let side = solved.side(side);
        let pieces = side.codes.par_chunks(64 * CHUNK);
        let of_piece = |(codes, void): (&[Code], &[u64])| {
            control.check()?;
            let words = codes.as_chunks::<64>().0.iter().zip(void);
            let mates = words.flat_map(|(codes, void)| {
                Bits(!void).map(|cell| codes[cell].value().plies().unwrap_or_default().0)
            });
            Ok(mates.max().unwrap_or(0))
        };
        let of_side = pieces
            .zip(side.void.par_chunks(CHUNK))
            .map(of_piece)
            .try_reduce(|| 0, |a, b| Ok(a.max(b)))?;
        longest = longest.max(of_side);
    }
    Ok(longest)
}

/// Takes the values of consecutive words of a side, and those words of the side that hold *traps*:
/// cells whose best capture or pawn move wins, but only without the 50-move rule.
type Sink<'s> =
    dyn FnMut(usize, Part<'_, Wide>, &[usize]) -> std::result::Result<(), EncodeError> + 's;

/// Finds the distances to conversion or zeroing of a table that is solved to mate, on the heap, and hands them to
/// `each`, for either stored side in the order of its words. Tables that it leads to are taken from `tables`; to
/// zeroing they must have been solved so themselves. Returns what the values count.
///
/// # Errors
/// As [`solve`](super::solve()), and when a table that this one leads to is not solved to zeroing.
///
/// # Panics
/// If the metric is neither of the two.
pub fn solve_distances<G: Game>(
    metric: Metric,
    solved: &Solved<G::Index>,
    tables: &dyn SubTables<G::Index>,
    control: &Control,
    each: &mut dyn FnMut(Side, Part<'_, Wide>),
) -> std::result::Result<[SideCounts; 2], SolveError<G::Key>> {
    assert!(matches!(metric, Metric::Dtc | Metric::Dtz), "{metric:?}");
    let gauge = Gauge::default();
    let means = Means {
        room: Room::Heap,
        wave: Room::Heap,
        abreast: rayon::current_num_threads(),
        gauge: &gauge,
        control,
    };
    let mut sink = |side: usize, part: Part<'_, Wide>, _: &[usize]| {
        each(Side::ALL[side], part);
        Ok(())
    };
    let counts = solve_distance::<G>(metric, solved, tables, &means, true, Some(&mut sink));
    counts.map_err(|error| match error {
        DistanceError::Solve(error) => error,
        DistanceError::Encode(_) => unreachable!("nothing is encoded"),
    })
}

/// Solves in a metric; the values are counted only if they are to be.
fn solve_distance<G: Game>(
    metric: Metric,
    solved: &Solved<G::Index>,
    tables: &dyn SubTables<G::Index>,
    means: &Means<'_>,
    counted: bool,
    sink: Option<&mut Sink<'_>>,
) -> Result<[SideCounts; 2], G::Key> {
    let key = solved.key();
    let subs = sub_tables::<G>(key, tables)?;
    let mut run = Run::<G> {
        index: solved.index(),
        solved,
        subs: &subs,
        means,
        counted,
        counts: [SideCounts::default(); 2],
        cursed: [None, None],
    };
    if metric == Metric::Dtz {
        need_cursed::<G>(key, &subs)?;
        run.zeroing(sink)?;
        solved.set_cursed(run.cursed);
    } else {
        run.conversion(sink)?;
    }
    let mut counts = run.counts;
    if solved.index().stored_sides().len() == 1 {
        counts[1] = counts[0];
    }
    Ok(counts)
}

/// Distances to zeroing read the cursed cells of the tables that a table leads to.
pub(super) fn need_cursed<G: Game>(
    key: G::Key,
    subs: &Subs<G>,
) -> std::result::Result<(), SolveError<G::Key>> {
    let unknown = |(child, table): &(&G::Key, &Arc<Solved<G::Index>>)| {
        Some(**child) != G::TRIVIAL && !table.knows_cursed()
    };
    match subs.iter().find(unknown) {
        Some((&child, _)) => Err(SolveError::NoZeroing { key, child }),
        None => Ok(()),
    }
}

/// A table on its way through the waves.
struct Run<'a, G: Game> {
    index: &'a G::Index,
    solved: &'a Solved<G::Index>,
    subs: &'a Subs<G>,
    means: &'a Means<'a>,
    counted: bool,
    counts: [SideCounts; 2],
    /// By side: the cursed cells of the waves so far.
    cursed: [Option<Buffer<u64>>; 2],
}

impl<G: Game> Run<'_, G> {
    /// Earlier slices are seen through their values to mate, and only the values of one wave are kept.
    fn zeroing(&mut self, mut sink: Option<&mut Sink<'_>>) -> Result<(), G::Key> {
        let n = self.index.slice_words();
        self.means.gauge.start(self.index.slices() as u64);
        let mut wave = wave_room::<G>(self.index, self.means)?;
        for slices in self.index.waves() {
            let words = slices.len() * n;
            let mut own = View::of(self.solved);
            own.cursed = Side::ALL.map(|side| {
                let side = if own.first_only { 0 } else { side.index() };
                self.cursed[side].as_deref()
            });
            let [first, second] = &mut wave.cells;
            let [first_void, second_void] = &mut wave.void;
            solve_slices::<G, ToZeroing>(
                own,
                (slices.clone(), &|_| true),
                self.subs,
                [first, second].map(|cells| &mut cells[..64 * words]),
                [first_void, second_void].map(|void| &mut void[..words]),
                self.means,
            )?;
            let traps = match sink {
                Some(_) => self.traps(own, slices.clone())?,
                None => Default::default(),
            };
            let of_wave = (&wave, words);
            self.hand(slices.start * n, of_wave, Some(&traps), sink.as_deref_mut())?;
        }
        Ok(())
    }

    /// The words of slices that hold traps, by stored side.
    fn traps(
        &self,
        own: View<'_, G::Index, Code>,
        slices: Range<usize>,
    ) -> Result<[Vec<usize>; 2], G::Key> {
        let mut traps = <[Vec<usize>; 2]>::default();
        if !may_have_traps::<G>(own, self.subs) {
            return Ok(traps);
        }
        let sub = |child| self.subs.get(&child).map(|table| View::of(table));
        let exits = G::exits::<ToZeroing>(self.index, own, &sub);
        let rows = self.index.row_count();
        let rows = slices.start * rows..slices.end * rows;
        for (&side, traps) in self.index.stored_sides().iter().zip(&mut traps) {
            let found = trapped::<G>(self.index, &exits, side, rows.clone(), self.means.control);
            *traps = found.map_err(SolveError::from)?;
        }
        Ok(traps)
    }

    /// Earlier slices keep their values.
    fn conversion(&mut self, sink: Option<&mut Sink<'_>>) -> Result<(), G::Key> {
        let all = solve_whole_with::<G, ToConversion>(self.index, self.subs, self.means)?;
        self.hand(0, (&all, self.index.words()), None, sink)
    }

    /// Looks through the values of so many words from `first` on and hands them over. Under the 50-move rule the words
    /// with `traps` are known.
    fn hand(
        &mut self,
        first: usize,
        (wave, words): (&Whole<Wide>, usize),
        traps: Option<&[Vec<usize>; 2]>,
        mut sink: Option<&mut Sink<'_>>,
    ) -> Result<(), G::Key> {
        let rule = traps.is_some();
        for side in 0..self.index.stored_sides().len() {
            let part = wave.part(side, words);
            let chunks = part
                .void
                .par_chunks(CHUNK)
                .zip(part.cells.par_chunks(CHUNK));
            let counted: Vec<(SideCounts, Vec<u64>)> = chunks
                .enumerate()
                .map(|(n, (void, cells))| {
                    self.means.control.check()?;
                    let part = Part { void, cells };
                    Ok(match (self.counted, rule) {
                        (true, _) => count(self.index, first + n * CHUNK, part, rule),
                        (false, true) => (SideCounts::default(), cursed_cells(part)),
                        (false, false) => Default::default(),
                    })
                })
                .collect::<std::result::Result<_, Cancelled>>()
                .map_err(SolveError::from)?;
            for (n, (counts, cursed)) in counted.into_iter().enumerate() {
                self.counts[side].add(&counts);
                if !cursed.is_empty() {
                    let at = first + n * CHUNK;
                    let all = cursed_words(&mut self.cursed[side], self.index, self.means)?;
                    all[at..][..cursed.len()].copy_from_slice(&cursed);
                }
            }
            if let Some(sink) = &mut sink {
                sink(side, part, traps.map_or(&[], |traps| &traps[side]))?;
            }
        }
        Ok(())
    }
}

/// The cursed cells of a side so far; none if there were none yet.
pub(super) fn cursed_words<'c, I: Index>(
    cursed: &'c mut Option<Buffer<u64>>,
    index: &I,
    means: &Means<'_>,
) -> std::result::Result<&'c mut [u64], SolveError<I::Key>> {
    if cursed.is_none() {
        let key = index.key();
        let words = means.room.zeros(index.words());
        *cursed = Some(words.map_err(|source| SolveError::Scratch { key, source })?);
    }
    Ok(cursed.as_deref_mut().unwrap_or_default())
}

/// Whether a capture or pawn move of a table can lead to a cursed win.
pub(super) fn may_have_traps<G: Game>(own: View<'_, G::Index, Code>, subs: &Subs<G>) -> bool {
    let has_cursed =
        |table: &Solved<G::Index>| Side::ALL.iter().any(|&side| table.cursed(side).is_some());
    own.cursed.iter().any(Option::is_some) || subs.values().any(|table| has_cursed(table))
}

/// The words of rows, counted through all slices, that hold traps with `side` to move.
pub(super) fn trapped<G: Game>(
    index: &G::Index,
    exits: &G::Exits<'_, ToZeroing>,
    side: Side,
    rows: Range<usize>,
    control: &Control,
) -> std::result::Result<Vec<usize>, Cancelled> {
    let row_count = index.row_count();
    let of_row = |at: usize| {
        control.check()?;
        let (slice, row) = (at / row_count, at % row_count);
        let first = slice * index.slice_words() + row * index.row_words();
        let mut trapped = trapped_words(&G::slice(exits, slice), side, row);
        index.complete_rows(&mut trapped);
        let words = trapped.iter().enumerate().filter(|(_, trapped)| **trapped);
        Ok(words.map(|(word, _)| first + word).collect())
    };
    let found: Vec<Vec<usize>> = rows
        .into_par_iter()
        .map(of_row)
        .collect::<std::result::Result<_, Cancelled>>()?;
    Ok(found.concat())
}

/// The words of a row that hold a position whose best exit wins, but only without the 50-move rule.
pub(super) fn trapped_words<S: Slice<Cell = Wide>>(slice: &S, side: Side, row: usize) -> Vec<bool> {
    const TRAP: Wide = Wide::win(DRAW_AFTER + 1);
    let words = slice.row_words();
    let (mut legal, mut lost_if_stuck) = (vec![0; words], vec![0; words]);
    let mut exits = vec![[Wide::NONE; 64]; words];
    let seed = Seed {
        legal: &mut legal,
        lost_if_stuck: &mut lost_if_stuck,
        exits: &mut exits,
    };
    slice.seed(side, row, seed);
    let words = legal.iter().zip(&exits);
    words
        .map(|(legal, exits)| Wide::equal(exits, TRAP) & legal != 0)
        .collect()
}

/// Counts words; for the 50-move rule it marks the [`cursed_cells`].
pub(super) fn count<I: Index>(
    index: &I,
    first: usize,
    part: Part<'_, Wide>,
    rule: bool,
) -> (SideCounts, Vec<u64>) {
    let (words, mut counts) = grade(index, first, part);
    if !rule {
        return (counts, Vec::new());
    }
    let cursed = cursed_cells(part);
    for (cursed, word) in cursed.iter().zip(words) {
        counts.cursed += u64::from((cursed & word.won).count_ones());
        counts.blessed += u64::from((cursed & word.lost).count_ones());
    }
    (counts, cursed)
}

/// The cells whose distance is above 100 plies; no words if there are none.
pub(super) fn cursed_cells(part: Part<'_, Wide>) -> Vec<u64> {
    // From the first blessed loss to the last cursed win, with draws in between.
    const FIRST: u16 = Wide::loss(DRAW_AFTER + 1).0;
    const LAST: u16 = Wide::win(DRAW_AFTER + 1).0;
    let mut cursed = Vec::new();
    for (word, (cells, void)) in part.cells.iter().zip(part.void).enumerate() {
        let within = |cell: Wide| cell.0.wrapping_sub(FIRST) <= LAST - FIRST && cell != Wide::DRAW;
        // Most words hold none, which takes one look.
        if !cells.iter().fold(false, |any, &cell| any | within(cell)) {
            continue;
        }
        let set = cells.iter().enumerate();
        let set = set.fold(0, |set, (bit, &cell)| set | u64::from(within(cell)) << bit) & !void;
        if set != 0 {
            cursed.resize(part.void.len(), 0);
            cursed[word] = set;
        }
    }
    cursed
}
