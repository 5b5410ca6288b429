//! Frozen positions for search: reads a file of rules, has the tables made that it asks for, and solves it in the
//! background.

use super::event::{Event, FreezerNews, Sink, Trouble};
use super::keeper::{Keeper, Pace};
use super::request::TableRequest;
use super::rules_error::{FreezingError, RulesFileError};
use duchamp_base::{Control, Gauge};
use duchamp_chess_tables::{Material, parse_specs};
use duchamp_proofs::freezer::{self, Frozen, Job, Limits, Plan, Proof, Rules};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Longer files are no rules.
const LONGEST_FILE: u64 = 1 << 20;

/// The frozen position of the option `FreezerRules`.
pub(super) struct Freezing {
    sink: Sink,
    keeper: Arc<Keeper>,
    state: Mutex<State>,
}

struct State {
    /// The work on the newest rules.
    work: Option<Arc<Work>>,
    pace: Pace,
}

struct Work {
    control: Control,
    done: Mutex<Option<Arc<Frozen>>>,
}

impl Freezing {
    pub(super) fn new(sink: Sink, keeper: Arc<Keeper>) -> Arc<Freezing> {
        Arc::new(Freezing {
            sink,
            keeper,
            state: Mutex::new(State {
                work: None,
                pace: Pace::Full,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads rules and begins to solve them, in place of earlier ones; an empty path only forgets those.
    ///
    /// # Errors
    /// If there are no rules that can be solved; earlier rules stay.
    pub(super) fn set(&self, path: &str, memory: usize) -> Result<(), FreezingError> {
        if path.is_empty() {
            self.stop();
            return Ok(());
        }
        let rules = read(Path::new(path)).map_err(|error| FreezingError::File {
            path: path.to_owned(),
            error,
        })?;
        let limits = Limits {
            memory: (memory as u64) << 20,
            ..Limits::default()
        };
        let wanted = freezer::tables_wanted(&rules, limits)?;
        self.stop();
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let work = Arc::new(Work {
            control: Control::new(cores),
            done: Mutex::new(None),
        });
        {
            let mut state = self.state();
            state.pace.apply(&work.control);
            state.work = Some(Arc::clone(&work));
        }
        let (sink, keeper) = (Arc::clone(&self.sink), Arc::clone(&self.keeper));
        std::thread::Builder::new()
            .name("freezer".into())
            .spawn(move || {
                if let Err(error) = work.run(rules, &wanted, limits, &keeper, &sink)
                    && !work.control.is_cancelled()
                {
                    let reason = error.to_string();
                    sink(Event::Trouble(Trouble::Freezer { reason }));
                }
            })?;
        Ok(())
    }

    /// The frozen position, once it is solved.
    pub(super) fn frozen(&self) -> Option<Arc<Frozen>> {
        let work = self.state().work.clone()?;
        let done = work.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.clone()
    }

    /// Says how fast the work may go from now on.
    pub(super) fn set_pace(&self, pace: Pace) {
        let mut state = self.state();
        state.pace = pace;
        if let Some(work) = &state.work {
            pace.apply(&work.control);
        }
    }

    /// Ends the work; what is done of a large box is kept.
    pub(super) fn stop(&self) {
        let work = self.state().work.take();
        if let Some(work) = work {
            work.control.cancel();
            // It may be waiting for tables.
            self.keeper.wake();
        }
    }
}

impl Work {
    fn run(
        &self,
        rules: Rules,
        wanted: &[String],
        limits: Limits,
        keeper: &Keeper,
        sink: &Sink,
    ) -> Result<(), FreezingError> {
        let start = Instant::now();
        keeper.open();
        let wanted = match rules.tables.make {
            true => wanted
                .iter()
                .map(|name| parse_specs(name))
                .collect::<Result<Vec<_>, _>>()?,
            // Those that others have made, or are making.
            false => wanted
                .iter()
                .filter_map(|name| parse_specs(name).ok())
                .collect(),
        };
        let wanted: Vec<Material> = wanted.concat();
        if rules.tables.make && !keeper.has_all(&wanted) {
            keeper.request(TableRequest::Make(wanted.clone()))?;
        }
        keeper.wait_for(&wanted, &self.control)?;
        let started = |plan: &Plan, number: usize| {
            if number == 0 {
                sink(Event::Freezer(FreezerNews::Started {
                    boxes: plan.boxes.len(),
                    entries: plan.entries(),
                }));
            }
        };
        let folder = keeper.describe().folder.join(freezer::FOLDER);
        let job = Job {
            limits,
            control: &self.control,
            folder: Some(&folder),
            started: &started,
            gauge: &Gauge::default(),
        };
        let (bound, assumptions) = (rules.bound, rules.assumptions().count());
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.control.threads())
            .build()?;
        let frozen = pool.install(|| freezer::solve(rules, keeper.oracle(), &job))?;
        let wins = match frozen.proof() {
            Proof::Proved(verdict) => Some(verdict == freezer::Verdict::won_for(bound)),
            Proof::NotProved => None,
        };
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(frozen));
        sink(Event::Freezer(FreezerNews::Finished {
            bound,
            wins,
            assumptions,
            time: start.elapsed(),
        }));
        Ok(())
    }
}

/// Reads a file of rules; its name is the title if it has none.
fn read(path: &Path) -> Result<Rules, RulesFileError> {
    let size = std::fs::metadata(path)?;
    if size.len() > LONGEST_FILE {
        return Err(RulesFileError::TooLong);
    }
    let text = std::fs::read_to_string(path)?;
    let mut rules = Rules::parse(&text)?;
    if rules.title.is_none() {
        let name = path.file_name().map(PathBuf::from);
        rules.title = name.map(|name| name.display().to_string());
    }
    Ok(rules)
}
