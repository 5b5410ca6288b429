//! Which positions of a game are worth learning from.

use super::record::{NO_SCORE, Ply};
use duchamp_base::Random;
use duchamp_chess::{Move, MoveList, Position};

/// Keeps quiet positions with scores that say something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    /// The greatest score, in centipawns, of either side.
    pub max_score: i16,
    /// Plies of the game, the random ones included, before the first position that is kept.
    pub min_ply: usize,
}

/// What speaks against a position, the first of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Search said nothing.
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
    /// Why not to keep the position after `number` plies, from which `ply` was played; `None`: it is kept.
    #[must_use]
    pub fn fault(&self, position: &Position, number: usize, ply: Ply) -> Option<Fault> {
        if ply.score == NO_SCORE {
            Some(Fault::Unknown)
        } else if number < self.min_ply {
            Some(Fault::Early)
        } else if position.in_check() {
            Some(Fault::Check)
        } else if position.is_noisy(ply.mv) {
            Some(Fault::Noisy)
        } else if ply.score.unsigned_abs() > self.max_score.unsigned_abs() {
            Some(Fault::Score)
        } else {
            None
        }
    }

    /// Whether to keep it.
    #[must_use]
    pub fn keeps(&self, position: &Position, number: usize, ply: Ply) -> bool {
        self.fault(position, number, ply).is_none()
    }
}

/// The most random moves of a walk.
const FAR: usize = 3;

/// A quiet position one to three random moves away, and the moves; `None` if the walk ended the game or in noise.
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
    fn a_man_that_hangs_makes_noise() {
        let quiet = |fen: &str| is_quiet(&Position::from_fen(fen).expect("a position"));
        assert!(!quiet("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"));
        assert!(!quiet("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"));
        assert!(quiet("4k3/4p3/3p4/8/8/8/3Q4/4K3 w - - 0 1"));
    }

    #[test]
    fn walks_are_legal_and_repeatable() {
        let walk = |seed| random_walk(&mut Random::new(seed), &Position::start(), 3);
        let (position, moves) = walk(1).expect("three moves do not end the game");
        let played = moves.iter().fold(Position::start(), |at, &mv| at.play(mv));
        assert_eq!((played.key(), moves.len()), (position.key(), 3));
        assert_eq!(walk(1).map(|w| w.1), Some(moves.clone()));
        assert_ne!(walk(2).map(|w| w.1), Some(moves));
    }
}
