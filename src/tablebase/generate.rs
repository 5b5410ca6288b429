//! Making tables: which, in what order, on how many threads, and safely beside other processes.
//!
//! A table needs those that a capture or a promotion leads to, so the tables form a DAG. Tables
//! whose sub-tables are there are solved side by side on one pool of threads, those with the longest chain of
//! dependents first; each solved table is encoded, handed to a writing thread (a sync to the disk holds
//! nobody up) and is ready for probing as soon as its files have their names. A solved table
//! stays in memory until the last table that needs it is solved.
//!
//! A table that is on the disk already and is needed as a sub-table is solved again, but not written: for up to four
//! men that takes some hundredths of a second, less than working out the losses that a file leaves out.
//!
//! Per table a lock keeps other processes from making it at the same time; a table that another
//! process is making is waited for, and made here if that process dies.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::encode::{self, EncodeError, Encoded};
use super::format::{Metric, SideCounts};
use super::material::Material;
use super::plan::{Job, Plan};
use super::solve::solve;
use super::solved::{SolveError, Solved, SubTables};
use super::tables::Tables;
use crate::base::{Cancelled, Control, LockFile, Meter, files};

/// How often a table that another process makes is looked at.
const POLL: Duration = Duration::from_millis(20);

/// How tables are to be made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GenerateOptions {
    /// Make tables again that are there.
    pub force: bool,
    /// The most memory for solved tables, in MiB; `None`: 3072.
    pub memory: Option<u64>,
}

/// What has just happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A table is being solved.
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
    /// Share of the work done, 0 to 1, by the sizes of the tables.
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
    /// Bytes of the `.wdl` file.
    pub wdl_bytes: u64,
    /// Bytes of the `.dtm` file.
    pub dtm_bytes: u64,
    /// Wall time of solving; other tables may have been solved at the same time.
    pub solving: Duration,
    /// Wall time of encoding.
    pub encoding: Duration,
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
    /// A table could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
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
        let plan = Plan::new(targets, |material| !options.force && self.has(material));
        let mut summary = Summary {
            found: plan.found(),
            ..Summary::default()
        };
        if plan.to_write() == 0 {
            return Ok(summary);
        }
        let allowed = options.memory.unwrap_or(3072);
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
        let works = Works {
            tables: self,
            control,
            force: options.force,
            solved: Mutex::default(),
        };
        let (news, inbox) = mpsc::channel();
        let done = std::thread::scope(|threads| {
            let (parcels, to_write) = mpsc::channel();
            let (works, written) = (&works, news.clone());
            threads.spawn(move || write_all(works, &to_write, &written));
            let meter = Meter::new(plan.work());
            let total = plan.to_write();
            let mut driver = Driver {
                works,
                plan,
                meter,
                total,
                jobs: 0,
                writing: 0,
                live: 0,
                error: None,
                summary: &mut summary,
                progress,
            };
            pool.in_place_scope(|scope| driver.run(scope, &news, &inbox, &parcels, allowed << 20));
            driver.error.take().map_or(Ok(()), Err)
        });
        done?;
        files::sync_folder(self.dir()).map_err(folder_error)?;
        summary.elapsed = start.elapsed();
        Ok(summary)
    }
}

/// What all threads of a generation share.
struct Works<'a> {
    tables: &'a Tables,
    control: &'a Control,
    force: bool,
    solved: Mutex<BTreeMap<Material, Arc<Solved>>>,
}

impl Works<'_> {
    fn solved(&self) -> MutexGuard<'_, BTreeMap<Material, Arc<Solved>>> {
        self.solved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cannot_write(&self, material: Material, source: std::io::Error) -> GenerateError {
        GenerateError::Write {
            material,
            path: self.tables.dir().to_owned(),
            source,
        }
    }
}

impl SubTables for Works<'_> {
    fn get(&self, material: Material) -> Result<Arc<Solved>, String> {
        self.solved()
            .get(&material)
            .cloned()
            .ok_or_else(|| "not solved yet".to_owned())
    }
}

/// What the threads tell the driver.
enum News {
    /// Another process makes the table; the text says which.
    Elsewhere(Material, String),
    /// The files are there, made by another process meanwhile.
    Appeared(Material),
    /// The table is solved; it goes on to the disk if it is to be written.
    Solved(Material),
    /// A job has ended.
    JobDone,
    /// A table has got its files.
    Written(Made),
    Failed(GenerateError),
}

/// Sends its news when a thread leaves its work, by a panic too: then the driver learns of a failure
/// instead of waiting for ever, and the panic goes on when all threads are joined.
struct Farewell<'a>(&'a Sender<News>, Option<News>);

impl Drop for Farewell<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let error = GenerateError::System("a thread failed".to_owned());
            let _ = self.0.send(News::Failed(error));
        }
        if let Some(news) = self.1.take() {
            let _ = self.0.send(news);
        }
    }
}

/// A table on its way to the disk.
struct Parcel {
    made: Made,
    encoded: Encoded,
    lock: LockFile,
}

/// Hands out jobs and takes in news.
struct Driver<'a, 'p> {
    works: &'a Works<'a>,
    plan: Plan,
    meter: Meter,
    total: usize,
    /// Jobs that have not ended.
    jobs: usize,
    /// Tables solved and not on the disk yet.
    writing: usize,
    /// Bytes of solved tables in memory.
    live: u64,
    error: Option<GenerateError>,
    summary: &'p mut Summary,
    progress: &'p mut dyn FnMut(&Progress),
}

