//! The hand-crafted evaluation and what a network adds to it.

use super::classical::Classical;
use super::evaluator::Evaluator;
use super::network::{Network, NetworkEvaluator};
use super::score::Score;
use duchamp_chess::{Move, Position};
use std::sync::Arc;

/// An [`Evaluator`] that adds a residual network to the hand-crafted evaluation.
pub struct Corrected {
    by_hand: Classical,
    network: NetworkEvaluator,
}

impl Corrected {
    /// An evaluator with a residual network; as many as there are threads may share one.
    #[must_use]
    pub fn new(network: Arc<Network>) -> Corrected {
        Corrected {
            by_hand: Classical::new(),
            network: NetworkEvaluator::new(network),
        }
    }
}

impl Evaluator for Corrected {
    fn reset(&mut self, position: &Position) {
        self.by_hand.reset(position);
        self.network.reset(position);
    }

    fn push(&mut self, before: &Position, mv: Option<Move>, after: &Position) {
        self.by_hand.push(before, mv, after);
        self.network.push(before, mv, after);
    }

    fn pop(&mut self) {
        self.by_hand.pop();
        self.network.pop();
    }

    fn evaluate(&mut self, position: &Position) -> Score {
        let by_hand = self.by_hand.evaluate(position);
        Score::eval(by_hand.0 + self.network.evaluate(position).0)
    }
}
