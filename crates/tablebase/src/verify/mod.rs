//! Verification of finished tables by the rules of the game.
//!
//! For every cell of a table: is it a legal position, what do its legal moves lead to (looked up in the
//! files), and does the best of that agree with the file? Un-moves, level loops and word kernels play no
//! part. Values that agree everywhere at one ply are right everywhere: distances fall by one
//! along every best line, so each ends in a mate (or a conversion, or a capture or pawn move, into a
//! position that is checked in its turn), and what is called a draw has no way into a win.
//! Also compared: the number of legal positions with the counts in the header.
//!
//! Where a game has no faster way the table itself lies in memory, two bytes a cell; what lies below it too if that is
//! small, else it is probed in the files.
//!
//! Tables of more than four men are verified 64 positions at a time instead (`audit`), again by moves
//! forward only. With a *sample* only so many random positions of each side are looked at, by probes of the files: in the
//! order of the cells (`sample`), or, if they are many, by groups of neighbouring cells (`groups`); of a table that gets no
//! files, while it is at hand (`solved_sample`).

pub(crate) mod dense;
mod drawn;
mod error;
mod faults;
mod groups;
mod sample;
mod solved_sample;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

pub use self::error::VerifyError;
pub use self::solved_sample::SolvedSample;

use self::dense::{Dense, DenseSet, Fault, Others, Reader};
use self::faults::{Errors, compare, compare_counts, longest};
use crate::closure::closure;
use crate::format::{FormatError, Metric, SideCounts};
use crate::game::Game;
use crate::index::{CellId, Index, TableKey};
use crate::rules::Rules;
use crate::store::{Store, Table};
use duchamp_base::{Cancelled, Control, Gauge, Value};
use duchamp_retro::Wide;

/// Words that a thread takes at a time.
const CHUNK: usize = 64;
/// The share of a large table from which on looking at all is cheaper than a sample: a sampled position costs
/// some 60 microseconds, nearly all for decoding blocks, any position 40 nanoseconds when all are looked at.
const SHARE: u64 = 1000;
/// A sample of more positions is drawn by groups.
const ONE_BY_ONE_AT_MOST: u64 = 1 << 16;
/// The same for a game without a fast way of its own: there any position costs some microseconds.
const PROBED_SHARE: u64 = 20;
/// Tables of a game without a fast way that have so few cells for one side to move are sampled as told.
const FEW: u64 = 1 << 20;
/// Tables of such a game with more cells are not looked at as a whole: they take four bytes a cell.
const MOST: u64 = 1 << 30;
/// [`VerifyOptions::memory`] by default.
const MEMORY: u64 = 256;
/// Tables of up to so many men are verified one by one by the ordinary move generator.
const ONE_BY_ONE: u32 = 4;

/// What is verified, and how. The default: all positions, in all metrics of distance.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// The metrics; those of which a table has no file are omitted.
    pub metrics: Vec<Metric>,
    /// Verify only so many random positions of each side to move, the same in every run; `None`: all. A sample of more
    /// than a thousandth of a large table takes longer than all of it (without a fast way of the game, more than a
    /// twentieth): then all are verified.
    ///
    /// Up to 65,536 positions are drawn one by one. Larger samples are drawn by groups, of which each is all positions in
    /// 4,096 neighbouring cells, a block of the file: the table is cut into as many equal parts as there are groups, and
    /// one is drawn in each. Then the number of positions is what was asked for on average only.
    pub sample: Option<u64>,
    /// Verify small tables, too, by the game's fast way ([`Verifiable::audit`]), not position by position with the
    /// ordinary moves. Tables of more than four men always are, if the game has one.
    pub fast: bool,
    /// MiB of memory for the values of a table and of all that it leads to, where they are verified one by one; `None`:
    /// 256. If they take more, only the table's own lie in memory, and the others are probed in their files.
    pub memory: Option<u64>,
    /// The folder for temporary files of a fast verification; `None`: that of the tables.
    pub scratch: Option<PathBuf>,
    /// Counts parts of the table at work, for those who watch.
    pub gauge: Arc<Gauge>,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        VerifyOptions {
            metrics: Metric::DISTANCES.to_vec(),
            sample: None,
            fast: false,
            memory: None,
            scratch: None,
            gauge: Arc::default(),
        }
    }
}

