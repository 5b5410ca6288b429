//! Hands out the tables of a plan, takes in what becomes of them, and tells how far all is.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

use super::budget::Budget;
use super::generate::{GenerateError, Progress, Step, Summary};
use super::job::{Farewell, News, Parcel, Works, run_job};
use super::material::Material;
use super::plan::Plan;
use duchamp_base::{Cancelled, Gauge, Meter};

/// How often a table that another process makes is looked at.
const POLL: Duration = Duration::from_millis(20);

/// The longest silence while tables are solved.
const TICK: Duration = Duration::from_millis(250);

/// Hands out jobs and takes in news.
pub(super) struct Driver<'a, 'p> {
    works: &'a Works<'a>,
    plan: Plan,
    budget: Budget,
    meter: Meter,
    total: usize,
    /// Jobs that have not ended.
    jobs: usize,
    /// Tables being solved, the oldest first.
    solving: Vec<Solving>,
    /// Tables solved and not on the disk yet.
    writing: usize,
    error: Option<GenerateError>,
    /// When the caller last heard of us.
    told: Instant,
    summary: &'p mut Summary,
    progress: &'p mut dyn FnMut(&Progress),
}

/// A table being solved.
struct Solving {
    material: Material,
    gauge: Arc<Gauge>,
    since: Instant,
}

impl<'a, 'p> Driver<'a, 'p> {
    pub(super) fn new(
        works: &'a Works<'a>,
        plan: Plan,
        budget: Budget,
        summary: &'p mut Summary,
        progress: &'p mut dyn FnMut(&Progress),
    ) -> Driver<'a, 'p> {
        Driver {
            works,
            meter: Meter::new(plan.total_work()),
            total: plan.to_write(),
            plan,
            budget,
            jobs: 0,
            solving: Vec::new(),
            writing: 0,
            error: None,
            told: Instant::now(),
            summary,
            progress,
        }
    }

    /// The first error, if any.
    pub(super) fn result(self) -> Result<(), GenerateError> {
        self.error.map_or(Ok(()), Err)
    }

    /// Works through the plan; returns when all is done, or when no job runs any more after an error.
    pub(super) fn run(
        &mut self,
        scope: &rayon::Scope<'a>,
        news: &Sender<News>,
        inbox: &Receiver<News>,
        parcels: &SyncSender<Parcel>,
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
        news: &Sender<News>,
        parcels: &SyncSender<Parcel>,
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
                material: job.material,
                gauge: Arc::clone(&gauge),
                since: Instant::now(),
            });
            self.tell(job.material, Step::Solving);
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

    fn take(&mut self, news: News) {
        match news {
            News::JobDone => self.jobs -= 1,
            News::Elsewhere(material, holder) => {
                self.plan.elsewhere(material);
                self.left(material);
                self.tell(material, Step::Waiting(holder));
            }
            News::Appeared(material) => {
                let free = self.plan.appeared(material);
                self.works.forget(&free);
                self.left(material);
                if self.plan.is_finished(material) {
                    self.meter.add(self.plan.work(material));
                }
                self.summary.shared += 1;
                self.tell(material, Step::Ready);
            }
            News::Solved(material) => {
                self.left(material);
                self.meter.add(self.plan.work(material));
                self.writing += usize::from(self.plan.is_to_write(material));
                let free = self.plan.solved(material);
                self.works.forget(&free);
                self.tell(material, Step::Solved);
            }
            News::Written(made) => {
                self.writing -= 1;
                let material = made.material;
                self.summary.made.push(made);
                self.tell(material, Step::Ready);
            }
            News::Failed(error) => {
                // The first failure is the cause of the others.
                self.error.get_or_insert(error);
            }
        }
    }

    /// A table is not being solved any more.
    fn left(&mut self, material: Material) {
        self.solving.retain(|solving| solving.material != material);
    }

    /// Tells how far the oldest table at work is, if nothing was told for a while.
    fn tick(&mut self) {
        if self.told.elapsed() >= TICK
            && let Some(oldest) = self.solving.first()
        {
            self.tell(oldest.material, Step::Solving);
        }
    }

    /// The done share of a table's work: what its gauge says, or a guess by the time that it takes.
    fn part(&self, solving: &Solving) -> f64 {
        if let Some(share) = solving.gauge.share()
            && (share > 0.0 || self.plan.is_sliced(solving.material))
        {
            return share;
        }
        let rate = self.meter.rate().max(1e5);
        let expected = self.plan.work(solving.material) as f64 / rate;
        let share = solving.since.elapsed().as_secs_f64() / expected;
        // Beyond what was expected it comes nearer to 1, ever more slowly.
        if share < 0.8 {
            share
        } else {
            1.0 - 0.16 / share
        }
    }

    fn tell(&mut self, material: Material, step: Step) {
        self.told = Instant::now();
        let done = self.summary.made.len() + self.summary.shared;
        let mut part = f64::from(u8::from(matches!(step, Step::Solved | Step::Ready)));
        let mut at_work = 0.0;
        for solving in &self.solving {
            let share = self.part(solving);
            at_work += share * self.plan.work(solving.material) as f64;
            if solving.material == material {
                part = share;
            }
        }
        let (share, left) = self.meter.with(at_work as u64);
        (self.progress)(&Progress {
            material,
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
