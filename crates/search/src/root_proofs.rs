//! Proofs of the root: how long to try, and which root moves are searched once its value is proved.

use super::exact::proved_in_time;
use super::limits::Limits;
use super::shared::Shared;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Color, Effort, Game, Move, Position, Proven};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// In a game, the fractions of the time for a move that proofs may use before the search, and of the elapsed time between
/// iterations: the least, to which the chance of success is added, and the most.
const GAME_FRACTIONS: [f64; 2] = [0.05, 0.5];
/// Without a clock, for a fixed time or until stopped: there an exact value is worth more than a few plies.
const ANALYSIS_FRACTIONS: [f64; 2] = [1.0 / 3.0, 0.5];
/// The time for a move where there is no limit.
const ANALYSIS: Duration = Duration::from_secs(3);
/// The longest time between two checks of the stop signal.
const SLICE: Duration = Duration::from_millis(20);
/// The longest work of a thread set aside for the proof between two looks at whether the search has ended, which waits for it.
const ASIDE: Duration = Duration::from_millis(5);
/// Steps before a search that is limited by depth or nodes and so must be reproducible; a step takes as long as about a
/// thousand nodes.
const FIRST_STEPS: usize = 400;
/// Nodes of the limit for each of the first steps.
const NODES_A_FIRST_STEP: u64 = 1000;
/// Nodes searched for each further step.
const NODES_A_STEP: u64 = 10_000;
/// Steps between two checks of the stop signal.
const FEW_STEPS: usize = 20;

/// The proof of a root in progress.
pub(super) struct RootProof {
    /// Steps before the search, where steps are limited and not time.
    first: Option<usize>,
    /// Whether a clock runs.
    game: bool,
    spent: Duration,
    steps: usize,
    /// What is proved.
    pub(super) proven: Proven,
    /// Whether more work may prove more.
    open: bool,
    /// The chance that as much work again settles the value.
    chance: f64,
}

impl RootProof {
    pub(super) fn new(limits: &Limits) -> RootProof {
        let counted = limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some();
        let few = limits.nodes.map_or(FIRST_STEPS, |nodes| {
            FIRST_STEPS.min((nodes / NODES_A_FIRST_STEP) as usize)
        });
        RootProof {
            first: counted.then_some(few),
            game: !limits.infinite && Color::ALL.iter().any(|&side| limits.time[side].is_some()),
            spent: Duration::ZERO,
            steps: 0,
            proven: Proven::NOTHING,
            open: true,
            chance: 0.0,
        }
    }

    /// Whether its work is limited by time, which a thread of its own may give it; else it must be reproducible.
    pub(super) fn is_timed(&self) -> bool {
        self.first.is_none()
    }

    /// Whether more work may prove more.
    pub(super) fn is_open(&self) -> bool {
        self.open && self.proven.exact().is_none()
    }

    /// Works on the proof until nothing is open or the search ends; `true` once the value of the root is proved.
    pub(super) fn work_on(&mut self, root: &Position, shared: &Shared<'_>) -> bool {
        while self.is_open() && !shared.control.is_stopped() && !shared.done.load(Relaxed) {
            self.attempt_aside(root, shared);
        }
        self.proven.exact().is_some()
    }

    /// An attempt that takes 5 ms, or a tenth of the time for the move where that is less: with an empty clock the move must not
    /// wait for it.
    pub(super) fn attempt_aside(&mut self, root: &Position, shared: &Shared<'_>) {
        let tenth = shared.timer.optimum().map(|whole| whole / 10);
        let effort = Effort {
            steps: usize::MAX,
            time: Some(tenth.map_or(ASIDE, |tenth| tenth.min(ASIDE))),
        };
        self.attempt(root, shared, effort);
    }

    /// The fractions of the time for the move, before the search, and of the elapsed time that the proof may use.
    fn fractions(&self) -> [f64; 2] {
        let [least, most] = GAME_FRACTIONS;
        match self.game {
            true => [(least + self.chance).min(most); 2],
            false => ANALYSIS_FRACTIONS,
        }
    }

    pub(super) fn attempt(&mut self, root: &Position, shared: &Shared<'_>, effort: Effort) {
        let start = Instant::now();
        let attempt = shared.proofs.prove(root, effort);
        (self.proven, self.open, self.chance) = (attempt.proven, attempt.open, attempt.chance);
        self.spent += start.elapsed();
        self.steps = self.steps.saturating_add(effort.steps);
    }

