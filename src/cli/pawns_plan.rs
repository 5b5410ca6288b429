//! The plan of a proved win: which prover draws it up, and what there is instead if there is none.

use super::pawns_limit::PawnLimits;
use super::pawns_range::{Provers, Range, part};
use duchamp_base::{Value, Wdl};
use duchamp_chess::{Color, Oracle, Position};
use duchamp_proofs::pawns::{Budget, Prover, Unplanned, WinPlan, WinStatus, apart};
use std::sync::Arc;
use std::time::Instant;

/// Variations in a plan unless the user says how many.
pub(super) const LINES: usize = 8;
/// Steps for each move of which nothing is known, of those for a whole part.
const PART_OF_STEPS: usize = 64;

/// What there is to say about a plan.
pub(super) enum Planned {
    /// No side is proved to win, or no plan was asked for.
    NoWin,
    /// The plan.
    Plan(Box<WinPlan>),
    /// A side is proved to win, but there is no plan, for a reason.
    Open(Unplanned),
}

impl Planned {
    /// Whether a plan is missing.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Planned::Open(_))
    }
}

/// Draws up the plan of a position with a known value.
pub(super) fn plan(
    position: &Position,
    range: Range,
    provers: &mut Provers,
    limits: PawnLimits,
) -> Planned {
    let lines = limits.lines;
    let turn = position.turn();
    let winner = match range.exact() {
        Some("win") => turn,
        Some("loss") => !turn,
        _ => return Planned::NoWin,
    };
    if lines == 0 || position.legal_moves().is_empty() {
        return Planned::NoWin;
    }
    let start = Instant::now();
    let budget = || part(limits.limit.budget(limits.structures), start.elapsed(), 1);
    let mut found = draw_up(provers.of(winner), position, winner, lines, budget());
    if found.as_ref().is_ok_and(|plan| plan.moves.is_empty()) {
        // The tables know it already: a plan without them leads to a promotion, a mate, or a smaller table.
        let below = Arc::new(Below {
            oracle: provers.tables().oracle(),
            men: position.occupied().count() - 1,
        });
        let mut prover = Prover::with_handle(below, Arc::clone(provers.handle()));
        found = draw_up(&mut prover, position, winner, lines, budget());
    }
    match found {
        Ok(plan) => Planned::Plan(Box::new(plan)),
        Err(reason) => Planned::Open(reason),
    }
}

/// The plan of a prover, which first proves the win if it does not know it yet. All that takes the time of the budget once.
fn draw_up(
    prover: &mut Prover,
    position: &Position,
    winner: Color,
    lines: usize,
    budget: Budget,
) -> Result<WinPlan, Unplanned> {
    let start = Instant::now();
    let effort = Budget {
        steps: budget.steps.map(|steps| steps / PART_OF_STEPS),
        ..budget
    };
    match prover.plan(position, winner, lines, effort) {
        Err(Unplanned::NotWon) => {}
        found => return found,
    }
    let questions = questions(position);
    // Half of the time is left for the plan.
    let share = part(budget, start.elapsed(), 2 * questions.len());
    let mut spent = None;
    for question in questions {
        if prover.prove(&question, winner, share) == Some(WinStatus::Open) {
            spent = spent.or(prover.spent());
        }
    }
    let found = prover.plan(position, winner, lines, part(effort, start.elapsed(), 1));
    found.map_err(|reason| match reason {
        Unplanned::NotWon => spent.map_or(reason, Unplanned::Spent),
        reason => reason,
    })
}

/// The position, or if it has a right to capture en passant those that its value rests on.
fn questions(position: &Position) -> Vec<Position> {
    if position.ep_square().is_none() {
        return vec![*position];
    }
    let Some((captures, quiet)) = apart(position) else {
        return Vec::new();
    };
    let after = captures.iter().map(|mv| position.play(*mv));
    after.chain(quiet).collect()
}

/// Tables of fewer men than a position has.
struct Below {
    oracle: Arc<dyn Oracle>,
    men: u32,
}

impl Below {
    fn covers(&self, position: &Position) -> bool {
        position.occupied().count() <= self.men
    }
}

impl Oracle for Below {
    fn max_men(&self) -> u32 {
        self.men.min(self.oracle.max_men())
    }

    fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.covers(position)
            .then(|| self.oracle.wdl(position))
            .flatten()
    }

    fn dtm(&self, position: &Position) -> Option<Value> {
        self.covers(position)
            .then(|| self.oracle.dtm(position))
            .flatten()
    }
}
