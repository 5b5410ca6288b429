//! What a move of a won position is worth, and which one the winner plays.

use std::time::Instant;

use super::super::bounds::Known;
use super::super::exits::Mover;
use super::super::prover::{Prover, WinStatus, question};
use super::super::rows::Kings;
use super::super::scene::{Ground, Scene};
use super::super::value::apart;
use super::distances::Distances;
use super::types::{PlanEnd, Unplanned};
use duchamp_base::Plies;
use duchamp_chess::{Bitboard, Color, Move, MoveList, Position, Role};

/// Leads through a proved win: for every position that can come up, the plies to the decision, and the winner's move. It
/// keeps to what the prover knew when it was made.
pub struct Guide {
    winner: Color,
    distances: Distances,
}

/// What is known of a won position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    /// The most plies to the decision.
    pub(super) plies: Plies,
    /// How it is decided already.
    pub(super) end: Option<PlanEnd>,
}

impl Outlook {
    const fn decided(plies: u16, end: PlanEnd) -> Outlook {
        Outlook {
            plies: Plies(plies),
            end: Some(end),
        }
    }

    /// The same seen a ply before.
    fn before(self) -> Outlook {
        Outlook {
            plies: Plies(self.plies.0 + 1),
            end: None,
        }
    }
}

impl Guide {
    /// Leads `winner` through a position of kings and pawns that a prover knows to be won.
    ///
    /// # Errors
    /// Why that cannot be done, the time being over at `deadline`.
    pub fn new(
        prover: &mut Prover,
        position: &Position,
        winner: Color,
        deadline: Option<Instant>,
    ) -> Result<Guide, Unplanned> {
        let mut roots = vec![Scene::of(position, winner)];
        if position.ep_square().is_some() {
            let (captures, _) = apart(position).ok_or(Unplanned::NotWon)?;
            let after = captures.iter().map(|mv| position.play(*mv));
            roots.extend(after.map(|after| Scene::of(&after, winner)));
        }
        let distances = Distances::of(prover, roots, deadline)?;
        Ok(Guide { winner, distances })
    }

    /// Who wins.
    pub(super) fn winner(&self) -> Color {
        self.winner
    }

    /// The most plies to the decision in a position: mate, a promotion that wins, or a won position of the tables; `None` if
    /// no win is known.
    #[must_use]
    pub fn plies(&self, prover: &Prover, position: &Position) -> Option<Plies> {
        Some(self.look(prover, position)?.plies)
    }

    /// The move that the winner, to move, plays: of those that are decided soonest one that leaves the other king in
    /// zugzwang on a corresponding square, if there is any. `None` if no win is known.
    #[must_use]
    pub fn answer(&self, prover: &Prover, position: &Position) -> Option<Move> {
        let rated = |mv: &Move| {
            let after = position.play(*mv);
            let plies = self.look(prover, &after)?.plies;
            let queen = mv.promotion() == Some(Role::Queen);
            let zugzwang = corresponding(prover, &after, self.winner).has(after.king(!self.winner));
            Some(((plies, !queen, !zugzwang), *mv))
        };
        let moves: MoveList = position.legal_moves();
        let best = moves.iter().filter_map(rated).min_by_key(|(key, _)| *key);
        best.map(|(_, mv)| mv)
    }

    /// What is known of a position, either side to move; `None` if no win is known.
    pub(super) fn look(&self, prover: &Prover, position: &Position) -> Option<Outlook> {
        if position.is_checkmate() {
            let mated = position.turn() != self.winner;
            return mated.then_some(Outlook::decided(0, PlanEnd::Mate));
        }
        if position.is_stalemate() || position.is_insufficient_material() {
            return None;
        }
        if position.ep_square().is_some() {
            return self.with_passants(prover, position);
        }
        let Some((scene, kings, to_move)) = question(position, self.winner) else {
            return self.promoted(prover, position);
        };
        let plies = self.distances.plies(scene, kings, to_move)?;
        let fixed = prover.nodes.get(&scene).is_some_and(|node| node.fixed);
        Some(Outlook {
            plies,
            end: fixed.then_some(PlanEnd::Table),
        })
    }

    /// Just after a double step: its captures, and the position without the right to them.
    fn with_passants(&self, prover: &Prover, position: &Position) -> Option<Outlook> {
        let (captures, quiet) = apart(position)?;
        let captures = captures.iter().map(|mv| {
            let after = self.look(prover, &position.play(*mv))?;
            Some(after.before().plies)
        });
        let quiet = quiet.map(|quiet| self.plies(prover, &quiet));
        let all = captures.chain(quiet);
        let plies = if position.turn() == self.winner {
            all.flatten().min()?
        } else {
            all.collect::<Option<Vec<Plies>>>()?.into_iter().max()?
        };
        Some(Outlook { plies, end: None })
    }

    /// Just after a promotion.
    fn promoted(&self, prover: &Prover, position: &Position) -> Option<Outlook> {
        let square = position.pieces().first()?;
        let scene = Scene::of(position, self.winner);
        let kings = Kings {
            attacker: position.king(self.winner).relative(self.winner),
            defender: position.king(!self.winner).relative(self.winner),
        };
        let place = square.relative(self.winner);
        let searched = |mover| {
            let spots = prover.spots(scene, place, mover);
            spots.is_some_and(|spots| spots.won.has(kings))
        };
        if position.turn() != self.winner {
            let queen = position.role(Role::Queen).has(square);
            let queened = prover.queened(scene, place).filter(|_| queen);
            let won = queened.is_some_and(|(won, _)| won.has(kings))
                // With some piece; the search knows with which.
                || searched(Mover::Attacker)
                    && matches!(prover.promoted(position, self.winner), Some(WinStatus::Won(_)));
            return won.then_some(Outlook::decided(0, PlanEnd::Promotion));
        }
        if searched(Mover::Defender) {
            return Some(Outlook::decided(1, PlanEnd::Queened));
        }
        let moves: MoveList = position.legal_moves();
        let takes = moves.iter().filter(|mv| mv.to() == square);
        let taken = takes.filter_map(|mv| self.look(prover, &position.play(*mv)));
        Some(taken.min_by_key(|look| look.plies)?.before())
    }
}

/// The squares of the other king that correspond to the square of the attacker's, as far as they are known: with the kings
/// there the attacker wins if the other is to move, and cannot win if he is to move himself.
pub(super) fn corresponding(prover: &Prover, position: &Position, attacker: Color) -> Bitboard {
    let Some((scene, kings, _)) = question(position, attacker) else {
        return Bitboard::EMPTY;
    };
    let Some(node) = prover.nodes.get(&scene) else {
        return Bitboard::EMPTY;
    };
    let king = kings.attacker;
    let legal = Ground::of(scene).attacker_row(king);
    let pairs = (node.bounds.low.defender[king] & legal) - node.bounds.high.attacker[king];
    match attacker {
        Color::White => pairs,
        Color::Black => pairs.flip_ranks(),
    }
}
