//! Checking finished tables, position by position, by the rules of chess.
//!
//! For every cell of a table: is it a legal position, what do its legal moves lead to (looked up in the
//! files), and does the best of that agree with the file? Un-moves, level loops and word kernels play no
//! part. Values that agree everywhere at one ply are right everywhere: distances fall by one
//! along every best line, so each ends in a mate (or a conversion, or a capture or pawn move, into a
//! position that is checked in its turn), and what is called a draw has no way into a win.
//! Also compared: the number of legal positions with the counts in the header.
//!
//! Tables of more than four men are verified 64 positions at a time instead (`audit`), again by moves
//! forward only. With a *sample* only so many random positions of each side are looked at, by probes of the files
//! in the order of the cells.

use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::audit::Audit;
use super::dense::{Dense, DenseSet, Reader, legal_position, position_of};
use super::format::{FormatError, Metric, SideCounts};
use super::format_wdl::Outcome;
use super::layout::{Index, Layout};
use super::material::Material;
use super::probe::ProbeError;
use super::store::Table;
use super::tables::Tables;
use duchamp_base::{Cancelled, Control, Value};
use duchamp_chess::{Color, Position};

/// Words that a thread takes at a time.
const CHUNK: usize = 64;
/// The share of a large table from which on looking at all is cheaper than a sample: a sampled position costs
/// some 60 microseconds, nearly all for decoding blocks, any position 40 nanoseconds when all are looked at.
const SHARE: u64 = 1000;
/// Random positions that are looked at together.
const ROUND: usize = 1 << 22;
/// Tables of up to so many men are verified one by one by the ordinary move generator.
const ONE_BY_ONE: u32 = 4;

/// What is to be verified.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// The metrics; of those a table has files of.
    pub metrics: Vec<Metric>,
    /// Look at so many random positions of each side to move only; `None`: at all. A sample of more than a
    /// thousandth of a large table costs more than all of it: then all is looked at.
    pub sample: Option<u64>,
    /// Look at all positions by whole words (`audit`), not one by one with the ordinary move generator.
    /// Tables of more than four men always are.
    pub fast: bool,
    /// The folder for the nameless files of a fast verification [default: that of the tables].
    pub scratch: Option<PathBuf>,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        VerifyOptions {
            metrics: Metric::DISTANCES.to_vec(),
            sample: None,
            fast: false,
            scratch: None,
        }
    }
}

/// What the verification of one table found.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The table.
    pub material: Material,
    /// The metric.
    pub metric: Metric,
    /// Legal positions looked at, each symmetry class once, both sides to move.
    pub positions: u64,
    /// Positions whose value does not agree with their moves, and wrong counts.
    pub errors: u64,
    /// The first error found, in words.
    pub first: Option<String>,
    /// Wall time.
    pub elapsed: Duration,
    /// Whether only a sample was looked at.
    pub sampled: bool,
}

/// Why a verification ended early.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A table is not there, or one that its moves lead to.
    #[error("table {0} is missing")]
    Missing(Material),
    /// A table has no distances of the metric, or one that its moves lead to.
    #[error("the file {0}.{name} is missing", name = .1.name())]
    MissingMetric(Material, Metric),
    /// Looking at all of a table would need too much memory.
    #[error("table {0} is too large to look at all of it: name a sample")]
    TooLarge(Material),
    /// A file cannot be read.
    #[error("table {material}: {source}")]
    Damaged {
        /// The table.
        material: Material,
        /// What was found.
        source: FormatError,
    },
    /// A position cannot be probed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// No room for what later tables need.
    #[error("the folder for scratch files: {0}")]
    Scratch(io::Error),
}

/// Errors of one table.
#[derive(Default)]
struct Errors {
    count: AtomicU64,
    first: Mutex<Option<String>>,
}

impl Errors {
    fn add(&self, text: impl FnOnce() -> String) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(text);
    }

    fn into_result(self, material: Material, metric: Metric, positions: u64) -> Verified {
        Verified {
            material,
            metric,
            positions,
            errors: self.count.into_inner(),
            first: self
                .first
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
            elapsed: Duration::ZERO,
            sampled: false,
        }
    }
}

