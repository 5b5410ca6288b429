//! Steering a long job from outside: cancel, pause, fewer threads.
//!
//! The job calls [`Control::check`] at short intervals (every few milliseconds of work); the check is
//! one relaxed load while nothing is requested. Pausing holds the calling threads inside `check`.
//! Fewer threads than the job started with is done by *duty*: every thread works its share of the
//! time and sleeps the rest. Taking threads away in the middle of a fork-join task would stop the
//! whole job as soon as a sleeping thread held a piece of it.
//!
//! A check is also where a job keeps its memory: while [`Control::keep`] lasts, scratch files are kept
//! within their window by those who work on them, between two pieces of work.

use super::buffer::Scratch;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Processors that may be used, at least 1.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The job was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

const RUN: u32 = 0;
const CANCEL: u32 = 1;
const PAUSE: u32 = 2;
const THROTTLE: u32 = 4;
const KEEP: u32 = 8;

/// How long a throttled thread works before it rests.
const WORK: Duration = Duration::from_millis(4);

/// Shared between a long job and those who steer it.
#[derive(Debug)]
pub struct Control {
    flags: AtomicU32,
    threads: AtomicUsize,
    limit: AtomicUsize,
    gate: Mutex<()>,
    opened: Condvar,
    scratch: RwLock<Option<Arc<Scratch>>>,
}

/// As long as it lives, checks keep a scratch within its window.
#[derive(Debug)]
pub struct Keeping<'a>(&'a Control);

impl Drop for Keeping<'_> {
    fn drop(&mut self) {
        self.0.set_scratch(None);
        self.0.change(|flags| flags & !KEEP);
    }
}

impl Default for Control {
    fn default() -> Self {
        Control::new(1)
    }
}

impl Control {
    /// A control for a job on `threads` threads (at least one).
    #[must_use]
    pub fn new(threads: usize) -> Control {
        let threads = threads.max(1);
        Control {
            flags: AtomicU32::new(RUN),
            threads: AtomicUsize::new(threads),
            limit: AtomicUsize::new(threads),
            gate: Mutex::new(()),
            opened: Condvar::new(),
            scratch: RwLock::default(),
        }
    }

    /// The number of threads the job may use in full.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// Ends the job at its next check. Final.
    pub fn cancel(&self) {
        self.change(|flags| flags | CANCEL);
    }

    /// Holds the job at its next check until [`Control::resume`] or [`Control::cancel`].
    pub fn pause(&self) {
        self.change(|flags| flags | PAUSE);
    }

    /// Lets a paused job go on.
    pub fn resume(&self) {
        self.change(|flags| flags & !PAUSE);
    }

    /// Limits the job to the work of `threads` threads from now on; a number at or above
    /// [`Control::threads`] lifts the limit.
    pub fn set_limit(&self, threads: usize) {
        let threads = threads.max(1);
        self.limit.store(threads, Ordering::Relaxed);
        if threads < self.threads() {
            self.change(|flags| flags | THROTTLE);
        } else {
            self.change(|flags| flags & !THROTTLE);
        }
    }

    /// Whether the job was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & CANCEL != 0
    }

    /// Has all checks keep `scratch` within its window until the answer is dropped.
    #[must_use]
    pub fn keep(&self, scratch: &Arc<Scratch>) -> Keeping<'_> {
        self.set_scratch(Some(Arc::clone(scratch)));
        self.change(|flags| flags | KEEP);
        Keeping(self)
    }

    fn set_scratch(&self, scratch: Option<Arc<Scratch>>) {
        *self.scratch.write().unwrap_or_else(PoisonError::into_inner) = scratch;
    }

    /// Called by the job: waits while paused, rests when throttled, keeps scratch files within their
    /// window.
    ///
    /// # Errors
    /// [`Cancelled`] once the job was cancelled.
    #[inline]
    pub fn check(&self) -> Result<(), Cancelled> {
        match self.flags.load(Ordering::Relaxed) {
            RUN => Ok(()),
            KEEP => {
                self.look();
                Ok(())
            }
            _ => self.held(),
        }
    }

    /// Keeps scratch files within their window.
    fn look(&self) {
        let scratch = self.scratch.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(scratch) = &*scratch {
            scratch.keep();
        }
    }

    /// Waits for `time`, less when cancelled.
    ///
    /// # Errors
    /// [`Cancelled`] once the job was cancelled.
    pub fn sleep(&self, time: Duration) -> Result<(), Cancelled> {
        let until = Instant::now() + time;
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            gate = self
                .opened
                .wait_timeout(gate, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        Err(Cancelled)
    }

    #[cold]
    fn held(&self) -> Result<(), Cancelled> {
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let flags = self.flags.load(Ordering::Relaxed);
            if flags & CANCEL != 0 {
                return Err(Cancelled);
            }
            if flags & PAUSE == 0 {
                break;
            }
            gate = self
                .opened
                .wait(gate)
                .unwrap_or_else(PoisonError::into_inner);
        }
        drop(gate);
        self.look();
        self.rest();
        Ok(())
    }

    /// One thread's share of the rest that brings the job down to its limit.
    fn rest(&self) {
        thread_local! {
            static LAST_REST: std::cell::Cell<Option<Instant>> = const { std::cell::Cell::new(None) };
        }
        let (limit, threads) = (self.limit.load(Ordering::Relaxed), self.threads());
        if limit >= threads {
            return;
        }
        let worked = LAST_REST.get().map_or(WORK, |last| last.elapsed());
        if worked < WORK {
            return;
        }
        // A gap much longer than WORK was idleness, not work: it earns no longer rest.
        let worked = worked.min(WORK * 4);
        // A cancel ends it.
        let _ = self.sleep(worked * (threads - limit) as u32 / limit as u32);
        LAST_REST.set(Some(Instant::now()));
    }

    fn change(&self, f: impl Fn(u32) -> u32) {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        let flags = self.flags.load(Ordering::Relaxed);
        self.flags.store(f(flags), Ordering::Relaxed);
        self.opened.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn cancel_ends_a_paused_job() {
        let control = Arc::new(Control::new(2));
        assert_eq!(control.check(), Ok(()));
        control.pause();
        let job = std::thread::spawn({
            let control = Arc::clone(&control);
            move || control.check()
        });
        // Time for it to come to its check.
        std::thread::sleep(Duration::from_millis(50));
        assert!(!job.is_finished());
        control.cancel();
        assert_eq!(job.join().expect("the job does not panic"), Err(Cancelled));
        assert_eq!(control.sleep(Duration::from_secs(3600)), Err(Cancelled));
    }

    #[test]
    fn resume_lets_a_job_go_on() {
        let control = Arc::new(Control::new(1));
        control.pause();
        let job = std::thread::spawn({
            let control = Arc::clone(&control);
            move || control.check()
        });
        std::thread::sleep(Duration::from_millis(50));
        assert!(!job.is_finished());
        control.resume();
        assert_eq!(job.join().expect("the job does not panic"), Ok(()));
    }

    /// One thread's work of four: each rests three times as long as it has worked.
    #[test]
    fn a_limited_job_rests() {
        let control = Control::new(4);
        control.set_limit(1);
        let start = Instant::now();
        assert_eq!(control.check(), Ok(()));
        assert!(start.elapsed() >= WORK * 3);
    }
}
