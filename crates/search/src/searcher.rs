//! The searcher: transposition table and histories, which outlive a search, and the threads that run one.

use super::control::SearchControl;
use super::info::{Info, Line, ReportedScore, SearchResult};
use super::limits::{Limits, SearchOptions};
use super::params::MAX_PLY;
use super::params::{Params, Tuning};
use super::report::{Reporter, counted, reported};
use super::root::Goal;
use super::root_move::RootMove;
use super::root_proofs::RootProof;
use super::root_results::RootResults;
use super::root_settle::{apply_root_proof, begin_proof, report_proof};
use super::root_tables::{self, Ranked};
use super::shared::{Counters, Shared};
use super::skill::Handicap;
use super::time::Timer;
use super::tt::TranspositionTable;
use super::worker::{ThreadData, Worker};
use duchamp_base::Wdl;
use duchamp_chess::{Game, Move, NoOracle, NoProofs, Oracle, Proofs};
use duchamp_eval::{EvaluatorFactory, Score, built_in};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The knowledge sources of a search.
#[derive(Clone)]
pub struct Knowledge {
    /// Exact values: endgame tables.
    pub oracle: Arc<dyn Oracle>,
    /// Proved bounds: pawn proofs.
    pub proofs: Arc<dyn Proofs>,
    /// Results of positions whose exact value the oracle does not know.
    pub results: ResultTables,
}

/// Tables of results under the 50-move rule and of distances to zeroing, such as Syzygy tables, and where they are probed.
#[derive(Clone)]
pub struct ResultTables {
    /// The tables: [`Oracle::wdl`] and, to rank the root moves, [`Oracle::dtz`].
    pub oracle: Arc<dyn Oracle>,
    /// Positions with more men (kings included) are not probed; 0 for none at all.
    pub max_men: u32,
    /// Positions of so many men are probed at this remaining depth or more, in plies; those of fewer at any.
    pub min_depth: i32,
}

impl Default for ResultTables {
    /// No tables.
    fn default() -> ResultTables {
        ResultTables {
            oracle: Arc::new(NoOracle),
            max_men: 0,
            min_depth: 1,
        }
    }
}

impl Default for Knowledge {
    /// No source.
    fn default() -> Knowledge {
        Knowledge::of(Arc::new(NoOracle))
    }
}

impl Knowledge {
    /// Only an oracle.
    #[must_use]
    pub fn of(oracle: Arc<dyn Oracle>) -> Knowledge {
        Knowledge {
            oracle,
            proofs: Arc::new(NoProofs),
            results: ResultTables::default(),
        }
    }
}

/// Runs searches, one at a time, and keeps transposition table and histories between them.
///
/// With one thread the same requests after [`Searcher::clear`] (or on a new searcher) give the same
/// answers with the same node counts.
pub struct Searcher {
    tt: TranspositionTable,
    threads: Vec<ThreadData>,
    make: EvaluatorFactory,
    tuning: Tuning,
    /// The handicap of the last search.
    handicap: Option<Handicap>,
}

impl Default for Searcher {
    fn default() -> Searcher {
        Searcher::new()
    }
}

impl Searcher {
    /// The default size of the hash table, in MiB.
    pub const DEFAULT_HASH: usize = 16;

    /// One thread, [`Searcher::DEFAULT_HASH`], the built-in evaluation.
    #[must_use]
    pub fn new() -> Searcher {
        Searcher::with_evaluator(built_in())
    }

    /// The same with another evaluation.
    ///
    /// # Panics
    /// If there is no memory for the smallest hash table.
    #[must_use]
    pub fn with_evaluator(make: EvaluatorFactory) -> Searcher {
        let tt = TranspositionTable::new(Searcher::DEFAULT_HASH)
            .or_else(|| TranspositionTable::new(0))
            .expect("there is memory for one cache line");
        Searcher {
            tt,
            threads: vec![ThreadData::new(make())],
            make,
            tuning: Tuning::new(Params::default()),
            handicap: None,
        }
    }

    /// Changes the size of the hash table and clears it. Returns whether there was memory for it; if not, the old size
    /// stays.
    pub fn set_hash(&mut self, mib: usize) -> bool {
        // Both at once might not fit.
        let old = std::mem::replace(
            &mut self.tt,
            TranspositionTable::new(0).expect("a cache line"),
        );
        let old_size = old.mib();
        drop(old);
        match TranspositionTable::new(mib) {
            Some(table) => {
                self.tt = table;
                true
            }
            None => {
                if let Some(table) = TranspositionTable::new(old_size) {
                    self.tt = table;
                }
                false
            }
        }
    }

