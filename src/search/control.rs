//! The reins of a running search: stop and ponderhit, from any thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Shared between the one who asks for a search and the one who runs it.
///
/// Make a fresh one for each search (a stop that comes before the search has begun then counts, and
/// one that comes too late harms nobody).
#[derive(Default, Debug)]
pub struct Control {
    stop: AtomicBool,
    ponderhit: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Control {
    /// Neither stopped nor hit.
    #[must_use]
    pub fn new() -> Control {
        Control::default()
    }

    /// Ends the search as soon as possible.
    pub fn stop(&self) {
        self.set(&self.stop);
    }

    /// The expected move was played: the search goes on as an ordinary one with the limits it was
    /// given; its own clock runs from now on.
    pub fn ponderhit(&self) {
        self.set(&self.ponderhit);
    }

    /// Whether [`Control::stop`] was called.
    #[inline]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether [`Control::ponderhit`] was called.
    #[inline]
    #[must_use]
    pub fn is_ponderhit(&self) -> bool {
        self.ponderhit.load(Ordering::Relaxed)
    }

    /// Sleeps until stopped, or until `or` holds after a ponderhit.
    #[allow(dead_code)] // until Searcher arrives
    pub(super) fn wait(&self, or_ponderhit: bool) {
        let mut guard = self.guard();
        while !(self.is_stopped() || or_ponderhit && self.is_ponderhit()) {
            guard = self
                .changed
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn set(&self, flag: &AtomicBool) {
        let _guard = self.guard();
        flag.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// The lock guards no data, so a panic elsewhere cannot have spoilt anything.
    fn guard(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_stop_or_ponderhit() {
        let control = Control::new();
        std::thread::scope(|scope| {
            scope.spawn(|| control.wait(true));
            control.ponderhit();
        });
        assert!(control.is_ponderhit() && !control.is_stopped());
        std::thread::scope(|scope| {
            scope.spawn(|| control.wait(false));
            control.stop();
        });
        assert!(control.is_stopped());
    }
}
