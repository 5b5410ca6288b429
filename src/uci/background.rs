//! Jobs beside the search (perft, bench) that must not keep the session from reading: one after another, on a thread of
//! their own.

use duchamp_engine::SearchControl;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A job with what stops it; then it ends at once, having told so.
type Job = (Box<dyn FnOnce(&SearchControl) + Send>, Arc<SearchControl>);

/// Jobs that wait at most: input without end must not take memory without end.
const MOST: usize = 200;

/// The jobs.
#[derive(Default)]
pub(super) struct Background {
    queue: Arc<Mutex<Queue>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    /// What stops the job that runs.
    running: Option<Arc<SearchControl>>,
}

/// Only whole values are ever stored, so a panic elsewhere cannot have left half of one.
fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Background {
    /// Has a job done once those before it have ended.
    ///
    /// # Errors
    /// With what to tell the user if too many wait already, or there is no thread for it.
    pub(super) fn begin(
        &mut self,
        job: impl FnOnce(&SearchControl) + Send + 'static,
    ) -> Result<(), String> {
        let mut queue = lock(&self.queue);
        if queue.waiting.len() >= MOST {
            return Err(format!("{MOST} commands wait already: this one is ignored"));
        }
        queue.waiting.push_back((Box::new(job), Arc::default()));
        if queue.running.is_some() {
            return Ok(());
        }
        // From now on it counts as running, so that there is one thread only.
        queue.running = Some(Arc::default());
        drop(queue);
        self.wait();
        let queue = Arc::clone(&self.queue);
        let thread = std::thread::Builder::new().name("background".to_owned());
        let spawned = thread.spawn(move || work(&queue)).map_err(|error| {
            *lock(&self.queue) = Queue::default();
            format!("no thread for this command: {error}")
        });
        self.thread = Some(spawned?);
        Ok(())
    }

    /// Stops all jobs. They end by themselves: waiting would keep `stop` waiting.
    pub(super) fn stop(&self) {
        let queue = lock(&self.queue);
        let waiting = queue.waiting.iter().map(|(_, control)| control);
        let all = queue.running.iter().chain(waiting);
        all.for_each(|control| control.stop());
    }

    /// Waits until all jobs have ended.
    pub(super) fn wait(&mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic there has been told on stderr.
            let _ = thread.join();
        }
    }
}

/// Does the jobs until none waits.
fn work(queue: &Mutex<Queue>) {
    loop {
        let (job, control) = {
            let mut queue = lock(queue);
            let Some((job, control)) = queue.waiting.pop_front() else {
                queue.running = None;
                return;
            };
            queue.running = Some(Arc::clone(&control));
            (job, control)
        };
        // One that breaks down does not take the others with it.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(&control)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn jobs_are_done_one_after_another() {
        let (told, heard) = channel();
        let mut jobs = Background::default();
        for number in 0..5 {
            let told = told.clone();
            jobs.begin(move |_| told.send(number).expect("heard"))
                .expect("begun");
        }
        jobs.begin(|_| panic!("on purpose")).expect("begun");
        jobs.begin(move |_| told.send(5).expect("heard"))
            .expect("begun");
        jobs.wait();
        assert_eq!(heard.iter().collect::<Vec<i32>>(), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn stop_ends_what_runs_and_what_waits() {
        let (started, begun) = channel();
        let mut jobs = Background::default();
        jobs.begin(move |control| {
            started.send(()).expect("heard");
            while !control.is_stopped() {
                std::thread::yield_now();
            }
        })
        .expect("begun");
        begun.recv().expect("it runs");
        let (told, stopped) = channel();
        for _ in 0..MOST {
            let told = told.clone();
            jobs.begin(move |control| told.send(control.is_stopped()).expect("heard"))
                .expect("begun");
        }
        drop(told);
        assert!(jobs.begin(|_| ()).is_err(), "one too many");
        jobs.stop();
        jobs.wait();
        assert_eq!(stopped.iter().collect::<Vec<bool>>(), [true; MOST]);
        // And it can be used again.
        let (told, heard) = channel();
        jobs.begin(move |_| told.send(7).expect("heard"))
            .expect("begun");
        jobs.wait();
        assert_eq!(heard.recv(), Ok(7));
    }
}
