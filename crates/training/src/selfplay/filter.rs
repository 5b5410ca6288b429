//! Filters the positions of games for training.

use super::record::{NO_SCORE, ScoredMove};
use duchamp_base::Random;
use duchamp_chess::{Move, MoveList, Position};

/// Keeps quiet positions with scores within bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    /// The greatest score, in centipawns, of either side.
    pub max_score: i16,
    /// Plies of the game, the random ones included, before the first position that is kept.
    pub min_ply: usize,
}

/// Why a position is rejected: the first of several reasons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// No score is known.
    Unknown,
    /// Too early in the game.
    Early,
    /// In check.
    Check,
    /// A capture or promotion was played.
    Noisy,
    /// A score out of bounds.
    Score,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            max_score: 2000,
            min_ply: 0,
        }
    }
}

impl Filter {
    /// Why the position after `number` plies, from which `ply` was played, is rejected; `None`: it is kept.
    #[must_use]
    pub fn rejection(
        &self,
        position: &Position,
        number: usize,
        ply: ScoredMove,
    ) -> Option<Rejection> {
        if ply.score == NO_SCORE {
            Some(Rejection::Unknown)
        } else if number < self.min_ply {
            Some(Rejection::Early)
        } else if position.in_check() {
            Some(Rejection::Check)
        } else if position.is_noisy(ply.mv) {
            Some(Rejection::Noisy)
        } else if ply.score.unsigned_abs() > self.max_score.unsigned_abs() {
            Some(Rejection::Score)
        } else {
            None
        }
    }

    /// Whether to keep it.
    #[must_use]
    pub fn keeps(&self, position: &Position, number: usize, ply: ScoredMove) -> bool {
        self.rejection(position, number, ply).is_none()
    }
}

/// The longest random walk, in plies.
const FAR: usize = 3;

/// A quiet position one to three random moves away, and the moves; `None` if the walk ended the game or is not quiet.
#[must_use]
pub fn quiet_walk(random: &mut Random, position: &Position) -> Option<(Position, Vec<Move>)> {
    let plies = 1 + random.below(FAR);
    random_walk(random, position, plies).filter(|(position, _)| is_quiet(position))
}

/// Whether the side to move is not in check, has a move, and wins nothing by a capture or promotion.
#[must_use]
pub fn is_quiet(position: &Position) -> bool {
    if position.in_check() || !position.has_legal_move() {
        return false;
    }
    let mut captures = MoveList::new();
    position.captures(&mut captures);
    !captures.iter().any(|&mv| position.see_ge(mv, 1))
}

/// A position so many random moves away, and the moves; `None` if they ended the game.
pub(super) fn random_walk(
    random: &mut Random,
    position: &Position,
    plies: usize,
) -> Option<(Position, Vec<Move>)> {
    let (mut position, mut walk) = (*position, Vec::with_capacity(plies));
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        let mv = moves[random.below(moves.len())];
        position.advance(mv);
        walk.push(mv);
    }
    position.has_legal_move().then_some((position, walk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hanging_pieces_are_not_quiet() {
        let quiet = |fen: &str| is_quiet(&Position::from_fen(fen).expect("a position"));
        assert!(!quiet("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"));
        assert!(!quiet("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"));
        assert!(quiet("4k3/4p3/3p4/8/8/8/3Q4/4K3 w - - 0 1"));
    }

    #[test]
    fn walks_are_legal_and_reproducible() {
        let walk = |seed| random_walk(&mut Random::new(seed), &Position::start(), 3);
        let (position, moves) = walk(1).expect("three moves do not end the game");
        let played = moves.iter().fold(Position::start(), |at, &mv| at.play(mv));
        assert_eq!((played.key(), moves.len()), (position.key(), 3));
        assert_eq!(walk(1).map(|w| w.1), Some(moves.clone()));
        assert_ne!(walk(2).map(|w| w.1), Some(moves));
    }
}
