//! What handlers share: the tables of both games, and how many long jobs may run.

use super::list::List;
use super::memo::Memo;
use super::reply::Refusal;
use super::request::Request;
use crate::cli::crew::locked;
use crate::cli::failure::Failure;
use crate::cli::tb_game::TableGame;
use crate::cli::tb_input::{self, Dir};
use crate::cli::tb_missing;
use duchamp_base::Control;
use duchamp_chess_tables::{Chess, Prober, SyzygyTables};
use duchamp_tablebase::{Game, GenerateOptions, Metric, ProbeError, Store, VerifyError};
use duchamp_xiangqi_tables::Xiangqi;
use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, TryLockError, Weak};
use std::time::{Duration, Instant};

/// Long jobs that run or wait at most: far fewer than there are threads that answer, so that short answers always have one.
const LONG_JOBS: usize = 5;

/// The time between two looks of a long job at whether its turn has come, and whether its client is still there.
const TICK: Duration = Duration::from_millis(20);

/// What is known of the folders holds for so long.
const FRESH: Duration = Duration::from_millis(20);

/// Statistics that are kept, some 20 KB each.
const STATISTICS: usize = 500;
/// Lists of positions that are kept, up to 10 MB each.
const LISTS: usize = 8;

/// A table and a metric of it.
type Asked<G> = (Arc<Store<G>>, <G as Game>::Key, Metric);

/// The tables, and what is allowed.
pub(super) struct Shelf {
    chess: Prober,
    xiangqi: Arc<Store<Xiangqi>>,
    /// Syzygy files, for chess positions that our tables do not have.
    pub(super) syzygy: Option<SyzygyTables>,
    /// Whether who asks may generate tables.
    pub(super) allow_generate: bool,
    /// The most memory for generation, in MiB.
    pub(super) memory: u64,
    /// Statistics as they were answered.
    pub(super) statistics: Memo<Vec<u8>>,
    /// Lists of positions.
    pub(super) lists: Memo<List>,
    /// Threads of a long job.
    threads: usize,
    /// Held by the long job that runs: one uses all cores.
    long: Mutex<()>,
    /// Long jobs that run or wait.
    long_jobs: AtomicUsize,
    /// Whether a generation runs.
    generating: AtomicBool,
    /// When tables of other processes were last looked for.
    refreshed: Mutex<Option<Instant>>,
    /// What cancels the work of the requests that are being answered.
    controls: Mutex<Vec<Weak<Control>>>,
}

impl Shelf {
    /// With the tables of a folder, which nobody may add to.
    pub(super) fn new(dir: &Dir, threads: usize) -> Result<Shelf, Failure> {
        Ok(Shelf {
            chess: dir.open()?,
            xiangqi: dir.store()?,
            syzygy: None,
            allow_generate: false,
            memory: GenerateOptions::DEFAULT_MEMORY,
            statistics: Memo::new(STATISTICS),
            lists: Memo::new(LISTS),
            threads,
            long: Mutex::new(()),
            long_jobs: AtomicUsize::new(0),
            generating: AtomicBool::new(false),
            refreshed: Mutex::default(),
            controls: Mutex::default(),
        })
    }

    /// The tables of chess.
    pub(super) fn chess(&self) -> &Prober {
        &self.chess
    }

    /// Whether there is no table at all, not even one of Syzygy's.
    pub(super) fn is_empty(&self) -> bool {
        let own = self.chess.store().list().is_empty() && self.xiangqi.list().is_empty();
        own && self.syzygy.is_none()
    }

    /// Opens tables that other processes have generated; not at every request where there are many.
    pub(super) fn refresh(&self) {
        let mut refreshed = locked(&self.refreshed);
        if refreshed.is_some_and(|last| last.elapsed() < FRESH) {
            return;
        }
        self.chess.store().rescan();
        self.xiangqi.rescan();
        *refreshed = Some(Instant::now());
    }

    /// The tables of a game.
    pub(super) fn store<G: TableGame>(&self) -> Arc<Store<G>> {
        let stores: [Arc<dyn Any + Send + Sync>; 2] = [
            Arc::clone(self.chess.store()) as _,
            Arc::clone(&self.xiangqi) as _,
        ];
        let mut found = stores.into_iter().filter_map(|store| store.downcast().ok());
        found.next().expect("both games have a store")
    }

    /// The table and the metric that a request names, which must be there.
    pub(super) fn table<G: TableGame>(
        &self,
        name: &str,
        request: &Request,
    ) -> Result<Asked<G>, Refusal> {
        let store = self.store::<G>();
        let key = tb_input::material::<G>(name).map_err(refusal)?;
        let metric = request.metric::<G>()?;
        tb_missing::check_metric(&store, key, metric).map_err(Refusal::missing)?;
        Ok((store, key, metric))
    }

    /// Does a long job on all threads, one job at a time; `control` cancels it.
    ///
    /// # Errors
    /// When too many wait already, when it was cancelled while it waited, or when its threads do not start.
    pub(super) fn long_job<T: Send>(
        &self,
        control: &Control,
        job: impl FnOnce() -> T + Send,
    ) -> Result<T, Refusal> {
        let _place = Place::of(&self.long_jobs)?;
        let _turn = loop {
            // Whoever has left gives up his place at once.
            control.check().map_err(Refusal::failed)?;
            match self.long.try_lock() {
                Ok(turn) => break turn,
                Err(TryLockError::Poisoned(left)) => break left.into_inner(),
                Err(TryLockError::WouldBlock) => std::thread::sleep(TICK),
            }
        };
        crate::cli::crew::on_threads(control, job).map_err(refusal)
    }

