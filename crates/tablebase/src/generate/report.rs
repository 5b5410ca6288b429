//! Options, progress, results and errors of a generation.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::at_hand::Inspected;
use crate::format::{Metric, SideCounts};
use crate::game::Game;
use crate::solve::SolveError;
use duchamp_base::{Cancelled, human, limits};

/// Address space that a thread takes for its stack and small rooms.
const STACK: u64 = 4 << 20;

/// How tables are generated. The default: distances to mate, [`GenerateOptions::DEFAULT_MEMORY`], tables that are present stay.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GenerateOptions {
    /// Generate tables again that are present.
    pub force: bool,
    /// The most memory for the whole program, in MiB; `None`: [`GenerateOptions::DEFAULT_MEMORY`].
    pub memory: Option<u64>,
    /// A folder for scratch files; `None`: that of the tables.
    pub scratch: Option<PathBuf>,
    /// The distances to generate; the `.wdl` file is always generated. Empty: those of the game's first primary metric
    /// ([`Game::PRIMARY`]), in chess to mate.
    pub metrics: Vec<Metric>,
    /// Keep what larger tables need of each table as a snapshot (`KRPvKR.sub`), so that another process need not solve
    /// it again. Remove snapshots when no run needs them any more.
    pub keep_subs: bool,
    /// Generate the targets and nothing else: the tables that they need must be present as snapshots (`.sub`) of other
    /// runs.
    pub only: bool,
    /// Write no files of this format, only those of an [`Exporter`](crate::Exporter).
    pub export_only: bool,
    /// Write no files at all: solve the targets to mate, one at a time, and count their values ([`Made::counts`]). Takes
    /// neither other metrics nor an exporter.
    pub count_only: bool,
    /// Metrics that are solved and get no file of this format.
    pub unwritten: Vec<Metric>,
}

impl GenerateOptions {
    /// MiB of memory that a generation may take by default.
    pub const DEFAULT_MEMORY: u64 = 3072;

    /// The options of the runs that together do what these say: each solves one primary metric and names its files.
    pub(crate) fn runs<G: Game>(&self) -> Vec<GenerateOptions> {
        let primary = |metric: &Metric| G::PRIMARY.contains(metric);
        let others = self.metrics.iter().copied();
        let others: Vec<Metric> = others
            .filter(|metric| *metric != Metric::Wdl && !primary(metric))
            .collect();
        let of_run = |metric: Metric| {
            let mut metrics = Vec::new();
            if self.metrics.is_empty() || self.metrics.contains(&metric) {
                metrics.push(metric);
            }
            if metric == Metric::Dtm {
                metrics.extend(&others);
            }
            GenerateOptions {
                metrics,
                ..self.clone()
            }
        };
        let asked = |metric: &Metric| {
            self.metrics.contains(metric) || *metric == Metric::Dtm && !others.is_empty()
        };
        let mut runs: Vec<Metric> = G::PRIMARY.iter().copied().filter(asked).collect();
        if runs.is_empty() {
            runs.push(G::PRIMARY[0]);
        }
        runs.into_iter().map(of_run).collect()
    }

    /// The metric that a run of these options solves first.
    pub(crate) fn primary<G: Game>(&self) -> Metric {
        let named = G::PRIMARY
            .iter()
            .find(|metric| self.metrics.contains(metric));
        let others = self.metrics.iter().any(|&metric| metric != Metric::Wdl);
        match named {
            Some(&metric) => metric,
            None if others => Metric::Dtm,
            None => G::PRIMARY[0],
        }
    }

    /// Whether distances to zeroing are all that a run of these options needs of a table: it writes nothing but an export.
    pub(crate) fn only_zeroing(&self) -> bool {
        self.export_only && self.metrics == [Metric::Dtz] && !self.keep_subs
    }

    /// The files that a run of these options gives each table.
    pub(crate) fn files(&self) -> impl Iterator<Item = Metric> {
        let wanted = |metric: &Metric| {
            let named = *metric == Metric::Wdl || self.metrics.contains(metric);
            named && !self.writes_none() && !self.unwritten.contains(metric)
        };
        Metric::ALL.into_iter().filter(wanted)
    }

    /// Whether no table gets files of this format.
    pub(crate) const fn writes_none(&self) -> bool {
        self.export_only || self.count_only
    }

