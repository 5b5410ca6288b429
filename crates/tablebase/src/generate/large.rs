//! Tables of six men without pawns, one at a time: solved in little memory (`spilled.rs`), written as
//! they are read (`stream.rs`).
//!
//! The five-man tables that they need are made first like any others; while the large one is
//! solved they lie in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::budget::Needs;
use super::report::{GenerateError, GenerateOptions, Made, Progress, Step, Summary};
use super::{Generator, MEMORY};
use crate::format::{Container, FormatError, Metric, WdlFile};
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::solve::{
    SolveError, Solved, SpilledTable, SubTables, ToConversion, ToMateLong, Worth, solve, spill,
    workspace,
};
use crate::store::Store;
use crate::values::Values;
use crate::write::{EncodeError, write_distances, write_wdl};
use duchamp_base::{Control, LockFile, Mapped, files};

/// The files that large tables have.
const METRICS: [Metric; 3] = [Metric::Wdl, Metric::Dtm, Metric::Dtc];

/// How often a table that another process makes is looked at.
const POLL: Duration = Duration::from_millis(500);

/// Memory in MiB that solving a large table takes: bitmaps, buffers and sub-tables.
fn needed<G: Game>(key: G::Key, threads: usize) -> u64 {
    let subs = key.children().into_iter();
    let subs: u64 = subs
        .map(|child| Needs::of(&G::Index::new(child), &[]).values)
        .sum();
    let bytes = subs + workspace(&G::Index::new(key), size_of::<u16>(), threads);
    bytes.div_ceil(1 << 20)
}

impl<G: Game> Generator<'_, G> {
    /// Makes the large ones of `targets`, after all other tables that are asked for or needed.
    pub(crate) fn generate_large(
        &self,
        targets: &[G::Key],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress<G::Key>),
    ) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
        let allowed = options.memory.unwrap_or(MEMORY);
        let (large, mut small): (Vec<G::Key>, Vec<G::Key>) =
            targets.iter().partition(|&&key| G::is_large(key));
        for &key in &large {
            let needed = needed::<G>(key, control.threads());
            if needed > allowed {
                return Err(GenerateError::Memory {
                    key,
                    needed,
                    allowed,
                });
            }
        }
        let start = Instant::now();
        small.extend(large.iter().flat_map(TableKey::children));
        let mut summary = self.run(&small, options, control, progress)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(control.threads())
            .thread_name(|n| format!("tables {n}"))
            .build()
            .map_err(|error| GenerateError::System(error.to_string()))?;
        for (done, &key) in large.iter().enumerate() {
            let mut tell = |step| {
                progress(&Progress {
                    key,
                    step,
                    done,
                    total: large.len(),
                    part: 0.0,
                    share: 0.0,
                    elapsed: start.elapsed(),
                    left: None,
                });
            };
            let works = Large {
                store: self.store,
                options,
                control,
                pool: &pool,
            };
            let Some((lock, wanted)) = works.lock(key, &mut tell)? else {
                summary.found += 1;
                continue;
            };
            let made = works.make(key, &wanted, &mut tell)?;
            drop(lock);
            summary.made.push(made);
            tell(Step::Ready);
        }
        summary.elapsed = start.elapsed();
        Ok(summary)
    }
}

fn cannot_write<G: Game>(
    tables: &Store<G>,
    key: G::Key,
    source: std::io::Error,
) -> GenerateError<G::Key> {
    GenerateError::Write {
        key,
        path: tables.dir().to_owned(),
        source,
    }
}

struct Large<'a, G: Game> {
    store: &'a Store<G>,
    options: &'a GenerateOptions,
    control: &'a Control,
    pool: &'a rayon::ThreadPool,
}

