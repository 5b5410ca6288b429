//! The short searches of self-play.

use duchamp_chess::{Game, Move};
use duchamp_eval::EvaluatorFactory;
use duchamp_search::{Knowledge, Limits, ReportedScore, SearchControl, SearchOptions, Searcher};
use std::sync::Arc;

/// Hash table of a player in MiB: small enough to stay in the processor's cache, large enough for a game
/// of a few hundred nodes a move.
pub(super) const HASH: usize = 1;
/// A mate is written as this, less its moves.
const MATE_SCORE: i32 = 30_000;

/// A searcher for short searches.
pub(super) fn searcher(make: &EvaluatorFactory) -> Searcher {
    let mut searcher = Searcher::with_evaluator(Arc::clone(make));
    searcher.set_hash(HASH);
    searcher
}

/// A score as it is stored.
pub(super) fn written(score: i32) -> i16 {
    score.clamp(-32_000, 32_000) as i16
}

/// Best move, and score as the side to move sees it, of a search that begins no iteration after so many nodes; `None` once
/// `control` is stopped, since a search that was cut short says something else.
pub(super) fn search(
    searcher: &mut Searcher,
    knowledge: &Knowledge,
    game: &Game,
    nodes: u64,
    control: &SearchControl,
) -> Option<(Option<Move>, i32)> {
    let limits = Limits {
        soft_nodes: Some(nodes),
        nodes: Some(nodes.saturating_mul(16)),
        ..Limits::default()
    };
    let options = SearchOptions {
        quiet: true,
        ..SearchOptions::default()
    };
    let outcome = searcher.search(game, &limits, &options, knowledge, control, &mut |_| ());
    if control.is_stopped() {
        return None;
    }
    let score = match outcome.score {
        ReportedScore::Centipawns(score) => score,
        ReportedScore::Mate(moves) if moves > 0 => MATE_SCORE - moves,
        ReportedScore::Mate(moves) => -MATE_SCORE - moves,
    };
    Some((outcome.best, score))
}
