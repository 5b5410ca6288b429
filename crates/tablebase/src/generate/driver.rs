//! Hands out the tables of a plan, takes in their results, and reports progress.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

use super::budget::Budget;
use super::job::{Farewell, News, run_job};
use super::plan::GenerationPlan;
use super::report::{GenerateError, Progress, Step, Summary};
use super::stages::{expected_rate, guess};
use super::works::{Parcel, Works};
use crate::game::Game;
use crate::solve::SolveError;
use duchamp_base::{Cancelled, Gauge, Meter};

/// How often a table that another process generates is looked at.
const POLL: Duration = Duration::from_millis(20);

/// The longest silence while tables are solved.
pub(super) const TICK: Duration = Duration::from_millis(250);

/// Hands out jobs and takes in news.
pub(crate) struct Driver<'a, 'p, G: Game> {
    works: &'a Works<'a, G>,
    plan: GenerationPlan<G>,
    budget: Budget,
    meter: Meter,
    total: usize,
    /// Jobs that have not ended.
    jobs: usize,
    /// Tables being solved, the oldest first.
    solving: Vec<Solving<G::Key>>,
    /// Tables solved and not on the disk yet.
    writing: usize,
    error: Option<GenerateError<G::Key>>,
    /// Why some tables were given up while others went on.
    refused: Option<GenerateError<G::Key>>,
    /// When the caller last heard of us.
    told: Instant,
    summary: &'p mut Summary<G::Key>,
    progress: &'p mut dyn FnMut(&Progress<G::Key>),
}

/// A table being solved.
struct Solving<K> {
    key: K,
    gauge: Arc<Gauge>,
    since: Instant,
}

impl<'a, 'p, G: Game> Driver<'a, 'p, G> {
    pub(crate) fn new(
        works: &'a Works<'a, G>,
        plan: GenerationPlan<G>,
        budget: Budget,
        summary: &'p mut Summary<G::Key>,
        progress: &'p mut dyn FnMut(&Progress<G::Key>),
    ) -> Driver<'a, 'p, G> {
        Driver {
            works,
            meter: Meter::new(plan.total_work(), expected_rate(works.control)),
            total: plan.to_write(),
            plan,
            budget,
            jobs: 0,
            solving: Vec::new(),
            writing: 0,
            error: None,
            refused: None,
            told: Instant::now(),
            summary,
            progress,
        }
    }

    /// The first error, if any.
    pub(crate) fn result(self) -> Result<(), GenerateError<G::Key>> {
        self.error.or(self.refused).map_or(Ok(()), Err)
    }

    /// Works through the plan; returns when all is done, or when no job runs any more after an error.
    pub(crate) fn run(
        &mut self,
        scope: &rayon::Scope<'a>,
        news: &Sender<News<G::Key>>,
        inbox: &Receiver<News<G::Key>>,
        parcels: &SyncSender<Parcel<G::Key>>,
    ) {
        loop {
            self.hand_out(scope, news, parcels);
            // After an error the writing thread finishes what it has without us.
            let complete = self.plan.is_done() && self.writing == 0;
            if self.jobs == 0 && (complete || self.error.is_some()) {
                return;
            }
            match inbox.recv_timeout(POLL) {
                Ok(news) => self.take(news),
                Err(RecvTimeoutError::Timeout) => {
                    self.plan.retry();
                    self.tick();
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.works.control.is_cancelled() && self.error.is_none() {
                self.error = Some(Cancelled.into());
            }
        }
    }

    /// Starts the jobs that there are threads and memory for.
    fn hand_out(
        &mut self,
        scope: &rayon::Scope<'a>,
        news: &Sender<News<G::Key>>,
        parcels: &SyncSender<Parcel<G::Key>>,
    ) {
        let threads = self.works.control.threads();
        while self.error.is_none() && self.jobs < threads {
            let Some(job) = self.plan.next(&self.budget, threads, self.jobs == 0) else {
                return;
            };
            let shares = self.budget.take(&job.terms);
            let gauge = Arc::new(Gauge::default());
            self.jobs += 1;
            self.solving.push(Solving {
                key: job.key,
                gauge: Arc::clone(&gauge),
                since: Instant::now(),
            });
            self.tell(job.key, Step::Solving);
            let (works, news, parcels) = (self.works, news.clone(), parcels.clone());
            scope.spawn(move |_| {
                let farewell = Farewell(&news, Some(News::JobDone));
                if let Err(error) = run_job(works, job, shares, &gauge, &news, &parcels) {
                    let _ = news.send(News::Failed(error));
                }
                drop(farewell);
            });
        }
    }

    fn take(&mut self, news: News<G::Key>) {
        match news {
            News::JobDone => self.jobs -= 1,
            News::Elsewhere(key, holder) => {
                self.plan.elsewhere(key);
                self.left(key);
                self.tell(key, Step::Waiting(holder));
            }
            News::Appeared(key) => {
                let free = self.plan.appeared(key);
                self.works.forget(&free);
                self.left(key);
                if self.plan.is_finished(key) {
                    self.meter.add(self.plan.work(key));
                }
                self.summary.shared += 1;
                self.tell(key, Step::Ready);
            }
            News::Solved(key) => {
                self.left(key);
                self.meter.add(self.plan.work(key));
                self.writing += usize::from(self.plan.is_to_write(key));
                let free = self.plan.solved(key);
                self.works.forget(&free);
                self.tell(key, Step::Solved);
            }
            News::TooLong(key) => {
                let (free, parent) = self.plan.refuse(key);
                self.works.forget(&free);
                if let Some(parent) = parent {
                    let (key, child) = (parent, key);
                    self.refused
                        .get_or_insert(GenerateError::Solve(SolveError::LongSub { key, child }));
                }
                self.take(News::Solved(key));
            }
            News::Written(made) => {
                self.writing -= 1;
                let key = made.key;
                self.summary.made.push(made);
                self.tell(key, Step::Ready);
            }
            News::Failed(error) => {
                // The first failure is the cause of the others.
                self.error.get_or_insert(error);
            }
        }
    }

    /// A table is not being solved any more.
    fn left(&mut self, key: G::Key) {
        self.solving.retain(|solving| solving.key != key);
    }

    /// Reports the progress of the oldest table at work, if nothing was reported for a while.
    fn tick(&mut self) {
        if self.told.elapsed() >= TICK
            && let Some(oldest) = self.solving.first()
        {
            self.tell(oldest.key, Step::Solving);
        }
    }

    /// The done share of a table's work: what its gauge says, or a guess by the time that it takes.
    fn part(&self, solving: &Solving<G::Key>) -> f64 {
        if let Some(share) = solving.gauge.share()
            && (share > 0.0 || self.plan.is_sliced(solving.key))
        {
            return share;
        }
        let work = self.plan.work(solving.key);
        guess(solving.since.elapsed(), work, self.meter.rate(0))
    }

    fn tell(&mut self, key: G::Key, step: Step) {
        self.told = Instant::now();
        let done = self.summary.made.len() + self.summary.shared;
        let mut part = f64::from(u8::from(matches!(step, Step::Solved | Step::Ready)));
        let mut at_work = 0.0;
        for solving in &self.solving {
            let share = self.part(solving);
            at_work += share * self.plan.work(solving.key) as f64;
            if solving.key == key {
                part = share;
            }
        }
        let (share, left) = self.meter.with(at_work as u64);
        (self.progress)(&Progress {
            key,
            step,
            done,
            total: self.total,
            part,
            share,
            elapsed: self.meter.elapsed(),
            left,
        });
    }
}
