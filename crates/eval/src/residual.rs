//! The hand-crafted evaluation corrected by a residual network.

use super::classical::Classical;
use super::evaluator::{Evaluator, Explanation};
use super::network::{Network, NetworkEvaluator};
use super::score::Score;
use duchamp_chess::{Move, Position};
use std::sync::Arc;

/// An [`Evaluator`] that adds a residual network to the hand-crafted evaluation.
pub struct ResidualEvaluator {
    hce: Classical,
    network: NetworkEvaluator,
}

impl ResidualEvaluator {
    /// An evaluator with a residual network; as many as there are threads may share one.
    #[must_use]
    pub fn new(network: Arc<Network>) -> ResidualEvaluator {
        ResidualEvaluator {
            hce: Classical::new(),
            network: NetworkEvaluator::new(network),
        }
    }
}

impl Evaluator for ResidualEvaluator {
    fn reset(&mut self, position: &Position) {
        self.hce.reset(position);
        self.network.reset(position);
    }

    fn push(&mut self, before: &Position, mv: Option<Move>, after: &Position) {
        self.hce.push(before, mv, after);
        self.network.push(before, mv, after);
    }

    fn pop(&mut self) {
        self.hce.pop();
        self.network.pop();
    }

    fn evaluate(&mut self, position: &Position) -> Score {
        let hce = self.hce.evaluate(position);
        Score::eval(hce.0 + self.network.evaluate(position).0)
    }

    fn explain(&mut self, position: &Position) -> Explanation {
        Explanation {
            network: Some(self.network.evaluate(position)),
            pieces: Vec::new(),
            score: self.evaluate(position),
            ..self.hce.explain(position)
        }
    }
}
