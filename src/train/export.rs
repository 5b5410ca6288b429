//! Floats to the integers that the engine plays with.

use super::shape::{Row, TILE};
use super::shard::Aim;
use super::{Judged, Judges, Packed, Trainer};
use crate::eval::network::{Network, NetworkError, Parameters, QA, QB};
use crate::eval::{Evaluator, MakeEvaluator};
use rayon::prelude::*;

impl Trainer {
    /// The network as the engine plays it: every number rounded. `label` says how it was made.
    ///
    /// # Errors
    /// If the label is too long, or a number is beyond the format.
    pub fn network(&self, label: &str) -> Result<Network, NetworkError> {
        let settings = self.settings();
        let shape = &settings.shape;
        let parts = shape.parts(&self.parameters);
        // Here by tile, then by feature; there all units of a feature together.
        let features = shape.features();
        let row =
            |feature| (0..shape.tiles()).map(move |tile| &parts.hidden[tile * features + feature]);
        let wide = (0..features).flat_map(row);
        // Here by tile, then by half; there by half, then by tile.
        let weights = (0..shape.outputs()).flat_map(|bucket| {
            let rows = &parts.output[bucket * shape.tiles() * 2..][..shape.tiles() * 2];
            (0..2).flat_map(move |half| rows[half..].iter().step_by(2))
        });
        let parameters = Parameters {
            hidden_weights: rounded(wide, QA),
            hidden_bias: rounded(parts.bias.iter(), QA),
            output_weights: rounded(weights, QB),
            output_bias: parts
                .output_bias
                .iter()
                .map(|&bias| (f64::from(bias) * (QA * QB) as f64).round() as i32)
                .collect(),
        };
        Network::new(shape.of_network(settings.scale), label, &parameters)
    }

    /// The mean losses of positions judged by an evaluation, such as a network in integers.
    #[must_use]
    pub fn judge_evaluation(&self, make: &MakeEvaluator, judges: &Judges) -> Judged {
        let (aim, scale) = (Aim::new(self.settings()), self.settings().scale as f32);
        judges.each(|positions| {
            let loss = |evaluator: &mut Box<dyn Evaluator>, packed: &Packed| {
                let position = packed.position()?;
                evaluator.reset(&position);
                let out = evaluator.evaluate(&position).0 as f32 / scale;
                let (loss, _) = aim.loss(out, aim.target(packed));
                Some(f64::from(loss))
            };
            // Summed in a fixed order.
            let losses = positions.par_iter().map_init(|| make(), loss);
            let losses: Vec<f64> = losses.flatten().collect();
            losses.iter().sum::<f64>() / losses.len().max(1) as f64
        })
    }
}

/// Rows in units of one over `unit`.
fn rounded<'a>(rows: impl Iterator<Item = &'a Row>, unit: i64) -> Vec<i16> {
    let round = |row: &Row| row.map(|weight| (weight * unit as f32).round() as i16);
    let rows: Vec<[i16; TILE]> = rows.map(round).collect();
    rows.into_flattened()
}
