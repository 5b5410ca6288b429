//! Large tables ([`Game::is_large`]), one at a time: solved in little memory (`solve/spilled.rs`), written as they are
//! read (`write/blocks.rs`).
//!
//! The tables that they need are generated first like any others; while the large one is solved they lie in memory.
//! Threads of a pool do the work, and the calling thread reports its progress (`stages.rs`).

use std::any::TypeId;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::budget::Needs;
use super::driver::TICK;
use super::export::Exporter;
use super::fitting;
use super::large_zeroing::{ZeroingFiles, cannot_write, not_encoded, not_solved};
use super::report::{GenerateError, GenerateOptions, Made, Progress, Step, Summary};
use super::site::Site;
use super::stages::{Stage, Stages};
use super::subs::AllSubs;
use crate::format::{Container, FormatError, Metric, WdlFile};
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::solve::{SpilledTable, ToConversion, ToMateLong, ToZeroing, Worth, spill, workspace};
use crate::store::Store;
use crate::values::Values;
use crate::write::{EncodeError, write_distances, write_wdl};
use duchamp_base::{Control, Gauge, LockFile, Mapped, Meter, files};
use duchamp_retro::Wide;

/// Bytes that an export has in memory of its scratch files, at least.
const WINDOW: u64 = 64 << 20;

/// How often a table that another process generates is looked at.
const POLL: Duration = Duration::from_millis(500);

/// Bytes of the sub-tables of a large table, for files of these metrics.
fn sub_values<G: Game>(key: G::Key, metrics: &[Metric]) -> u64 {
    let subs = key.children().into_iter();
    subs.map(|child| Needs::of(&G::Index::new(child), metrics).values)
        .sum()
}

/// Memory in MiB that a large table takes: sub-tables, and bitmaps and buffers to solve it or what its export takes.
fn needed<G: Game>(
    key: G::Key,
    options: &GenerateOptions,
    threads: usize,
    exporter: Option<&dyn Exporter<G>>,
) -> u64 {
    let index = G::Index::new(key);
    let export = exporter.map_or(0, |exporter| exporter.least_memory(&index) + WINDOW);
    let work = workspace(&index, size_of::<Wide>(), threads).max(export);
    (sub_values::<G>(key, &options.metrics) + work).div_ceil(1 << 20)
}

/// Generates the large ones of `targets`, after all other tables that are requested or needed.
pub(super) fn generate<G: Game>(
    site: Site<'_, G>,
    targets: &[G::Key],
    options: &GenerateOptions,
    control: &Control,
    progress: &mut dyn FnMut(&Progress<G::Key>),
) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
    let allowed = options.allowed(control.threads());
    let (large, mut small): (Vec<G::Key>, Vec<G::Key>) =
        targets.iter().partition(|&&key| G::is_large(key));
    for &key in &large {
        let needed = needed::<G>(key, options, control.threads(), site.exporter());
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
    let plan = fitting::plan(site, &small, options);
    let missing: Vec<Missing> = large
        .iter()
        .map(|&key| missing(site, key, options))
        .collect();
    let works = large.iter().zip(&missing);
    let works = works.map(|(&key, missing)| missing.stages(site, key).work());
    let small_work = plan.total_work();
    let mut course = Course {
        meter: Meter::new(small_work + works.sum::<u64>()),
        worked: 0,
        done: 0,
        total: missing.iter().filter(|missing| !missing.is_empty()).count(),
        progress,
    };
    let mut summary = fitting::generate(site, plan, &small, options, control, &mut |of_small| {
        course.report_small(of_small, small_work);
    })?;
    course.total += summary.made.len() + summary.shared;
    course.done = summary.made.len() + summary.shared;
    course.add(small_work);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(control.threads())
        .thread_name(|n| format!("tables {n}"))
        .build()
        .map_err(|error| GenerateError::System(error.to_string()))?;
    for (&key, missing) in large.iter().zip(&missing) {
        if missing.is_empty() {
            summary.found += 1;
            continue;
        }
        let works = Large {
            site,
            store: site.store(),
            options,
            control,
            pool: &pool,
        };
        let planned = missing.stages(site, key);
        match works.lock(key, &mut course)? {
            Some((lock, wanted)) => {
                let made = works.make(key, &wanted, &mut course)?;
                drop(lock);
                summary.made.push(made);
            }
            None => summary.shared += 1,
        }
        course.done += 1;
        course.add(planned.work());
        course.ready(key);
    }
    summary.elapsed = start.elapsed();
    Ok(summary)
}