    /// What `memo` keeps under `question`, or else the answer of a long job, which it keeps then.
    ///
    /// # Errors
    /// As [`Shelf::long_job`], and those of the job.
    pub(super) fn remembered<V: Send + Sync>(
        &self,
        memo: &Memo<V>,
        question: &str,
        control: &Control,
        job: impl FnOnce() -> Result<V, Refusal> + Send,
    ) -> Result<Arc<V>, Refusal> {
        if let Some(answer) = memo.get(question) {
            return Ok(answer);
        }
        self.long_job(control, || {
            // Another request may have had it worked out while this one waited.
            if let Some(answer) = memo.get(question) {
                return Ok(answer);
            }
            let answer = Arc::new(job()?);
            memo.put(question, Arc::clone(&answer));
            Ok(answer)
        })?
    }

    /// How tables of a metric are generated.
    pub(super) fn generation(&self, metric: Metric) -> GenerateOptions {
        GenerateOptions {
            metrics: vec![metric],
            memory: Some(self.memory),
            ..GenerateOptions::default()
        }
    }

    /// A control for the work of one request.
    pub(super) fn control(&self) -> Arc<Control> {
        let control = Arc::new(Control::new(self.threads));
        let mut controls = locked(&self.controls);
        controls.retain(|control| control.strong_count() > 0);
        controls.push(Arc::downgrade(&control));
        control
    }

    /// Cancels the work of all requests; whether some still goes on.
    pub(super) fn cancel_all(&self) -> bool {
        let controls = locked(&self.controls);
        let live = controls.iter().filter_map(Weak::upgrade);
        live.for_each(|control| control.cancel());
        self.generating.load(Ordering::Acquire) || self.long_jobs.load(Ordering::Acquire) > 0
    }

    /// Claims the right to generate, of which there is one; it comes back when the claim is dropped.
    pub(super) fn claim_generation(self: &Arc<Self>) -> Option<Claim> {
        let free = !self.generating.swap(true, Ordering::AcqRel);
        free.then(|| Claim(Arc::clone(self)))
    }
}

/// A place among the long jobs.
struct Place<'s>(&'s AtomicUsize);

impl<'s> Place<'s> {
    fn of(jobs: &'s AtomicUsize) -> Result<Place<'s>, Refusal> {
        let before = jobs.fetch_add(1, Ordering::AcqRel);
        let place = Place(jobs);
        if before >= LONG_JOBS {
            return Err(Refusal::new(
                503,
                "busy with other statistics and proofs: ask again in a while",
            ));
        }
        Ok(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The right to generate tables.
pub(super) struct Claim(Arc<Shelf>);

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.generating.store(false, Ordering::Release);
    }
}

/// A failure of a command as a refusal.
pub(super) fn refusal(failure: Failure) -> Refusal {
    match failure {
        Failure::BadInput(text) => Refusal::bad(text),
        failure => Refusal::failed(failure),
    }
}

/// Why a table cannot be read, as a refusal.
pub(super) fn table_refusal<G: TableGame>(
    store: &Store<G>,
    asked: G::Key,
    error: &VerifyError<G::Key>,
) -> Refusal {
    let text = tb_missing::verify_error(store, asked, error);
    match error {
        VerifyError::Missing(_)
        | VerifyError::MissingMetric(..)
        | VerifyError::Probe(ProbeError::Missing(_) | ProbeError::MissingMetric(..)) => {
            Refusal::missing(text)
        }
        _ => Refusal::failed(text),
    }
}

/// Why a position has no value, as a refusal.
pub(super) fn probe_refusal<G: TableGame>(
    store: &Store<G>,
    position: &G::Position,
    error: &ProbeError<G::Key>,
) -> Refusal {
    match (tb_missing::position_failure(store, position, error), error) {
        (Failure::BadInput(text), _) => Refusal::bad(text),
        (failure, ProbeError::Damaged { .. }) => Refusal::failed(failure),
        (failure, _) => Refusal::missing(failure),
    }
}

const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Shelf>();
    shared::<Store<Chess>>();
};

#[cfg(test)]
impl Shelf {
    /// Of a folder without tables, for tests.
    pub(super) fn empty() -> Shelf {
        #[derive(clap::Parser)]
        struct Words {
            #[command(flatten)]
            dir: Dir,
        }
        let folder = std::env::temp_dir().join("no such folder");
        let words: [std::ffi::OsString; 3] =
            ["serve".into(), "--dir".into(), folder.into_os_string()];
        let words = <Words as clap::Parser>::parse_from(words);
        Shelf::new(&words.dir, 1).expect("no tables")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If he waited for the job that runs, this would never end.
    #[test]
    fn who_leaves_while_he_waits_gives_up_his_place() {
        let shelf = Shelf::empty();
        let running = locked(&shelf.long);
        let control = Control::new(1);
        let waited = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| shelf.long_job(&control, || ()));
            control.cancel();
            waiting.join().expect("no panic")
        });
        assert!(waited.is_err());
        assert_eq!(shelf.long_jobs.load(Ordering::Acquire), 0);
        drop(running);
        assert_eq!(shelf.long_job(&Control::new(1), || 7), Ok(7));
    }
}
