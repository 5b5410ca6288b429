//! Restricted positions for search (option `FreezerRules`): reads a file of rules, requests the endgame tables that it
//! needs, and solves it in the background.

use super::event::{Event, FreezerNews, Sink, Trouble};
use super::pace::Pace;
use super::panics;
use super::rules_error::{FreezerError, RulesFileError};
use super::table_format::TableFormat;
use super::table_manager::TableManager;
use super::table_request::{RequestError, TableRequest};
use duchamp_base::{Control, Gauge, cores, files};
use duchamp_chess_tables::{Material, parse_specs};
use duchamp_proofs::freezer::{
    self, FreezeJob, FreezeLimits, LONGEST_RULES, Proof, Restricted, Rules, TablePlan,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The restricted position of the option `FreezerRules`.
pub(super) struct RestrictedPosition {
    sink: Sink,
    tables: Arc<TableManager>,
    state: Mutex<State>,
}

struct State {
    /// The newest rules.
    solving: Option<Arc<Solving>>,
    pace: Pace,
}

struct Solving {
    control: Control,
    done: Mutex<Option<Arc<Restricted>>>,
}

impl RestrictedPosition {
    pub(super) fn new(sink: Sink, tables: Arc<TableManager>) -> Arc<RestrictedPosition> {
        Arc::new(RestrictedPosition {
            sink,
            tables,
            state: Mutex::new(State {
                solving: None,
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
    pub(super) fn set(&self, path: &str, memory: usize) -> Result<(), FreezerError> {
        if path.is_empty() {
            self.stop();
            return Ok(());
        }
        let rules = read(Path::new(path)).map_err(|error| FreezerError::File {
            path: path.to_owned(),
            error,
        })?;
        let limits = FreezeLimits {
            memory: (memory as u64) << 20,
            ..FreezeLimits::default()
        };
        let wanted = freezer::tables_wanted(&rules, limits)?;
        self.stop();
        let solving = Arc::new(Solving {
            control: Control::new(cores()),
            done: Mutex::new(None),
        });
        {
            let mut state = self.state();
            state.pace.apply(&solving.control);
            state.solving = Some(Arc::clone(&solving));
        }
        let (sink, tables) = (Arc::clone(&self.sink), Arc::clone(&self.tables));
        std::thread::Builder::new()
            .name("freezer".into())
            .spawn(move || {
                let ended = panics::caught(|| solving.run(rules, &wanted, limits, &tables, &sink));
                let reason = match ended {
                    Ok(Err(error)) if !solving.control.is_cancelled() => error.to_string(),
                    Ok(_) => return,
                    Err(reason) => format!("internal error: {reason}"),
                };
                sink(Event::Trouble(Trouble::Freezer { reason }));
            })?;
        Ok(())
    }

    /// The proofs of the restricted position, once it is solved.
    pub(super) fn solved(&self) -> Option<Arc<Restricted>> {
        let solving = self.state().solving.clone()?;
        let done = solving.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.clone()
    }

    /// Sets how fast it may be solved from now on.
    pub(super) fn set_pace(&self, pace: Pace) {
        let mut state = self.state();
        state.pace = pace;
        if let Some(solving) = &state.solving {
            pace.apply(&solving.control);
        }
    }

    /// Stops solving; what is done of a large restricted table is kept.
    pub(super) fn stop(&self) {
        let solving = self.state().solving.take();
        if let Some(solving) = solving {
            solving.control.cancel();
            // It may be waiting for tables.
            self.tables.wake();
        }
    }
}

impl Solving {
    fn run(
        &self,
        rules: Rules,
        wanted: &[String],
        limits: FreezeLimits,
        tables: &TableManager,
        sink: &Sink,
    ) -> Result<(), FreezerError> {
        let start = Instant::now();
        tables.open();
        // Those that are too large for a table are done without.
        let wanted = wanted.iter().filter_map(|name| parse_specs(name).ok());
        let mut wanted: Vec<Material> = wanted.flatten().collect();
        if rules.tables.make {
            request(tables, &mut wanted)?;
        }
        // Or those that other processes generate now.
        tables.wait_for(&wanted, &self.control)?;
        let started = |plan: &TablePlan, number: usize| {
            if number == 0 {
                sink(Event::Freezer(FreezerNews::Started {
                    tables: plan.boxes.len(),
                    entries: plan.entries(),
                }));
            }
        };
        let folder = tables.describe().folder.join(freezer::FOLDER);
        let job = FreezeJob {
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
        let frozen = pool.install(|| freezer::solve(rules, tables.oracle(), &job))?;
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

/// Requests those tables that are missing; without the ones that have more men than the engine may generate.
fn request(tables: &TableManager, wanted: &mut Vec<Material>) -> Result<(), RequestError> {
    let ask = |wanted: &[Material]| match tables.has_all(wanted) {
        true => Ok(()),
        false => tables.request(TableRequest::Generate(wanted.to_vec()), TableFormat::Own),
    };
    match ask(wanted) {
        Err(RequestError::TooLarge { most, .. }) => {
            wanted.retain(|table| table.men() <= most);
            ask(wanted)
        }
        asked => asked,
    }
}

/// Reads a file of rules; its name is the title if it has none.
fn read(path: &Path) -> Result<Rules, RulesFileError> {
    let text = files::read_text(path, LONGEST_RULES)?;
    let mut rules = Rules::parse(&text)?;
    if rules.title.is_none() {
        let name = path.file_name().map(PathBuf::from);
        rules.title = name.map(|name| name.display().to_string());
    }
    Ok(rules)
}
