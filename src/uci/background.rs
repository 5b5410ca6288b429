//! A job beside the search (perft, bench) that must not keep the session from reading.

use duchamp_engine::SearchControl;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A running job.
pub(super) struct BackgroundTask {
    control: Arc<SearchControl>,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundTask {
    /// Starts a job, which ends at once when its control is stopped.
    pub(super) fn start(job: impl FnOnce(&SearchControl) + Send + 'static) -> BackgroundTask {
        let control = Arc::new(SearchControl::new());
        let own = Arc::clone(&control);
        let spawned = std::thread::Builder::new()
            .name("background".to_owned())
            .spawn(move || job(&own));
        if let Err(error) = &spawned {
            log::error!("no thread for this command: {error}");
        }
        BackgroundTask {
            control,
            thread: spawned.ok(),
        }
    }

    /// Stops it. It ends by itself; waiting would keep `stop` and `quit` waiting.
    pub(super) fn stop(&self) {
        self.control.stop();
    }

    /// Waits for its end.
    pub(super) fn wait(self) {
        if let Some(thread) = self.thread {
            // A panic there has been told on stderr.
            let _ = thread.join();
        }
    }
}