    /// Changes the number of threads, at least 1.
    pub fn set_threads(&mut self, threads: usize) {
        let make = &self.make;
        self.threads
            .resize_with(threads.max(1), || ThreadData::new(make()));
    }

    /// Changes the evaluation, and clears transposition table and histories.
    pub fn set_evaluator(&mut self, make: EvaluatorFactory) {
        for thread in &mut self.threads {
            thread.evaluator = make();
        }
        self.make = make;
        self.clear();
    }

    /// Changes the tunable parameters of the search.
    pub fn set_params(&mut self, params: Params) {
        self.tuning = Tuning::new(params);
    }

    /// Clears transposition table and histories, as for a new game.
    pub fn clear(&mut self) {
        self.tt.clear(self.threads.len());
        self.threads.iter_mut().for_each(ThreadData::clear);
    }

    /// Clears transposition table and histories if the last search had another handicap: evaluations with its noise, or without,
    /// are no use.
    fn set_handicap(&mut self, handicap: Option<Handicap>) {
        if handicap != self.handicap {
            self.clear();
            self.handicap = handicap;
        }
    }

    /// Searches the current position of a game and returns when the limits say so, or when stopped.
    ///
    /// `on_info` receives at least one line before the outcome. Runs on the calling thread (and others);
    /// needs about 1 MiB of stack.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &SearchOptions,
        knowledge: &Knowledge,
        control: &SearchControl,
        on_info: &mut dyn FnMut(Info),
    ) -> SearchResult {
        self.set_handicap(options.elo.map(Handicap::of));
        self.tt.new_search();
        let request = SearchRequest {
            limits,
            options,
            knowledge,
        };
        let mut shared = shared_state(
            (&self.tt, &self.tuning),
            self.threads.len(),
            game,
            &request,
            control,
        );
        let mut moves = root_moves(game, limits);
        if moves.is_empty() {
            return game_over(game, limits, &shared, on_info);
        }
        shared.chosen_moves = moves.len() < game.current().legal_moves().len();
        // Limited strength uses neither tables nor proofs.
        if shared.handicap.is_some() {
            shared.oracle_men = 0;
            shared.results_men = 0;
            shared.proofs = &NoProofs;
        }
        let ranked = (shared.oracle_men > 0)
            .then(|| root_tables::rank(game, &moves, shared.oracle, options.fifty_move_rule))
            .flatten();
        if ranked.is_some() {
            shared.earlier_tbhits = moves.len() as u64;
        }
        let proved = match ranked {
            Some(Ranked::Solved(values)) => {
                return answer_from_tables(game, limits, options, &shared, &values, on_info);
            }
            Some(Ranked::Drawn(kept)) => {
                moves = kept;
                shared.forget_tables();
                Some(Wdl::Draw)
            }
            // The 50-move rule may draw first: then distances to zeroing say more than those to mate.
            Some(Ranked::Racing(kept)) => {
                moves = kept;
                select_by_results(game, &mut moves, &mut shared)
            }
            None => select_by_results(game, &mut moves, &mut shared),
        };
        let goal = Goal::of(limits, options);
        let mut reporter = Reporter::new(on_info, options.quiet);
        if let Some(wdl) = proved {
            reporter.set_proved_value(wdl);
        }
        let mut proof = begin_proof(game, limits, &shared);
        for thread in &mut self.threads {
            thread.memory_mut().history.begin();
        }
        let best = loop {
            apply_root_proof(game, &mut moves, &mut proof, &mut shared, &mut reporter);
            let task = Task {
                game,
                limits,
                goal: &goal,
                moves: &moves,
            };
            if let Some(best) = run(&task, &shared, &mut self.threads, &mut reporter, &mut proof) {
                break best;
            }
            shared.keep_counts();
        };
        if limits.infinite
            && let Some(proof) = proof.as_ref().filter(|proof| proof.is_open())
        {
            // An analysis that ends unproved says so.
            report_proof(game, proof.proven, &shared, &mut reporter);
        }
        SearchResult {
            best: Some(best.mv),
            ponder: best
                .pv
                .get(1)
                .copied()
                .or_else(|| shared.hash_reply(game.current(), best.mv)),
            score: reported(reporter.shown_score(best.score)),
            depth: best.depth,
            nodes: shared.nodes(),
            tbhits: shared.tbhits(),
        }
    }
}

/// A search request and its knowledge sources.
struct SearchRequest<'a> {
    limits: &'a Limits,
    options: &'a SearchOptions,
    knowledge: &'a Knowledge,
}

