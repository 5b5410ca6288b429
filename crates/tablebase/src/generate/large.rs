//! Large tables ([`Game::is_large`]), one at a time: solved in little memory (`solve/spilled.rs`) or slice by slice
//! (`solve/sliced.rs`), written as they are read (`write/blocks.rs`).
//!
//! The tables that they need are generated first: large ones in order (`large_plan.rs`), the others like any others;
//! while the large one is solved these lie in memory, or in scratch.
//! Threads of a pool do the work, and the calling thread reports its progress (`stages.rs`).

use std::any::TypeId;
use std::path::Path;
use std::sync::atomic::AtomicI64;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::at_hand::{AtHand, Inspected};
use super::driver::TICK;
use super::fitting;
use super::large_check::{WINDOW, check, check_alone, sub_values, work};
use super::large_plan::{self, Missing};
use super::large_solution::Solution;
use super::large_zeroing::{ZeroingFiles, cannot_write, not_encoded, not_solved};
use super::leftovers::Leftovers;
use super::report::{Counted, GenerateError, GenerateOptions, Made, Progress, Step, Summary};
use super::site::Site;
use super::snapshot::SnapshotError;
use super::stages::{Stage, Stages, expected_rate};
use super::subs::{AllSubs, Loaded};
use crate::format::{Container, FormatError, Metric, SideCounts, WdlFile};
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::solve::{
    LargeSubs, LongWorth, PackRoom, SlicedMeans, SlicedTable, SolveError, SubError, ToConversion,
    ToMateLong, ToZeroing, small_tables, solve_sliced, spill, sub_ending, write_sub,
};
use crate::store::Store;
use crate::values::Values;
use crate::write::{EncodeError, count_values, write_distances, write_wdl};
use duchamp_base::{Control, Gauge, LockFile, Mapped, Meter, Room, Scratch};

/// How often a table that another process generates is looked at.
const POLL: Duration = Duration::from_millis(500);

/// Generates the large ones of `targets` with the large tables that they need, after all other tables that are requested
/// or needed.
pub(super) fn generate<G: Game>(
    site: Site<'_, G>,
    targets: &[G::Key],
    options: &GenerateOptions,
    control: &Control,
    progress: &mut dyn FnMut(&Progress<G::Key>),
) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
    let large = large_plan::plan(site, targets, options);
    check(site, to_do(&large).map(|table| table.0), options, control)?;
    if options.only {
        check_alone(site, to_do(&large), options)?;
    }
    let start = Instant::now();
    let mut leftovers = Leftovers::join(site)?;
    // Another run may have taken something away before.
    let large = large_plan::plan(site, targets, options);
    let to_do = || to_do(&large);
    leftovers.announce(to_do(), options);
    let (small, of_small) = large_plan::small::<G>(&large, targets, options);
    let plan = fitting::plan(site, &small, &of_small);
    let works = to_do().map(|(key, missing)| stages(site, *key, missing).work());
    let small_work = plan.total_work();
    let mut course = Course {
        meter: Meter::new(small_work + works.sum::<u64>(), expected_rate(control)),
        done: 0,
        total: to_do().count(),
        progress,
    };
    let mut summary = fitting::generate(site, plan, &small, &of_small, control, &mut |of_small| {
        course.report_small(of_small, small_work);
    })?;
    // Those that only left snapshots are not news.
    let before = summary.made.len();
    summary.made.retain(Made::has_files);
    summary.found += before - summary.made.len();
    course.total += summary.made.len() + summary.shared;
    course.done = summary.made.len() + summary.shared;
    course.add(small_work);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(control.threads())
        .thread_name(|n| format!("tables {n}"))
        .build()
        .map_err(|error| GenerateError::System(error.to_string()))?;
    let works = Large {
        site,
        store: site.store(),
        options,
        control,
        pool: &pool,
    };
    let mut left: Vec<&(G::Key, Missing)> = to_do().collect();
    summary.found += large.len() - left.len();
    while !left.is_empty() {
        let (at, task) = works.claim(&left, &mut course)?;
        let (key, missing) = left.remove(at);
        match task {
            Some((lock, wanted)) => {
                let made = works.make(*key, &wanted, &mut course)?;
                drop(lock);
                if wanted.count {
                    course.count(&made);
                }
                // Else it was solved for others only.
                match made.has_files() || wanted.count {
                    true => summary.made.push(made),
                    false => summary.found += 1,
                }
            }
            None => summary.shared += 1,
        }
        course.done += 1;
        course.add(stages(site, *key, missing).work());
        course.ready(*key);
        leftovers.drop_unneeded(&left);
    }
    leftovers.drop_all();
    summary.elapsed = start.elapsed();
    Ok(summary)
}

