//! Threads that share a long job, which an interrupt (Ctrl-C, SIGTERM) ends in good order.

use super::Failure;
use super::failure::say;
use crossterm::terminal;
use duchamp_base::{Control, LockFile, cores};
use duchamp_search::SearchControl;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

/// The exit code of a process that a second interrupt ends, by custom.
const INTERRUPTED: i32 = 130;

/// The most threads of a job.
const MOST_THREADS: usize = 512;

/// A number of threads as the user gives it.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads > 0 => Ok(threads),
        _ => Err("a number of threads is at least 1".to_owned()),
    }
}

/// What the one handler of the process stops.
#[derive(Default)]
struct Stops {
    flag: Arc<AtomicBool>,
    controls: Mutex<Vec<Weak<Control>>>,
    searches: Arc<SearchControl>,
    /// Whether somebody searches with it: then there is nothing to wait for.
    searching: AtomicBool,
}

/// The first interrupt stops the work. A second one, or one when all watched work is over, ends the program.
fn stops() -> Result<&'static Stops, Failure> {
    static STOPS: OnceLock<Result<Stops, String>> = OnceLock::new();
    let interrupted = || {
        let Some(Ok(stops)) = STOPS.get() else { return };
        let again = stops.flag.swap(true, Ordering::Relaxed);
        let controls = locked(&stops.controls);
        let live: Vec<Arc<Control>> = controls.iter().filter_map(Weak::upgrade).collect();
        if again || live.is_empty() && !controls.is_empty() {
            give_back_terminal();
            std::process::exit(INTERRUPTED);
        }
        live.iter().for_each(|control| control.cancel());
        stops.searches.stop();
        if controls.is_empty() && !stops.searching.load(Ordering::Relaxed) {
            say("stopping after what is in progress; Ctrl-C again ends at once");
        }
    };
    let stops = STOPS.get_or_init(|| {
        ctrlc::set_handler(interrupted)
            .map(|()| Stops::default())
            .map_err(|error| error.to_string())
    });
    stops
        .as_ref()
        .map_err(|error| Failure::Failed(error.clone()))
}

/// Leaves a terminal that shows a walk as it was before. Who walks holds the lock on stdout, so another handle of it is
/// written to.
fn give_back_terminal() {
    if !terminal::is_raw_mode_enabled().unwrap_or(false) {
        return;
    }
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        if let Ok(screen) = std::io::stdout().as_fd().try_clone_to_owned() {
            let mut screen = std::fs::File::from(screen);
            // Nothing can be done about a terminal that is gone.
            let _ = crossterm::execute!(
                screen,
                terminal::LeaveAlternateScreen,
                crossterm::cursor::Show
            );
        }
    }
    let _ = terminal::disable_raw_mode();
}

/// Whether an interrupt has come.
pub(super) fn is_interrupted() -> bool {
    stops().is_ok_and(|stops| stops.flag.load(Ordering::Relaxed))
}

/// Becomes true at the first interrupt.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    Ok(Arc::clone(&stops()?.flag))
}

/// Steers searches whose results are of no use when they are cut short: the first interrupt stops them.
pub(super) fn search_control() -> Result<Arc<SearchControl>, Failure> {
    let stops = stops()?;
    stops.searching.store(true, Ordering::Relaxed);
    Ok(Arc::clone(&stops.searches))
}

/// Work that an interrupt cancels as long as it lives: the work keeps what it has. A second interrupt, or one when the work
/// is over, ends the program.
pub(super) struct Watch {
    /// Steers the work.
    pub(super) control: Arc<Control>,
}

impl Watch {
    /// For work on so many threads, else on one a core.
    pub(super) fn new(threads: Option<usize>) -> Result<Watch, Failure> {
        let control = Arc::new(control(threads));
        locked(&stops()?.controls).push(Arc::downgrade(&control));
        Ok(Watch { control })
    }
}

/// A control for a job on so many threads, else on one a core. An interrupt ends the program: a job that is to be told
/// takes a [`Watch`].
pub(super) fn control(threads: Option<usize>) -> Control {
    Control::new(threads.unwrap_or_else(cores).min(MOST_THREADS))
}

/// Runs a job on as many threads as its control allows.
pub(super) fn on_threads<T: Send>(
    control: &Control,
    job: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(control.threads())
        .build();
    Ok(pool.map_err(Failure::failed)?.install(job))
}

/// The most nodes of a search that can be asked for: days.
const MOST_NODES: u64 = 1_000_000_000_000;

/// Fails if a search of so many nodes is none, or never ends.
pub(super) fn check_nodes(nodes: u64) -> Result<(), Failure> {
    match nodes {
        1..=MOST_NODES => Ok(()),
        _ => Err(Failure::bad_input(format!(
            "--nodes must be from 1 to {MOST_NODES}"
        ))),
    }
}

/// Has so many threads do `work`, or as many as the system gives, and waits for all; the first failure, if there is one. A
/// failure sets `stop`, which `work` is to look at.
pub(super) fn work<E: Into<Failure> + Send>(
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn() -> Result<(), E> + Sync,
) -> Result<(), Failure> {
    let worker = || {
        let result = work();
        if result.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        result
    };
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..threads.min(MOST_THREADS) {
            match std::thread::Builder::new().spawn_scoped(scope, worker) {
                Ok(worker) => workers.push(worker),
                Err(error) if workers.is_empty() => return Err(Failure::failed(error)),
                Err(_) => break,
            }
        }
        workers
            .into_iter()
            .try_for_each(|worker| match worker.join() {
                Ok(result) => result.map_err(Into::into),
                Err(panic) => std::panic::resume_unwind(panic),
            })
    })
}

/// Does `work` while another thread looks at it after every `tick`.
pub(super) fn with_watcher<T>(
    tick: Duration,
    look: impl Fn() + Send,
    work: impl FnOnce() -> T,
) -> T {
    let (done, waiting) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while waiting.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
                look();
            }
        });
        // Gone when the work is done, however that ends.
        let _done = done;
        work()
    })
}

/// Locks a file that a long job writes from time to time.
pub(super) fn lock_output(path: &Path) -> Result<LockFile, Failure> {
    let refused =
        |why: &dyn std::fmt::Display| Failure::bad_input(format!("{}: {why}", path.display()));
    LockFile::try_acquire_beside(path)
        .map_err(|error| refused(&error))?
        .ok_or_else(|| refused(&"another process writes to it"))
}

/// The failure of a job that an interrupt ended and that the same command continues.
pub(super) fn stopped() -> Failure {
    stopped_with("stopped; what was done is kept")
}

/// The failure of a job that an interrupt ended: a sentence without a full stop that says what stopped and what is kept.
/// The command that continues is added.
pub(super) fn stopped_with(sentence: &str) -> Failure {
    Failure::Failed(format!("{sentence}. To go on: {}", this_command()))
}

/// The command line of this process, as it can be typed again.
pub(super) fn this_command() -> String {
    let words = std::env::args_os().map(|word| quoted(&word.to_string_lossy()));
    words.collect::<Vec<_>>().join(" ")
}

/// The program as it was called.
pub(super) fn program() -> String {
    let name = std::env::args_os().next();
    name.map_or("duchamp".to_owned(), |name| quoted(&name.to_string_lossy()))
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let plain =
        |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c) || cfg!(windows) && c == '\\';
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// What a thread that panicked leaves is whole: every change is made in one step.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    #[cfg(not(windows))]
    fn words_are_quoted_as_a_shell_needs() {
        assert_eq!(quoted("--dir=/a/b"), "--dir=/a/b");
        assert_eq!(quoted("my tables"), "'my tables'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