/// What the threads of a search share.
fn shared_state<'a>(
    (tt, tuning): (&'a TranspositionTable, &'a Tuning),
    threads: usize,
    game: &Game,
    request: &SearchRequest<'a>,
    control: &'a SearchControl,
) -> Shared<'a> {
    let &SearchRequest {
        limits,
        options,
        knowledge,
    } = request;
    let handicap = options.elo.map(Handicap::of);
    let node_limit = limits.nodes.unwrap_or(u64::MAX);
    Shared {
        tt,
        control,
        timer: Timer::new(limits, game.current(), options, control),
        oracle: knowledge.oracle.as_ref(),
        oracle_men: knowledge.oracle.max_men(),
        results: knowledge.results.oracle.as_ref(),
        results_men: knowledge.results.max_men,
        results_depth: knowledge.results.min_depth,
        proofs: knowledge.proofs.as_ref(),
        fifty_move_rule: options.fifty_move_rule,
        analyse: options.analyse,
        counters: (0..threads).map(|_| Counters::default()).collect(),
        earlier_nodes: 0,
        earlier_tbhits: 0,
        done: AtomicBool::new(false),
        proved: AtomicBool::new(false),
        chosen_moves: false,
        soft_nodes: limits.soft_nodes.unwrap_or(u64::MAX),
        node_limit: handicap.map_or(node_limit, |h| node_limit.min(h.nodes)),
        handicap,
        tuning,
    }
}

/// Keeps the root moves that tables of results rank best; returns the proved value of the root, if there is one.
fn select_by_results(game: &Game, moves: &mut Vec<Move>, shared: &mut Shared<'_>) -> Option<Wdl> {
    let root = game.current();
    if root.occupied().count() > shared.results_men || root.has_castling_rights() {
        return None;
    }
    let root = RootResults {
        game,
        results: shared.results,
        fifty_move_rule: shared.fifty_move_rule,
    };
    let selection = root.select(moves)?;
    shared.earlier_tbhits += moves.len() as u64;
    *moves = selection.moves;
    match selection.wdl {
        Wdl::Draw => shared.forget_tables(),
        // All moves that are left keep the result within the 50-move rule, so that probes would rate all of them equal.
        _ if selection.by_distance => {
            shared.results_men = 0;
            shared.proofs = &NoProofs;
        }
        _ => {}
    }
    selection.proved.then_some(selection.wdl)
}

/// The best move and PV of all threads.
struct BestLine {
    mv: Move,
    pv: Vec<Move>,
    score: Score,
    depth: u32,
}

/// The task of all threads.
struct Task<'a> {
    game: &'a Game,
    limits: &'a Limits,
    goal: &'a Goal,
    moves: &'a [Move],
}

/// Runs all threads to the end; `None` if meanwhile the root's proof was completed.
fn run(
    task: &Task<'_>,
    shared: &Shared<'_>,
    threads: &mut [ThreadData],
    reporter: &mut Reporter<'_>,
    proof: &mut Option<RootProof>,
) -> Option<BestLine> {
    let Task {
        game,
        limits,
        goal,
        moves,
    } = *task;
    shared.done.store(false, Relaxed);
    shared.proved.store(false, Relaxed);
    let mut workers: Vec<Worker<'_>> = threads
        .iter_mut()
        .enumerate()
        .map(|(id, thread)| {
            let root_moves = moves.iter().map(|&mv| RootMove::new(mv)).collect();
            Worker::new(id, shared, thread, game, root_moves)
        })
        .collect();
    let (main, helpers) = workers.split_first_mut().expect("there is always a thread");
    // The last helper works on the proof before it searches, where there is one and a clock; else the main thread does.
    let mut aside = None;
    if helpers.is_empty() || proof.as_ref().is_some_and(|proof| !proof.is_timed()) {
        main.proof = proof.as_mut();
    } else {
        aside = proof.as_mut();
    }
    let mut settled = false;
    let last = helpers.len().wrapping_sub(1);
    std::thread::scope(|scope| {
        let done = Done(&shared.done);
        for (number, helper) in helpers.iter_mut().enumerate() {
            let proof = if number == last { aside.take() } else { None };
            let spawned = std::thread::Builder::new().spawn_scoped(scope, move || {
                let part = AssertUnwindSafe(|| help(helper, proof, goal));
                if std::panic::catch_unwind(part).is_err() {
                    // Its fault is logged where it arises; the others have their results.
                    helper.finished_depth = 0;
                }
            });
            // Where the system gives no more threads, those that run are enough.
            if let Err(error) = spawned {
                log::warn!("a thread of search was not started: {error}");
                break;
            }
        }
        main.iterate(goal, Some(&mut *reporter));
        if limits.infinite
            && let Some(proof) = main.proof.as_deref_mut()
        {
            // All iterations are done: what is left is for the proof.
            proof.work_on(&main.root, shared);
        }
        settled = main
            .proof
            .as_ref()
            .is_some_and(|proof| proof.proven.exact().is_some());
        let proved = || shared.proved.load(Relaxed);
        settled |= proved();
        if !settled {
            wait_for_stop(limits, shared.control, proved);
            // Who waits begins again with what a helper has proved meanwhile.
            settled = proved() && !shared.control.is_stopped();
        }
        drop(done);
    });
    if settled {
        return None;
    }
    let best = best_thread(&workers, goal);
    let worker = &workers[best];
    let first = &worker.root_moves[0];
    let lines = goal.multipv.clamp(1, worker.root_moves.len());
    reporter.last_lines(worker, worker.finished_depth.max(1), lines);
    Some(BestLine {
        mv: first.mv,
        pv: reporter.last_variation().to_vec(),
        score: first.score,
        depth: worker.finished_depth as u32,
    })
}

