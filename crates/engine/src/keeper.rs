//! The keeper of the endgame tables: opens them, has missing ones made in the background, and gives
//! search an oracle.
//!
//! One thread makes tables, job after job: those of the start, then those asked for, then those that the
//! position on the board nears (`demand`). How fast it may go ([`Pace`]) follows what search does. All
//! state is under one lock that is never held while tables are made.

use super::demand::Demand;
use super::event::{Event, Sink, TableNews, Trouble};
use super::job::Job;
use super::options::Options;
use super::request::{RequestError, TableRequest};
use duchamp_base::{Cancelled, Control, Value, Wdl};
use duchamp_chess::{NoOracle, Oracle, Position};
use duchamp_chess_tables::{
    FileEvent, GenerateError, GenerateOptions, Generator, Material, Prober, Progress, Step, Store,
    Summary, default_dir,
};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after the start tables are opened and made unasked: time for a GUI to set options.
const GRACE: Duration = Duration::from_secs(1);

/// The least time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Tables of so many men are made within seconds; more take minutes to hours.
const QUICK_MEN: u32 = 4;

/// How fast tables may be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    /// Nothing else to do.
    Full,
    /// A search without a clock runs: one thread.
    Slow,
    /// A clock runs: not at all.
    Paused,
}

impl Pace {
    pub(super) fn apply(self, control: &Control) {
        match self {
            Pace::Paused => return control.pause(),
            Pace::Slow => control.set_limit(1),
            Pace::Full => control.set_limit(control.threads()),
        }
        control.resume();
    }
}

/// Which tables there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableState {
    /// Where they lie.
    pub folder: PathBuf,
    /// How many are ready.
    pub ready: usize,
    /// The most men of a ready table, 0 without tables.
    pub men: u32,
    /// Whether some are being made.
    pub making: bool,
}

struct Running {
    control: Arc<Control>,
    job: Job,
}

struct State {
    path: Option<PathBuf>,
    startup_men: u32,
    max_men: u32,
    memory: usize,
    on_demand: bool,
    tables: Option<Arc<Store>>,
    jobs: VecDeque<Job>,
    demand: Demand,
    running: Option<Running>,
    pace: Pace,
    closing: bool,
    closed: bool,
}

impl State {
    /// Whether a startup job waits or runs.
    fn is_starting(&self) -> bool {
        self.jobs.contains(&Job::Startup)
            || self
                .running
                .as_ref()
                .is_some_and(|running| running.job == Job::Startup)
    }

    fn is_making(&self) -> bool {
        self.running.is_some() || !self.jobs.is_empty() || !self.demand.is_empty()
    }

    fn has_all(&self, wanted: &[Material]) -> bool {
        let has = |tables: &Arc<Store>| wanted.iter().all(|&table| tables.has(table));
        self.tables.as_ref().is_some_and(has)
    }

    /// Whether one of these tables is not ready and will be made by a job that waits or runs.
    fn will_make_any(&self, wanted: &[Material]) -> bool {
        let running = self.running.iter().map(|running| &running.job);
        let jobs: Vec<&Job> = running.chain(&self.jobs).collect();
        let will_make = |table: Material| {
            let will = |job: &&Job| job.will_make(table, self.startup_men);
            jobs.iter().any(will) || self.demand.wants(table)
        };
        let missing = |table: Material| !self.tables.as_ref().is_some_and(|it| it.has(table));
        let mut wanted = wanted.iter();
        !self.closing && !self.closed && wanted.any(|&table| missing(table) && will_make(table))
    }

    /// The next job; one on demand only if nothing else waits.
    fn next_job(&mut self) -> Option<Job> {
        let demanded = || self.demand.first().map(Job::Demand);
        self.jobs.pop_front().or_else(demanded)
    }

    /// Ends a job on demand, for one that does not wait; it comes again after that.
    fn yield_demand(&self) {
        if let Some(running) = &self.running
            && matches!(running.job, Job::Demand(_))
        {
            running.control.cancel();
        }
    }

