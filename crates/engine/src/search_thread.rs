//! The search thread: takes messages one after another, so that the protocol's thread never waits.
//!
//! Exactly one [`Event::Best`] follows each request, right after an exact line for the move it names,
//! whatever happens in the search.

use super::event::{Event, Sink, Trouble};
use super::panics;
use duchamp_chess::Game;
use duchamp_eval::{EvaluatorFactory, built_in};
use duchamp_search::{
    Bound, Info, Knowledge, Limits, Line, ReportedScore, SearchControl, SearchOptions,
    SearchResult, Searcher, WinDrawLoss,
};
use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Stack of the search thread in bytes. Search asks for one MiB; pages never touched cost nothing.
const STACK: usize = 16 << 20;

/// A search to run.
pub(super) struct SearchRequest {
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) options: SearchOptions,
    pub(super) knowledge: Knowledge,
    /// Called before each line, and after the answer: sends what was found wrong with files.
    pub(super) report_faults: Box<dyn Fn() + Send>,
    /// Called when the search is over and its answer sent, at the moment from which none runs.
    pub(super) done: Box<dyn FnOnce() + Send>,
}

enum Message {
    Search(Box<SearchRequest>, Arc<SearchControl>),
    Hash(usize),
    Threads(usize),
    Evaluator(EvaluatorFactory),
    Clear,
    Sync(Sender<()>),
}

/// The request that waits or runs, if any.
#[derive(Default)]
struct Current {
    control: Mutex<Option<Arc<SearchControl>>>,
    finished: Condvar,
}

impl Current {
    /// Only whole values are ever stored, so a panic elsewhere cannot have left half of one.
    fn lock(&self) -> MutexGuard<'_, Option<Arc<SearchControl>>> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handle of the search thread. Dropping it stops the search and ends the thread.
pub(super) struct SearchThread {
    messages: Option<Sender<Message>>,
    current: Arc<Current>,
    thread: Option<JoinHandle<()>>,
}

impl SearchThread {
    /// Fails where the system gives no second thread.
    pub(super) fn new(sink: Sink, hash: usize, threads: usize) -> io::Result<SearchThread> {
        let (messages, queue) = mpsc::channel();
        let current = Arc::new(Current::default());
        let thread = std::thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK)
            .spawn({
                let current = Arc::clone(&current);
                move || run(&queue, &current, &sink, hash, threads)
            })?;
        Ok(SearchThread {
            messages: Some(messages),
            current,
            thread: Some(thread),
        })
    }

    /// Starts a search; one that still runs is stopped first and gives its answer.
    pub(super) fn start(&self, request: SearchRequest) {
        self.stop();
        self.wait(None);
        let control = Arc::new(SearchControl::new());
        *self.current.lock() = Some(Arc::clone(&control));
        self.send(Message::Search(Box::new(request), control));
    }

    pub(super) fn stop(&self) {
        if let Some(control) = self.current.lock().as_ref() {
            control.stop();
        }
    }

    /// A search that ponders goes on under its clock. Calls `hit` if one runs, which does not end meanwhile.
    pub(super) fn ponderhit(&self, hit: impl FnOnce()) {
        if let Some(control) = self.current.lock().as_ref() {
            control.ponderhit();
            hit();
        }
    }

    pub(super) fn is_searching(&self) -> bool {
        self.current.lock().is_some()
    }

