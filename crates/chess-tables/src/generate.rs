//! Making tables: which, in what order, on how many threads, and safely beside other processes.
//!
//! A table needs those that a capture or a promotion leads to, so the tables form a DAG (`plan`). Tables
//! whose sub-tables are there are solved side by side on one pool of threads, as far as memory allows
//! (`budget`); each solved table is encoded, handed to a writing thread (a sync to the disk holds
//! nobody up) and is ready for probing as soon as its files have their names. A solved table
//! stays at hand, on the heap or in scratch, until the last table that needs it is solved.
//!
//! `driver` hands out the jobs and takes in the news, `job` does them.
//!
//! A table that is on the disk already and is needed as a sub-table is solved again, but not written: for up to four
//! men that takes some hundredths of a second, less than working out the losses that a file leaves out.
//!
//! Per table a lock keeps other processes from making it at the same time; a table that another
//! process is making is waited for, and made here if that process dies.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::budget::Budget;
use super::driver::Driver;
use super::format::{Metric, SideCounts};
use super::job::{Works, write_all};
use super::material::Material;
use super::plan::Plan;
use super::snapshot::{self, Snapshot};
use super::solved::SolveError;
use super::tables::Tables;
use duchamp_base::{Cancelled, Control, Scratch, files};

/// MiB of memory that a generation may take if nothing else is said.
pub(super) const MEMORY: u64 = 3072;

/// Bytes that a thread touches between two checks at most, mostly much fewer.
const MARGIN: u64 = 8 << 20;

/// Encoded tables that may wait for the disk.
const WAITING: usize = 2;

/// How tables are to be made.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GenerateOptions {
    /// Make tables again that are there.
    pub force: bool,
    /// The most memory for the whole program, in MiB; `None`: 3072.
    pub memory: Option<u64>,
    /// A folder for scratch files; `None`: that of the tables.
    pub scratch: Option<PathBuf>,
    /// What the tables are to tell; the `.wdl` file is always made. Empty: distances to mate.
    pub metrics: Vec<Metric>,
    /// Keep what larger tables need of each table made (`KRPvKR.sub`), so that another process need
    /// not solve it again.
    pub keep_subs: bool,
    /// Make the targets alone: what they need must be there as snapshots (`.sub`) of other runs.
    pub only: bool,
}

impl GenerateOptions {
    /// The files that each table is to have.
    pub(super) fn files(&self) -> impl Iterator<Item = Metric> {
        Metric::ALL.into_iter().filter(|metric| match metric {
            Metric::Wdl => true,
            Metric::Dtm if self.metrics.is_empty() => true,
            metric => self.metrics.contains(metric),
        })
    }
}

/// What has just happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A table is being solved; told again while it lasts.
    Solving,
    /// A table is solved and goes to the disk.
    Solved,
    /// A table is on the disk and ready for probing.
    Ready,
    /// Another process is making the table: the text says which.
    Waiting(String),
}

/// How far a generation is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The table that the news is about.
    pub material: Material,
    /// The news.
    pub step: Step,
    /// Tables ready, of [`Progress::total`].
    pub done: usize,
    /// Tables to be made.
    pub total: usize,
    /// The done share of [`Progress::material`], 0 to 1: counted by slices, estimated by the time where there is
    /// one slice only.
    pub part: f64,
    /// Share of all the work done, 0 to 1.
    pub share: f64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Time left at the rate so far.
    pub left: Option<Duration>,
}

/// A table that a generation made.
#[derive(Clone, Debug)]
pub struct Made {
    /// The material.
    pub material: Material,
    /// Counts with White and with Black to move.
    pub counts: [SideCounts; 2],
    /// Bytes of the `.wdl` file, 0 if it was there.
    pub wdl_bytes: u64,
    /// Bytes of the `.dtm` file, 0 if it was not made.
    pub dtm_bytes: u64,
    /// Bytes of the `.dtc` file.
    pub dtc_bytes: u64,
    /// Bytes of the `.dtz` file.
    pub dtz_bytes: u64,
    /// Wall time of solving; other tables may have been solved at the same time.
    pub solving: Duration,
    /// Wall time of encoding.
    pub encoding: Duration,
}

impl Made {
    /// A table without files, solved in so much time.
    pub(super) fn new(material: Material, solving: Duration) -> Made {
        Made {
            material,
            counts: [SideCounts::default(); 2],
            wdl_bytes: 0,
            dtm_bytes: 0,
            dtc_bytes: 0,
            dtz_bytes: 0,
            solving,
            encoding: Duration::ZERO,
        }
    }

    /// The bytes of the file of a metric.
    pub(super) fn bytes(&mut self, metric: Metric) -> &mut u64 {
        match metric {
            Metric::Wdl => &mut self.wdl_bytes,
            Metric::Dtm => &mut self.dtm_bytes,
            Metric::Dtc => &mut self.dtc_bytes,
            Metric::Dtz => &mut self.dtz_bytes,
        }
    }
}

/// What a generation did.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Tables made here, in the order they became ready.
    pub made: Vec<Made>,
    /// Tables that were there already.
    pub found: usize,
    /// Tables that other processes made meanwhile.
    pub shared: usize,
    /// Wall time.
    pub elapsed: Duration,
}

