//! Proofs as search asks for them: [`Proofs`], shared by its threads.
//!
//! One [`Prover`] serves both sides as attackers, for it sees every structure from the attacker's side.
//!
//! No thread of a search waits for the work of another. Looking things up only tries to read: while a thread proves, the
//! others are told that nothing is known. A glance is given up if another thread works; else it waits for the look-ups in
//! progress only, a tenth of a microsecond each. Only the root's proof waits for other work, at most for one glance.
//! Systems of corresponding squares are worked out by whoever does not find them, outside of any lock: a pure function,
//! so that the luck of locks never shows in an answer.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};
use std::time::{Duration, Instant};

use super::budget::{Budget, Spent};
use super::corresponding::Correspondence;
use super::prover::{Prover, WinStatus};
use super::scene::{Map, Scene};
use super::value::{Turn, apart, in_turns};
use duchamp_base::{Plies, Wdl, limits};
use duchamp_chess::{
    Account, Attempt, Color, Effort, Move, Oracle, Position, Proofs, Proven, Role,
};

/// Systems of corresponding squares that are remembered: half a KiB each.
const SYSTEMS: usize = 4096;
/// Lines that one side's question gets before the other's turn.
const TURN: usize = 16;

/// Of endings with up to 5, with 6 or 7, and with more pawns that were open: how many were proved by as much work again,
/// while nothing was proved of any move, and once something was. From 600 endings of games (docs/lab/pawns.md).
const CHANCES: [[f64; 2]; 3] = [[0.29, 0.47], [0.09, 0.27], [0.005, 0.05]];

/// A prover that threads share, with a limit to its memory.
pub struct PawnProofs {
    prover: RwLock<Prover>,
    /// Held by the thread that works with the prover, before it takes the write lock.
    work: Mutex<()>,
    /// Moshammer's systems of structures that were not looked into, by attacker. Only ever tried.
    systems: RwLock<Map<(Scene, Color), Correspondence>>,
    oracle: Arc<dyn Oracle>,
    bytes: usize,
}

impl PawnProofs {
    /// Knows nothing but what the oracle's tables tell; takes about `mib` MiB at most.
    #[must_use]
    pub fn new(oracle: Arc<dyn Oracle>, mib: usize) -> PawnProofs {
        let bytes = mib << 20;
        let prover = Prover::new(Arc::clone(&oracle)).with_table_bytes(bytes);
        PawnProofs {
            prover: RwLock::new(prover),
            work: Mutex::new(()),
            systems: RwLock::default(),
            oracle,
            bytes,
        }
    }