    /// The memory allowed, in MiB: less than the options say where the system gives so many threads less, and never more
    /// than can be counted in bytes.
    pub(crate) fn allowed(&self, threads: usize) -> u64 {
        let asked = self.memory.unwrap_or(Self::DEFAULT_MEMORY).min(1 << 40);
        let Some(left) = limits::address_space_left() else {
            return asked;
        };
        let taken = limits::RESERVE + STACK * threads as u64;
        asked.min(left.saturating_sub(taken) >> 20)
    }

    /// The same in bytes.
    pub(crate) fn allowed_bytes(&self, threads: usize) -> u64 {
        self.allowed(threads) << 20
    }

    /// The metrics of those files that are solved after the primary one.
    pub(crate) fn later<G: Game>(&self) -> Vec<Metric> {
        let later = |metric: &Metric| *metric != Metric::Wdl && !G::PRIMARY.contains(metric);
        self.metrics.iter().copied().filter(later).collect()
    }
}

/// What a table holds that got no files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Counts and longest distances to mate, with the first and with the second side to move.
    pub counts: [SideCounts; 2],
    /// The time of solving.
    pub solving: Duration,
    /// The time of counting.
    pub counting: Duration,
    /// What an [`Inspector`](crate::Inspector) has found.
    pub inspected: Option<Box<Inspected>>,
}

/// What has just happened to a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// It is being solved; reported again while it lasts.
    Solving,
    /// It is solved and being written; reported again while that lasts.
    Solved,
    /// It is solved and counted ([`GenerateOptions::count_only`]).
    Counted(Box<Counted>),
    /// It is on the disk and ready for probing.
    Ready,
    /// Another process generates it: the text says which.
    Waiting(String),
}

/// How far a generation is.
#[derive(Clone, Debug)]
pub struct Progress<K> {
    /// The table that this report is about.
    pub key: K,
    /// What happened to it.
    pub step: Step,
    /// Tables ready, of [`Progress::total`].
    pub done: usize,
    /// Tables to generate.
    pub total: usize,
    /// How much of [`Progress::key`] is done, 0 to 1: counted by slices, or estimated from the time if there is one
    /// slice. Of a large table all is counted but the levels of its solution, whose number is unknown beforehand.
    pub part: f64,
    /// How much of all work is done, 0 to 1.
    pub share: f64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Time left: by the estimate of the work at first, then more and more by the rate so far.
    pub left: Duration,
}

/// A table that was generated.
#[derive(Clone, Debug)]
pub struct Made<K> {
    /// The key.
    pub key: K,
    /// Counts and longest distances in the metric solved first, with the first and with the second side to move; none if
    /// it got no file of this format and was not to be counted.
    pub counts: [SideCounts; 2],
    /// Bytes of the `.wdl` file, 0 if it was present before.
    pub wdl_bytes: u64,
    /// Bytes of the `.dtm` file, 0 if it was not generated.
    pub dtm_bytes: u64,
    /// Bytes of the `.dtc` file, 0 if it was not generated.
    pub dtc_bytes: u64,
    /// Bytes of the `.dtz` file, 0 if it was not generated.
    pub dtz_bytes: u64,
    /// Bytes of the files that an exporter wrote, in its order.
    pub exported: Vec<u64>,
    /// Wall time of solving; other tables may have been solved at the same time.
    pub solving: Duration,
    /// Wall time of encoding, or of counting.
    pub encoding: Duration,
    /// What an [`Inspector`](crate::Inspector) has found.
    pub inspected: Option<Box<Inspected>>,
}

impl<K> Made<K> {
    /// A table without files, solved in so much time.
    pub(crate) fn new(key: K, solving: Duration) -> Made<K> {
        Made {
            key,
            counts: [SideCounts::default(); 2],
            wdl_bytes: 0,
            dtm_bytes: 0,
            dtc_bytes: 0,
            dtz_bytes: 0,
            exported: Vec::new(),
            solving,
            encoding: Duration::ZERO,
            inspected: None,
        }
    }

    /// Whether it got a file.
    pub(crate) fn has_files(&self) -> bool {
        let own = self.wdl_bytes + self.dtm_bytes + self.dtc_bytes + self.dtz_bytes;
        own > 0 || !self.exported.is_empty()
    }

    /// Adds what a later run generated for the table.
    fn add(&mut self, later: &Made<K>) {
        self.wdl_bytes = self.wdl_bytes.max(later.wdl_bytes);
        self.dtm_bytes = self.dtm_bytes.max(later.dtm_bytes);
        self.dtc_bytes = self.dtc_bytes.max(later.dtc_bytes);
        self.dtz_bytes = self.dtz_bytes.max(later.dtz_bytes);
        self.solving += later.solving;
        self.encoding += later.encoding;
    }

