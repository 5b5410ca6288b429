//! Fixed positions, fixed depth, one thread, no tables: the number of nodes is a signature.
//!
//! It changes exactly when search or evaluation change what they do, so a change that should alter
//! nothing can be checked by one number. It says nothing about strength; its speed is comparable only
//! between runs on the same idle machine.

use duchamp_chess::{Game, Position};
use duchamp_eval::EvaluatorFactory;
use duchamp_search::{Knowledge, Limits, SearchControl, SearchOptions, Searcher};
use std::time::{Duration, Instant};

/// The usual depth, in plies.
pub const BENCH_DEPTH: u32 = 12;

/// Hash table of the bench in MiB; another size gives another signature.
const HASH: usize = 16;

/// Openings, middle games, endings, tactics, mates, and one without a legal move.
const POSITIONS: [&str; 30] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "rnbqk2r/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP3PPP/R1BQKB1R b KQkq - 1 5",
    "rnbqkb1r/ppp2ppp/4pn2/3p2B1/2PP4/2N5/PP2PPPP/R2QKBNR b KQkq - 1 4",
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 4 10",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "r1b2rk1/2q1bppp/p2ppn2/1p6/3QPP2/2N1B3/PPP1B1PP/R4RK1 w - - 0 13",
    "3r1rk1/p3qp1p/2bb2p1/2p5/3P4/1P6/PBQN1PPP/2R2RK1 b - - 0 18",
    "r2qr1k1/1p1bbppp/p1np1n2/8/P2NP3/2N1B3/1PP1BPPP/R2Q1R1K w - - 5 13",
    "6k1/5ppp/1p2p3/p1bpP3/P4P2/1PPB2P1/7P/6K1 w - - 0 28",
    "8/5pk1/4p1p1/1R5p/r6P/5PP1/5K2/8 w - - 2 41",
    "8/8/1p1k4/p1pP4/P1P2K2/1P6/8/8 w - - 0 1",
    "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",
    "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
    "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
    "8/3k4/8/3PK3/8/8/3R4/r7 b - - 0 1",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
    "3r2k1/1p3ppp/2pq4/p1n5/P6P/1P6/1PB2QP1/1K2R3 w - - 0 25",
    "r1b1k2r/1pp1q2p/p1n3p1/3QPp2/8/1BP3B1/P5PP/3R1RK1 w kq - 0 18",
    "1r2r1k1/3bnppp/p2q4/2RPp3/4P3/6P1/2Q1NPBP/2R3K1 w - - 1 26",
    "6k1/pp3p1p/2p1r1p1/3n4/3P4/PB3N2/1P3PPP/4R1K1 w - - 0 24",
    "8/6pk/8/5P1P/4K3/7p/7N/8 w - - 0 60",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
];

/// One searched position.
#[derive(Clone, Copy, Debug)]
pub struct BenchStep {
    /// Its number, from 1.
    pub number: usize,
    /// How many there are.
    pub total: usize,
    /// The position.
    pub fen: &'static str,
    /// Nodes of this search.
    pub nodes: u64,
}

/// All positions together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchResult {
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
}

impl BenchResult {
    /// Nodes a second.
    #[must_use]
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// Searches the bench positions to `depth` plies; `step` hears of each. Once `control` is stopped it ends at once, and the
/// result is of some of the positions only.
pub fn bench(
    depth: u32,
    evaluator: EvaluatorFactory,
    control: &SearchControl,
    step: &mut dyn FnMut(BenchStep),
) -> BenchResult {
    let mut searcher = Searcher::with_evaluator(evaluator);
    searcher.set_hash(HASH);
    searcher.set_threads(1);
    let start = Instant::now();
    let mut result = BenchResult {
        nodes: 0,
        time: Duration::ZERO,
    };
    for (index, fen) in POSITIONS.into_iter().enumerate() {
        let position = Position::from_fen(fen).expect("a test reads every bench position");
        if control.is_stopped() {
            break;
        }
        searcher.clear();
        let outcome = searcher.search(
            &Game::new(position),
            &Limits::depth(depth),
            &SearchOptions::default(),
            &Knowledge::default(),
            control,
            &mut |_| (),
        );
        if control.is_stopped() {
            break;
        }
        result.nodes += outcome.nodes;
        result.time = start.elapsed();
        step(BenchStep {
            number: index + 1,
            total: POSITIONS.len(),
            fen,
            nodes: outcome.nodes,
        });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_eval::built_in;

    #[test]
    fn all_positions_are_legal() {
        for fen in POSITIONS {
            assert!(Position::from_fen(fen).is_ok(), "{fen}");
        }
    }

    #[test]
    fn the_signature_is_reproducible() {
        let run = || bench(4, built_in(), &SearchControl::new(), &mut |_| ()).nodes;
        assert_eq!(run(), run());
    }
}
