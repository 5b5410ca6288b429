//! Whether a position is proved not to be won, and what can be found out about it.

use std::time::{Duration, Instant};

use super::super::budget::Budget;
use super::super::prover::{Prover, WinStatus};
use super::super::value::apart;
use duchamp_base::Wdl;
use duchamp_chess::{Color, Move, MoveList, Position};

/// The most time for one position.
const SHARE: Duration = Duration::from_millis(100);

/// What is proved of a move that is not the winner's choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Other {
    Wins,
    Fails,
    Open,
}

impl Other {
    fn of(status: Option<WinStatus>) -> Other {
        match status {
            Some(WinStatus::Won(_)) => Other::Wins,
            Some(WinStatus::NotWon) => Other::Fails,
            Some(WinStatus::Open) | None => Other::Open,
        }
    }

    /// Of two moves of the other side: the one that is better for him.
    fn worse(self, other: Other) -> Other {
        match (self, other) {
            (Other::Fails, _) | (_, Other::Fails) => Other::Fails,
            (Other::Open, _) | (_, Other::Open) => Other::Open,
            _ => Other::Wins,
        }
    }
}

/// Limits of the work.
pub(super) struct Effort {
    /// For each position.
    pub(super) budget: Budget,
    pub(super) deadline: Option<Instant>,
}

impl Effort {
    fn budget(&self) -> Budget {
        let left = self
            .deadline
            .map(|end| end.saturating_duration_since(Instant::now()) / 4);
        Budget {
            time: left.map(|left| left.min(SHARE)),
            ..self.budget
        }
    }
}

/// Whether `winner` wins the position after a move of his.
pub(super) fn after(
    prover: &mut Prover,
    position: &Position,
    winner: Color,
    effort: &Effort,
) -> Other {
    if position.is_checkmate() {
        return Other::Wins;
    }
    if position.is_stalemate() || position.is_insufficient_material() {
        return Other::Fails;
    }
    if let Some(wdl) = tables(prover, position) {
        return match wdl {
            Wdl::Loss => Other::Wins,
            Wdl::BlessedLoss => Other::Open,
            _ => Other::Fails,
        };
    }
    if position.ep_square().is_some() {
        let Some((captures, quiet)) = apart(position) else {
            return Other::Open;
        };
        let replies = captures.iter().map(|mv| position.play(*mv));
        let mut found = Other::Wins;
        for after in replies.chain(quiet) {
            found = found.worse(ask(prover, &after, winner, effort));
        }
        return found;
    }
    match position.pieces().first() {
        None => ask(prover, position, winner, effort),
        Some(square) => {
            let mut found = Other::of(prover.promoted(position, winner));
            let moves: MoveList = position.legal_moves();
            let takes: Vec<Move> = moves.into_iter().filter(|mv| mv.to() == square).collect();
            for mv in takes {
                if ask(prover, &position.play(mv), winner, effort) == Other::Fails {
                    found = Other::Fails;
                }
            }
            found
        }
    }
}

/// Whether `winner` wins a position of kings and pawns.
fn ask(prover: &mut Prover, position: &Position, winner: Color, effort: &Effort) -> Other {
    match prover.known(position, winner) {
        Some(WinStatus::Open) => {
            let budget = effort.budget();
            let idle = budget.time == Some(Duration::ZERO) || budget.steps == Some(0);
            match idle {
                true => Other::Open,
                false => Other::of(prover.prove(position, winner, budget)),
            }
        }
        known => Other::of(known),
    }
}

fn tables(prover: &Prover, position: &Position) -> Option<Wdl> {
    let few = position.occupied().count() <= prover.oracle.max_men();
    few.then(|| prover.oracle.wdl(position)).flatten()
}
