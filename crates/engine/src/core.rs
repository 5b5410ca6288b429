//! The engine itself: one game, one set of options, one search thread, one generator of tables.

use super::event::{Event, Sink};
use super::options::{OptionError, OptionId, Options, Setting};
use super::pace::Pace;
use super::restricted::RestrictedPosition;
use super::search_thread::{SearchRequest, SearchThread};
use super::syzygy::{Syzygy, SyzygyValue};
use super::table_manager::{TableManager, TableState};
use duchamp_base::{Value, cores};
use duchamp_chess::{AnyOf, Game, NoProofs, Oracle, Position, Proofs};
use duchamp_chess_tables::Material;
use duchamp_eval::{EvaluationError, EvaluatorFactory, Explanation};
use duchamp_proofs::pawns::PawnProofs;
use duchamp_search::{Knowledge, Limits, SearchOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A chess engine without a protocol. All methods return at once unless they say that they wait.
pub struct Engine {
    sink: Sink,
    options: Options,
    game: Game,
    searching: SearchThread,
    tables: Arc<TableManager>,
    syzygy: Arc<Syzygy>,
    restricted: Arc<RestrictedPosition>,
    evaluator: EvaluatorFactory,
    /// Whether the last `go` ends by itself.
    bounded: bool,
    /// The same, and how fast work in the background may go, once the search no longer ponders.
    after_hit: (bool, Pace),
    /// Proofs of pawn endings once there was a search, with the men of the tables that they rest on and their MiB.
    proofs: Option<((u32, usize), Arc<PawnProofs>)>,
}

impl Engine {
    /// An engine in the start position, which sends its events to `sink`.
    ///
    /// The endgame tables are opened, and missing ones generated, when the first of [`Engine::settle`],
    /// [`Engine::go`] and [`Engine::new_game`] is called, so that options can be set before; a second
    /// after the start it happens by itself.
    ///
    /// # Errors
    /// Where the system gives no thread to search with, as with too little address space.
    pub fn new(sink: Sink) -> io::Result<Engine> {
        let options = Options::default();
        let syzygy = Syzygy::new(Arc::clone(&sink));
        let tables = TableManager::new(Arc::clone(&sink), &options, Arc::clone(&syzygy));
        Ok(Engine {
            searching: SearchThread::new(Arc::clone(&sink), options.hash, options.threads)?,
            sink: Arc::clone(&sink),
            syzygy,
            restricted: RestrictedPosition::new(sink, Arc::clone(&tables)),
            tables,
            evaluator: duchamp_eval::built_in(),
            game: Game::new(Position::start()),
            options,
            bounded: true,
            after_hit: (true, Pace::Paused),
            proofs: None,
        })
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
            let format = self.options.table_format;
            return Ok(self.tables.request(list.parse()?, format)?);
        }
        if let (OptionId::FreezerRules, Setting::Text(path)) = (id, &setting) {
            let memory = self.options.table_memory;
            return Ok(self.restricted.set(path, memory)?);
        }
        if let (OptionId::EvalFile, Setting::Text(path)) = (id, &setting) {
            return Ok(self.set_evaluation(path)?);
        }
        self.options.store(id, &setting);
        match id {
            OptionId::Hash => self.searching.set_hash(self.options.hash),
            OptionId::Threads => self.set_threads(),
            OptionId::ClearHash => {
                self.searching.clear();
                self.proofs = None;
            }
            OptionId::SyzygyPath => self.syzygy.open(&self.options.syzygy_path),
            OptionId::TablebasePath
            | OptionId::StartupMen
            | OptionId::MaxMen
            | OptionId::TableMemory
            | OptionId::TablesOnDemand => {
                if id == OptionId::TablebasePath {
                    // They rest on the tables of the old folder.
                    self.proofs = None;
                }
                self.tables.configure(&self.options);
            }
            _ => {}
        }
        Ok(())
    }

    /// Searches with as many threads as are set, but not with more than there are processors: threads that wait for one
    /// another only cost time.
    fn set_threads(&self) {
        let (wanted, processors) = (self.options.threads, cores());
        if wanted > processors {
            (self.sink)(Event::Fewer { wanted, processors });
        }
        self.searching.set_threads(wanted.min(processors));
    }

    /// Evaluates by the network of a file from the next search on; by the built-in one, if the path
    /// is empty. What was learnt with the old evaluation is forgotten; if there is an error, it stays.
    fn set_evaluation(&mut self, path: &str) -> Result<(), EvaluationError> {
        self.evaluator = duchamp_eval::by_name(Path::new(path))?;
        self.searching.set_evaluator(self.evaluator());
        Ok(())
    }

    /// Creates evaluators like those of the search.
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
        self.tables.set_position(game.current());
        self.game = game;
    }

    /// Forgets what was learnt in earlier games.
    pub fn new_game(&mut self) {
        self.tables.open();
        self.tables.rescan();
        self.set_game(Game::new(Position::start()));
        self.searching.clear();
        self.proofs = None;
    }

    /// Waits until all settings have taken effect; a running search is not waited for, nor is
    /// the generation of tables.
    pub fn settle(&self) {
        self.tables.open();
        if !self.searching.is_searching() {
            self.searching.sync();
        }
    }

    /// Starts a search of the position on the board. A search that still runs is ended first, with its
    /// answer. Exactly one [`super::Event::Best`] follows; with `infinite` or `ponder` not before
    /// [`Engine::stop`] or [`Engine::ponderhit`].
    pub fn go(&mut self, limits: Limits) {
        self.tables.open();
        self.searching.stop();
        self.searching.wait(None);
        let timed = limits.time.0.iter().any(Option::is_some) || limits.move_time.is_some();
        // A mate may never be found.
        let limited = timed || limits.depth.is_some() || limits.nodes.is_some();
        let playing = timed && !limits.infinite;
        let pace = if playing { Pace::Paused } else { Pace::Slow };
        self.after_hit = (limited && !limits.infinite, pace);
        self.bounded = self.after_hit.0 && !limits.ponder;
        self.set_pace(if limits.ponder { Pace::Slow } else { pace });
        let (tables, restricted) = (Arc::clone(&self.tables), Arc::clone(&self.restricted));
        let knowledge = self.knowledge();
        self.searching.start(SearchRequest {
            game: self.game.clone(),
            limits,
            options: self.search_options(),
            knowledge,
            report_faults: Box::new(self.syzygy.fault_reporter()),
            done: Box::new(move || {
                tables.set_pace(Pace::Full);
                restricted.set_pace(Pace::Full);
            }),
        });
    }

    /// How fast work in the background may go.
    fn set_pace(&self, pace: Pace) {
        self.tables.set_pace(pace);
        self.restricted.set_pace(pace);
    }

    /// The knowledge sources of the next search.
    fn knowledge(&mut self) -> Knowledge {
        let oracle = self.tables.oracle();
        let restricted = self.restricted.solved().map(|it| it as Arc<dyn Proofs>);
        let pawns = self.pawn_proofs(&oracle).map(|it| it as Arc<dyn Proofs>);
        let proofs: Arc<dyn Proofs> = match (restricted, pawns) {
            (None, None) => Arc::new(NoProofs),
            (Some(proofs), None) | (None, Some(proofs)) => proofs,
            (Some(restricted), Some(pawns)) => Arc::new(AnyOf(vec![restricted, pawns])),
        };
        Knowledge {
            oracle,
            proofs,
            results: self.syzygy.results(&self.options),
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
            fifty_move_rule: options.syzygy_fifty_move_rule,
            quiet: false,
        }
    }

    /// Ends the running search, if there is one; its answer follows.
    pub fn stop(&self) {
        self.searching.stop();
    }

    /// The expected move was played: a search that pondered goes on under its clock.
    pub fn ponderhit(&mut self) {
        let (bounded, pace) = self.after_hit;
        self.searching.ponderhit(|| self.set_pace(pace));
        self.bounded = bounded;
    }

    /// Whether a search runs.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.searching.is_searching()
    }

    /// Waits for the end of the running search, if there is one.
    pub fn finish(&self) {
        self.searching.wait(None);
    }

    /// Waits for the end of the running search if it ends by itself, and stops it otherwise.
    pub fn finish_bounded(&self) {
        if !self.bounded {
            self.searching.stop();
        }
        self.searching.wait(None);
    }

    /// Waits until the tables that are generated at the start are there, at most so long.
    pub fn finish_startup_tables(&self, limit: Duration) {
        self.tables.open();
        self.tables.wait(limit);
    }

    /// The static evaluation of the position on the board, with its parts.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        let mut evaluator = (self.evaluator)();
        evaluator.reset(self.game.current());
        evaluator.explain(self.game.current())
    }

    /// What the tables say of the position on the board.
    #[must_use]
    pub fn exact_value(&self) -> Option<Value> {
        let position = self.game.current();
        let oracle = self.tables.oracle();
        (position.occupied().count() <= oracle.max_men())
            .then(|| oracle.dtm(position))
            .flatten()
    }

    /// What the Syzygy tables say of the position on the board.
    #[must_use]
    pub fn syzygy_value(&self) -> Option<SyzygyValue> {
        self.syzygy.value(self.game.current())
    }

    /// The table of the position on the board, if that table is missing and could be generated.
    #[must_use]
    pub fn missing_table(&self) -> Option<Material> {
        let position = self.game.current();
        let men = position.occupied().count();
        let possible = (3..=self.options.max_men).contains(&men) && !position.has_castling_rights();
        (possible && self.tables.oracle().wdl(position).is_none())
            .then(|| Material::of(position.board()).0)
    }

    /// Which endgame tables there are.
    #[must_use]
    pub fn tables(&self) -> TableState {
        self.tables.describe()
    }

    /// Ends everything: search and generation. Waits for the threads, at most about so long.
    pub fn shut_down(&mut self, limit: Duration) {
        self.searching.stop();
        self.restricted.stop();
        self.tables.shut_down(limit);
        self.searching.wait(Some(limit));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.restricted.stop();
        self.tables.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_begin_anew_with_the_tables_of_another_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut engine = Engine::new(Arc::new(|_| {})).expect("a thread");
        let nothing = Setting::Number(0);
        engine.set(OptionId::StartupMen, nothing).expect("allowed");
        let mut proofs_with = |id, setting| {
            engine.set(id, setting).expect("allowed");
            engine.settle();
            engine.knowledge();
            let (_, proofs) = engine.proofs.as_ref().expect("proofs");
            Arc::clone(proofs)
        };
        let path = |name: &str| {
            let path = folder.path().join(name);
            Setting::Text(path.to_string_lossy().into_owned())
        };
        let first = proofs_with(OptionId::TablebasePath, path("one"));
        let kept = proofs_with(OptionId::MaxMen, Setting::Number(5));
        let anew = proofs_with(OptionId::TablebasePath, path("two"));
        assert!(Arc::ptr_eq(&first, &kept) && !Arc::ptr_eq(&kept, &anew));
    }
}
