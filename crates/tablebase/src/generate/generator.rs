//! The generator of a store's tables.

use super::at_hand::Inspector;
use super::export::Exporter;
use super::forecast::{self, Forecast};
use super::leftovers::Leftovers;
use super::report::{GenerateError, GenerateOptions, Progress, Summary};
use super::site::Site;
use super::stages::expected_rate;
use super::{fitting, large};
use crate::format::Metric;
use crate::game::Game;
use crate::store::Store;
use duchamp_base::{Control, Meter};

/// Generates the tables of a store. It is a reference: copying is free.
#[derive(Debug)]
pub struct Generator<'s, G: Game> {
    store: &'s Store<G>,
    exporter: Option<&'s dyn Exporter<G>>,
    inspector: Option<&'s dyn Inspector<G>>,
}

impl<G: Game> Clone for Generator<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Generator<'_, G> {}

impl<'s, G: Game> Generator<'s, G> {
    /// A generator of a store's tables.
    #[must_use]
    pub fn new(store: &'s Store<G>) -> Generator<'s, G> {
        Generator {
            store,
            exporter: None,
            inspector: None,
        }
    }

    /// The generator that also writes the files of an exporter, for the targets and for all that they depend on. Distances
    /// to zeroing are solved for it, whatever the options say; they get a file of their own only if the options name them.
    #[must_use]
    pub fn exporting(self, exporter: &'s dyn Exporter<G>) -> Generator<'s, G> {
        Generator {
            exporter: Some(exporter),
            ..self
        }
    }

    /// The generator that has each target looked at which it solves and counts ([`GenerateOptions::count_only`]) while all
    /// values are at hand.
    #[must_use]
    pub fn inspecting(self, inspector: &'s dyn Inspector<G>) -> Generator<'s, G> {
        Generator {
            inspector: Some(inspector),
            ..self
        }
    }

    /// The options with what an exporter needs.
    fn complete(&self, options: &GenerateOptions) -> GenerateOptions {
        let mut options = options.clone();
        if self.exporter.is_some() && !options.metrics.contains(&Metric::Dtz) {
            if options.metrics.is_empty() && !options.export_only {
                options.metrics.push(G::PRIMARY[0]);
            }
            options.metrics.push(Metric::Dtz);
            options.unwritten.push(Metric::Dtz);
        }
        options
    }

    fn site(&self) -> Site<'s, G> {
        Site::new(self.store)
            .exporting(self.exporter)
            .inspecting(self.inspector)
    }

    /// What [`Generator::run`] would do with these targets and options. Nothing is written, no folder is created.
    #[must_use]
    pub fn forecast(&self, targets: &[G::Key], options: &GenerateOptions) -> Forecast<G::Key> {
        let options = &self.complete(options);
        self.store.rescan();
        let site = self.site();
        let runs = options.runs::<G>().into_iter();
        let forecasts = runs.map(|run| forecast::forecast(site, targets, &run));
        forecasts.reduce(Forecast::with).unwrap_or_default()
    }

    /// Generates the tables of `targets` and all that they depend on, except those that are ready; blocks until done. A
    /// table can be probed as soon as it is ready.
    ///
    /// If distances of several primary metrics ([`Game::PRIMARY`]) are asked for, it makes a run over all tables for each.
    ///
    /// Uses [`Control::threads`] threads. `progress` is called on the calling thread at each [`Step`](super::Step), and
    /// from time to time while tables are solved. A run that was cancelled or killed leaves whole tables only; the next
    /// one continues.
    ///
    /// # Errors
    /// When a target has no table ([`Game::has_table`]), when cancelled, when the folder cannot be written to, when the memory does not suffice for a table, or when a
    /// sub-table is missing with [`GenerateOptions::only`].
    pub fn run(
        &self,
        targets: &[G::Key],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress<G::Key>),
    ) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
        let options = &self.complete(options);
        let site = self.site();
        if let Some(&key) = targets.iter().find(|&&key| !G::has_table(key)) {
            return Err(GenerateError::NoTable(key));
        }
        self.store.rescan();
        site.tidy();
        let runs = options.runs::<G>();
        let [run] = &runs[..] else {
            return self.run_all(site, &runs, targets, control, progress);
        };
        run_one(site, targets, run, control, progress)
    }

    /// Makes several runs one after another, in progress as in result like one.
    fn run_all(
        &self,
        site: Site<'_, G>,
        runs: &[GenerateOptions],
        targets: &[G::Key],
        control: &Control,
        progress: &mut dyn FnMut(&Progress<G::Key>),
    ) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
        let plans = runs.iter().map(|run| fitting::plan(site, targets, run));
        let plans: Vec<(u64, usize)> = plans
            .map(|plan| (plan.total_work(), plan.to_write()))
            .collect();
        let mut meter = Meter::new(
            plans.iter().map(|plan| plan.0).sum(),
            expected_rate(control),
        );
        let (mut done, total) = (0, plans.iter().map(|plan| plan.1).sum());
        let mut summary: Option<Summary<G::Key>> = None;
        for (run, (work, tables)) in runs.iter().zip(plans) {
            let made = run_one(site, targets, run, control, &mut |of_run| {
                let (share, left) = meter.with((of_run.share * work as f64) as u64);
                progress(&Progress {
                    done: done + of_run.done,
                    total,
                    share,
                    elapsed: meter.elapsed(),
                    left,
                    ..of_run.clone()
                });
            })?;
            meter.add(work);
            done += tables;
            match &mut summary {
                Some(summary) => summary.add(made),
                None => summary = Some(made),
            }
        }
        Ok(summary.unwrap_or_default())
    }
}

/// A run that solves one primary metric.
fn run_one<G: Game>(
    site: Site<'_, G>,
    targets: &[G::Key],
    options: &GenerateOptions,
    control: &Control,
    progress: &mut dyn FnMut(&Progress<G::Key>),
) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
    if options.count_only || targets.iter().any(|&key| G::is_large(key)) {
        return large::generate(site, targets, options, control, progress);
    }
    // Before the plan, which counts on snapshots that another run may have listed.
    let others = Leftovers::join_others(site);
    let plan = fitting::plan(site, targets, options);
    let made = fitting::generate(site, plan, targets, options, control, progress);
    if let Some(others) = others {
        others.drop_ended();
    }
    made
}