/// Tells the helpers to end when it is dropped, however the main thread ends: the scope waits for them.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// A helper's part: the proof, if it is its own, then a search without end.
fn help(helper: &mut Worker<'_>, proof: Option<&mut RootProof>, goal: &Goal) {
    if let Some(proof) = proof
        && proof.work_on(&helper.root, helper.shared)
    {
        helper.shared.proved.store(true, Relaxed);
        helper.shared.control.wake();
        return;
    }
    let forever = Goal {
        depth: MAX_PLY as i32,
        mate: None,
        multipv: goal.multipv,
    };
    helper.iterate(&forever, None);
}

/// Waits for `stop` after an infinite search, and for `stop` or `ponderhit` while pondering: no best move before that; or
/// until that is `over`.
fn wait_for_stop(limits: &Limits, control: &SearchControl, over: impl Fn() -> bool) {
    if limits.infinite {
        control.wait(false, over);
    } else if limits.ponder {
        control.wait(true, over);
    }
}

/// The thread whose result is used: one that is as deep as the others with a better score, or deeper with a score that is not
/// worse; the main thread otherwise.
fn best_thread(workers: &[Worker<'_>], goal: &Goal) -> usize {
    let mut best = 0;
    if goal.multipv > 1 {
        return best;
    }
    for (id, worker) in workers.iter().enumerate().skip(1) {
        let (ours, theirs) = (&workers[best].root_moves[0], &worker.root_moves[0]);
        let deeper = worker.finished_depth > workers[best].finished_depth;
        let better = theirs.score > ours.score;
        let as_deep = worker.finished_depth >= workers[best].finished_depth;
        if as_deep && better || deeper && theirs.score >= ours.score && !ours.score.is_win() {
            best = id;
        }
    }
    best
}

/// The legal moves among `searchmoves`; all legal moves if there are none.
fn root_moves(game: &Game, limits: &Limits) -> Vec<Move> {
    let legal = game.current().legal_moves();
    let allowed: Vec<Move> = legal
        .iter()
        .copied()
        .filter(|mv| limits.search_moves.contains(mv))
        .collect();
    if allowed.is_empty() {
        legal.to_vec()
    } else {
        allowed
    }
}

/// The game is over at the root: reports its score.
fn game_over(
    game: &Game,
    limits: &Limits,
    shared: &Shared<'_>,
    on_info: &mut dyn FnMut(Info),
) -> SearchResult {
    let mated = game.current().in_check();
    let score = if mated {
        ReportedScore::Mate(0)
    } else {
        ReportedScore::Centipawns(0)
    };
    let line = Line {
        score,
        wdl: super::report::expected(if mated { -Score::MATE } else { Score::DRAW }),
        ..counted(shared)
    };
    on_info(Info::Line(line));
    wait_for_stop(limits, shared.control, || false);
    SearchResult {
        best: None,
        ponder: None,
        score,
        depth: 0,
        nodes: 0,
        tbhits: 0,
    }
}

/// Reports the root moves by the tables, without a search.
fn answer_from_tables(
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    shared: &Shared<'_>,
    values: &[(Move, duchamp_base::Value)],
    on_info: &mut dyn FnMut(Info),
) -> SearchResult {
    let mut best = None;
    for (index, &value) in values.iter().take(options.multipv.max(1)).enumerate() {
        let line = root_tables::line(game, shared, value, index + 1, counted(shared));
        if index == 0 {
            best = Some(line.clone());
        }
        on_info(Info::Line(line));
    }
    wait_for_stop(limits, shared.control, || false);
    let best = best.expect("a ranked root has moves");
    SearchResult {
        best: best.pv.first().copied(),
        ponder: best.pv.get(1).copied(),
        score: best.score,
        depth: best.depth,
        nodes: 0,
        tbhits: shared.tbhits(),
    }
}
