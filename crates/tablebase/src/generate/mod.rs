//! Generation of tables: which, in what order, on how many threads, and safely beside other processes.
//!
//! A table needs those that a capture or a promotion leads to, so the tables form a DAG (`plan`). Tables
//! whose sub-tables are there are solved side by side on one pool of threads, as far as memory allows
//! (`budget`); each solved table is encoded, handed to a writing thread (a sync to the disk holds
//! nobody up) and is ready for probing as soon as its files have their names. A solved table
//! stays at hand, on the heap or in scratch, until the last table that needs it is solved.
//!
//! `driver` hands out the jobs and takes in the news, `job` does them; `large` makes the tables that do not fit into memory.
//!
//! A table that is on the disk already and is needed as a sub-table is solved again, but not written: for up to four
//! men that takes some hundredths of a second, less than working out the losses that a file leaves out.
//!
//! A lock for each table keeps other processes from generating it at the same time. A table that another process
//! generates is waited for, and generated here if that process dies.

mod budget;
mod driver;
mod job;
mod large;
mod plan;
mod report;
mod snapshot;
mod specs;
mod stages;
mod subs;

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Instant;

use self::budget::Budget;
use self::driver::Driver;
use self::job::{Works, write_all};
use self::plan::Plan;
use self::snapshot::Snapshot;
use crate::format::Metric;
use crate::game::Game;
use crate::index::TableKey;
use crate::store::Store;
use duchamp_base::{Control, Scratch, files};

pub use budget::Needs;
pub use plan::NANOSECONDS;
pub use report::{GenerateError, GenerateOptions, Made, Progress, Step, Summary};
pub use specs::{SpecError, parse_specs, parse_specs_within};
pub use subs::AllSubs;

/// MiB of memory that a generation may take by default.
pub(crate) const MEMORY: u64 = 3072;

/// Bytes that a thread touches between two checks at most, mostly much fewer.
const MARGIN: u64 = 8 << 20;

/// Encoded tables that may wait for the disk.
const WAITING: usize = 2;

/// Generates the tables of a store. It is a reference: copying is free.
#[derive(Debug)]
pub struct Generator<'s, G: Game> {
    store: &'s Store<G>,
}

impl<G: Game> Clone for Generator<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Generator<'_, G> {}

impl<'s, G: Game> Generator<'s, G> {
    /// A generator of a store's tables.
    #[must_use]
    pub fn new(store: &'s Store<G>) -> Generator<'s, G> {
        Generator { store }
    }

    /// Generates the tables of `targets` and all that they depend on, except those that are ready; blocks until done. A
    /// table can be probed as soon as it is ready.
    ///
    /// Uses [`Control::threads`] threads. `progress` is called on the calling thread at each [`Step`], and from time to time
    /// while tables are solved. A run that was cancelled or killed leaves whole tables only; the next one continues.
    ///
    /// # Errors
    /// When cancelled, when the folder cannot be written to, when the memory does not suffice for a table, or when a
    /// sub-table is missing with [`GenerateOptions::only`].
    pub fn run(
        &self,
        targets: &[G::Key],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress<G::Key>),
    ) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
        self.store.rescan();
        self.tidy();
        if targets.iter().any(|&key| G::is_large(key)) {
            return self.generate_large(targets, options, control, progress);
        }
        let plan = self.plan(targets, options);
        self.run_plan(plan, targets, options, control, progress)
    }

    /// What is to be done for tables that fit into memory.
    pub(crate) fn plan(&self, targets: &[G::Key], options: &GenerateOptions) -> Plan<G> {
        let others = |key| options.only && !targets.contains(&key);
        let zeroing = options.metrics.contains(&Metric::Dtz);
        Plan::new(
            targets,
            &options.metrics,
            |key| others(key) || !options.force && self.is_there(key, options),
            |key| self.has_snapshot(key, zeroing),
        )
    }

    /// Generates the tables of a plan for `targets`.
    pub(crate) fn run_plan(
        &self,
        plan: Plan<G>,
        targets: &[G::Key],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress<G::Key>),
    ) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
        let mut summary = Summary {
            found: plan.found(),
            ..Summary::default()
        };
        if plan.to_write() == 0 {
            return Ok(summary);
        }
        if options.only {
            let zeroing = options.metrics.contains(&Metric::Dtz);
            self.check_alone(targets, zeroing)?;
        }
        let allowed = options.memory.unwrap_or(MEMORY);
        if let Some((key, needed)) = plan.too_large(allowed) {
            return Err(GenerateError::Memory {
                key,
                needed,
                allowed,
            });
        }
        let folder_error = |source| GenerateError::Folder {
            path: self.store.dir().to_owned(),
            source,
        };
        std::fs::create_dir_all(self.store.dir()).map_err(folder_error)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(control.threads())
            .thread_name(|n| format!("tables {n}"))
            .build()
            .map_err(|error| GenerateError::System(error.to_string()))?;
        let start = Instant::now();
        let budget = Budget::new(allowed << 20);
        let folder = options.scratch.as_deref().unwrap_or(self.store.dir());
        let limit = (allowed << 20).saturating_sub(MARGIN * control.threads() as u64);
        let scratch = Arc::new(Scratch::new(folder, budget.window(), limit));
        let keeping = control.keep(&scratch);
        let works = Works::new(*self, control, options, &scratch);
        let (news, inbox) = mpsc::channel();
        let done = std::thread::scope(|threads| {
            let (parcels, to_write) = mpsc::sync_channel(WAITING);
            let (works, written) = (&works, news.clone());
            threads.spawn(move || write_all(works, &to_write, &written));
            let mut driver = Driver::new(works, plan, budget, &mut summary, progress);
            pool.in_place_scope(|scope| driver.run(scope, &news, &inbox, &parcels));
            drop(parcels);
            driver.result()
        });
        drop(keeping);
        done?;
        files::sync_folder(self.store.dir()).map_err(folder_error)?;
        summary.elapsed = start.elapsed();
        Ok(summary)
    }
}