    /// The prover to look things up; `None` while a thread works with it. One that panicked may hold half an answer,
    /// never a wrong one: bounds are replaced whole.
    fn read(&self) -> Option<RwLockReadGuard<'_, Prover>> {
        free(self.prover.try_read())
    }

    /// The prover to work with, once no other thread does.
    fn work(&self) -> AtWork<'_> {
        let turn = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        self.at_work(turn)
    }

    /// The prover to work with, unless another thread does.
    fn try_work(&self) -> Option<AtWork<'_>> {
        free(self.work.try_lock()).map(|turn| self.at_work(turn))
    }

    /// Waits for look-ups only: whoever works has the turn.
    fn at_work<'a>(&'a self, turn: MutexGuard<'a, ()>) -> AtWork<'a> {
        let prover = self.prover.write().unwrap_or_else(PoisonError::into_inner);
        AtWork {
            prover,
            _turn: turn,
        }
    }

    /// Whether the side to move is held by corresponding squares.
    fn is_held(&self, position: &Position) -> bool {
        let attacker = position.turn();
        let scene = Scene::of(position, attacker);
        if !scene.is_blocked() {
            return false;
        }
        let key = (scene, attacker);
        if let Some(systems) = free(self.systems.try_read())
            && let Some(system) = systems.get(&key)
        {
            return system.holds(position) == Some(true);
        }
        let system = Correspondence::of(position, attacker);
        let held = system.holds(position) == Some(true);
        if let Some(mut systems) = free(self.systems.try_write()) {
            if systems.len() >= SYSTEMS {
                systems.clear();
            }
            systems.insert(key, system);
        }
        held
    }

    /// Both bounds, as far as the structure was looked into, with the most plies that a win of it takes.
    fn glimpse(prover: &Prover, position: &Position) -> Proven {
        let turn = position.turn();
        let mut proven = Proven::NOTHING;
        if let Some((won, may)) = prover.glimpse(position, turn) {
            raise(&mut proven, won);
            if !may {
                proven.most = Wdl::Draw;
            }
        }
        if let Some((won, may)) = prover.glimpse(position, !turn) {
            lower(&mut proven, won);
            if !may {
                proven.least = proven.least.max(Wdl::Draw);
            }
        }
        proven
    }

    /// The same with the plies of this very placement.
    fn exactly(prover: &Prover, position: &Position) -> Proven {
        let mut proven = Self::glimpse(prover, position);
        let winner = match proven.exact() {
            Some(Wdl::Win) => position.turn(),
            Some(Wdl::Loss) => !position.turn(),
            _ => return proven,
        };
        if let Some(WinStatus::Won(plies)) = prover.known(position, winner) {
            proven.plies = plies;
        }
        proven
    }

    /// What is known of a position just after a double step that may be answered by a capture en passant.
    fn passant_bounds(&self, prover: &Prover, position: &Position) -> Proven {
        let Some((captures, quiet)) = apart(position) else {
            return Proven::NOTHING;
        };
        if quiet.as_ref().is_some_and(|quiet| !self.covers(quiet)) {
            return Proven::NOTHING;
        }
        let captures = captures
            .iter()
            .map(|&mv| self.move_bounds(Some(prover), position, mv));
        let quiet = quiet.map(|quiet| Self::exactly(prover, &quiet));
        let best = captures.chain(quiet).reduce(better);
        best.unwrap_or(Proven::NOTHING)
    }

    /// The chance that as much work again settles an open value ([`CHANCES`]).
    fn chance(&self, prover: &Prover, position: &Position, proven: Proven) -> f64 {
        let any = |mv: Move| {
            let Proven { least, most, .. } = self.move_bounds(Some(prover), position, mv);
            least > Wdl::Loss || most < Wdl::Win
        };
        let bounded = proven != Proven::NOTHING || position.legal_moves().into_iter().any(any);
        let row = match position.role(Role::Pawn).count() {
            0..=5 => 0,
            6..=7 => 1,
            _ => 2,
        };
        CHANCES[row][usize::from(bounded)]
    }

    /// What is known of a move, as its mover sees it; without a prover by the rules and by tables alone.
    fn move_bounds(&self, prover: Option<&Prover>, position: &Position, mv: Move) -> Proven {
        let after = position.play(mv);
        if after.is_checkmate() {
            return Proven::exactly(Wdl::Win, Plies(1));
        }
        if after.is_stalemate() || after.is_insufficient_material() {
            return Proven::exactly(Wdl::Draw, Plies(0));
        }
        let zeroes = position.moved_role(mv) == Role::Pawn || position.is_capture(mv);
        if after.occupied().count() <= self.oracle.max_men()
            && let Some(wdl) = self.oracle.wdl(&after)
            && zeroes
        {
            return Proven::exactly(-wdl, Plies(1));
        }
        let Some(prover) = prover else {
            return Proven::NOTHING;
        };
        let mut proven = Proven::NOTHING;
        if self.covers(&after) {
            proven = Self::exactly(prover, &after).turned();
        } else if mv.promotion().is_some() {
            let turn = position.turn();
            if let Some(WinStatus::Won(plies)) = prover.promoted(&after, turn) {
                proven = Proven::exactly(Wdl::Win, plies);
            } else if prover.promoted(&after, !turn) == Some(WinStatus::NotWon) {
                proven.least = Wdl::Draw;
            }
        } else {
            // A double step.
            proven = self.passant_bounds(prover, &after).turned();
        }
        proven.plies = if zeroes {
            Plies(1)
        } else {
            Plies(proven.plies.0 + 1)
        };
        proven
    }
}