impl<'a> Driver<'a, '_> {
    fn run(
        &mut self,
        scope: &rayon::Scope<'a>,
        news: &Sender<News>,
        inbox: &Receiver<News>,
        parcels: &Sender<Parcel>,
        allowed: u64,
    ) {
        loop {
            while self.error.is_none() && self.jobs < self.works.control.threads() {
                let Some(job) = self
                    .plan
                    .next(allowed.saturating_sub(self.live), self.jobs == 0)
                else {
                    break;
                };
                self.jobs += 1;
                self.tell(job.material, Step::Solving);
                let (works, news, parcels) = (self.works, news.clone(), parcels.clone());
                scope.spawn(move |_| {
                    let farewell = Farewell(&news, Some(News::JobDone));
                    if let Err(error) = run_job(works, job, &news, &parcels) {
                        let _ = news.send(News::Failed(error));
                    }
                    drop(farewell);
                });
            }
            // After an error the writing thread finishes what it has without us.
            let complete = self.plan.is_done() && self.writing == 0;
            if self.jobs == 0 && (complete || self.error.is_some()) {
                return;
            }
            match inbox.recv_timeout(POLL) {
                Ok(news) => self.take(news),
                Err(RecvTimeoutError::Timeout) => self.plan.retry(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.works.control.is_cancelled() && self.error.is_none() {
                self.error = Some(Cancelled.into());
            }
        }
    }

    fn take(&mut self, news: News) {
        match news {
            News::JobDone => self.jobs -= 1,
            News::Elsewhere(material, holder) => {
                self.plan.elsewhere(material);
                self.tell(material, Step::Waiting(holder));
            }
            News::Appeared(material) => {
                let free = self.plan.appeared(material);
                self.free(&free);
                self.meter.add(self.plan.size(material));
                self.summary.shared += 1;
                self.tell(material, Step::Ready);
            }
            News::Solved(material) => {
                self.live += self.plan.size(material);
                self.meter.add(self.plan.size(material));
                self.writing += usize::from(self.plan.is_to_write(material));
                let free = self.plan.solved(material);
                self.free(&free);
                self.tell(material, Step::Solved);
            }
            News::Written(made) => {
                self.writing -= 1;
                let material = made.material;
                self.summary.made.push(made);
                self.tell(material, Step::Ready);
            }
            News::Failed(error) => {
                // The first failure is the cause of the others.
                self.error.get_or_insert(error);
            }
        }
    }

    fn free(&mut self, materials: &[Material]) {
        for &material in materials {
            if self.works.solved().remove(&material).is_some() {
                self.live -= self.plan.size(material);
            }
        }
    }

    fn tell(&mut self, material: Material, step: Step) {
        let done = self.summary.made.len() + self.summary.shared;
        let (share, elapsed, left) = (self.meter.share(), self.meter.elapsed(), self.meter.left());
        (self.progress)(&Progress {
            material,
            step,
            done,
            total: self.total,
            share,
            elapsed,
            left,
        });
    }
}

/// Solves one table, encodes it and sends it to the writer.
fn run_job(
    works: &Works<'_>,
    job: Job,
    news: &Sender<News>,
    parcels: &Sender<Parcel>,
) -> Result<(), GenerateError> {
    let material = job.material;
    let tell = |what| {
        let _ = news.send(what);
    };
    works.control.check()?;
    let mut lock = None;
    if job.write {
        let folder = works.tables.folder();
        let Some(mine) = folder
            .lock(material)
            .map_err(|error| works.cannot_write(material, error))?
        else {
            tell(News::Elsewhere(
                material,
                folder.lock_holder(material).unwrap_or_default(),
            ));
            return Ok(());
        };
        if !works.force && works.tables.load(material, Some(&mine)) {
            tell(News::Appeared(material));
            return Ok(());
        }
        folder.sweep(material);
        lock = Some(mine);
    }
    let start = Instant::now();
    let solved = Arc::new(solve(material, works, works.control)?);
    let solving = start.elapsed();
    works.solved().insert(material, Arc::clone(&solved));
    tell(News::Solved(material));
    let Some(lock) = lock else { return Ok(()) };
    let start = Instant::now();
    let encoded = encode::encode(&solved, works.control).map_err(|error| match error {
        EncodeError::Cancelled(cancelled) => GenerateError::Cancelled(cancelled),
        EncodeError::Codec(error) => GenerateError::System(error.to_string()),
    })?;
    let (counts, wdl_bytes, dtm_bytes) = (
        encoded.counts,
        encoded.wdl.len() as u64,
        encoded.dtm.len() as u64,
    );
    let made = Made {
        material,
        counts,
        wdl_bytes,
        dtm_bytes,
        solving,
        encoding: start.elapsed(),
    };
    let _ = parcels.send(Parcel {
        made,
        encoded,
        lock,
    });
    Ok(())
}

/// The writing thread: gives each table its files, makes it ready and lets go of its lock.
fn write_all(works: &Works<'_>, parcels: &Receiver<Parcel>, news: &Sender<News>) {
    let _farewell = Farewell(news, None);
    for Parcel {
        made,
        encoded,
        lock,
    } in parcels
    {
        let material = made.material;
        let folder = works.tables.folder();
        let written = folder
            .write(material, Metric::Wdl, &encoded.wdl)
            .and_then(|()| folder.write(material, Metric::Dtm, &encoded.dtm))
            .map_err(|error| works.cannot_write(material, error))
            .and_then(|()| {
                let table = folder
                    .open(material)
                    .map_err(|error| GenerateError::System(error.to_string()))?;
                table.ok_or_else(|| {
                    works.cannot_write(material, std::io::ErrorKind::NotFound.into())
                })
            });
        let _ = news.send(match written {
            Ok(table) => {
                works.tables.replace(table);
                News::Written(made)
            }
            Err(error) => News::Failed(error),
        });
        drop(lock);
    }
}
