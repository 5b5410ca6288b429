//! A job beside the search (perft, bench) that must not keep the session from reading.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Whether a job is asked to stop.
#[derive(Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A running job.
pub(super) struct BackgroundTask {
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundTask {
    /// Starts a job; it should look at its [`Stop`] now and then.
    pub(super) fn start(job: impl FnOnce(&Stop) + Send + 'static) -> BackgroundTask {
        let stop = Stop::default();
        let asked = stop.clone();
        let spawned = std::thread::Builder::new()
            .name("background".to_owned())
            .spawn(move || job(&asked));
        if let Err(error) = &spawned {
            log::error!("no thread for this command: {error}");
        }
        BackgroundTask {
            stop,
            thread: spawned.ok(),
        }
    }

    /// Asks it to stop. It ends by itself; waiting would keep `stop` and `quit` waiting.
    pub(super) fn stop(self) {
        self.stop.0.store(true, Ordering::Relaxed);
    }

    /// Waits for its end.
    pub(super) fn wait(self) {
        if let Some(thread) = self.thread {
            // A panic there has been told on stderr.
            let _ = thread.join();
        }
    }
}
