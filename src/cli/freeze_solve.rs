//! From rules to a solved restricted position: tables that are missing are made, progress is shown, and an interrupt keeps
//! the work so far.

use super::Failure;
use super::crew::{self, Watch};
use super::progress::{Display, ProgressArguments};
use super::tb_generate;
use duchamp_base::{Control, Gauge, human};
use duchamp_chess::Position;
use duchamp_chess_tables::{GenerateOptions, Material, Prober, parse_specs};
use duchamp_proofs::freezer::{
    FOLDER, FreezeError, FreezeJob, FreezeLimits, Restricted, Rules, TablePlan, Try, Wish, propose,
    solve, tables_wanted,
};
use duchamp_retro::Halt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// The most pieces of tables that take less than a minute.
const QUICK_MEN: u32 = 4;

/// The time between two looks at how far the work is.
const TICK: Duration = Duration::from_millis(100);

/// What the work may take.
pub(super) struct Means {
    pub(super) tables: Prober,
    /// `None`: one thread a core.
    pub(super) threads: Option<usize>,
    pub(super) progress: ProgressArguments,
    /// Mebibytes; `None`: the default of [`FreezeLimits`].
    pub(super) memory: Option<u64>,
    /// Entries of further restricted tables; `None`: the default of [`FreezeLimits`].
    pub(super) table_entries: Option<u64>,
}

impl Means {
    fn limits(&self) -> FreezeLimits {
        let mut limits = FreezeLimits::default();
        if let Some(memory) = self.memory {
            limits.memory = memory.saturating_mul(1 << 20);
        }
        if let Some(entries) = self.table_entries {
            limits.entries = entries;
        }
        limits
    }

    /// Makes the tables that rules ask for and that are missing, if they say so; then solves.
    pub(super) fn solve(&self, rules: Rules) -> Result<Restricted, Failure> {
        let watch = Watch::new(self.threads)?;
        let limits = self.limits();
        if rules.tables.make {
            let wanted = tables_wanted(&rules, limits).map_err(told)?;
            // Tables that are too large to be made are done without.
            let wanted = wanted.iter().filter_map(|name| parse_specs(name).ok());
            self.make(wanted.flatten(), &watch.control)?;
        }
        self.work(&watch, limits, all_kept, |job, _| {
            solve(rules, self.tables.oracle(), job)
        })
    }

    /// Looks for rules that prove a wish; `heard` prints an attempt. Tables that can be made within a minute are made if the
    /// wish says so.
    pub(super) fn propose(
        &self,
        start: Position,
        wish: Wish,
        heard: impl Fn(&Try) + Sync,
    ) -> Result<Restricted, Failure> {
        let watch = Watch::new(self.threads)?;
        if wish.tables.make {
            let most = wish.tables.max_men.min(QUICK_MEN);
            self.make((3..=most).flat_map(Material::all), &watch.control)?;
        }
        let oracle = self.tables.oracle();
        self.work(&watch, self.limits(), nothing_kept, |job, display| {
            let told = |attempt: &Try| display.suspend(|| heard(attempt));
            propose(start, wish, &oracle, job, &told)
        })
    }

    /// Makes those tables that are missing.
    fn make(
        &self,
        wanted: impl Iterator<Item = Material>,
        control: &Control,
    ) -> Result<(), Failure> {
        let missing: Vec<Material> = wanted
            .filter(|material| !self.tables.store().has(*material))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let options = GenerateOptions {
            memory: self.memory,
            ..GenerateOptions::default()
        };
        tb_generate::generate(
            self.tables.store(),
            &missing,
            &options,
            control,
            &self.progress,
        )
        .map(drop)
    }

    /// Does a job and shows how far it is; `stopped` is what an interrupt comes to.
    fn work(
        &self,
        watch: &Watch,
        limits: FreezeLimits,
        stopped: fn() -> Failure,
        work: impl FnOnce(&FreezeJob<'_>, &Display) -> Result<Restricted, FreezeError> + Send,
    ) -> Result<Restricted, Failure> {
        let folder: PathBuf = self.tables.store().dir().join(FOLDER);
        let display = self.progress.start("freeze", "restricted tables");
        let gauge = Gauge::default();
        // Entries of all tables, of those that are done, and of the one at work.
        let entries = Mutex::new([0; 3]);
        let started = |plan: &TablePlan, number: usize| {
            let Some((name, size)) = plan.boxes.get(number) else {
                return;
            };
            let done = plan.boxes[..number].iter().map(|(_, entries)| entries);
            *crew::locked(&entries) = [plan.entries(), done.sum(), *size];
            display.update(|report| {
                report.done = number as u64;
                report.total = Some(plan.boxes.len() as u64);
                report.text = format!("{name}, {} entries", human::grouped(*size, ','));
            });
        };
        let job = FreezeJob {
            limits,
            control: &watch.control,
            folder: Some(&folder),
            started: &started,
            gauge: &gauge,
        };
        let look = || {
            let [all, done, at_work] = *crew::locked(&entries);
            let part = gauge.share().unwrap_or(0.0) * at_work as f64;
            if all > 0 {
                let share = (done as f64 + part) / all as f64;
                display.update(|report| report.share = Some(share));
            }
        };
        let solved = crew::with_watcher(TICK, look, || {
            crew::on_threads(&watch.control, || work(&job, &display))
        })?;
        match solved {
            Ok(solved) => {
                display.finish();
                Ok(solved)
            }
            Err(error) => {
                drop(display);
                Err(match error {
                    FreezeError::Halt(Halt::Cancelled(_)) => stopped(),
                    error => told(error),
                })
            }
        }
    }
}

fn all_kept() -> Failure {
    crew::stopped_with("stopped: solved restricted tables and the work on the present one are kept")
}

fn nothing_kept() -> Failure {
    Failure::Failed(format!(
        "stopped: nothing was proved by then, and no attempt is kept. To start again: {}",
        crew::this_command()
    ))
}

fn told(error: FreezeError) -> Failure {
    match error {
        FreezeError::Layout(_) | FreezeError::Memory { .. } => Failure::bad_input(error),
        _ => Failure::failed(error),
    }
}