/// The result of the verification of one table in one metric.
#[derive(Clone, Debug)]
pub struct Verified<K> {
    /// The table.
    pub key: K,
    /// The metric.
    pub metric: Metric,
    /// Legal positions verified, each symmetry class once, both sides to move.
    pub positions: u64,
    /// Positions whose value disagrees with their moves, and wrong counts: 0 if the table is right.
    pub errors: u64,
    /// The first error found, in words for the user.
    pub first: Option<String>,
    /// Wall time.
    pub elapsed: Duration,
    /// Whether only a sample was verified.
    pub sampled: bool,
}

/// Called with each cell that is wrong, the value in the table and the value that its moves give.
pub type Wrong<'a> = &'a (dyn Fn(CellId, Value, Value) + Sync);

/// A game's own fast way to verify whole tables ([`Verifiable::audit`]). It goes from table to table and keeps what the
/// next ones need.
pub trait Audit<G: Rules> {
    /// Drops all tables but those that will be needed.
    fn retain(&mut self, needed: &dyn Fn(G::Key) -> bool);

    /// Verifies a table and counts its positions, by stored side. `keep`: later tables need it. The gauge counts any parts.
    ///
    /// # Errors
    /// When cancelled, or when a file is missing or damaged.
    fn verify(
        &mut self,
        key: G::Key,
        keep: bool,
        steering: (&Gauge, &Control),
        wrong: Wrong<'_>,
    ) -> Result<Vec<SideCounts>, VerifyError<G::Key>>;

    /// The values of a table by stored side, lengths of losses included: a value for every cell,
    /// any value where it is no legal canonical position.
    ///
    /// # Errors
    /// When cancelled, or when a file is missing or damaged.
    fn values(
        &mut self,
        key: G::Key,
        control: &Control,
    ) -> Result<Vec<Vec<Wide>>, VerifyError<G::Key>>;
}

/// A game whose tables can be verified: by its rules, and perhaps faster.
pub trait Verifiable: Rules {
    /// A fast verification of whole tables in a metric, if the game has one; what does not fit into memory goes into
    /// temporary files without a name in the folder `scratch`.
    fn audit<'s>(
        _store: &'s Store<Self>,
        _metric: Metric,
        _scratch: &Path,
    ) -> Option<Box<dyn Audit<Self> + 's>> {
        None
    }
}

/// Compares tables with the rules of the game.
#[derive(Debug)]
pub struct Verifier<'s, G: Game> {
    store: &'s Store<G>,
}