impl Tables {
    /// Verifies tables on the threads of the current pool; `each` is told the result of each table and metric.
    ///
    /// # Errors
    /// When cancelled, or when a file is missing or damaged.
    pub fn verify(
        &self,
        materials: &[Material],
        options: &VerifyOptions,
        control: &Control,
        each: &mut dyn FnMut(&Verified),
    ) -> Result<Vec<Verified>, VerifyError> {
        let mut results = Vec::new();
        let mut order = materials.to_vec();
        order.sort_by_key(|material| (material.men(), material.pawns(), *material));
        let scratch = options.scratch.as_deref().unwrap_or(self.dir());
        for &metric in &options.metrics {
            let mut set = DenseSet::new();
            let mut audit = Audit::new(self, metric, scratch);
            for (n, &material) in order.iter().enumerate() {
                let table = self.table(material).ok_or(VerifyError::Missing(material))?;
                if table.distances(metric).is_none() {
                    continue;
                }
                // Only tables that are still needed stay in memory.
                let needed = |kept: Material, later: &[Material]| {
                    later.iter().any(|later| later.children().contains(&kept))
                };
                set.retain(|&kept, _| needed(kept, &order[n..]));
                audit.retain(|kept| needed(kept, &order[n..]));
                let start = Instant::now();
                let large = material.men() > ONE_BY_ONE;
                let fast = options.fast || large;
                // Reading on and on costs more than reading all.
                let few =
                    |count| !large || material.is_large() || count <= table.layout.cells() / SHARE;
                let sample = options.sample.filter(|&count| few(count));
                let mut verified = match sample {
                    None if material.is_large() => return Err(VerifyError::TooLarge(material)),
                    None if fast => {
                        let keep = needed(material, &order[n + 1..]);
                        self.verify_fast(material, keep, &mut audit, control)?
                    }
                    None => self.verify_one(material, metric, &mut set, control)?,
                    Some(count) => self.verify_sample(material, metric, count, control)?,
                };
                verified.elapsed = start.elapsed();
                verified.sampled = sample.is_some();
                each(&verified);
                results.push(verified);
            }
        }
        Ok(results)
    }

    /// Brings the tables that a material's moves lead to into memory, with lengths of losses.
    pub(super) fn read_children(
        &self,
        material: Material,
        metric: Metric,
        set: &mut DenseSet,
        control: &Control,
    ) -> Result<(), VerifyError> {
        for child in material.children() {
            if !set.contains_key(&child) {
                self.read_children(child, metric, set, control)?;
                let mut dense = self.read_dense(child, metric)?;
                dense.fill_in(set, control, &|_| {})?;
                set.insert(child, dense);
            }
        }
        Ok(())
    }

