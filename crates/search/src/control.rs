//! The stop and ponderhit signals of a running search, from any thread.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The stop and ponderhit signals of one search, shared between the caller's threads and the search.
///
/// Create a new one for each search: a stop before the search begins is then obeyed, and a late one has no effect.
#[derive(Default, Debug)]
pub struct SearchControl {
    stop: AtomicBool,
    ponderhit: AtomicBool,
    hit_at: Mutex<Option<Instant>>,
    changed: Condvar,
    /// How many searches have waited here: tests wait for that instead of sleeping.
    #[cfg(test)]
    waits: std::sync::atomic::AtomicUsize,
}

impl SearchControl {
    /// Neither signal is set.
    #[must_use]
    pub fn new() -> SearchControl {
        SearchControl::default()
    }

    /// Ends the search as soon as possible.
    pub fn stop(&self) {
        let _guard = self.guard();
        self.stop.store(true, Relaxed);
        self.changed.notify_all();
    }

    /// The expected move was played: the search goes on as an ordinary one with the limits it was
    /// given. The hard limit counts from now on; what was found good enough before is played at once.
    pub fn ponderhit(&self) {
        let mut hit_at = self.guard();
        hit_at.get_or_insert_with(Instant::now);
        self.ponderhit.store(true, Relaxed);
        self.changed.notify_all();
    }

    /// Whether [`SearchControl::stop`] was called.
    #[inline]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether [`SearchControl::ponderhit`] was called.
    #[inline]
    #[must_use]
    pub fn is_ponderhit(&self) -> bool {
        self.ponderhit.load(Relaxed)
    }

    /// When [`SearchControl::ponderhit`] was called.
    pub(super) fn hit_at(&self) -> Option<Instant> {
        *self.guard()
    }

    /// Sleeps until stopped, or until a ponderhit if that may end the wait, or until `over` at a call of
    /// [`SearchControl::wake`].
    pub(super) fn wait(&self, or_ponderhit: bool, over: impl Fn() -> bool) {
        let ends = || self.is_stopped() || or_ponderhit && self.is_ponderhit() || over();
        let mut guard = self.guard();
        #[cfg(test)]
        self.waits.fetch_add(1, Relaxed);
        while !ends() {
            guard = self
                .changed
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Has a search that waits look whether that is over.
    pub(super) fn wake(&self) {
        let _guard = self.guard();
        self.changed.notify_all();
    }

    /// How many searches have ever waited for a stop or a ponderhit.
    #[cfg(test)]
    pub(super) fn waits(&self) -> usize {
        self.waits.load(Relaxed)
    }

    /// An instant cannot be left half written, so a poisoned lock is harmless.
    fn guard(&self) -> MutexGuard<'_, Option<Instant>> {
        self.hit_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_stop_or_ponderhit() {
        let control = SearchControl::new();
        let over = AtomicBool::new(false);
        let waits_for = |or_ponderhit, signal: &dyn Fn()| {
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| control.wait(or_ponderhit, || over.load(Relaxed)));
                std::thread::sleep(std::time::Duration::from_millis(30));
                assert!(!waiting.is_finished());
                signal();
            });
        };
        waits_for(false, &|| {
            over.store(true, Relaxed);
            control.wake();
        });
        over.store(false, Relaxed);
        waits_for(true, &|| control.ponderhit());
        assert!(control.is_ponderhit() && !control.is_stopped() && control.hit_at().is_some());
        waits_for(false, &|| control.stop());
        assert!(control.is_stopped());
    }
}