impl<'s, G: Verifiable> Verifier<'s, G> {
    /// A verifier of a store's tables.
    #[must_use]
    pub fn new(store: &'s Store<G>) -> Verifier<'s, G> {
        Verifier { store }
    }

    /// Verifies tables on the threads of the current rayon pool, smaller ones first; `each` is called with each result
    /// as it comes. The tables that moves lead to must be present; they are read, but verified only if they are among
    /// `keys`.
    ///
    /// # Errors
    /// When cancelled, or when a file is missing or damaged.
    pub fn verify(
        &self,
        keys: &[G::Key],
        options: &VerifyOptions,
        control: &Control,
        each: &mut dyn FnMut(&Verified<G::Key>),
    ) -> Result<Vec<Verified<G::Key>>, VerifyError<G::Key>> {
        let mut results = Vec::new();
        let mut order = keys.to_vec();
        let steering = (&*options.gauge, control);
        order.sort_by_key(|key| (key.men(), key.pawns(), *key));
        let scratch = options.scratch.as_deref().unwrap_or(self.store.dir());
        for &metric in &options.metrics {
            let mut set = DenseSet::new();
            let mut audit = G::audit(self.store, metric, scratch);
            for (n, &key) in order.iter().enumerate() {
                let table = self.store.table(key).ok_or(VerifyError::Missing(key))?;
                if table.distances(metric).is_none() {
                    continue;
                }
                // Only tables that are still needed stay in memory.
                let needed = |kept: G::Key, later: &[G::Key]| {
                    later.iter().any(|later| later.children().contains(&kept))
                };
                set.retain(|&kept, _| needed(kept, &order[n..]));
                if let Some(audit) = &mut audit {
                    audit.retain(&|kept| needed(kept, &order[n..]));
                }
                let start = Instant::now();
                let cells = table.index.cells();
                let (large, share) = match audit {
                    Some(_) => (key.men() > ONE_BY_ONE, SHARE),
                    None => (cells > FEW, PROBED_SHARE),
                };
                // Reading on and on costs more than reading all.
                let few = |count| !large || G::is_large(key) || count <= cells / share;
                let too_large = G::is_large(key) || audit.is_none() && cells > MOST;
                let sample = options.sample.filter(|&count| few(count) || too_large);
                let audit = audit.as_mut().filter(|_| options.fast || large);
                let mut verified = match sample {
                    None if too_large => return Err(VerifyError::TooLarge(key)),
                    None => match audit {
                        Some(audit) => {
                            let keep = needed(key, &order[n + 1..]);
                            self.verify_fast(key, metric, keep, &mut **audit, steering)?
                        }
                        None => self.verify_one(key, metric, &mut set, options, control)?,
                    },
                    Some(count) if count > ONE_BY_ONE_AT_MOST => {
                        self.verify_groups(key, metric, count, steering)?
                    }
                    Some(count) => self.verify_sample(key, metric, count, steering)?,
                };
                verified.elapsed = start.elapsed();
                verified.sampled = sample.is_some();
                each(&verified);
                results.push(verified);
            }
        }
        Ok(results)
    }

    /// The values of a table by stored side, lengths of losses included: a value for every cell, any value where it is
    /// no legal canonical position.
    ///
    /// # Errors
    /// When cancelled, or when a file is missing or damaged.
    pub(crate) fn values(
        &self,
        key: G::Key,
        metric: Metric,
        control: &Control,
    ) -> Result<Vec<Vec<Wide>>, VerifyError<G::Key>> {
        if let Some(mut audit) = G::audit(self.store, metric, self.store.dir()) {
            return audit.values(key, control);
        }
        let (mut set, fault) = (DenseSet::new(), Fault::default());
        let others = self.others(key, metric, (&mut set, MEMORY), &fault, control)?;
        let mut dense = self.read_dense(key, metric)?;
        dense.fill_in(others, self.store, control, &|_| {})?;
        Ok(dense.into_cells())
    }

    /// Where the tables that a key's moves lead to are read: in memory, into which it brings them, unless all values of
    /// the table and of what is below it would take more than so many MiB.
    fn others<'a>(
        &self,
        key: G::Key,
        metric: Metric,
        (set, memory): (&'a mut DenseSet<G>, u64),
        fault: &'a Fault<G>,
        control: &Control,
    ) -> Result<Others<'a, G>, VerifyError<G::Key>> {
        let bytes = 2 * size_of::<Wide>() as u64 * self.cells_with_subs(key);
        if bytes.div_ceil(1 << 20) > memory {
            return Ok(Others::Files(fault));
        }
        self.read_children(key, metric, set, control)?;
        Ok(Others::Memory(set))
    }

    /// The cells of a table and of all that are below it, for one side to move, of those that are present.
    fn cells_with_subs(&self, key: G::Key) -> u64 {
        let tables = closure([key], |_| true).into_iter();
        let tables = tables.filter_map(|key| self.store.table(key));
        tables.map(|table| table.index.cells()).sum()
    }

    /// Brings the tables that a key's moves lead to into memory, with lengths of losses.
    pub(crate) fn read_children(
        &self,
        key: G::Key,
        metric: Metric,
        set: &mut DenseSet<G>,
        control: &Control,
    ) -> Result<(), VerifyError<G::Key>> {
        for child in key.children() {
            if !set.contains_key(&child) {
                self.read_children(child, metric, set, control)?;
                let mut dense = self.read_dense(child, metric)?;
                dense.fill_in(Others::Memory(set), self.store, control, &|_| {})?;
                set.insert(child, dense);
            }
        }
        Ok(())
    }

    pub(crate) fn read_dense(
        &self,
        key: G::Key,
        metric: Metric,
    ) -> Result<Dense<G>, VerifyError<G::Key>> {
        let table = verifiable(self.store, key, metric)?;
        Dense::read(table, metric).map_err(|source| found_damaged(self.store, key, source))
    }

    /// What the header of a file counts.
    fn counts(&self, key: G::Key, metric: Metric) -> Result<[SideCounts; 2], VerifyError<G::Key>> {
        let table = self.store.table(key).ok_or(VerifyError::Missing(key))?;
        let file = table.file(metric);
        let file = file.ok_or(VerifyError::MissingMetric(key, metric))?;
        Ok(file.header().counts)
    }

