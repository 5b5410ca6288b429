//! Neighbours: positions a few random moves off the games, labelled by another evaluation.
//!
//! Well-played games hold few of the unbalanced positions that a search evaluates, such as a lost piece or an exposed
//! king. Neighbours add them. They have no game result.

use super::Packed;
use crate::selfplay::quiet_walk;
use duchamp_base::Random;
use duchamp_chess::Position;
use duchamp_eval::Evaluator;

/// Generates neighbours and labels them.
pub struct Neighbours {
    evaluator: Box<dyn Evaluator>,
    random: Random,
    /// Tries for each position of a game.
    tries: usize,
}

impl Neighbours {
    /// `tries` neighbours are tried at each position of a game, labelled by `evaluator`.
    #[must_use]
    pub fn new(evaluator: Box<dyn Evaluator>, tries: usize, seed: u64) -> Neighbours {
        Neighbours {
            evaluator,
            random: Random::new(seed),
            tries,
        }
    }

    /// Calls `found` with the quiet neighbours of a position.
    pub(super) fn of(
        &mut self,
        position: &Position,
        max_score: i16,
        mut found: impl FnMut(Packed),
    ) {
        for _ in 0..self.tries {
            let Some((neighbour, _)) = quiet_walk(&mut self.random, position) else {
                continue;
            };
            self.evaluator.reset(&neighbour);
            let score = self.evaluator.evaluate(&neighbour).0;
            if score.abs() <= i32::from(max_score) {
                let turn = neighbour.turn();
                found(Packed::without_result(
                    neighbour.board(),
                    turn,
                    score as i16,
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::is_quiet;
    use duchamp_chess::Color;
    use duchamp_eval::material;

    #[test]
    fn neighbours_are_quiet_and_reproducible() {
        let made = |seed| {
            let mut neighbours = Neighbours::new(material()(), 40, seed);
            let mut found = Vec::new();
            neighbours.of(&Position::start(), 2000, |packed| found.push(packed));
            found
        };
        let found = made(1);
        assert!(found.len() > 20 && found == made(1) && found != made(2));
        for packed in found {
            let position = packed.position().expect("legal but for rights to castle");
            assert!(position.turn() == Color::White && is_quiet(&position));
            assert_eq!(packed.result(), None);
            assert!(packed.score().abs() < 500);
        }
    }
}