    /// Works on the proof for its fraction of the time so far; `true` once the value of the root is proved.
    pub(super) fn work(&mut self, root: &Position, shared: &Shared<'_>) -> bool {
        while self.is_open() && !shared.control.is_stopped() && !shared.timer.is_over() {
            let effort = if let Some(first) = self.first {
                let due = first + (shared.nodes() / NODES_A_STEP) as usize;
                Effort {
                    steps: due.saturating_sub(self.steps).min(FEW_STEPS),
                    time: None,
                }
            } else {
                let whole = shared.timer.optimum().unwrap_or(ANALYSIS);
                let due = due(self.fractions(), whole, shared.timer.elapsed());
                let left = due.saturating_sub(self.spent);
                Effort {
                    steps: if left < Duration::from_millis(1) {
                        0
                    } else {
                        usize::MAX
                    },
                    time: Some(left.min(SLICE)),
                }
            };
            if effort.steps == 0 {
                return false;
            }
            self.attempt(root, shared, effort);
        }
        self.proven.exact().is_some()
    }
}

/// The time that proofs may have used by now, of a move that is meant to take `whole`.
fn due([first, later]: [f64; 2], whole: Duration, elapsed: Duration) -> Duration {
    whole.mul_f64(first).max(elapsed.mul_f64(later))
}

/// What is searched of a root whose value is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Kept {
    pub(super) wdl: Wdl,
    /// The moves that keep the value; of a win, those that make progress.
    pub(super) moves: Vec<Move>,
}

/// The moves to search of a root whose value is proved; `None` if it is not, or if the 50-move rule may draw first.
pub(super) fn choose(
    game: &Game,
    moves: &[Move],
    proven: Proven,
    shared: &Shared<'_>,
) -> Option<Kept> {
    let root = game.current();
    let wdl = proven.exact()?;
    if wdl != Wdl::Draw && !proved_in_time(root, proven.plies, shared.fifty_move_rule) {
        return None;
    }
    let keep = |test: &dyn Fn(Move) -> bool| -> Vec<Move> {
        moves.iter().copied().filter(|&mv| test(mv)).collect()
    };
    let least = |mv: Move| shared.proofs.judge(root, mv).least;
    let kept = match wdl {
        Wdl::Win => {
            let kept = keep(&|mv| progresses(game, mv, proven.plies, shared));
            if kept.is_empty() {
                keep(&|mv| least(mv) == Wdl::Win)
            } else {
                kept
            }
        }
        Wdl::Draw => keep(&|mv| least(mv) >= Wdl::Draw),
        _ => moves.to_vec(),
    };
    // With `searchmoves`, perhaps none of the allowed moves is proved to keep the value.
    (!kept.is_empty()).then_some(Kept { wdl, moves: kept })
}

/// Whether a move wins, comes nearer to the next zeroing move or mate, and allows no claim of a repetition.
fn progresses(game: &Game, mv: Move, plies: Plies, shared: &Shared<'_>) -> bool {
    let proven = shared.proofs.judge(game.current(), mv);
    if proven.least < Wdl::Win || proven.plies > plies {
        return false;
    }
    let mut after = game.clone();
    after.push(mv);
    !after.is_repetition(2) && !game.lets_repeat(mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three seconds of analysis leave room for a proof of one second; a game gives as much as the proof promises.
    #[test]
    fn the_time_of_proofs_follows_their_chances() {
        let ms = Duration::from_millis;
        let mut proof = RootProof::new(&Limits::default());
        assert_eq!(due(proof.fractions(), ms(3000), ms(0)), ms(1000));
        assert_eq!(due(proof.fractions(), ms(3000), ms(2800)), ms(1400));
        proof.game = true;
        for (chance, first, later) in [(0.0, 150, 200), (0.25, 900, 1200), (0.9, 1500, 2000)] {
            proof.chance = chance;
            assert_eq!(due(proof.fractions(), ms(3000), ms(0)), ms(first));
            assert_eq!(due(proof.fractions(), ms(3000), ms(4000)), ms(later));
        }
        let limits = |infinite| Limits {
            infinite,
            time: duchamp_chess::ByColor([Some(1000); 2]),
            ..Limits::default()
        };
        assert!(RootProof::new(&limits(false)).game && !RootProof::new(&limits(true)).game);
        let fixed = Limits {
            move_time: Some(ms(3000)),
            ..Limits::default()
        };
        assert!(!RootProof::new(&fixed).game);
    }
}