    /// Works out what the position on the board nears; a running job that is no longer wanted ends.
    fn plan_demand(&mut self) {
        let tables = self.tables.as_deref().filter(|_| self.on_demand);
        self.demand.plan(tables, self.max_men);
        if let Some(running) = &self.running
            && let Job::Demand(material) = running.job
            && !self.demand.wants(material)
        {
            running.control.cancel();
        }
    }
}

/// See the module heading.
pub(super) struct Keeper {
    sink: Sink,
    state: Mutex<State>,
    changed: Condvar,
}

impl Keeper {
    pub(super) fn new(sink: Sink, options: &Options) -> Arc<Keeper> {
        let state = State {
            path: options.table_path.clone(),
            startup_men: options.startup_men,
            max_men: options.max_men,
            memory: options.table_memory,
            on_demand: options.tables_on_demand,
            tables: None,
            jobs: VecDeque::new(),
            demand: Demand::default(),
            running: None,
            pace: Pace::Full,
            closing: false,
            closed: false,
        };
        let keeper = Arc::new(Keeper {
            sink,
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let worker = Arc::clone(&keeper);
        let spawned = std::thread::Builder::new()
            .name("tables".to_owned())
            .spawn(move || worker.run());
        if let Err(error) = spawned {
            log::error!("no thread to make tables: {error}");
            keeper.lock().closed = true;
        }
        keeper
    }

    /// Every change of the state is complete when the lock is let go, so a panic elsewhere cannot have
    /// left half of one.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the tables and starts to make missing ones, unless that was done before.
    pub(super) fn open(&self) {
        let mut state = self.lock();
        if state.tables.is_none() {
            self.open_now(&mut state);
        }
    }

    fn open_now(&self, state: &mut State) {
        let path = state.path.clone().unwrap_or_else(default_dir);
        let tables = Store::open(&path);
        let sink = Arc::clone(&self.sink);
        tables.on_event(move |event| match event {
            FileEvent::Damaged { text, .. } => sink(Event::Trouble(Trouble::Damaged { text })),
        });
        state.tables = Some(tables);
        state.plan_demand();
        match usable(&path) {
            Ok(()) if state.startup_men >= 3 => state.jobs.push_front(Job::Startup),
            Ok(()) => {}
            Err(error) => {
                let reason = error.to_string();
                (self.sink)(Event::Trouble(Trouble::Folder { path, reason }));
            }
        }
        self.changed.notify_all();
    }

    /// Takes over options that have changed.
    pub(super) fn configure(&self, options: &Options) {
        let mut state = self.lock();
        let moved = state.path != options.table_path;
        let other_start = state.startup_men != options.startup_men;
        state.path.clone_from(&options.table_path);
        state.startup_men = options.startup_men;
        state.max_men = options.max_men;
        state.memory = options.table_memory;
        state.on_demand = options.tables_on_demand;
        state.demand.forgive();
        if !moved {
            state.plan_demand();
            self.changed.notify_all();
        }
        if state.tables.is_none() || !(moved || other_start) {
            return;
        }
        state
            .jobs
            .retain(|job| !moved && !matches!(job, Job::Startup));
        if let Some(running) = state
            .running
            .as_ref()
            .filter(|running| moved || running.job == Job::Startup)
        {
            running.control.cancel();
        }
        if moved {
            self.open_now(&mut state);
        } else if state.startup_men >= 3 {
            state.jobs.push_front(Job::Startup);
            state.yield_demand();
            self.changed.notify_all();
        }
    }

    /// Has tables made, or stops all making.
    ///
    /// # Errors
    /// [`RequestError::TooLarge`].
    pub(super) fn request(&self, request: TableRequest) -> Result<(), RequestError> {
        match request {
            TableRequest::Nothing => Ok(()),
            TableRequest::Make(tables) => self.make(tables),
            TableRequest::Stop => {
                self.stop();
                Ok(())
            }
        }
    }

    fn make(&self, tables: Vec<Material>) -> Result<(), RequestError> {
        self.open();
        let mut state = self.lock();
        let most = state.max_men;
        if let Some(&table) = tables.iter().find(|table| table.men() > most) {
            return Err(RequestError::TooLarge { table, most });
        }
        state.jobs.push_back(Job::Request(tables));
        state.yield_demand();
        self.changed.notify_all();
        Ok(())
    }

    fn stop(&self) {
        self.open();
        let mut state = self.lock();
        let busy = state.is_making();
        state.jobs.clear();
        state.demand.leave_all_out();
        if let Some(running) = &state.running {
            running.control.cancel();
        }
        self.changed.notify_all();
        drop(state);
        if busy {
            (self.sink)(Event::Tables(TableNews::Stopped));
        }
    }

    /// Whether all of these tables are ready.
    pub(super) fn has_all(&self, wanted: &[Material]) -> bool {
        self.lock().has_all(wanted)
    }

    /// Waits until those of these tables are ready that a job which waits or runs is going to make. Other jobs are not
    /// waited for.
    ///
    /// # Errors
    /// [`Cancelled`], once `control` is cancelled and [`Keeper::wake`] was called.
    pub(super) fn wait_for(&self, wanted: &[Material], control: &Control) -> Result<(), Cancelled> {
        let waiting = |state: &mut State| !control.is_cancelled() && state.will_make_any(wanted);
        drop(self.changed.wait_while(self.lock(), waiting));
        match control.is_cancelled() {
            true => Err(Cancelled),
            false => Ok(()),
        }
    }

    /// Has all who wait look again. The lock makes sure that nobody is between looking and waiting.
    pub(super) fn wake(&self) {
        let _state = self.lock();
        self.changed.notify_all();
    }

    /// Says what stands on the board now.
    pub(super) fn near(&self, position: &Position) {
        let mut state = self.lock();
        state.demand.set_position(position);
        if state.on_demand {
            state.plan_demand();
            self.changed.notify_all();
        }
    }

    /// Says how fast tables may be made from now on.
    pub(super) fn set_pace(&self, pace: Pace) {
        let mut state = self.lock();
        state.pace = pace;
        if let Some(running) = &state.running {
            pace.apply(&running.control);
        }
    }

    /// Who answers search. Tables that become ready later are used as well.
    pub(super) fn oracle(&self) -> Arc<dyn Oracle> {
        let state = self.lock();
        match &state.tables {
            Some(tables) => Arc::new(Capped {
                tables: Prober::new(Arc::clone(tables)),
                men: state.max_men,
            }),
            None => Arc::new(NoOracle),
        }
    }

    /// Takes in tables that other programs have made.
    pub(super) fn rescan(&self) {
        let tables = self.lock().tables.clone();
        if let Some(tables) = tables {
            tables.rescan();
            self.wake();
        }
    }

    /// Which tables there are.
    pub(super) fn describe(&self) -> TableState {
        self.open();
        let state = self.lock();
        let making = state.is_making();
        match &state.tables {
            Some(tables) => TableState {
                folder: tables.dir().to_owned(),
                ready: tables.list().len(),
                men: tables.largest(),
                making,
            },
            None => TableState {
                folder: PathBuf::new(),
                ready: 0,
                men: 0,
                making,
            },
        }
    }

    /// Waits until no quick job is left, at most so long.
    pub(super) fn wait(&self, limit: Duration) {
        let busy = |state: &mut State| {
            state.is_starting() && state.startup_men <= QUICK_MEN && !state.closed
        };
        drop(self.changed.wait_timeout_while(self.lock(), limit, busy));
    }

    /// Ends everything and waits for it, at most so long.
    pub(super) fn shut_down(&self, limit: Duration) {
        self.close();
        drop(
            self.changed
                .wait_timeout_while(self.lock(), limit, |state| !state.closed),
        );
    }

    /// Tells the thread to end.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closing = true;
        state.jobs.clear();
        if let Some(running) = &state.running {
            running.control.cancel();
        }
        self.changed.notify_all();
    }

    /// The thread that makes tables.
    fn run(&self) {
        let waiting = |state: &mut State| state.tables.is_none() && !state.closing;
        let waited = self.changed.wait_timeout_while(self.lock(), GRACE, waiting);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if waiting(&mut state) {
            self.open_now(&mut state);
        }
        while !state.closing {
            let Some(job) = state.next_job() else {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state = self.work(state, job);
            self.changed.notify_all();
        }
        state.closed = true;
        self.changed.notify_all();
    }

    fn work<'a>(&'a self, mut state: MutexGuard<'a, State>, job: Job) -> MutexGuard<'a, State> {
        let Some(tables) = state.tables.clone() else {
            return state;
        };
        let materials = job.tables(state.startup_men);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let control = Arc::new(Control::new(cores));
        state.pace.apply(&control);
        let options = GenerateOptions {
            memory: Some(state.memory as u64),
            ..GenerateOptions::default()
        };
        state.running = Some(Running {
            control: Arc::clone(&control),
            job: job.clone(),
        });
        drop(state);
        let mut last = None;
        let result = Generator::new(&tables).run(&materials, &options, &control, &mut |progress| {
            if progress.step == Step::Ready {
                self.wake();
            }
            self.tell_progress(&job, progress, &mut last);
        });
        let mut state = self.lock();
        state.running = None;
        let told = match (&job, result) {
            // Whatever a cancelled job ends with, it is no trouble; who cancelled it knows.
            (_, Err(_)) if control.is_cancelled() => return state,
            (Job::Demand(material), result) => settle(&mut state, *material, &tables, result),
            (_, result) => Some(result),
        };
        drop(state);
        if let Some(result) = told {
            self.tell_result(result, job == Job::Startup);
        }
        self.lock()
    }

    fn tell_progress(&self, job: &Job, progress: &Progress, last: &mut Option<Instant>) {
        match job {
            Job::Startup => return,
            Job::Demand(table) if last.is_none() => {
                *last = Some(Instant::now());
                (self.sink)(Event::Tables(TableNews::Demanded { table: *table }));
                return;
            }
            Job::Demand(_) | Job::Request(_) => {}
        }
        if last.is_some_and(|last| last.elapsed() < PROGRESS_INTERVAL) {
            return;
        }
        *last = Some(Instant::now());
        (self.sink)(Event::Tables(TableNews::Progress {
            table: progress.key,
            elsewhere: matches!(progress.step, Step::Waiting(_)),
            done: progress.done,
            total: progress.total,
            share: progress.share,
            left: progress.left,
        }));
    }

    fn tell_result(&self, result: Result<Summary, GenerateError>, startup: bool) {
        let event = match result {
            // Nobody asked, and nothing was done.
            Ok(summary) if startup && summary.made.is_empty() => return,
            Ok(summary) => Event::Tables(TableNews::Finished {
                made: summary.made.len(),
                present: summary.found + summary.shared,
                time: summary.elapsed,
            }),
            Err(error) => Event::Trouble(Trouble::Generation {
                reason: error.to_string(),
            }),
        };
        (self.sink)(event);
    }
}

/// Takes in how the making of a table on demand ended; what is left of the result is to be told.
fn settle(
    state: &mut State,
    material: Material,
    tables: &Store,
    result: Result<Summary, GenerateError>,
) -> Option<Result<Summary, GenerateError>> {
    match result {
        // Made by another process or for another job meanwhile.
        Ok(summary) if summary.made.is_empty() && tables.has(material) => {
            state.demand.done(material);
            None
        }
        Ok(summary) if tables.has(material) => {
            state.demand.done(material);
            Some(Ok(summary))
        }
        Err(error @ GenerateError::Memory { .. }) => {
            state.demand.leave_out(material);
            log::info!("on demand: {error}");
            state.demand.tell_refusal().then_some(Err(error))
        }
        // A full disk or the like would stop the others as well.
        result => {
            state.demand.leave_out(material);
            state.demand.leave_all_out();
            Some(result)
        }
    }
}

/// Whether a folder can be read; one that does not exist yet can be made.
fn usable(path: &Path) -> std::io::Result<()> {
    match std::fs::read_dir(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The tables of at most so many men.
struct Capped {
    tables: Prober,
    men: u32,
}

impl Oracle for Capped {
    fn max_men(&self) -> u32 {
        self.tables.max_men().min(self.men)
    }
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.tables.wdl(position)
    }
    fn dtm(&self, position: &Position) -> Option<Value> {
        self.tables.dtm(position)
    }
}

#[cfg(test)]
mod tests;