/// The tables of a plan that lack something.
fn to_do<K>(large: &[(K, Missing)]) -> impl Iterator<Item = &(K, Missing)> {
    large.iter().filter(|(_, missing)| !missing.is_empty())
}

/// What is done for a large table, step by step.
fn stages<G: Game>(site: Site<'_, G>, key: G::Key, missing: &Missing) -> Stages {
    let exporter = site.exporter().filter(|_| missing.export);
    let nanoseconds = exporter.map(|exporter| exporter.nanoseconds());
    let inspection = site.inspector().map_or(0, |it| it.nanoseconds());
    Stages::of::<G>(key, missing, nanoseconds, inspection)
}

/// How far the whole generation is, and who receives reports.
struct Course<'p, K> {
    meter: Meter,
    /// Tables ready, and tables to be generated.
    done: usize,
    total: usize,
    progress: &'p mut dyn FnMut(&Progress<K>),
}

impl<K: TableKey> Course<'_, K> {
    /// The work of a table is done.
    fn add(&mut self, work: u64) {
        self.meter.add(work);
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

    fn count(&mut self, made: &Made<K>) {
        let counted = Counted {
            counts: made.counts,
            solving: made.solving,
            counting: made.encoding,
            inspected: made.inspected.clone(),
        };
        self.tell(made.key, Step::Counted(Box::new(counted)), 1.0, 0);
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
        let rate = self.meter.rate(stages.before(at));
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
    /// The place of the table to be generated next among those that are left, and the task; none if another process has
    /// generated it. Waits only if others generate all tables that could be generated now.
    fn claim(
        &self,
        left: &[&(G::Key, Missing)],
        course: &mut Course<'_, G::Key>,
    ) -> Result<(usize, Option<Task>), GenerateError<G::Key>> {
        let folder = self.store.folder();
        let is_left = |child: &G::Key| left.iter().any(|table| table.0 == *child);
        loop {
            let mut waiting = None;
            for (at, (key, planned)) in left.iter().enumerate() {
                self.control.check()?;
                let children = key.children().into_iter();
                if children
                    .filter(|&it| G::is_large(it))
                    .any(|it| is_left(&it))
                {
                    continue;
                }
                let lock = folder.lock(*key);
                match lock.map_err(|source| cannot_write(self.store, *key, source))? {
                    Some(lock) => return Ok((at, self.task(*key, planned, lock))),
                    None => waiting = waiting.or(Some(*key)),
                }
            }
            if let Some(key) = waiting {
                let holder = folder.lock_holder(key).unwrap_or_default();
                course.tell(key, Step::Waiting(holder), 0.0, 0);
            }
            self.control.sleep(POLL)?;
        }
    }

    /// What a table lacks whose lock is held, if anything still.
    fn task(&self, key: G::Key, planned: &Missing, lock: LockFile) -> Option<Task> {
        self.store.load(key, Some(&lock));
        let mut missing = large_plan::missing(self.site, key, self.options);
        missing.subs = planned.subs.clone();
        missing.count = planned.count;
        let there = |metric| large_plan::has_sub(self.site, key, metric);
        missing.subs.retain(|&metric| !there(metric));
        if missing.is_empty() {
            return None;
        }
        self.site.sweep(key);
        Some((lock, missing))
    }

    /// Solves a table and gives it its files.
    fn make(
        &self,
        key: G::Key,
        missing: &Missing,
        course: &mut Course<'_, G::Key>,
    ) -> Result<Made<G::Key>, GenerateError<G::Key>> {
        let stages = &stages(self.site, key, missing);
        let wanted = &missing.files[..];
        let failed = |error| not_encoded(self.store, key, error);
        let mut spent = [Duration::ZERO; 2];
        let mut made = Made::new(key, Duration::ZERO);
        if missing.to_mate() {
            let (counts, inspected) = (&mut made.counts, &mut made.inspected);
            let times = self.generate_one::<ToMateLong>(key, stages, course, |table, subs| {
                self.leave(key, Metric::Dtm, missing, &table, stages)?;
                if missing.count {
                    let steering = (stages.begin(Stage::File), self.control);
                    *counts = count_values(&table, steering).map_err(failed)?;
                    *inspected = self.inspect(&table, subs, counts, stages)?;
                }
                let has = |metric| wanted.contains(&metric);
                if has(Metric::Wdl) || has(Metric::Dtm) {
                    let wdl = self.wdl(key, wanted, &table, stages).map_err(failed)?;
                    if has(Metric::Dtm) {
                        let made = self.distances(key, Metric::Dtm, &wdl, &table, stages);
                        made.map_err(failed)?;
                    }
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
        if missing.zeroing() {
            let exported = &mut made.exported;
            let times = self.generate_one::<ToZeroing>(key, stages, course, |table, subs| {
                self.leave(key, Metric::Dtz, missing, &table, stages)?;
                if missing.export || wanted.contains(&Metric::Dtz) {
                    let files = self.zeroing_files(missing, table.index())?;
                    *exported = files.write(table, subs, stages)?;
                }
                Ok(())
            })?;
            add(&mut spent, times);
        }
        [made.solving, made.encoding] = spent;
        if let Some(inspected) = &made.inspected {
            made.encoding = made.encoding.saturating_sub(inspected.time);
        }
        if self.options.writes_none() {
            return Ok(made);
        }
        if !wanted.is_empty() {
            let opened = self.site.open_made(key, wanted.iter().copied())?;
            for &metric in wanted {
                *made.bytes(metric) = opened.file(metric).map_or(0, Container::file_len);
            }
            self.store.replace(opened);
        }
        // Perhaps of another folder.
        if let Some(table) = self.store.table(key) {
            made.counts = table.wdl.header().counts;
        }
        Ok(made)
    }

    /// Has a counted table looked at, if anybody wants to.
    fn inspect(
        &self,
        table: &Solution<G::Index>,
        subs: &AllSubs<G>,
        counts: &[SideCounts; 2],
        stages: &Stages,
    ) -> Result<Option<Box<Inspected>>, GenerateError<G::Key>> {
        let Some(inspector) = self.site.inspector() else {
            return Ok(None);
        };
        let key = table.index().key();
        let folder = self.site.scratch_dir(self.options);
        let small = small_tables::<G>(key, subs).map_err(|error| not_solved(folder, error))?;
        let table = AtHand::new(table, small, self.large_subs(key, Metric::Dtm)?);
        let steering = (stages.begin(Stage::File), self.control);
        let inspected = inspector.inspect(&table, counts, steering);
        let inspected = inspected.map_err(|error| not_encoded(self.store, key, error))?;
        Ok(Some(Box::new(inspected)))
    }

    /// Leaves a table's values for larger ones, if they are wanted in this metric.
    fn leave(
        &self,
        key: G::Key,
        metric: Metric,
        missing: &Missing,
        table: &Solution<G::Index>,
        stages: &Stages,
    ) -> Result<(), GenerateError<G::Key>> {
        if !missing.subs.contains(&metric) {
            return Ok(());
        }
        let path = self.site.sub(key, metric);
        let pack = |side, numbers, room: &mut PackRoom| table.packed(side, numbers, room);
        let steering = (stages.begin(Stage::Sub), self.control);
        let blocks = (&pack as _, table.stride());
        let written = write_sub(&**table.index(), metric, &path, blocks, steering);
        written.map_err(|error| match error {
            SubError::Cancelled(cancelled) => cancelled.into(),
            SubError::Io(source) => cannot_write(self.store, key, source),
        })
    }

    /// Solves a table in one metric and writes its files on the pool, while the calling thread reports its progress;
    /// gives the times of both.
    fn generate_one<W: LongWorth>(
        &self,
        key: G::Key,
        stages: &Stages,
        course: &mut Course<'_, G::Key>,
        write: impl FnOnce(Solution<G::Index>, &AllSubs<G>) -> Result<(), GenerateError<G::Key>> + Send,
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
    fn solve_and_write<W: LongWorth>(
        &self,
        key: G::Key,
        (stages, subs): (&Stages, &Gauge),
        news: &Sender<()>,
        write: impl FnOnce(Solution<G::Index>, &AllSubs<G>) -> Result<(), GenerateError<G::Key>>,
    ) -> Result<[Duration; 2], GenerateError<G::Key>> {
        let start = Instant::now();
        let folder = self.site.scratch_dir(self.options);
        let failed = |error| not_solved(folder, error);
        let zeroing = TypeId::of::<W>() == TypeId::of::<ToZeroing>();
        let scratch = self.scratch(key, folder);
        let keeping = scratch.as_ref().map(|scratch| self.control.keep(scratch));
        let room = scratch.as_ref().map_or(Room::Heap, |s| Room::Scratch(s));
        let load = |child| self.load(child, room);
        let metric = (Metric::Dtm, zeroing);
        let subs = AllSubs::<G>::loaded(key, metric, &load, subs, self.control);
        let subs = subs.map_err(failed)?;
        let table = if key.pawns() == 0 {
            let rows = stages.begin(Stage::Rows);
            let table = spill::<G, W>(key, &subs, folder, rows, self.control).map_err(failed)?;
            log::debug!("{key}: {:?}", table.footprint());
            Solution::Spilled(table)
        } else {
            let means = SlicedMeans {
                folder,
                gauge: stages.begin(Stage::Slices),
                control: self.control,
            };
            Solution::Sliced(self.sliced::<W>(key, &subs, means)?)
        };
        let solving = start.elapsed();
        let _ = news.send(());
        let start = Instant::now();
        write(table, &subs)?;
        drop((subs, keeping));
        Ok([solving, start.elapsed()])
    }

    /// Solves a table slice by slice.
    fn sliced<W: LongWorth>(
        &self,
        key: G::Key,
        subs: &AllSubs<G>,
        means: SlicedMeans<'_>,
    ) -> Result<SlicedTable<G::Index>, GenerateError<G::Key>> {
        let failed = |error| not_solved(means.folder, error);
        let subs = small_tables::<G>(key, subs).map_err(failed)?;
        let large = self.large_subs(key, W::SUBS)?;
        let index = Arc::new(G::Index::new(key));
        solve_sliced::<G, W>(&index, &subs, &large, means).map_err(failed)
    }

    /// The files of the large tables that a table leads to.
    fn large_subs(
        &self,
        key: G::Key,
        metric: Metric,
    ) -> Result<LargeSubs<G>, GenerateError<G::Key>> {
        let path = |child| self.site.sub(child, metric);
        let large = LargeSubs::<G>::open(key, metric, path);
        let large = large.map_err(|source| cannot_write(self.store, key, source))?;
        large.map_err(|child| GenerateError::Alone {
            key,
            missing: vec![format!("{child}.{}", sub_ending(metric))],
            path: self.store.dir().to_owned(),
        })
    }

    /// Where the sub-tables of a table with pawns go that do not fit into memory.
    fn scratch(&self, key: G::Key, folder: &Path) -> Option<Arc<Scratch>> {
        let threads = self.control.threads();
        let allowed = self.options.allowed_bytes(threads);
        let subs = sub_values::<G>(key, &self.options.metrics);
        let left = allowed.saturating_sub(work(key, threads, self.site.exporter()));
        let window = Arc::new(AtomicI64::new(left.max(WINDOW) as i64));
        (key.pawns() > 0 && subs > left).then(|| Arc::new(Scratch::new(folder, window, allowed)))
    }

    /// Reads a sub-table from its snapshot, if there is a good one. A disk without room is an error, and no reason to
    /// solve it again.
    fn load(&self, child: G::Key, room: Room<'_>) -> Result<Option<Loaded<G>>, SolveError<G::Key>> {
        let Some(snapshot) = self.site.snapshot(child, Metric::Dtm, self.options) else {
            return Ok(None);
        };
        match snapshot.read(room, self.control) {
            Ok(solved) => Ok(Some(solved)),
            Err(SnapshotError::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(SnapshotError::Io(source)) => Err(SolveError::Scratch { key: child, source }),
            Err(SnapshotError::Damaged) => {
                log::warn!("the values of {child} are damaged: solving it again");
                Ok(None)
            }
        }
    }

    /// Who writes the files of distances to zeroing that are missing.
    fn zeroing_files(
        &self,
        missing: &Missing,
        index: &Arc<G::Index>,
    ) -> Result<ZeroingFiles<'_, G>, GenerateError<G::Key>> {
        let key = index.key();
        let exporter = self.site.exporter().filter(|_| missing.export);
        let allowed = self.options.allowed_bytes(self.control.threads());
        let export = exporter.map_or(0, |exporter| exporter.least_memory(index));
        let held = sub_values::<G>(key, &[Metric::Dtz]) + export;
        let own = missing.files.contains(&Metric::Dtz);
        let wdl = own.then(|| self.read_wdl(index)).transpose();
        Ok(ZeroingFiles {
            store: self.store,
            control: self.control,
            scratch: self.site.scratch_dir(self.options),
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
        Ok(file.commit()?)
    }
}