/// Why a generation ended early. Tables that were ready stay.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The folder cannot be made or written to.
    #[error("cannot make tables in {path}: {source}", path = .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file could not be written, as on a full disk.
    #[error("cannot write table {material} in {path}: {source}", path = .path.display())]
    Write {
        /// The table.
        material: Material,
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The scratch folder has no room or cannot be written to.
    #[error("no scratch file for {material} in {path}: {source}", path = .path.display())]
    Scratch {
        /// The table.
        material: Material,
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A table could not be solved.
    #[error(transparent)]
    Solve(SolveError),
    /// A table is to be made alone, and what it needs is not there.
    #[error("{material} cannot be made alone: {} missing in {}, made by `tb generate --keep-subs`", .missing.join(", "), .path.display())]
    Alone {
        /// The table.
        material: Material,
        /// The files that are missing or damaged.
        missing: Vec<String>,
        /// The folder.
        path: PathBuf,
    },
    /// A table and those it needs do not fit the memory allowed.
    #[error("{material} needs about {needed} MiB of memory, more than the {allowed} MiB allowed")]
    Memory {
        /// The table.
        material: Material,
        /// MiB needed.
        needed: u64,
        /// MiB allowed.
        allowed: u64,
    },
    /// Threads could not be started, or a codec failed.
    #[error("cannot make tables: {0}")]
    System(String),
}

impl Tables {
    /// Makes the tables of `targets` and all that they depend on, except those that are ready; blocks until done.
    ///
    /// Uses [`Control::threads`] threads. `progress` is called from the calling thread.
    ///
    /// # Errors
    /// When cancelled, when the folder cannot be written to, or when memory does not suffice.
    pub fn generate(
        &self,
        targets: &[Material],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Summary, GenerateError> {
        self.rescan();
        self.tidy();
        if targets.iter().any(Material::is_large) {
            return self.generate_large(targets, options, control, progress);
        }
        let others = |material| options.only && !targets.contains(&material);
        let zeroing = options.metrics.contains(&Metric::Dtz);
        let plan = Plan::new(
            targets,
            &options.metrics,
            |material| others(material) || !options.force && self.is_there(material, options),
            |material| self.has_snapshot(material, zeroing),
        );
        let mut summary = Summary {
            found: plan.found(),
            ..Summary::default()
        };
        if plan.to_write() == 0 {
            return Ok(summary);
        }
        if options.only {
            self.check_alone(targets, zeroing)?;
        }
        let allowed = options.memory.unwrap_or(MEMORY);
        if let Some((material, needed)) = plan.too_large(allowed) {
            return Err(GenerateError::Memory {
                material,
                needed,
                allowed,
            });
        }
        let folder_error = |source| GenerateError::Folder {
            path: self.dir().to_owned(),
            source,
        };
        std::fs::create_dir_all(self.dir()).map_err(folder_error)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(control.threads())
            .thread_name(|n| format!("tables {n}"))
            .build()
            .map_err(|error| GenerateError::System(error.to_string()))?;
        let start = Instant::now();
        let budget = Budget::new(allowed << 20);
        let folder = options.scratch.as_deref().unwrap_or(self.dir());
        let limit = (allowed << 20).saturating_sub(MARGIN * control.threads() as u64);
        let scratch = Arc::new(Scratch::new(folder, budget.window(), limit));
        let keeping = control.keep(&scratch);
        let works = Works::new(self, control, options, &scratch);
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
        files::sync_folder(self.dir()).map_err(folder_error)?;
        summary.elapsed = start.elapsed();
        Ok(summary)
    }
}

impl Tables {
    /// Whether everything that is asked for of a table is there.
    pub(super) fn is_there(&self, material: Material, options: &GenerateOptions) -> bool {
        options
            .files()
            .all(|metric| self.has_metric(material, metric))
            && (!options.keep_subs || self.snapshot(material).is_file())
    }

    /// Removes what processes have left that were killed: locks that nobody holds, and unfinished files
    /// beside them.
    fn tidy(&self) {
        for entry in std::fs::read_dir(self.dir())
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name();
            let material = name.to_str().and_then(|name| name.strip_suffix(".lock"));
            let Some(Ok(material)) = material.map(str::parse::<Material>) else {
                continue;
            };
            if let Ok(Some(lock)) = self.folder().lock(material) {
                self.sweep(material);
                drop(lock);
            }
        }
    }

    /// Removes the unfinished files of a table, whose lock the caller holds.
    pub(super) fn sweep(&self, material: Material) {
        self.folder().sweep(material);
        files::sweep_parts(&self.snapshot(material));
    }

    /// Whether a table's snapshot is there and good; for `zeroing` it must tell what the 50-move rule
    /// spoils.
    fn has_snapshot(&self, material: Material, zeroing: bool) -> bool {
        let path = self.snapshot(material);
        let snapshot = Snapshot::open(&path, material);
        if let Err(error) = &snapshot {
            log::warn!("{}: {error}; solving again", path.display());
        }
        matches!(snapshot, Ok(Some(snapshot)) if !zeroing || snapshot.knows_cursed())
    }

    /// Whether all that the targets need is there as snapshots, unless it is a target itself.
    fn check_alone(&self, targets: &[Material], zeroing: bool) -> Result<(), GenerateError> {
        for &material in targets {
            let mut needed = material.children();
            needed.retain(|child| !targets.contains(child) && !self.has_snapshot(*child, zeroing));
            if !needed.is_empty() {
                let ending = snapshot::ENDING;
                return Err(GenerateError::Alone {
                    material,
                    missing: needed
                        .iter()
                        .map(|child| format!("{child}.{ending}"))
                        .collect(),
                    path: self.dir().to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The name of a table's snapshot.
    pub(super) fn snapshot(&self, material: Material) -> PathBuf {
        self.dir().join(format!("{material}.{}", snapshot::ENDING))
    }
}
