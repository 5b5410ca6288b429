//! The keeper of the endgame tables: opens them, has missing ones made in the background, and gives
//! search an oracle.
//!
//! One thread makes tables, job after job; how fast it may go ([`Pace`]) follows what search does. All
//! state is under one lock that is never held while tables are made.

use super::event::{Event, Sink, TableNews, Trouble};
use super::options::Options;
use crate::base::{Control, Value, Wdl};
use crate::chess::{NoOracle, Oracle, Position};
use crate::tablebase::{
    FileEvent, GenerateError, GenerateOptions, Material, Progress, Step, Summary, Tables,
    default_dir, parse_specs,
};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after the start tables are opened and made unasked: time for a GUI to set options.
const GRACE: Duration = Duration::from_secs(1);

/// The least time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

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
    fn apply(self, control: &Control) {
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

enum Job {
    /// The tables that every engine has.
    Startup,
    /// Tables that were asked for.
    Request(Vec<Material>),
}

struct Running {
    control: Arc<Control>,
    startup: bool,
}

struct State {
    path: Option<PathBuf>,
    startup_men: u32,
    max_men: u32,
    memory: usize,
    tables: Option<Arc<Tables>>,
    jobs: VecDeque<Job>,
    running: Option<Running>,
    pace: Pace,
    closing: bool,
    closed: bool,
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
            tables: None,
            jobs: VecDeque::new(),
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
        let tables = Tables::open(&path);
        let sink = Arc::clone(&self.sink);
        tables.on_event(move |event| match event {
            FileEvent::Damaged { text, .. } => sink(Event::Trouble(Trouble::Damaged { text })),
        });
        state.tables = Some(tables);
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
        if state.tables.is_none() || !(moved || other_start) {
            return;
        }
        state
            .jobs
            .retain(|job| !moved && !matches!(job, Job::Startup));
        if let Some(running) = state
            .running
            .as_ref()
            .filter(|running| moved || running.startup)
        {
            running.control.cancel();
        }
        if moved {
            self.open_now(&mut state);
        } else if state.startup_men >= 3 {
            state.jobs.push_front(Job::Startup);
            self.changed.notify_all();
        }
    }

    /// Has a list of tables made, or stops all making for `stop`; an empty list is nothing to do.
    ///
    /// # Errors
    /// A line for the user if the list makes no sense.
    pub(super) fn request(&self, list: &str) -> Result<(), String> {
        let list = list.trim();
        if list.is_empty() {
            return Ok(());
        }
        self.open();
        let mut state = self.lock();
        if list.eq_ignore_ascii_case("stop") {
            let busy = state.running.is_some() || !state.jobs.is_empty();
            state.jobs.clear();
            if let Some(running) = &state.running {
                running.control.cancel();
            }
            drop(state);
            if busy {
                (self.sink)(Event::Tables(TableNews::Stopped));
            }
            return Ok(());
        }
        let materials = parse_specs(list).map_err(|error| error.to_string())?;
        if let Some(large) = materials
            .iter()
            .find(|material| material.men() > state.max_men)
        {
            return Err(format!(
                "{large} has {} men, TBMaxMen is {}",
                large.men(),
                state.max_men
            ));
        }
        state.jobs.push_back(Job::Request(materials));
        self.changed.notify_all();
        Ok(())
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
                tables: Arc::clone(tables),
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
        }
    }

    /// Which tables there are.
    pub(super) fn describe(&self) -> TableState {
        self.open();
        let state = self.lock();
        let making = state.running.is_some() || !state.jobs.is_empty();
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
            let startup = state.jobs.iter().any(|job| matches!(job, Job::Startup))
                || state
                    .running
                    .as_ref()
                    .is_some_and(|running| running.startup);
            startup && state.startup_men <= QUICK_MEN && !state.closed
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
            let Some(job) = state.jobs.pop_front() else {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state = self.work(state, &job);
            self.changed.notify_all();
        }
        state.closed = true;
        self.changed.notify_all();
    }

    fn work<'a>(&'a self, mut state: MutexGuard<'a, State>, job: &Job) -> MutexGuard<'a, State> {
        let Some(tables) = state.tables.clone() else {
            return state;
        };
        let (materials, startup) = match job {
            Job::Startup => (
                (3..=state.startup_men).flat_map(Material::all).collect(),
                true,
            ),
            Job::Request(materials) => (materials.clone(), false),
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let control = Arc::new(Control::new(cores));
        state.pace.apply(&control);
        let options = GenerateOptions {
            memory: Some(state.memory as u64),
            ..GenerateOptions::default()
        };
        state.running = Some(Running {
            control: Arc::clone(&control),
            startup,
        });
        drop(state);
        let mut last = None;
        let result = tables.generate(&materials, &options, &control, &mut |progress| {
            if !startup {
                self.tell_progress(progress, &mut last);
            }
        });
        match result {
            // Whatever a cancelled job ends with, it is no trouble; who cancelled it knows.
            Err(_) if control.is_cancelled() => {}
            result => self.tell_result(result, startup),
        }
        let mut state = self.lock();
        state.running = None;
        state
    }

    fn tell_progress(&self, progress: &Progress, last: &mut Option<Instant>) {
        let due = last.is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL);
        if matches!(progress.step, Step::Solved) || !due {
            return;
        }
        *last = Some(Instant::now());
        (self.sink)(Event::Tables(TableNews::Progress {
            table: progress.material.to_string(),
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

/// Whether a folder can be read; one that does not exist yet can be made.
fn usable(path: &Path) -> std::io::Result<()> {
    match std::fs::read_dir(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The tables of at most so many men.
struct Capped {
    tables: Arc<Tables>,
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
