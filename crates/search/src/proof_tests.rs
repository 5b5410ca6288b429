//! Proofs that end while a search waits.

use super::*;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Account, Attempt, Effort, Game, Move, Position, Proofs, Proven};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Covers every position, rates all moves as draws, and proves what a function says.
struct Told<F>(F);

impl<F: Fn(Effort) -> Attempt + Send + Sync> Proofs for Told<F> {
    fn covers(&self, _: &Position) -> bool {
        true
    }
    fn known(&self, _: &Position) -> Proven {
        Proven::NOTHING
    }
    fn glance(&self, _: &Position) {}
    fn prove(&self, _: &Position, effort: Effort) -> Attempt {
        (self.0)(effort)
    }
    fn judge(&self, _: &Position, _: Move) -> Proven {
        Proven::exactly(Wdl::Draw, Plies(0))
    }
    fn make_room(&self) {}
    fn account(&self, _: &Position) -> Account {
        Account::default()
    }
}

/// Nothing is proved yet.
const OPEN: Attempt = Attempt {
    proven: Proven::NOTHING,
    open: true,
    chance: 0.0,
};

/// With an empty clock a move does not wait for a proof, whichever thread works on it.
#[test]
fn a_proof_takes_a_fraction_of_the_time_for_the_move() {
    let limits = Limits {
        time: duchamp_chess::ByColor([Some(6); 2]),
        ..Limits::default()
    };
    for threads in [1, 2] {
        let longest = Arc::new(Mutex::new(Duration::ZERO));
        let kept = Arc::clone(&longest);
        let knowledge = Knowledge {
            proofs: Arc::new(Told(move |effort: Effort| {
                let mut longest = kept.lock().expect("no panic");
                *longest = (*longest).max(effort.time.unwrap_or(Duration::MAX));
                OPEN
            })),
            ..Knowledge::default()
        };
        let mut searcher = Searcher::new();
        searcher.set_threads(threads);
        let position = Position::from_fen("8/8/4k3/8/2p5/4K3/3P4/8 w - - 0 1");
        let game = Game::new(position.expect("legal"));
        let control = SearchControl::new();
        let options = SearchOptions::default();
        searcher.search(&game, &limits, &options, &knowledge, &control, &mut |_| ());
        let longest = *longest.lock().expect("no panic");
        assert!(longest <= Duration::from_micros(100), "{longest:?}");
    }
}

/// The main thread has searched all there is, and waits; what a helper proves then is told, not lost.
#[test]
fn a_proof_that_ends_while_the_search_waits_is_told() {
    let control = SearchControl::new();
    let limits = Limits {
        infinite: true,
        ..Limits::default()
    };
    let may = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&may);
    let knowledge = Knowledge {
        proofs: Arc::new(Told(move |_| {
            if asked.load(Relaxed) {
                return Attempt::finished(Proven::exactly(Wdl::Draw, Plies(0)));
            }
            std::thread::yield_now();
            OPEN
        })),
        ..Knowledge::default()
    };
    let mut searcher = Searcher::new();
    searcher.set_threads(2);
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        let search = scope.spawn(|| {
            // No side can mate: the deepest iteration ends at once.
            let position = Position::from_fen("7k/8/8/8/8/8/8/K6N w - - 0 1");
            let game = Game::new(position.expect("legal"));
            let options = SearchOptions::default();
            let mut on_info = |info| {
                if let Info::Settled(settled) = info {
                    tell.send(settled.proven).expect("heard");
                }
            };
            searcher.search(&game, &limits, &options, &knowledge, &control, &mut on_info)
        });
        while control.waits() == 0 {
            assert!(!search.is_finished());
            std::thread::yield_now();
        }
        may.store(true, Relaxed);
        let proven = told.recv().expect("the proof is told");
        assert_eq!(proven.exact(), Some(Wdl::Draw));
        control.stop();
        assert!(search.join().expect("no panic").best.is_some());
    });
}
