//! From rules to a solved restricted position: tables that are missing are made, progress is shown, and an interrupt keeps
//! the work so far.

use super::Failure;
use super::crew::{self, Watch};
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
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The most pieces of tables that take less than a minute.
const QUICK_MEN: u32 = 4;

/// How often the bar looks how far the work is.
const TICK: Duration = Duration::from_millis(100);

/// What the work may take.
pub(super) struct Means {
    pub(super) tables: Prober,
    /// `None`: one thread a core.
    pub(super) threads: Option<usize>,
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
        self.work(&watch, limits, |job| {
            solve(rules, self.tables.oracle(), job)
        })
    }

    /// Looks for rules that prove a wish. Tables that can be made within a minute are made if the wish says so.
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
        self.work(&watch, self.limits(), |job| {
            propose(start, wish, &oracle, job, &heard)
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
        tb_generate::make(&self.tables, &missing, &options, control).map(drop)
    }

    /// Does a job while a bar on the terminal tells how far it is.
    fn work(
        &self,
        watch: &Watch,
        limits: FreezeLimits,
        work: impl FnOnce(&FreezeJob<'_>) -> Result<Restricted, FreezeError> + Send,
    ) -> Result<Restricted, Failure> {
        let folder: PathBuf = self.tables.store().dir().join(FOLDER);
        let bar = tb_generate::bar();
        let gauge = Gauge::default();
        let started = |plan: &TablePlan, number: usize| {
            bar.set_position(0);
            if let Some((men, entries)) = plan.boxes.get(number) {
                let entries = human::grouped(*entries, ',');
                let boxes = plan.boxes.len();
                bar.set_message(format!(
                    "restricted table {} of {boxes}: {men}, {entries} entries",
                    number + 1
                ));
            }
        };
        let job = FreezeJob {
            limits,
            control: &watch.control,
            folder: Some(&folder),
            started: &started,
            gauge: &gauge,
        };
        // Gone when the work is done, however that ends.
        let (done, waiting) = channel::<()>();
        let frozen = std::thread::scope(|scope| {
            scope.spawn(|| {
                let waiting = waiting;
                while waiting.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    if let Some(share) = gauge.share() {
                        bar.set_position((share * 1000.0) as u64);
                    }
                }
            });
            let _done = done;
            crew::on_threads(&watch.control, || work(&job))
        });
        bar.finish_and_clear();
        frozen?.map_err(told)
    }
}

fn told(error: FreezeError) -> Failure {
    match error {
        FreezeError::Layout(_) | FreezeError::Memory { .. } => Failure::bad_input(error),
        FreezeError::Halt(Halt::Cancelled(_)) => crew::stopped(),
        _ => Failure::failed(error),
    }
}
