//! The hand-crafted evaluation: a sum of weighted terms for middlegame and endgame, mixed by how
//! many pieces are left.

mod context;
mod material;

use super::trace::{NoTrace, Tally, Tracer};
use super::{Evaluator, Score};
use crate::chess::{Color, Move, Position, Role};
use context::{Context, FULL_PHASE};

/// The hand-crafted evaluation.
#[derive(Default, Debug)]
pub struct Classical {}

impl Classical {
    /// Ready to evaluate any position.
    #[must_use]
    pub fn new() -> Classical {
        Classical::default()
    }

    fn value<T: Tracer>(&mut self, position: &Position, tracer: T) -> i32 {
        let context = Context::new(position);
        let mut tally = Tally::new(tracer);
        for us in Color::ALL {
            for role in Role::ALL {
                for square in position.of(us, role) {
                    material::man(&mut tally, us, role, square);
                }
            }
        }
        let phase = context.phase();
        (tally.score.middlegame() * phase + tally.score.endgame() * (FULL_PHASE - phase))
            / FULL_PHASE
    }
}

impl Evaluator for Classical {
    fn reset(&mut self, _: &Position) {}

    fn push(&mut self, _: &Position, _: Option<Move>, _: &Position) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, position: &Position) -> Score {
        let white = self.value(position, NoTrace);
        Score::eval(if position.turn() == Color::White {
            white
        } else {
            -white
        })
    }
}
