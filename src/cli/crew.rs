//! Threads that share a long job, which Ctrl-C ends in good order.

use super::Failure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Becomes true at Ctrl-C. To be asked for once in a run of the program.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stopped);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).map_err(Failure::failed)?;
    Ok(stopped)
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
