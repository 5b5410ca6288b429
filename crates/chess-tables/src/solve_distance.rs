//! Distances to conversion and to zeroing of a table that is solved to mate.
//!
//! The same solver with other exits: a capture or promotion counts one ply, and to zeroing a pawn's
//! push does too (`kernels/worth.rs`). Who wins is known already, so what is asked of other tables, and to zeroing of
//! the table's own earlier slices, are their bytes of distances to mate. The values go wave by wave to
//! whoever wants them and are not kept, but for those to conversion of a table with pawns, whose
//! pushes count on.

use std::ops::Range;

use rayon::prelude::*;

use super::domain::ChessSlice;
use super::encode::{EncodeError, grade};
use super::encode_stream::DistanceWriter;
use super::format::{Metric, SideCounts};
use super::kernels::exits::Exits;
use super::kernels::plan::View;
use super::kernels::seeds::Seeds;
use super::kernels::worth::{FIFTY_MOVES, ToConversion, ToZeroing, Worth};
use super::layout::Layout;
use super::material::Material;
use super::solve::{LARGE_SLICE, Means, Subs, complete, halted, sub_tables};
use super::solved::{SolveError, Solved, SubTables};
use super::values::Part;
use duchamp_base::files::WholeFile;
use duchamp_base::{Buffer, Cancelled, Control};
use duchamp_chess::Color;
use duchamp_retro::{Bits, Cell, Code, Half, Halt, Wide};

/// Words that a thread counts at a time, between two checks.
const CHUNK: usize = 1 << 12;

/// Why a file of distances was not made.
#[derive(Debug, thiserror::Error)]
pub(super) enum DistanceError {
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// Makes the `.dtc` or `.dtz` file of a table that is solved to mate, which goes with its `.wdl` file,
/// by `writer`. Tables that it leads to are taken from `tables`; to zeroing they must know what the
/// 50-move rule spoils ([`know_cursed`]), as this table does afterwards.
pub(super) fn make_distance(
    mut writer: DistanceWriter<'_>,
    solved: &Solved,
    tables: &dyn SubTables,
    means: &Means<'_>,
) -> Result<WholeFile, DistanceError> {
    let sides = solved.layout().sides().len();
    let metric = writer.metric();
    let sink = &mut |side: usize, part: Part<'_, u16>, traps: &[usize]| {
        if side < sides {
            writer.push(side, part, traps)?;
        }
        Ok(())
    };
    let counts = solve_distance(metric, solved, tables, means, Some(sink))?;
    let agree =
        |a: &SideCounts, b: &SideCounts| (a.won, a.drawn, a.lost) == (b.won, b.drawn, b.lost);
    if !counts.iter().zip(writer.told()).all(|(a, b)| agree(a, b)) {
        return Err(SolveError::Contradiction(solved.material()).into());
    }
    Ok(writer.finish(counts)?)
}

/// Finds which wins and losses of a table the 50-move rule spoils, for tables that lead to it.
pub(super) fn know_cursed(
    solved: &Solved,
    tables: &dyn SubTables,
    means: &Means<'_>,
) -> Result<(), DistanceError> {
    if solved.knows_cursed() {
        return Ok(());
    }
    if longest_mate(solved, means.control).map_err(SolveError::from)? <= FIFTY_MOVES {
        // Mate itself comes in time.
        solved.set_cursed([None, None]);
        return Ok(());
    }
    solve_distance(Metric::Dtz, solved, tables, means, None).map(|_| ())
}