/// The prover in the hands of the one thread that works with it.
struct AtWork<'a> {
    // Let go before the turn is.
    prover: RwLockWriteGuard<'a, Prover>,
    _turn: MutexGuard<'a, ()>,
}

/// What a lock guards if it is free at once, even after a panic.
fn free<T>(tried: Result<T, TryLockError<T>>) -> Option<T> {
    match tried {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Takes a proven win into account.
fn raise(proven: &mut Proven, won: Option<Plies>) {
    if let Some(plies) = won {
        *proven = Proven::exactly(Wdl::Win, plies);
    }
}

/// Takes a proven loss into account.
fn lower(proven: &mut Proven, lost: Option<Plies>) {
    if let Some(plies) = lost {
        *proven = Proven::exactly(Wdl::Loss, plies);
    }
}

/// The better of two moves, one of them a capture en passant.
fn better(a: Proven, b: Proven) -> Proven {
    Proven {
        least: a.least.max(b.least),
        most: a.most.max(b.most),
        plies: Plies(1),
    }
}

impl Proofs for PawnProofs {
    #[inline]
    fn covers(&self, position: &Position) -> bool {
        position.pieces().is_empty() && position.ep_square().is_none()
    }

    #[inline]
    fn known(&self, position: &Position) -> Proven {
        let Some(prover) = self.read() else {
            return Proven::NOTHING;
        };
        let mut proven = Self::glimpse(&prover, position);
        if proven == Proven::NOTHING && self.is_held(position) {
            proven.most = Wdl::Draw;
        }
        proven
    }

    fn glance(&self, position: &Position) {
        if let Some(mut work) = self.try_work()
            && work.prover.bytes() < self.bytes
            && !limits::is_short()
        {
            for attacker in Color::ALL {
                work.prover.look(position, attacker);
            }
        }
    }

    fn prove(&self, position: &Position, effort: Effort) -> Attempt {
        if !self.covers(position) {
            return Attempt::finished(Proven::NOTHING);
        }
        let mut work = self.work();
        let prover = &mut *work.prover;
        let start = Instant::now();
        let Effort { mut steps, time } = effort;
        let mut spent = false;
        in_turns(
            position,
            |Turn {
                 attacker, weight, ..
             }| {
                let left = time.map(|time| time.saturating_sub(start.elapsed()));
                spent = steps == 0 || left == Some(Duration::ZERO);
                if spent || prover.bytes() >= self.bytes {
                    return None;
                }
                let turn = (TURN * weight as usize).min(steps);
                let budget = Budget {
                    structures: self.bytes / 4096,
                    time: left,
                    steps: Some(turn),
                };
                let (verdict, unused) = prover.prove_by_steps(position, attacker, budget)?;
                steps -= turn - unused;
                // A question that left lines unused has nothing more to try, unless the time ended it. Without memory it would
                // be asked in vain for ever.
                let late = prover.spent() == Some(Spent::Time);
                Some((verdict, unused == 0 || late))
            },
        );
        let proven = Self::exactly(prover, position);
        let chance = match spent {
            true => self.chance(prover, position, proven),
            false => 0.0,
        };
        Attempt {
            proven,
            open: spent,
            chance,
        }
    }

    fn judge(&self, position: &Position, mv: Move) -> Proven {
        let prover = self.read();
        self.move_bounds(prover.as_deref(), position, mv)
    }

    fn make_room(&self) {
        let mut work = self.work();
        let prover = &mut *work.prover;
        if prover.bytes() >= self.bytes / 4 * 3 || limits::is_short() {
            prover.clear();
        }
    }

    fn account(&self, _: &Position) -> Account {
        let structures = self.read().map_or(0, |prover| prover.structures());
        Account {
            claim: "pawn ending proved".to_owned(),
            work: format!("{structures} pawn structures"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::ProverHandle;
    use super::*;
    use duchamp_chess::NoOracle;
    use std::sync::mpsc::channel;

    const HELD: &str = "8/1k6/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";
    /// The same with colours changed.
    const TURNED: &str = "k7/8/8/p2p1p2/P2p1P2/3P4/1K6/8 b - - 0 1";

    /// Eight pawns, of which five are free.
    const FREE: &str = "5k2/p5p1/Pp6/4P3/1P1p4/7K/2P5/8 b - - 0 1";

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect(fen)
    }

    #[test]
    fn no_look_waits_for_the_work_of_another_thread() {
        let proofs = Arc::new(PawnProofs::new(Arc::new(NoOracle), 1));
        let work = proofs.work();
        let (sender, done) = channel();
        let other = Arc::clone(&proofs);
        std::thread::spawn(move || {
            other.glance(&position(HELD));
            sender.send(other.known(&position(HELD)))
        });
        // Ends a test that hangs.
        let known = done.recv_timeout(Duration::from_secs(60));
        assert_eq!(known, Ok(Proven::NOTHING));
        drop(work);
        assert_eq!(proofs.known(&position(HELD)).most, Wdl::Draw);
    }

    /// A proof cut into slices of time is open until it is complete: no slice may take the end of its time for the end of
    /// what can be tried.
    #[test]
    fn a_slice_of_time_that_ends_leaves_the_question_open() {
        let proofs = PawnProofs::new(Arc::new(NoOracle), 64);
        let position = position("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1");
        let slice = Effort {
            steps: usize::MAX,
            time: Some(Duration::from_millis(20)),
        };
        // So many that a proof which never comes fails the test.
        for number in 0..5_000 {
            let attempt = proofs.prove(&position, slice);
            if attempt.proven.exact().is_some() {
                assert_eq!(attempt.proven.exact(), Some(Wdl::Win));
                return;
            }
            assert!(attempt.open, "given up in slice {number}: {attempt:?}");
        }
        panic!("not proved");
    }

    /// As without memory, where each question ends before its first line.
    #[test]
    fn a_prover_that_cannot_work_ends_the_attempt() {
        let proofs = PawnProofs::new(Arc::new(NoOracle), 64);
        let handle = Arc::new(ProverHandle::default());
        handle.stop();
        let mut work = proofs.work();
        *work.prover = Prover::with_handle(Arc::new(NoOracle), handle);
        drop(work);
        let effort = Effort {
            steps: 9,
            time: None,
        };
        let (sender, done) = channel();
        std::thread::spawn(move || sender.send(proofs.prove(&position(FREE), effort)));
        // Ends a test that hangs.
        let attempt = done.recv_timeout(Duration::from_secs(60)).expect("an end");
        assert!(
            !attempt.open && attempt.proven.exact().is_none(),
            "{attempt:?}"
        );
    }

    /// Few pawns promise more than many, and something proved of a move more than nothing.
    #[test]
    fn the_chance_follows_what_is_proved() {
        let proofs = PawnProofs::new(Arc::new(NoOracle), 64);
        let least = Effort {
            steps: 1,
            time: None,
        };
        let few = proofs.prove(&position("8/6p1/8/P3k3/4P3/K6P/8/8 w - - 0 1"), least);
        let many = proofs.prove(&position(FREE), least);
        assert!(few.open && many.open, "{few:?} {many:?}");
        assert!(few.chance > many.chance, "{few:?} {many:?}");
        let held_at_least = Proven {
            least: Wdl::Draw,
            ..Proven::NOTHING
        };
        let work = proofs.work();
        let promising = proofs.chance(&work.prover, &position(FREE), held_at_least);
        drop(work);
        assert!(promising > many.chance, "{promising}");
        let held = proofs.prove(
            &position(HELD),
            Effort {
                steps: 999,
                ..least
            },
        );
        assert!(!held.open && held.chance == 0.0, "{held:?}");
    }

    #[test]
    fn structures_are_held_against_either_side() {
        for order in [[HELD, TURNED], [TURNED, HELD]] {
            let proofs = PawnProofs::new(Arc::new(NoOracle), 1);
            for fen in order {
                for _found_again in [false, true] {
                    assert_eq!(proofs.known(&position(fen)).most, Wdl::Draw, "{fen}");
                }
            }
        }
    }
}