    /// Waits until no search runs, at most so long; whether none runs.
    pub(super) fn wait(&self, limit: Option<Duration>) -> bool {
        let until = limit.map(|limit| Instant::now() + limit);
        let mut guard = self.current.lock();
        while guard.is_some() {
            guard = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self
                    .current
                    .finished
                    .wait(guard)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return false,
                Some(left) => {
                    self.current
                        .finished
                        .wait_timeout(guard, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            };
        }
        true
    }

    pub(super) fn set_hash(&self, mib: usize) {
        self.send(Message::Hash(mib));
    }

    pub(super) fn set_threads(&self, threads: usize) {
        self.send(Message::Threads(threads));
    }

    pub(super) fn set_evaluator(&self, make: EvaluatorFactory) {
        self.send(Message::Evaluator(make));
    }

    pub(super) fn clear(&self) {
        self.send(Message::Clear);
    }

    /// Waits until all messages so far are done. Not to be called while a search may run for long.
    pub(super) fn sync(&self) {
        let (answer, done) = mpsc::channel();
        self.send(Message::Sync(answer));
        // An error means that the thread is gone, and with it all it had to do.
        let _ = done.recv();
    }

    fn send(&self, message: Message) {
        if let Some(messages) = &self.messages {
            // The thread ends only when this sender is gone.
            let _ = messages.send(message);
        }
    }
}

impl Drop for SearchThread {
    fn drop(&mut self) {
        self.stop();
        self.messages = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The searcher with what it takes to make it anew.
struct RestorableSearcher {
    inner: Searcher,
    hash: usize,
    threads: usize,
    evaluator: EvaluatorFactory,
}

impl RestorableSearcher {
    fn new(hash: usize, threads: usize, sink: &Sink) -> RestorableSearcher {
        let evaluator = built_in();
        let mut searcher = RestorableSearcher {
            inner: Searcher::with_evaluator(Arc::clone(&evaluator)),
            hash,
            threads,
            evaluator,
        };
        searcher.set_up(sink);
        searcher
    }

    /// Begins with a new searcher of the same settings.
    fn restore(&mut self, sink: &Sink) {
        // Both hash tables at once might not fit.
        self.inner.set_hash(1);
        self.inner = Searcher::with_evaluator(Arc::clone(&self.evaluator));
        self.set_up(sink);
    }

    fn set_up(&mut self, sink: &Sink) {
        if !self.inner.set_hash(self.hash) {
            sink(Event::Trouble(Trouble::Hash { mib: self.hash }));
        }
        self.inner.set_threads(self.threads);
    }
}

fn run(queue: &Receiver<Message>, current: &Current, sink: &Sink, hash: usize, threads: usize) {
    let mut searcher = RestorableSearcher::new(hash, threads, sink);
    for message in queue {
        match message {
            Message::Hash(mib) => {
                if searcher.inner.set_hash(mib) {
                    searcher.hash = mib;
                } else {
                    sink(Event::Trouble(Trouble::Hash { mib }));
                }
            }
            Message::Threads(count) => {
                searcher.threads = count;
                searcher.inner.set_threads(count);
            }
            Message::Evaluator(make) => {
                searcher.evaluator = Arc::clone(&make);
                searcher.inner.set_evaluator(make);
            }
            Message::Clear => searcher.inner.clear(),
            // Nobody waiting any more is no error.
            Message::Sync(answer) => drop(answer.send(())),
            Message::Search(request, control) => {
                let done = search(&mut searcher, *request, &control, sink);
                let mut running = current.lock();
                done();
                *running = None;
                current.finished.notify_all();
            }
        }
    }
}

/// Runs one search and sends all its events, the best move last. Returns what is to be called then.
fn search(
    searcher: &mut RestorableSearcher,
    request: SearchRequest,
    control: &SearchControl,
    sink: &Sink,
) -> Box<dyn FnOnce() + Send> {
    let SearchRequest {
        game,
        limits,
        options,
        knowledge,
        report_faults,
        done,
    } = request;
    // The lines of the newest set, in order.
    let mut lines: Vec<Line> = Vec::new();
    let attempt = panics::caught(|| {
        searcher.inner.search(
            &game,
            &limits,
            &options,
            &knowledge,
            control,
            &mut |info| match info {
                Info::Line(line) => {
                    report_faults();
                    if line.multipv <= lines.len() {
                        lines.truncate(line.multipv - 1);
                    }
                    lines.push(line.clone());
                    sink(Event::Line(line));
                }
                Info::Settled(settled) => sink(Event::Settled(settled)),
                Info::Current { depth, mv, number } => sink(Event::Current { depth, mv, number }),
            },
        )
    });
    let outcome = match attempt {
        Ok(outcome) => outcome,
        Err(reason) => {
            searcher.restore(sink);
            sink(Event::Trouble(Trouble::Search { reason }));
            emergency(&game)
        }
    };
    let first = lines.first();
    let is_for_best = |line: &&Line| line.pv.first().copied() == outcome.best;
    if first.filter(is_for_best).map(|line| line.bound) != Some(Bound::Exact) {
        let time = limits.start.elapsed();
        let closing = closing_line(&outcome, first, time);
        let others = lines.iter().skip(1).cloned();
        for line in std::iter::once(closing).chain(others) {
            sink(Event::Line(line));
        }
    }
    sink(Event::Best {
        best: outcome.best,
        ponder: outcome.ponder,
    });
    report_faults();
    done
}

/// Any legal move: what is played when search broke down.
fn emergency(game: &Game) -> SearchResult {
    let best = game.current().legal_moves().first().copied();
    SearchResult {
        best,
        ponder: None,
        score: ReportedScore::Centipawns(0),
        depth: 1,
        nodes: 0,
        tbhits: 0,
    }
}

/// An exact line for the move that is about to be played, with the moves of the last first line if that begins with it.
fn closing_line(outcome: &SearchResult, last: Option<&Line>, time: Duration) -> Line {
    let pv = match last {
        Some(last) if last.pv.first().copied() == outcome.best => last.pv.clone(),
        _ => {
            let ponder = outcome.best.and(outcome.ponder);
            outcome.best.into_iter().chain(ponder).collect()
        }
    };
    let nps = outcome.nodes as f64 / time.as_secs_f64().max(1e-3);
    Line {
        depth: outcome.depth.max(1),
        seldepth: last.map_or(outcome.depth.max(1), |line| line.seldepth),
        multipv: 1,
        score: outcome.score.beside_line(pv.len()),
        bound: Bound::Exact,
        wdl: last.map_or(
            WinDrawLoss {
                win: 0,
                draw: 1000,
                loss: 0,
            },
            |line| line.wdl,
        ),
        nodes: outcome.nodes,
        time,
        nps: nps as u64,
        hashfull: last.map_or(0, |line| line.hashfull),
        tbhits: outcome.tbhits,
        pv,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_base::{Value, Wdl};
    use duchamp_chess::{Move, NoOracle, Oracle, Position};

    /// Breaks down at the first question about a position of three men.
    struct Broken;

    impl Oracle for Broken {
        fn max_men(&self) -> u32 {
            3
        }
        fn wdl(&self, _: &Position) -> Option<Wdl> {
            panic!("broken on purpose")
        }
        fn dtm(&self, _: &Position) -> Option<Value> {
            panic!("broken on purpose")
        }
    }

    fn answers(oracle: Arc<dyn Oracle>, limits: Limits, game: Game, threads: usize) -> Vec<Event> {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink: Sink = Arc::new({
            let heard = Arc::clone(&heard);
            move |event| heard.lock().expect("no panic while held").push(event)
        });
        let thread = SearchThread::new(sink, 1, threads).expect("a thread");
        for _ in 0..2 {
            thread.start(SearchRequest {
                game: game.clone(),
                limits: limits.clone(),
                options: SearchOptions::default(),
                knowledge: Knowledge::of(Arc::clone(&oracle)),
                report_faults: Box::new(|| ()),
                done: Box::new(|| ()),
            });
            thread.wait(None);
        }
        drop(thread);
        std::mem::take(&mut *heard.lock().expect("no panic while held"))
    }

    fn bests(events: &[Event]) -> Vec<Option<Move>> {
        let best = |event: &Event| match event {
            Event::Best { best, .. } => Some(*best),
            _ => None,
        };
        events.iter().filter_map(best).collect()
    }

    #[test]
    fn a_search_that_breaks_down_still_plays_a_legal_move() {
        // At the root, and in the tree of several threads, which must not wait for each other.
        for (fen, threads) in [
            ("8/8/8/8/8/2k5/8/K6R w - - 0 1", 1),
            ("8/8/8/8/8/2k5/1p6/K6R w - - 0 1", 1),
            ("8/8/8/8/8/2k5/1p6/K6R w - - 0 1", 3),
        ] {
            let position = Position::from_fen(fen).expect("legal");
            let game = Game::new(position);
            let events = answers(Arc::new(Broken), Limits::depth(9), game, threads);
            let bests = bests(&events);
            assert_eq!(bests.len(), 2);
            assert!(
                bests
                    .iter()
                    .all(|best| best.is_some_and(|mv| position.is_legal(mv)))
            );
            let troubles = events
                .iter()
                .filter(|event| matches!(event, Event::Trouble(Trouble::Search { .. })));
            assert_eq!(troubles.count(), 2);
            let last_line = events.iter().rev().find_map(|event| match event {
                Event::Line(line) => Some(line),
                _ => None,
            });
            assert_eq!(
                last_line.map(|line| line.pv.first().copied()),
                bests.last().copied()
            );
        }
    }

    #[test]
    fn a_hash_table_that_is_not_had_again_is_told_of() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink: Sink = Arc::new({
            let heard = Arc::clone(&heard);
            move |event| heard.lock().expect("no panic while held").push(event)
        });
        let mut searcher = RestorableSearcher::new(1, 1, &sink);
        assert!(heard.lock().expect("no panic while held").is_empty());
        // More than any address space has.
        searcher.hash = usize::MAX >> 24;
        searcher.restore(&sink);
        let heard = heard.lock().expect("no panic while held");
        assert!(
            matches!(&heard[..], [Event::Trouble(Trouble::Hash { mib })] if *mib == searcher.hash),
            "{heard:?}"
        );
    }

    /// The move is due before the line of its mate is known.
    #[test]
    fn a_mate_without_its_line_is_told_as_a_win() {
        let outcome = SearchResult {
            score: ReportedScore::Mate(9),
            ..emergency(&Game::new(Position::start()))
        };
        let line = closing_line(&outcome, None, Duration::ZERO);
        assert_eq!(
            (line.pv.len(), line.score),
            (1, ReportedScore::Centipawns(19_983))
        );
    }

    #[test]
    fn an_exact_line_for_the_move_comes_right_before_it() {
        for limits in [Limits::depth(3), Limits::nodes(1), Limits::nodes(777)] {
            let events = answers(Arc::new(NoOracle), limits, Game::new(Position::start()), 1);
            for pair in events.windows(2) {
                if let [before, Event::Best { best, .. }] = pair {
                    let Event::Line(line) = before else {
                        panic!("{before:?} before the best move");
                    };
                    assert_eq!((line.pv.first(), line.bound), (best.as_ref(), Bound::Exact));
                }
            }
            assert_eq!(bests(&events).len(), 2);
        }
    }
}
