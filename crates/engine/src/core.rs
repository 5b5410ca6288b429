//! The engine itself: one game, one set of options, one search thread, one keeper of tables.

use super::event::Sink;
use super::freezing::Freezing;
use super::keeper::{Keeper, Pace, TableState};
use super::options::{OptionError, OptionId, Options, Setting};
use super::worker::{Request, Worker};
use duchamp_base::Value;
use duchamp_chess::{AnyOf, Game, Oracle, Position, Proofs};
use duchamp_eval::EvaluatorFactory;
use duchamp_eval::network::LoadError;
use duchamp_proofs::pawns::PawnProofs;
use duchamp_search::{Knowledge, Limits, ReportedScore, SearchOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A chess engine without a protocol. All methods return at once unless they say that they wait.
pub struct Engine {
    options: Options,
    game: Game,
    worker: Worker,
    keeper: Arc<Keeper>,
    freezing: Arc<Freezing>,
    evaluator: EvaluatorFactory,
    /// Whether the last `go` ends by itself.
    bounded: bool,
    /// Proofs of pawn endings once there was a search, with the men of the tables that they rest on and their MiB.
    proofs: Option<((u32, usize), Arc<PawnProofs>)>,
}

impl Engine {
    /// An engine in the start position, telling its news to `sink`.
    ///
    /// The endgame tables are opened, and missing ones made, when the first of [`Engine::settle`],
    /// [`Engine::go`] and [`Engine::new_game`] is called, so that options can be set before; a second
    /// after the start it happens by itself.
    #[must_use]
    pub fn new(sink: Sink) -> Engine {
        let options = Options::default();
        let keeper = Keeper::new(Arc::clone(&sink), &options);
        Engine {
            worker: Worker::new(Arc::clone(&sink), options.hash, options.threads),
            freezing: Freezing::new(sink, Arc::clone(&keeper)),
            keeper,
            evaluator: duchamp_eval::built_in(),
            game: Game::new(Position::start()),
            options,
            bounded: true,
            proofs: None,
        }
    }

    /// What is set.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets an option, or does what an option stands for. Takes effect with the next search.
    ///
    /// # Errors
    /// If the setting is not allowed; the option then stays as it is.
    pub fn set(&mut self, id: OptionId, setting: Setting) -> Result<(), OptionError> {
        id.check(&setting)?;
        if let (OptionId::GenerateTables, Setting::Text(list)) = (id, &setting) {
            return Ok(self.keeper.request(list.parse()?)?);
        }
        if let (OptionId::FreezerRules, Setting::Text(path)) = (id, &setting) {
            let memory = self.options.table_memory;
            return Ok(self.freezing.set(path, memory)?);
        }
        if let (OptionId::EvalFile, Setting::Text(path)) = (id, &setting) {
            return Ok(self.set_evaluation(path)?);
        }
        self.options.store(id, &setting);
        match id {
            OptionId::Hash => self.worker.set_hash(self.options.hash),
            OptionId::Threads => self.worker.set_threads(self.options.threads),
            OptionId::ClearHash => {
                self.worker.clear();
                self.proofs = None;
            }
            OptionId::TablebasePath
            | OptionId::StartupMen
            | OptionId::MaxMen
            | OptionId::TableMemory
            | OptionId::TablesOnDemand => {
                self.keeper.configure(&self.options);
            }
            _ => {}
        }
        Ok(())
    }

    /// Evaluates by the network of a file from the next search on; by the built-in evaluation, if the path
    /// is empty. What was learnt with the old evaluation is forgotten; if there is an error, it stays.
    fn set_evaluation(&mut self, path: &str) -> Result<(), LoadError> {
        self.evaluator = duchamp_eval::by_name(Path::new(path))?;
        self.worker.set_evaluator(self.evaluator());
        Ok(())
    }

    /// What makes evaluators as the search has them.
    #[must_use]
    pub fn evaluator(&self) -> EvaluatorFactory {
        Arc::clone(&self.evaluator)
    }

    /// The game on the board.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Puts a game on the board; a running search keeps its own.
    pub fn set_game(&mut self, game: Game) {
        self.keeper.near(game.current());
        self.game = game;
    }

    /// Forgets what was learnt in earlier games.
    pub fn new_game(&mut self) {
        self.keeper.open();
        self.keeper.rescan();
        self.set_game(Game::new(Position::start()));
        self.worker.clear();
        self.proofs = None;
    }

    /// Waits until all settings have taken effect; a running search is not waited for, nor are
    /// tables being made.
    pub fn settle(&self) {
        self.keeper.open();
        if !self.worker.is_searching() {
            self.worker.sync();
        }
    }

    /// Starts a search of the position on the board. A search that still runs is ended first, with its
    /// answer. Exactly one [`super::Event::Best`] follows; with `infinite` or `ponder` not before
    /// [`Engine::stop`] or [`Engine::ponderhit`].
    pub fn go(&mut self, limits: Limits) {
        self.keeper.open();
        self.worker.stop();
        self.worker.wait(None);
        let timed = limits.time.0.iter().any(Option::is_some) || limits.move_time.is_some();
        let limited =
            timed || limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some();
        self.bounded = limited && !limits.infinite && !limits.ponder;
        let analysis = limits.infinite || limits.ponder || !timed;
        self.set_pace(if analysis { Pace::Slow } else { Pace::Paused });
        let (keeper, freezing) = (Arc::clone(&self.keeper), Arc::clone(&self.freezing));
        let knowledge = self.knowledge();
        self.worker.start(Request {
            game: self.game.clone(),
            limits,
            options: self.search_options(),
            knowledge,
            done: Box::new(move || {
                keeper.set_pace(Pace::Full);
                freezing.set_pace(Pace::Full);
            }),
        });
    }

    /// How fast work in the background may go.
    fn set_pace(&self, pace: Pace) {
        self.keeper.set_pace(pace);
        self.freezing.set_pace(pace);
    }

    /// Whom the next search asks.
    fn knowledge(&mut self) -> Knowledge {
        let oracle = self.keeper.oracle();
        let frozen = self.freezing.frozen().map(|it| it as Arc<dyn Proofs>);
        let pawns = self.pawn_proofs(&oracle).map(|it| it as Arc<dyn Proofs>);
        match (frozen, pawns) {
            (None, None) => Knowledge::of(oracle),
            (Some(proofs), None) | (None, Some(proofs)) => Knowledge { oracle, proofs },
            (Some(frozen), Some(pawns)) => Knowledge {
                oracle,
                proofs: Arc::new(AnyOf(vec![frozen, pawns])),
            },
        }
    }

    /// The prover of pawn endings, if it is wanted. One that rests on fewer tables than there are now begins anew.
    fn pawn_proofs(&mut self, oracle: &Arc<dyn Oracle>) -> Option<Arc<PawnProofs>> {
        let options = &self.options;
        if !options.pawn_proofs {
            self.proofs = None;
            return None;
        }
        let basis = (oracle.max_men(), options.pawn_proof_hash);
        let kept = self.proofs.take().filter(|(of, _)| *of == basis);
        let (_, proofs) = self.proofs.insert(kept.unwrap_or_else(|| {
            let proofs = PawnProofs::new(Arc::clone(oracle), options.pawn_proof_hash);
            (basis, Arc::new(proofs))
        }));
        Some(Arc::clone(proofs))
    }

    fn search_options(&self) -> SearchOptions {
        let options = &self.options;
        SearchOptions {
            multipv: options.multipv,
            move_overhead: options.move_overhead,
            elo: options.limit_strength.then_some(options.elo),
            analyse: options.analyse,
            ..SearchOptions::default()
        }
    }

    /// Ends the running search, if there is one; its answer follows.
    pub fn stop(&self) {
        self.worker.stop();
    }

    /// The expected move was played: a search that pondered goes on under its clock.
    pub fn ponderhit(&mut self) {
        if self.worker.is_searching() {
            self.bounded = true;
            self.set_pace(Pace::Paused);
            self.worker.ponderhit();
        }
    }

    /// Whether a search runs.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.worker.is_searching()
    }

    /// Waits for the end of the running search, if there is one.
    pub fn finish(&self) {
        self.worker.wait(None);
    }

    /// Waits for the end of the running search if it ends by itself, and stops it otherwise.
    pub fn finish_bounded(&self) {
        if !self.bounded {
            self.worker.stop();
        }
        self.worker.wait(None);
    }

    /// Waits until the tables that are made at the start are there, at most so long.
    pub fn finish_startup_tables(&self, limit: Duration) {
        self.keeper.open();
        self.keeper.wait(limit);
    }

    /// The static evaluation of the position on the board, as the side to move sees it.
    #[must_use]
    pub fn evaluate(&self) -> ReportedScore {
        let mut evaluator = (self.evaluator)();
        evaluator.reset(self.game.current());
        ReportedScore::Centipawns(evaluator.evaluate(self.game.current()).0)
    }

    /// What the tables say of the position on the board.
    #[must_use]
    pub fn exact_value(&self) -> Option<Value> {
        let position = self.game.current();
        let oracle = self.keeper.oracle();
        (position.occupied().count() <= oracle.max_men())
            .then(|| oracle.dtm(position))
            .flatten()
    }

    /// Which endgame tables there are.
    #[must_use]
    pub fn tables(&self) -> TableState {
        self.keeper.describe()
    }

    /// Ends everything: search and making tables. Waits for the threads, at most about so long.
    pub fn shut_down(&mut self, limit: Duration) {
        self.worker.stop();
        self.freezing.stop();
        self.keeper.shut_down(limit);
        self.worker.wait(Some(limit));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.freezing.stop();
        self.keeper.close();
    }
}