/// What is to be generated of a large table.
pub(super) struct Missing {
    files: Vec<Metric>,
    /// Whether it is to be exported.
    export: bool,
}

impl Missing {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.export
    }

    /// Whether distances to zeroing are needed.
    fn zeroing(&self) -> bool {
        self.export || self.files.contains(&Metric::Dtz)
    }

    fn stages<G: Game>(&self, site: Site<'_, G>, key: G::Key) -> Stages {
        let exporter = site.exporter().filter(|_| self.export);
        Stages::of::<G>(
            key,
            &self.files,
            exporter.map(|exporter| exporter.nanoseconds()),
        )
    }
}

/// What is to be generated of a large table.
pub(super) fn missing<G: Game>(
    site: Site<'_, G>,
    key: G::Key,
    options: &GenerateOptions,
) -> Missing {
    let exporter = site.exporter();
    Missing {
        files: site.lacking(key, options),
        export: exporter.is_some_and(|exporter| options.force || exporter.lacks(key)),
    }
}

/// How far the whole generation is, and who receives reports.
struct Course<'p, K> {
    meter: Meter,
    /// The work of tables that are ready.
    worked: u64,
    /// Tables ready, and tables to be generated.
    done: usize,
    total: usize,
    progress: &'p mut dyn FnMut(&Progress<K>),
}

impl<K: TableKey> Course<'_, K> {
    /// The work of a table is done.
    fn add(&mut self, work: u64) {
        self.meter.add(work);
        self.worked += work;
    }

    /// Passes on the reports of the generation of the tables below.
    fn report_small(&mut self, of_small: &Progress<K>, work: u64) {
        let (share, left) = self.meter.with((of_small.share * work as f64) as u64);
        (self.progress)(&Progress {
            total: of_small.total + self.total,
            share,
            elapsed: self.meter.elapsed(),
            left,
            ..of_small.clone()
        });
    }

    /// Tells the news of a large table with the share of its work that is done, and that work.
    fn tell(&mut self, key: K, step: Step, part: f64, done: u64) {
        let (share, left) = self.meter.with(done);
        (self.progress)(&Progress {
            key,
            step,
            done: self.done,
            total: self.total,
            part,
            share,
            elapsed: self.meter.elapsed(),
            left,
        });
    }

    fn ready(&mut self, key: K) {
        self.tell(key, Step::Ready, 1.0, 0);
    }

    /// Reports the progress of a table until `inbox` closes: at once when its values are solved, else every [`TICK`].
    fn watch(&mut self, key: K, stages: &Stages, inbox: &Receiver<()>) {
        let mut step = Step::Solving;
        let (mut at, mut since) = (stages.at(), Instant::now());
        loop {
            match inbox.recv_timeout(TICK) {
                Ok(()) => step = Step::Solved,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if stages.at() != at {
                (at, since) = (stages.at(), Instant::now());
            }
            self.report_stage(key, step.clone(), stages, at, since);
        }
    }

    /// Tells the news of a table whose stage `at` is at work since then.
    fn report_stage(&mut self, key: K, step: Step, stages: &Stages, at: usize, since: Instant) {
        let worked = (self.worked + stages.before(at)) as f64;
        let rate = worked / self.meter.elapsed().as_secs_f64().max(1e-9);
        let done = stages.done(at, since.elapsed(), rate);
        let part = done as f64 / stages.work().max(1) as f64;
        self.tell(key, step, part, done);
    }
}

/// Adds times.
fn add(spent: &mut [Duration; 2], times: [Duration; 2]) {
    for (spent, time) in spent.iter_mut().zip(times) {
        *spent += time;
    }
}