impl<G: Game> Generator<'_, G> {
    /// Whether everything that is asked for of a table is there.
    pub(crate) fn is_there(&self, key: G::Key, options: &GenerateOptions) -> bool {
        options
            .files()
            .all(|metric| self.store.has_metric(key, metric))
            && (!options.keep_subs || self.snapshot(key).is_file())
    }

    /// Removes what processes have left that were killed: locks that nobody holds, and unfinished files
    /// beside them.
    fn tidy(&self) {
        for entry in std::fs::read_dir(self.store.dir())
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name();
            let key = name.to_str().and_then(|name| name.strip_suffix(".lock"));
            let Some(Ok(key)) = key.map(str::parse::<G::Key>) else {
                continue;
            };
            if let Ok(Some(lock)) = self.store.folder().lock(key) {
                self.sweep(key);
                drop(lock);
            }
        }
    }

    /// Removes the unfinished files of a table, whose lock the caller holds.
    pub(crate) fn sweep(&self, key: G::Key) {
        self.store.folder().sweep(key);
        files::sweep_parts(&self.snapshot(key));
    }

    /// Whether a table's snapshot is present and good; for `zeroing` it must hold the cursed wins and blessed losses.
    fn has_snapshot(&self, key: G::Key, zeroing: bool) -> bool {
        let path = self.snapshot(key);
        let snapshot = Snapshot::<G>::open(&path, key);
        if let Err(error) = &snapshot {
            log::warn!("{}: {error}; solving again", path.display());
        }
        matches!(snapshot, Ok(Some(snapshot)) if !zeroing || snapshot.knows_cursed())
    }

    /// Whether all that the targets need is there as snapshots, unless it is a target itself.
    fn check_alone(&self, targets: &[G::Key], zeroing: bool) -> Result<(), GenerateError<G::Key>> {
        for &key in targets {
            let mut needed = key.children();
            needed.retain(|child| !targets.contains(child) && !self.has_snapshot(*child, zeroing));
            if !needed.is_empty() {
                let ending = snapshot::ENDING;
                return Err(GenerateError::Alone {
                    key,
                    missing: needed
                        .iter()
                        .map(|child| format!("{child}.{ending}"))
                        .collect(),
                    path: self.store.dir().to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The name of a table's snapshot.
    pub(crate) fn snapshot(&self, key: G::Key) -> PathBuf {
        self.store.dir().join(format!("{key}.{}", snapshot::ENDING))
    }
}
