//! Threads that share a long job, which Ctrl-C ends in good order.

use super::Failure;
use duchamp_base::Control;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Becomes true at Ctrl-C. To be asked for once in a run of the program.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stopped);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).map_err(Failure::failed)?;
    Ok(stopped)
}

/// A control for a job on so many threads, else on one a core.
pub(super) fn control(threads: Option<usize>) -> Control {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Control::new(threads.unwrap_or_else(cores).min(512))
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

/// Has so many threads do `work` and waits for all; the first failure, if there is one.
pub(super) fn work<E: Send>(
    threads: usize,
    work: impl Fn() -> Result<(), E> + Sync,
) -> Result<(), E> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| match worker.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    })
}

/// The failure of a job that Ctrl-C ended.
pub(super) fn stopped() -> Failure {
    Failure::Failed("stopped; the same command goes on from here".into())
}

/// What a thread that panicked leaves is whole: every change is made in one step.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