/// A table to be generated: the lock on it, and what it lacks.
type Task = (LockFile, Missing);

struct Large<'a, G: Game> {
    site: Site<'a, G>,
    store: &'a Store<G>,
    options: &'a GenerateOptions,
    control: &'a Control,
    pool: &'a rayon::ThreadPool,
}

impl<G: Game> Large<'_, G> {
    /// The lock on a table and the files that are missing; `None` if another process has generated all of them.
    fn lock(
        &self,
        key: G::Key,
        course: &mut Course<'_, G::Key>,
    ) -> Result<Option<Task>, GenerateError<G::Key>> {
        let folder = self.store.folder();
        loop {
            self.control.check()?;
            let lock = folder
                .lock(key)
                .map_err(|source| cannot_write(self.store, key, source))?;
            let Some(lock) = lock else {
                let holder = folder.lock_holder(key).unwrap_or_default();
                course.tell(key, Step::Waiting(holder), 0.0, 0);
                self.control.sleep(POLL)?;
                continue;
            };
            self.store.load(key, Some(&lock));
            let missing = missing(self.site, key, self.options);
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
        missing: &Missing,
        course: &mut Course<'_, G::Key>,
    ) -> Result<Made<G::Key>, GenerateError<G::Key>> {
        let stages = &missing.stages(self.site, key);
        let wanted = &missing.files[..];
        let failed = |error| not_encoded(self.store, key, error);
        let mut spent = [Duration::ZERO; 2];
        let to_mate = wanted.contains(&Metric::Wdl) || wanted.contains(&Metric::Dtm);
        if to_mate {
            let times = self.generate_one::<ToMateLong>(key, stages, course, |table, _| {
                let wdl = self.wdl(key, wanted, &table, stages).map_err(failed)?;
                if wanted.contains(&Metric::Dtm) {
                    let made = self.distances(key, Metric::Dtm, &wdl, &table, stages);
                    made.map_err(failed)?;
                }
                Ok(())
            })?;
            add(&mut spent, times);
        }
        if wanted.contains(&Metric::Dtc) {
            let times = self.generate_one::<ToConversion>(key, stages, course, |table, _| {
                let wdl = self.read_wdl(table.index()).map_err(failed)?;
                let made = self.distances(key, Metric::Dtc, &wdl, &table, stages);
                made.map_err(failed)
            })?;
            add(&mut spent, times);
        }
        let mut made = Made::new(key, Duration::ZERO);
        if missing.zeroing() {
            let exported = &mut made.exported;
            let times = self.generate_one::<ToZeroing>(key, stages, course, |table, subs| {
                let files = self.zeroing_files(missing, table.index())?;
                *exported = files.write(table, subs, stages)?;
                Ok(())
            })?;
            add(&mut spent, times);
        }
        [made.solving, made.encoding] = spent;
        if self.options.export_only {
            return Ok(made);
        }
        let (opened, errors) = self.store.folder().open(key);
        if let Some(error) = errors.into_iter().next() {
            return Err(GenerateError::System(error.to_string()));
        }
        let gone = || cannot_write(self.store, key, std::io::ErrorKind::NotFound.into());
        let opened = opened.ok_or_else(gone)?;
        made.counts = opened.wdl.header().counts;
        for &metric in wanted {
            *made.bytes(metric) = opened.file(metric).map_or(0, Container::file_len);
        }
        self.store.replace(opened);
        Ok(made)
    }

    /// Solves a table in one metric and writes its files on the pool, while the calling thread reports its progress;
    /// gives the times of both.
    fn generate_one<W: Worth>(
        &self,
        key: G::Key,
        stages: &Stages,
        course: &mut Course<'_, G::Key>,
        write: impl FnOnce(
            SpilledTable<G::Index, W::Cell>,
            &AllSubs<G>,
        ) -> Result<(), GenerateError<G::Key>>
        + Send,
    ) -> Result<[Duration; 2], GenerateError<G::Key>> {
        let result = Mutex::new(None);
        let (news, inbox) = mpsc::channel();
        let subs = stages.begin(Stage::Subs);
        // Before anything is done: the receiver may pause or cancel.
        course.report_stage(key, Step::Solving, stages, stages.at(), Instant::now());
        self.pool.in_place_scope(|scope| {
            let result = &result;
            scope.spawn(move |_| {
                let made = self.solve_and_write::<W>(key, (stages, subs), &news, write);
                *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
                drop(news);
            });
            course.watch(key, stages, &inbox);
        });
        let made = result.into_inner().unwrap_or_else(PoisonError::into_inner);
        // A panic goes on at the end of the scope.
        made.unwrap_or_else(|| Err(GenerateError::System("a thread failed".to_owned())))
    }

    /// Sends its news when the table is solved; the stage of `subs` has begun.
    fn solve_and_write<W: Worth>(
        &self,
        key: G::Key,
        (stages, subs): (&Stages, &Gauge),
        news: &Sender<()>,
        write: impl FnOnce(
            SpilledTable<G::Index, W::Cell>,
            &AllSubs<G>,
        ) -> Result<(), GenerateError<G::Key>>,
    ) -> Result<[Duration; 2], GenerateError<G::Key>> {
        let start = Instant::now();
        let scratch = self.options.scratch.as_deref();
        let scratch = scratch.unwrap_or(self.store.dir());
        let failed = |error| not_solved(scratch, error);
        let zeroing = TypeId::of::<W>() == TypeId::of::<ToZeroing>();
        let subs = AllSubs::<G>::counted(key, (Metric::Dtm, zeroing), subs, self.control);
        let subs = subs.map_err(failed)?;
        let rows = stages.begin(Stage::Rows);
        let table = spill::<G, W>(key, &subs, scratch, rows, self.control).map_err(failed)?;
        let solving = start.elapsed();
        let _ = news.send(());
        log::debug!("{key}: {:?}", table.footprint());
        let start = Instant::now();
        write(table, &subs)?;
        Ok([solving, start.elapsed()])
    }

    /// Who writes the files of distances to zeroing that are missing.
    fn zeroing_files(
        &self,
        missing: &Missing,
        index: &Arc<G::Index>,
    ) -> Result<ZeroingFiles<'_, G>, GenerateError<G::Key>> {
        let key = index.key();
        let exporter = self.site.exporter().filter(|_| missing.export);
        let allowed = self.options.allowed(self.control.threads()) << 20;
        let export = exporter.map_or(0, |exporter| exporter.least_memory(index));
        let held = sub_values::<G>(key, &[Metric::Dtz]) + export;
        let own = missing.files.contains(&Metric::Dtz);
        let wdl = own.then(|| self.read_wdl(index)).transpose();
        let scratch = self.options.scratch.as_deref();
        Ok(ZeroingFiles {
            store: self.store,
            control: self.control,
            scratch: scratch.unwrap_or(self.store.dir()),
            window: allowed.saturating_sub(held).max(WINDOW) as i64,
            limit: allowed,
            wdl: wdl.map_err(|error| not_encoded(self.store, key, error))?,
            exporter,
        })
    }

    /// The `.wdl` file, written if it is wanted.
    fn wdl(
        &self,
        key: G::Key,
        wanted: &[Metric],
        table: &impl Values<Index = G::Index>,
        stages: &Stages,
    ) -> Result<WdlFile<G::Index>, EncodeError> {
        if wanted.contains(&Metric::Wdl) {
            let path = self.store.folder().file(key, Metric::Wdl);
            let steering = (stages.begin(Stage::File), self.control);
            write_wdl::<G>(table, &path, steering)?.commit()?;
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
        stages: &Stages,
    ) -> Result<(), EncodeError> {
        let path = self.store.folder().file(key, metric);
        let steering = (stages.begin(Stage::File), self.control);
        let (file, _) = write_distances::<G>(metric, table, wdl, &path, steering)?;
        file.commit()?;
        Ok(files::sync_folder(self.store.dir())?)
    }
}