/// The longest mate of a table in plies, twins and all.
fn longest_mate(solved: &Solved, control: &Control) -> Result<u16, Cancelled> {
    let mut longest = 0;
    for &side in solved.layout().sides() {
        let side = solved.side(side);
        let pieces = side.codes.par_chunks(64 * CHUNK);
        let of_piece = |(codes, void): (&[u8], &[u64])| {
            control.check()?;
            let words = codes.as_chunks::<64>().0.iter().zip(void);
            let mates = words.flat_map(|(codes, void)| {
                Bits(!void).map(|cell| Code(codes[cell]).value().plies().unwrap_or_default().0)
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
type Sink<'s> = dyn FnMut(usize, Part<'_, u16>, &[usize]) -> Result<(), EncodeError> + 's;

fn solve_distance(
    metric: Metric,
    solved: &Solved,
    tables: &dyn SubTables,
    means: &Means<'_>,
    sink: Option<&mut Sink<'_>>,
) -> Result<[SideCounts; 2], DistanceError> {
    let material = solved.material();
    let subs = sub_tables(material, tables)?;
    let mut run = Run {
        layout: solved.layout(),
        solved,
        subs: &subs,
        means,
        counts: [SideCounts::default(); 2],
        cursed: [None, None],
    };
    if metric == Metric::Dtz {
        for (&child, table) in &subs {
            if child != Material::BARE && !table.knows_cursed() {
                let reason = "its distances to zeroing are not solved".to_owned();
                return Err(SolveError::Missing {
                    material,
                    child,
                    reason,
                }
                .into());
            }
        }
        run.zeroing(sink)?;
        solved.set_cursed(run.cursed);
    } else {
        run.conversion(sink)?;
    }
    let mut counts = run.counts;
    if solved.layout().sides().len() == 1 {
        counts[1] = counts[0];
    }
    Ok(counts)
}

/// A table on its way through the waves.
struct Run<'a> {
    layout: &'a Layout,
    solved: &'a Solved,
    subs: &'a Subs,
    means: &'a Means<'a>,
    counts: [SideCounts; 2],
    /// By side: the cursed cells of the waves so far.
    cursed: [Option<Buffer<u64>>; 2],
}

/// The values of some slices, by side to move.
struct Wave {
    cells: [Buffer<u16>; 2],
    void: [Buffer<u64>; 2],
}

impl Run<'_> {
    fn room(&self, words: usize) -> Result<Wave, SolveError> {
        let room = self.means.room;
        let new = || -> std::io::Result<Wave> {
            Ok(Wave {
                cells: [room.zeros(64 * words)?, room.zeros(64 * words)?],
                void: [room.zeros(words)?, room.zeros(words)?],
            })
        };
        let material = self.layout.material();
        new().map_err(|source| SolveError::Scratch { material, source })
    }

    /// Earlier slices are seen through their values to mate.
    fn zeroing(&mut self, mut sink: Option<&mut Sink<'_>>) -> Result<(), DistanceError> {
        let n = self.layout.slice_words();
        self.means.gauge.start(self.layout.slices() as u64);
        for slices in self.layout.pawns().waves() {
            let mut wave = self.room(slices.len() * n)?;
            let mut own = View::of(self.solved);
            own.cursed = Color::ALL.map(|side| {
                let side = if own.white_only { 0 } else { side.index() };
                self.cursed[side].as_deref()
            });
            let [white, black] = &mut wave.cells;
            let [white_void, black_void] = &mut wave.void;
            self.solve_slices::<ToZeroing>(
                own,
                slices.clone(),
                [white, black],
                [white_void, black_void],
            )?;
            let traps = match sink {
                Some(_) => self.traps(own, slices.clone())?,
                None => Default::default(),
            };
            self.hand(slices.start * n, &wave, Some(&traps), sink.as_deref_mut())?;
        }
        Ok(())
    }

    /// The words of slices that hold traps, by stored side.
    fn traps(
        &self,
        own: View<'_, u8>,
        slices: Range<usize>,
    ) -> Result<[Vec<usize>; 2], SolveError> {
        let mut traps = <[Vec<usize>; 2]>::default();
        let spoilt = |table: &Solved| Color::ALL.iter().any(|&side| table.cursed(side).is_some());
        let own_spoilt = own.cursed.iter().any(Option::is_some);
        if !own_spoilt && !self.subs.values().any(|table| spoilt(table)) {
            return Ok(traps);
        }
        let (layout, spoilt) = (self.layout, Wide::win(FIFTY_MOVES + 1).0);
        let sub = |child| self.subs.get(&child).map(|table| View::of(table));
        let exits = Exits::<ToZeroing>::new(layout, own, &sub);
        let rows = layout.row_count();
        for (&side, traps) in layout.sides().iter().zip(&mut traps) {
            let found: Vec<Vec<usize>> = (slices.start * rows..slices.end * rows)
                .into_par_iter()
                .map(|at| {
                    self.means.control.check()?;
                    let first = at / rows * layout.slice_words() + at % rows * layout.row_words();
                    let mut seeds = Seeds::new(&exits, side, at / rows, at % rows);
                    let mut trapped = |word: &usize| {
                        let described = seeds.word(*word);
                        described
                            .is_some_and(|(legal, _, exits)| u16::equal(exits, spoilt) & legal != 0)
                    };
                    let words = (0..layout.row_words()).filter(|word| trapped(word));
                    Ok(words.map(|word| first + word).collect())
                })
                .collect::<Result<_, SolveError>>()?;
            *traps = found.concat();
        }
        Ok(traps)
    }

    /// Earlier slices keep their values.
    fn conversion(&mut self, sink: Option<&mut Sink<'_>>) -> Result<(), DistanceError> {
        let n = self.layout.slice_words();
        self.means.gauge.start(self.layout.slices() as u64);
        let mut all = self.room(self.layout.words())?;
        for slices in self.layout.pawns().waves() {
            let (from, to) = (slices.start * n, slices.end * n);
            let [white, black] = all
                .cells
                .each_mut()
                .map(|cells| cells.split_at_mut(from * 64));
            let [white_void, black_void] = all.void.each_mut().map(|void| void.split_at_mut(from));
            let own = View {
                layout: self.layout,
                codes: [&*white.0, &*black.0],
                void: [&*white_void.0, &*black_void.0],
                cursed: [None; 2],
                white_only: false,
            };
            let cells = [white.1, black.1].map(|cells| &mut cells[..(to - from) * 64]);
            let void = [white_void.1, black_void.1].map(|void| &mut void[..to - from]);
            self.solve_slices::<ToConversion>(own, slices.clone(), cells, void)?;
        }
        self.hand(0, &all, None, sink)
    }

    /// Solves slices that do not depend on each other, side by side.
    fn solve_slices<W: Worth<Cell = u16>>(
        &self,
        own: View<'_, W::Own>,
        slices: Range<usize>,
        [white, black]: [&mut [u16]; 2],
        [white_void, black_void]: [&mut [u64]; 2],
    ) -> Result<(), SolveError> {
        let n = self.layout.slice_words();
        let sub = |child| self.subs.get(&child).map(|table| View::of(table));
        let exits = Exits::<W>::new(self.layout, own, &sub);
        let parts = white.chunks_mut(64 * n).zip(black.chunks_mut(64 * n));
        let parts = parts.zip(white_void.chunks_mut(n).zip(black_void.chunks_mut(n)));
        let jobs: Vec<_> = slices.zip(parts).collect();
        let job = |(slice, (cells, legal)): (usize, (Pair<'_, u16>, Pair<'_, u64>))| {
            let halves = [
                Half {
                    cells: cells.0.as_chunks_mut::<64>().0,
                    legal: &mut *legal.0,
                },
                Half {
                    cells: cells.1.as_chunks_mut::<64>().0,
                    legal: &mut *legal.1,
                },
            ];
            let slice = ChessSlice::new(self.layout, slice, &exits);
            let scroll = self.means.scroll(n)?;
            duchamp_retro::solve(&slice, halves, scroll.as_ref(), self.means.control)?;
            // Other tables and later slices ask for cells of either half.
            for (cells, legal) in [(cells.0, legal.0), (cells.1, legal.1)] {
                let cells = cells.as_chunks_mut::<64>().0;
                complete(self.layout, cells, legal, self.means.control)?;
            }
            self.means.gauge.add(1);
            Ok::<(), Halt>(())
        };
        // Large slices not more at once than there is memory for.
        let abreast = if n >= LARGE_SLICE {
            self.means.abreast.max(1)
        } else {
            usize::MAX
        };
        let mut jobs = jobs;
        while !jobs.is_empty() {
            let rest = jobs.split_off(jobs.len().min(abreast));
            let solved = jobs.into_par_iter().try_for_each(job);
            solved.map_err(|halt| halted(self.layout.material(), halt))?;
            jobs = rest;
        }
        Ok(())
    }

    /// The cursed cells of a side so far; none if there were none yet.
    fn cursed_words(&mut self, side: usize) -> Result<&mut [u64], SolveError> {
        if self.cursed[side].is_none() {
            let material = self.layout.material();
            let words = self.means.room.zeros(self.layout.words());
            self.cursed[side] =
                Some(words.map_err(|source| SolveError::Scratch { material, source })?);
        }
        Ok(self.cursed[side].as_deref_mut().unwrap_or_default())
    }

    /// Counts the values of words from `first` on and hands them over. Under the 50-move rule the words
    /// with `traps` are known.
    fn hand(
        &mut self,
        first: usize,
        wave: &Wave,
        traps: Option<&[Vec<usize>; 2]>,
        mut sink: Option<&mut Sink<'_>>,
    ) -> Result<(), DistanceError> {
        let fifty_moves = traps.is_some();
        for side in 0..self.layout.sides().len() {
            let part = Part {
                void: &wave.void[side],
                cells: wave.cells[side].as_chunks::<64>().0,
            };
            let chunks = part
                .void
                .par_chunks(CHUNK)
                .zip(part.cells.par_chunks(CHUNK));
            let counted: Vec<(SideCounts, Vec<u64>)> = chunks
                .enumerate()
                .map(|(n, (void, cells))| {
                    self.means.control.check()?;
                    let part = Part { void, cells };
                    Ok(count(self.layout, first + n * CHUNK, part, fifty_moves))
                })
                .collect::<Result<_, SolveError>>()?;
            for (n, (counts, cursed)) in counted.into_iter().enumerate() {
                self.counts[side].add(&counts);
                if !cursed.is_empty() {
                    let at = first + n * CHUNK;
                    self.cursed_words(side)?[at..][..cursed.len()].copy_from_slice(&cursed);
                }
            }
            if let Some(sink) = &mut sink {
                sink(side, part, traps.map_or(&[], |traps| &traps[side]))?;
            }
        }
        Ok(())
    }
}

/// Both sides' parts of an array.
type Pair<'a, T> = (&'a mut [T], &'a mut [T]);

/// Counts words; for the 50-move rule it marks the cells whose distance is above 100 plies, no words if
/// there are none.
fn count(
    layout: &Layout,
    first: usize,
    part: Part<'_, u16>,
    fifty_moves: bool,
) -> (SideCounts, Vec<u64>) {
    const LAST_WIN: u16 = Wide::win(FIFTY_MOVES).0;
    const FIRST_BLESSED: u16 = Wide::loss(FIFTY_MOVES + 1).0;
    let (words, mut counts) = grade(layout, first, part);
    if !fifty_moves {
        return (counts, Vec::new());
    }
    let each = part.cells.iter().zip(part.void).zip(words);
    let cursed = each.map(|((cells, void), word)| {
        let wins = Cell::above(cells, Wide::DRAW.0) & !u16::at_least(cells, LAST_WIN);
        let losses = u16::at_least(cells, FIRST_BLESSED) & !u16::at_least(cells, Wide::DRAW.0);
        counts.cursed += u64::from((wins & word.won).count_ones());
        counts.blessed += u64::from((losses & word.lost).count_ones());
        (wins | losses) & !void
    });
    let mut cursed: Vec<u64> = cursed.collect();
    if cursed.iter().all(|&word| word == 0) {
        cursed.clear();
    }
    (counts, cursed)
}

#[cfg(test)]
mod tests {
    use super::super::dense::legal_position;
    use super::super::layout::Index;
    use super::super::solve::solve;
    use super::*;
    use duchamp_base::{Control, Gauge, Room, Value};
    use std::collections::HashMap;
    use std::sync::Arc;

    #[derive(Default)]
    struct Memory(HashMap<Material, Arc<Solved>>);

    impl SubTables for Memory {
        fn get(&self, material: Material) -> Result<Arc<Solved>, String> {
            let table = self.0.get(&material).cloned();
            table.ok_or_else(|| "not made yet".to_owned())
        }
    }

    impl Memory {
        fn add(&mut self, material: Material) -> Arc<Solved> {
            for child in material.children() {
                if !self.0.contains_key(&child) {
                    self.add(child);
                }
            }
            let control = Control::new(1);
            let solved = Arc::new(solve(material, self, &control).expect("solved"));
            know_cursed(&solved, self, &means(&control, &Gauge::default())).expect("known");
            self.0.insert(material, Arc::clone(&solved));
            solved
        }
    }

    fn means<'a>(control: &'a Control, gauge: &'a Gauge) -> Means<'a> {
        Means {
            room: Room::Heap,
            abreast: 1,
            gauge,
            control,
        }
    }

    /// Who wins does not depend on what is counted, and no distance is longer than that to mate.
    #[test]
    fn distances_agree_with_those_to_mate() {
        let mut memory = Memory::default();
        let (control, gauge) = (Control::new(1), Gauge::default());
        for name in ["KRvKN", "KPvKP", "KPPvK"] {
            let solved = memory.add(name.parse().expect("a material"));
            for metric in [Metric::Dtc, Metric::Dtz] {
                let mut at = [0; 2];
                let mut sink = |side: usize, part: Part<'_, u16>, _: &[usize]| {
                    let color = Color::ALL[side];
                    for (n, cells) in part.cells.iter().enumerate() {
                        for bit in duchamp_retro::Bits(!part.void[n]) {
                            let cell = ((at[side] + n) * 64 + bit) as u64;
                            let index = Index { side: color, cell };
                            let to_mate = solved.get(index).expect("a position").value();
                            let value = Wide(cells[bit]).value();
                            let shorter = match (value, to_mate) {
                                (Value::Draw, Value::Draw) => true,
                                (Value::Win(a), Value::Win(b)) => a <= b,
                                (Value::Loss(a), Value::Loss(b)) => a <= b,
                                _ => false,
                            };
                            if !shorter {
                                let position = legal_position(solved.layout(), index);
                                let fen = position.map(|position| position.fen());
                                panic!("{name} {metric:?} {fen:?} {value:?} {to_mate:?}");
                            }
                        }
                    }
                    at[side] += part.void.len();
                    Ok(())
                };
                let means = means(&control, &gauge);
                solve_distance(metric, &solved, &memory, &means, Some(&mut sink)).expect("solved");
            }
        }
    }

    /// Where only half of the words are solved, what later exits ask of the other half is there too:
    /// a table that promotes into this one may put either of two like men first.
    #[test]
    fn like_men_hold_the_same_on_each_others_squares() {
        let mut memory = Memory::default();
        let solved = memory.add("KNNNvK".parse().expect("a material"));
        let layout = solved.layout();
        assert!(layout.halves());
        let mut seen = 0;
        let mut sink = |_: usize, part: Part<'_, u16>, _: &[usize]| {
            let rows = part.cells.chunks(layout.row_words());
            for (cells, void) in rows.zip(part.void.chunks(layout.row_words())) {
                for (high, low) in (0..64).flat_map(|high| (0..high).map(move |low| (high, low))) {
                    let (a, b) = (high << 6 | low, low << 6 | high);
                    assert_eq!((cells[a], void[a]), (cells[b], void[b]));
                    seen += Bits(!void[a]).count();
                }
            }
            Ok(())
        };
        let (control, gauge) = (Control::new(1), Gauge::default());
        let means = means(&control, &gauge);
        solve_distance(Metric::Dtc, &solved, &memory, &means, Some(&mut sink)).expect("solved");
        assert!(seen > 1_000_000, "{seen}");
    }
}