    fn verify_one(
        &self,
        key: G::Key,
        metric: Metric,
        set: &mut DenseSet<G>,
        options: &VerifyOptions,
        control: &Control,
    ) -> Result<Verified<G::Key>, VerifyError<G::Key>> {
        let errors = Errors::default();
        let fault = Fault::default();
        let memory = options.memory.unwrap_or(MEMORY);
        let others = self.others(key, metric, (set, memory), &fault, control)?;
        let mut dense = self.read_dense(key, metric)?;
        dense.fill_in(others, self.store, control, &|position| {
            errors.add(|| {
                format!(
                    "{}: its moves do not give the result of the table",
                    G::notation(position)
                )
            });
        })?;
        let counts = self.counts(key, metric)?;
        let results = self.counts(key, Metric::Wdl)?;
        let longest = longest(&counts);
        let mut positions = 0;
        let words = dense.index.words();
        let gauge = &*options.gauge;
        gauge.start((words * dense.index.stored_sides().len()) as u64);
        for (side, &color) in dense.index.stored_sides().iter().enumerate() {
            let found = Mutex::new(SideCounts::default());
            let reader = Reader {
                me: &dense,
                mine: None,
                others,
                store: self.store,
            };
            (0..words.div_ceil(CHUNK))
                .into_par_iter()
                .try_for_each(|chunk| {
                    control.check()?;
                    gauge.add(CHUNK as u64);
                    let mut seen = SideCounts::default();
                    for cell in chunk * CHUNK * 64..words.min((chunk + 1) * CHUNK) * 64 {
                        let at = CellId {
                            side: color,
                            cell: cell as u64,
                        };
                        let Some(position) = G::position(&dense.index, at) else {
                            continue;
                        };
                        let (told, found) = (dense.get(at), reader.by_moves(&position));
                        compare::<G>(&position, told, found, longest, &errors);
                        seen.count(told, metric.spec().draw_after);
                    }
                    let mut all = found.lock().unwrap_or_else(PoisonError::into_inner);
                    all.add(&seen);
                    Ok::<(), Cancelled>(())
                })?;
            let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
            positions += found.legal();
            compare_counts(key, &found, (&counts[side], &results[side]), &errors);
        }
        others.check()?;
        if matches!(others, Others::Memory(_)) {
            set.insert(key, dense);
        }
        Ok(verified(errors, key, metric, positions))
    }

    fn verify_fast(
        &self,
        key: G::Key,
        metric: Metric,
        keep: bool,
        audit: &mut dyn Audit<G>,
        steering: (&Gauge, &Control),
    ) -> Result<Verified<G::Key>, VerifyError<G::Key>> {
        let errors = Errors::default();
        let index = G::Index::new(key);
        let found = audit.verify(key, keep, steering, &|at, told, found| {
            errors.add(|| match G::position(&index, at) {
                Some(position) => format!(
                    "{}: {told:?} by the table, {found:?} by its moves",
                    G::notation(&position)
                ),
                None => format!("{at:?} is taken for a position"),
            });
        })?;
        let mut positions = 0;
        let counts = self.counts(key, metric)?;
        let results = self.counts(key, Metric::Wdl)?;
        for (found, headers) in found.iter().zip(counts.iter().zip(&results)) {
            positions += found.legal();
            compare_counts(key, found, headers, &errors);
        }
        Ok(verified(errors, key, metric, positions))
    }
}

/// The result of a table that was gone through.
fn verified<K>(errors: Errors, key: K, metric: Metric, positions: u64) -> Verified<K> {
    let (errors, first) = errors.into_parts();
    Verified {
        key,
        metric,
        positions,
        errors,
        first,
        elapsed: Duration::ZERO,
        sampled: false,
    }
}

/// The ready table of a key, if it has distances of a metric.
///
/// # Errors
/// When it has none, or is missing.
pub fn verifiable<G: Rules>(
    store: &Store<G>,
    key: G::Key,
    metric: Metric,
) -> Result<&Table<G>, VerifyError<G::Key>> {
    let table = store.table(key).ok_or(VerifyError::Missing(key))?;
    match table.distances(metric) {
        Some(_) => Ok(table),
        None => Err(VerifyError::MissingMetric(key, metric)),
    }
}

/// Retires a table in which damage was found, and renames its damaged files to `.bad`; returns the error to report.
pub fn found_damaged<G: Rules>(
    store: &Store<G>,
    key: G::Key,
    source: FormatError,
) -> VerifyError<G::Key> {
    store.retire(key, &source);
    VerifyError::Damaged { key, source }
}