    pub(super) fn read_dense(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Dense, VerifyError> {
        let table = self.verifiable(material, metric)?;
        Dense::read(table, metric).map_err(|source| self.found_damaged(material, source))
    }

    /// A table that has distances of a metric.
    pub(super) fn verifiable(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<&Table, VerifyError> {
        let table = self.table(material).ok_or(VerifyError::Missing(material))?;
        match table.distances(metric) {
            Some(_) => Ok(table),
            None => Err(VerifyError::MissingMetric(material, metric)),
        }
    }

    /// A table whose files are damaged is no longer used.
    pub(super) fn found_damaged(&self, material: Material, source: FormatError) -> VerifyError {
        self.retire(material, &source);
        VerifyError::Damaged { material, source }
    }

    /// What the header of a file counts.
    fn counts(&self, material: Material, metric: Metric) -> Result<[SideCounts; 2], VerifyError> {
        let table = self.table(material).ok_or(VerifyError::Missing(material))?;
        let file = table.file(metric);
        let file = file.ok_or(VerifyError::MissingMetric(material, metric))?;
        Ok(file.header().counts)
    }

    fn verify_one(
        &self,
        material: Material,
        metric: Metric,
        set: &mut DenseSet,
        control: &Control,
    ) -> Result<Verified, VerifyError> {
        self.read_children(material, metric, set, control)?;
        let errors = Errors::default();
        let mut dense = self.read_dense(material, metric)?;
        dense.fill_in(set, control, &|position| {
            errors.add(|| {
                format!(
                    "{}: said to be lost, but not every move loses",
                    position.fen()
                )
            });
        })?;
        let counts = self.counts(material, metric)?;
        let longest = longest(&counts);
        let mut positions = 0;
        for (side, &color) in dense.layout.sides().iter().enumerate() {
            let legal = AtomicU64::new(0);
            let reader = Reader {
                me: &dense,
                mine: None,
                all: set,
            };
            let words = dense.layout.words();
            (0..words.div_ceil(CHUNK))
                .into_par_iter()
                .try_for_each(|chunk| {
                    control.check()?;
                    let mut seen = 0;
                    for cell in chunk * CHUNK * 64..words.min((chunk + 1) * CHUNK) * 64 {
                        let index = Index {
                            side: color,
                            cell: cell as u64,
                        };
                        let Some(position) = legal_position(&dense.layout, index) else {
                            continue;
                        };
                        seen += 1;
                        let (told, found) = (dense.get(index), reader.by_moves(&position));
                        compare(&position, told, found, longest, &errors);
                    }
                    legal.fetch_add(seen, Ordering::Relaxed);
                    Ok::<(), Cancelled>(())
                })?;
            let legal = legal.into_inner();
            positions += legal;
            let told = counts[side].won + counts[side].drawn + counts[side].lost;
            if told != legal {
                errors.add(|| {
                    format!("{material}: {legal} legal positions, but the file counts {told}")
                });
            }
        }
        set.insert(material, dense);
        Ok(errors.into_result(material, metric, positions))
    }

    fn verify_fast(
        &self,
        material: Material,
        keep: bool,
        audit: &mut Audit<'_>,
        control: &Control,
    ) -> Result<Verified, VerifyError> {
        let errors = Errors::default();
        let metric = audit.metric();
        let layout = Layout::new(material);
        let found = audit.verify(material, keep, control, &|index, told, found| {
            errors.add(|| {
                let position = layout.place(index);
                match position.and_then(|(board, turn)| position_of(board, turn)) {
                    Some(position) => format!(
                        "{}: {told:?} by the table, {found:?} by its moves",
                        position.fen()
                    ),
                    None => format!("{index:?} is taken for a position"),
                }
            });
        })?;
        let mut positions = 0;
        for (told, found) in self.counts(material, metric)?.iter().zip(&found) {
            positions += found.won + found.drawn + found.lost;
            let facts = |side: &SideCounts| {
                [
                    side.won,
                    side.drawn,
                    side.lost,
                    side.longest_win.into(),
                    side.longest_loss.into(),
                ]
            };
            if facts(told) != facts(found) {
                errors.add(|| {
                    format!(
                        "{material}: won, drawn, lost, longest win and loss are {:?}, but the file tells {:?}",
                        facts(found),
                        facts(told)
                    )
                });
            }
        }
        Ok(errors.into_result(material, metric, positions))
    }

    fn verify_sample(
        &self,
        material: Material,
        metric: Metric,
        count: u64,
        control: &Control,
    ) -> Result<Verified, VerifyError> {
        let longest = longest(&self.counts(material, metric)?);
        let layout = Layout::new(material);
        let errors = Errors::default();
        let sides = layout.sides();
        for (n, &side) in sides.iter().enumerate() {
            for first in (0..count).step_by(ROUND) {
                let numbers = first..count.min(first + ROUND as u64);
                let cells = numbers.into_par_iter().map(|number| {
                    control.check()?;
                    Ok(random_cell(
                        &layout,
                        side,
                        number * sides.len() as u64 + n as u64,
                    ))
                });
                let mut cells: Vec<u64> = cells.collect::<Result<_, Cancelled>>()?;
                // Neighbours lie in the same blocks of the files, and so do, mostly, their moves.
                cells.par_sort_unstable();
                cells.par_chunks(CHUNK).try_for_each(|cells| {
                    control.check()?;
                    for &cell in cells {
                        self.verify_cell(&layout, metric, Index { side, cell }, longest, &errors)?;
                    }
                    Ok::<(), VerifyError>(())
                })?;
            }
        }
        let positions = count * sides.len() as u64;
        Ok(errors.into_result(material, metric, positions))
    }

    fn verify_cell(
        &self,
        layout: &Layout,
        metric: Metric,
        index: Index,
        longest: u16,
        errors: &Errors,
    ) -> Result<(), VerifyError> {
        let Some(position) = legal_position(layout, index) else {
            return Ok(());
        };
        let found = self.by_moves(&position, metric)?;
        // A loss is read from its moves; the file tells only that it is one.
        let told = match self.outcome(&position)? {
            Outcome::Loss if matches!(found, Value::Loss(_)) => found,
            Outcome::Loss => Value::Loss(Default::default()),
            _ => self.probe_metric(&position, metric)?,
        };
        compare(&position, told, found, longest, errors);
        Ok(())
    }
}

/// The cell of a legal position of a table, chosen by a number: the same in every run.
fn random_cell(layout: &Layout, side: Color, number: u64) -> u64 {
    // SplitMix64: from consecutive numbers to random ones.
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    loop {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = state;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let cell = (x ^ (x >> 31)) % layout.cells();
        if legal_position(layout, Index { side, cell }).is_some() {
            return cell;
        }
    }
}

/// The longest distance that a header tells.
fn longest(counts: &[SideCounts; 2]) -> u16 {
    let sides = counts.iter();
    sides
        .map(|side| side.longest_win.max(side.longest_loss))
        .max()
        .unwrap_or(0)
}

/// Compares what a table tells of a position with its moves.
fn compare(position: &Position, told: Value, found: Value, longest: u16, errors: &Errors) {
    if told != found {
        errors.add(|| {
            format!(
                "{}: {told:?} by the table, {found:?} by its moves",
                position.fen()
            )
        });
    } else if told.plies().is_some_and(|plies| plies.0 > longest) {
        errors.add(|| {
            format!(
                "{}: {told:?} is longer than the file's longest",
                position.fen()
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode::encode_as;
    use super::super::solve::solve;
    use super::super::solved::{Solved, SubTables};
    use super::super::wdl_file::Form;
    use super::*;
    use duchamp_retro::Code;
    use std::sync::Arc;

    struct NoTables;

    impl SubTables for NoTables {
        fn get(&self, _: Material) -> Result<Arc<Solved>, String> {
            Err("none".to_owned())
        }
    }

    /// Writes KRvK with one legal cell of `side` changed, and verifies it.
    fn verify_with(side: Color, change: impl Fn(Code) -> Option<Code>) -> Verified {
        let material: Material = "KRvK".parse().expect("a material");
        let control = Control::new(1);
        let solved = solve(material, &NoTables, &control).expect("solved");
        let layout = Arc::clone(solved.layout());
        let mut codes: Vec<Vec<u8>> = layout
            .sides()
            .iter()
            .map(|&side| solved.side(side).codes.to_vec())
            .collect();
        let changed = (0..layout.cells()).find_map(|cell| {
            legal_position(&layout, Index { side, cell })?;
            let code = Code(codes[side.index()][cell as usize]);
            Some((cell, change(code)?))
        });
        if let Some((cell, code)) = changed {
            codes[side.index()][cell as usize] = code.0;
        }
        let solved = Solved::from_codes(layout, codes);
        let encoded = encode_as(Form::Direct, &solved, &control).expect("encoded");
        let dir = tempfile::tempdir().expect("a folder");
        let tables = Tables::open(dir.path());
        for file in encoded {
            let written = tables.folder().write(material, file.metric, &file.parts);
            written.expect("written");
        }
        tables.rescan();
        let options = VerifyOptions::default();
        let results = tables.verify(&[material], &options, &control, &mut |_| {});
        results.expect("verified").remove(0)
    }

    #[test]
    fn right_tables_pass_and_wrong_values_are_found() {
        assert_eq!(verify_with(Color::White, |_| None).errors, 0);
        let longer = |code: Code| (code == Code::win(5)).then_some(Code::win(6));
        assert!(verify_with(Color::White, longer).errors > 0);
        let drawn = |code: Code| code.is_win().then_some(Code::DRAW);
        assert!(verify_with(Color::White, drawn).errors > 0);
        let lost = |code: Code| (code == Code::DRAW).then_some(Code::loss(3));
        assert!(verify_with(Color::Black, lost).errors > 0);
        let saved = |code: Code| code.is_loss().then_some(Code::DRAW);
        assert!(verify_with(Color::Black, saved).errors > 0);
    }
}