impl<G: Game> Large<'_, G> {
    /// The lock on a table and the files that are missing; `None` if all are there.
    fn lock(
        &self,
        key: G::Key,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Option<(LockFile, Vec<Metric>)>, GenerateError<G::Key>> {
        let folder = self.store.folder();
        loop {
            self.control.check()?;
            let lock = folder
                .lock(key)
                .map_err(|source| cannot_write(self.store, key, source))?;
            let Some(lock) = lock else {
                let holder = folder.lock_holder(key).unwrap_or_default();
                tell(Step::Waiting(holder));
                std::thread::sleep(POLL);
                continue;
            };
            self.store.load(key, Some(&lock));
            let missing: Vec<Metric> = self
                .options
                .files()
                .filter(|metric| METRICS.contains(metric))
                .filter(|&metric| self.options.force || !self.store.has_metric(key, metric))
                .collect();
            if missing.is_empty() {
                return Ok(None);
            }
            folder.sweep(key);
            return Ok(Some((lock, missing)));
        }
    }

    /// Solves a table and gives it its files.
    fn make(
        &self,
        key: G::Key,
        wanted: &[Metric],
        tell: &mut dyn FnMut(Step),
    ) -> Result<Made<G::Key>, GenerateError<G::Key>> {
        let mut spent = [Duration::ZERO; 2];
        let to_mate = wanted.contains(&Metric::Wdl) || wanted.contains(&Metric::Dtm);
        if to_mate {
            self.make_one::<ToMateLong>(key, &mut spent, tell, |table| {
                let wdl = self.wdl(key, wanted, table)?;
                if wanted.contains(&Metric::Dtm) {
                    self.distances(key, Metric::Dtm, &wdl, table)?;
                }
                Ok(())
            })?;
        }
        if wanted.contains(&Metric::Dtc) {
            self.make_one::<ToConversion>(key, &mut spent, tell, |table| {
                let wdl = self.read_wdl(table.index())?;
                self.distances(key, Metric::Dtc, &wdl, table)
            })?;
        }
        let (opened, errors) = self.store.folder().open(key);
        if let Some(error) = errors.into_iter().next() {
            return Err(GenerateError::System(error.to_string()));
        }
        let missing = || cannot_write(self.store, key, std::io::ErrorKind::NotFound.into());
        let opened = opened.ok_or_else(missing)?;
        let mut made = Made::new(key, spent[0]);
        made.encoding = spent[1];
        made.counts = opened.wdl.header().counts;
        for &metric in wanted {
            *made.bytes(metric) = opened.file(metric).map_or(0, Container::file_len);
        }
        self.store.replace(opened);
        Ok(made)
    }

    /// Solves a table in one metric and writes its files; adds the times of both.
    fn make_one<W: Worth>(
        &self,
        key: G::Key,
        spent: &mut [Duration; 2],
        tell: &mut dyn FnMut(Step),
        write: impl FnOnce(&SpilledTable<G::Index, W::Cell>) -> Result<(), EncodeError> + Send,
    ) -> Result<(), GenerateError<G::Key>> {
        tell(Step::Solving);
        let start = Instant::now();
        let scratch = self.options.scratch.as_deref();
        let scratch = scratch.unwrap_or(self.store.dir());
        let table = self.pool.install(|| {
            let subs = AllSubs::<G>::new(key, self.control)?;
            spill::<G, W>(key, &subs, scratch, self.control)
        });
        let table = table.map_err(|error| match error {
            SolveError::Cancelled(cancelled) => cancelled.into(),
            SolveError::Scratch { key, source } => GenerateError::Scratch {
                key,
                path: scratch.to_owned(),
                source,
            },
            error => GenerateError::Solve(error),
        })?;
        spent[0] += start.elapsed();
        tell(Step::Solved);
        log::debug!("{key}: {:?}", table.footprint());
        let start = Instant::now();
        let written = self.pool.install(|| write(&table));
        spent[1] += start.elapsed();
        written.map_err(|error| match error {
            EncodeError::Cancelled(cancelled) => cancelled.into(),
            EncodeError::System(source) => cannot_write(self.store, key, source),
            error => GenerateError::System(error.to_string()),
        })
    }

    /// The `.wdl` file, written if it is wanted.
    fn wdl(
        &self,
        key: G::Key,
        wanted: &[Metric],
        table: &impl Values<Index = G::Index>,
    ) -> Result<WdlFile<G::Index>, EncodeError> {
        if wanted.contains(&Metric::Wdl) {
            let path = self.store.folder().file(key, Metric::Wdl);
            write_wdl(G::ID, table, &path, self.control)?.commit()?;
        }
        self.read_wdl(table.index())
    }

    fn read_wdl(&self, index: &Arc<G::Index>) -> Result<WdlFile<G::Index>, EncodeError> {
        let path = self.store.folder().file(index.key(), Metric::Wdl);
        let container = Container::open(Mapped::open(&path)?)?;
        Ok(WdlFile::new(container, index).ok_or(FormatError::Header("form"))?)
    }

    fn distances(
        &self,
        key: G::Key,
        metric: Metric,
        wdl: &WdlFile<G::Index>,
        table: &impl Values<Index = G::Index>,
    ) -> Result<(), EncodeError> {
        let path = self.store.folder().file(key, metric);
        write_distances(G::ID, metric, table, wdl, &path, self.control)?.commit()?;
        Ok(files::sync_folder(self.store.dir())?)
    }
}

/// The tables that another one needs, in memory.
#[derive(Debug)]
pub struct AllSubs<G: Game>(HashMap<G::Key, Arc<Solved<G::Index>>>);

impl<G: Game> AllSubs<G> {
    /// Solves all that a key depends on, on the heap, and keeps its [`TableKey::children`].
    ///
    /// # Errors
    /// As [`solve`](crate::solve()).
    pub fn new(key: G::Key, control: &Control) -> Result<AllSubs<G>, SolveError<G::Key>> {
        let all = Recursive::<G> {
            control,
            made: Mutex::default(),
        };
        let children = key.children();
        for &child in &children {
            all.make(child)?;
        }
        let mut made = all
            .made
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        made.retain(|key, _| children.contains(key));
        Ok(AllSubs(made))
    }
}

impl<G: Game> SubTables<G::Index> for AllSubs<G> {
    fn get(&self, key: G::Key) -> Option<Arc<Solved<G::Index>>> {
        self.0.get(&key).cloned()
    }
}

/// Makes tables with all that they need.
struct Recursive<'a, G: Game> {
    control: &'a Control,
    made: Mutex<HashMap<G::Key, Arc<Solved<G::Index>>>>,
}

impl<G: Game> Recursive<'_, G> {
    fn make(&self, key: G::Key) -> Result<(), SolveError<G::Key>> {
        if self.get(key).is_some() {
            return Ok(());
        }
        for child in key.children() {
            self.make(child)?;
        }
        let table = solve::<G>(key, self, self.control)?;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert(key, Arc::new(table));
        Ok(())
    }
}

impl<G: Game> SubTables<G::Index> for Recursive<'_, G> {
    fn get(&self, key: G::Key) -> Option<Arc<Solved<G::Index>>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.get(&key).cloned()
    }
}
