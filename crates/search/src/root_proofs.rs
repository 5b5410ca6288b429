//! The root is one that proofs cover: how long to try, and what is left to search once it is settled.

use super::exact::in_time;
use super::limits::Limits;
use super::shared::Shared;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Effort, Game, Move, Position, Proven};
use std::time::{Duration, Instant};

/// The share of the time for a move that proofs may take before the search, and of the time so far between iterations.
const SHARE: f64 = 0.25;
/// What is meant by the time for a move where there is no limit.
const ANALYSIS: Duration = Duration::from_secs(4);
/// The longest that is spent between two looks for a request to stop.
const SLICE: Duration = Duration::from_millis(50);
/// Steps before a search that must do the same every time, being limited by depth or nodes; a step takes as long as
/// about a thousand nodes.
const FIRST_STEPS: usize = 400;
/// Of a search limited by nodes, how many of them there must be for each of the first steps.
const NODES_A_FIRST_STEP: u64 = 1000;
/// Nodes of such searches for each further step.
const NODES_A_STEP: u64 = 10_000;
/// Steps between two looks.
const FEW_STEPS: usize = 20;

/// The proof of a root in progress.
pub(super) struct RootProof {
    /// Steps before the search, where they are counted and not the time.
    first: Option<usize>,
    spent: Duration,
    steps: usize,
    /// What is proved.
    pub(super) proven: Proven,
    /// Whether more work may prove more.
    open: bool,
}

impl RootProof {
    pub(super) fn new(limits: &Limits) -> RootProof {
        let counted = limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some();
        let few = limits.nodes.map_or(FIRST_STEPS, |nodes| {
            FIRST_STEPS.min((nodes / NODES_A_FIRST_STEP) as usize)
        });
        RootProof {
            first: counted.then_some(few),
            spent: Duration::ZERO,
            steps: 0,
            proven: Proven::NOTHING,
            open: true,
        }
    }

    /// Works on the root for its share of the time so far; `true` once its value is proved.
    pub(super) fn work(&mut self, root: &Position, shared: &Shared<'_>) -> bool {
        while self.open && self.proven.exact().is_none() && !shared.control.is_stopped() {
            let effort = if let Some(first) = self.first {
                let due = first + (shared.nodes() / NODES_A_STEP) as usize;
                Effort {
                    steps: due.saturating_sub(self.steps).min(FEW_STEPS),
                    time: None,
                }
            } else {
                let whole = shared.timer.share().unwrap_or(ANALYSIS);
                let due = whole.max(shared.timer.elapsed()).mul_f64(SHARE);
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
            let start = Instant::now();
            let attempt = shared.proofs.prove(root, effort);
            (self.proven, self.open) = (attempt.proven, attempt.open);
            self.spent += start.elapsed();
            self.steps = self.steps.saturating_add(effort.steps);
        }
        self.proven.exact().is_some()
    }
}

/// What is left to search of a settled root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Kept {
    pub(super) wdl: Wdl,
    /// The moves that keep the value, and of a win those that get on with it.
    pub(super) moves: Vec<Move>,
}

/// What a settled root leaves to the search; `None` if its value is not known, or if the 50-move rule may come first.
pub(super) fn choose(
    game: &Game,
    moves: &[Move],
    proven: Proven,
    shared: &Shared<'_>,
) -> Option<Kept> {
    let root = game.current();
    let wdl = proven.exact()?;
    if wdl != Wdl::Draw && !in_time(root, proven.plies, shared.fifty_move_rule) {
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
    // Of the moves that were asked for perhaps none is known to do.
    (!kept.is_empty()).then_some(Kept { wdl, moves: kept })
}

/// Whether a move wins, comes nearer to the next capture, pawn move or mate, and lets nobody claim a draw.
fn progresses(game: &Game, mv: Move, plies: Plies, shared: &Shared<'_>) -> bool {
    let proven = shared.proofs.judge(game.current(), mv);
    if proven.least < Wdl::Win || proven.plies > plies {
        return false;
    }
    let mut after = game.clone();
    after.push(mv);
    let answered = |reply: Move| {
        let mut answered = after.clone();
        answered.push(reply);
        answered.is_repetition(2)
    };
    let replies = after.current().legal_moves();
    !after.is_repetition(2) && !replies.into_iter().any(answered)
}