    /// The bytes of the file of a metric.
    pub(crate) fn bytes(&mut self, metric: Metric) -> &mut u64 {
        match metric {
            Metric::Wdl => &mut self.wdl_bytes,
            Metric::Dtm => &mut self.dtm_bytes,
            Metric::Dtc => &mut self.dtc_bytes,
            Metric::Dtz => &mut self.dtz_bytes,
        }
    }
}

/// The result of a generation.
#[derive(Clone, Debug)]
pub struct Summary<K> {
    /// Tables that this run generated, in the order they became ready.
    pub made: Vec<Made<K>>,
    /// Tables that were present already.
    pub found: usize,
    /// Tables that other processes generated meanwhile.
    pub shared: usize,
    /// Wall time.
    pub elapsed: Duration,
}

impl<K: PartialEq> Summary<K> {
    /// Adds a later run over the same tables in another metric.
    pub(crate) fn add(&mut self, later: Summary<K>) {
        let tables = later.found + later.made.len() + later.shared;
        for made in later.made {
            match self.made.iter_mut().find(|before| before.key == made.key) {
                Some(before) => before.add(&made),
                None => self.made.push(made),
            }
        }
        self.shared = (self.shared + later.shared).min(tables - self.made.len());
        self.found = tables - self.made.len() - self.shared;
        self.elapsed += later.elapsed;
    }
}

impl<K> Default for Summary<K> {
    fn default() -> Summary<K> {
        Summary {
            made: Vec::new(),
            found: 0,
            shared: 0,
            elapsed: Duration::ZERO,
        }
    }
}

impl<K> GenerateError<K> {
    /// The error of an array for which there is no room, in memory or in the scratch folder `path`.
    pub(crate) fn no_room(key: K, path: &Path, source: std::io::Error) -> GenerateError<K> {
        match source.kind() {
            std::io::ErrorKind::OutOfMemory => GenerateError::NoMemory { key, source },
            _ => GenerateError::Scratch {
                key,
                path: path.to_owned(),
                source,
            },
        }
    }
}

/// Why a generation stopped early. Tables that were ready stay.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError<K> {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The folder cannot be created or written to.
    #[error("cannot generate tables in {path}: {source}", path = .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file could not be written, as on a full disk.
    #[error("cannot write table {key} in {path}: {source}", path = .path.display())]
    Write {
        /// The table.
        key: K,
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The scratch folder has no room or cannot be written to.
    #[error("no scratch file for {key} in {path}: {source}", path = .path.display())]
    Scratch {
        /// The table.
        key: K,
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The system gives no more memory.
    #[error("no memory for {key}: {source}")]
    NoMemory {
        /// The table.
        key: K,
        /// What the system says.
        source: std::io::Error,
    },
    /// A table could not be solved.
    #[error(transparent)]
    Solve(SolveError<K>),
    /// The game has no place for such a table ([`Game::has_table`]).
    #[error("{0} cannot be generated: no table has these pieces")]
    NoTable(K),
    /// With [`GenerateOptions::only`], a table needs snapshots that are not present.
    #[error("{key} cannot be generated alone: {} missing in {}, left there by `tb generate --keep-subs`", .missing.join(", "), .path.display())]
    Alone {
        /// The table.
        key: K,
        /// The files that are missing or damaged.
        missing: Vec<String>,
        /// The folder.
        path: PathBuf,
    },
    /// A table and those it needs do not fit into the memory allowed.
    #[error("{key} needs about {needed} MiB of memory, more than the {allowed} MiB allowed")]
    Memory {
        /// The table.
        key: K,
        /// MiB needed.
        needed: u64,
        /// MiB allowed.
        allowed: u64,
    },
    /// The tables and what is needed besides do not fit on the disk.
    #[error(
        "the tables take about {} of disk with what is needed while they are solved, but {} has {} free",
        human::size(*.needed), .path.display(), human::size(*.free)
    )]
    Disk {
        /// The folder.
        path: PathBuf,
        /// Bytes needed.
        needed: u64,
        /// Bytes free.
        free: u64,
    },
    /// Threads could not be started, or a codec failed.
    #[error("cannot generate tables: {0}")]
    System(String),
}
