//! Best lines: both sides play by the table until the game is over.

use super::format::Metric;
use super::probe::{MoveValue, ProbeError};
use super::tables::Tables;
use duchamp_base::{Plies, Value};
use duchamp_chess::Position;

/// No line is longer: every step of one brings an end nearer, unless files are wrong.
const LONGEST: usize = 10_000;

impl Tables {
    /// The best line from a position to its mate by a metric: the winner takes the shortest way, the loser the longest;
    /// among equals the first in order of generation. After a conversion, or a capture or pawn move,
    /// the line goes on with the next distance. Empty if the position is drawn.
    ///
    /// # Errors
    /// When a position of the line cannot be probed.
    pub fn best_line(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Vec<MoveValue>, ProbeError> {
        let mut line = Vec::new();
        let mut position = *position;
        let start = self.probe_metric(&position, metric)?;
        if let Value::Draw | Value::Loss(Plies(0)) = start {
            return Ok(line);
        }
        while line.len() < LONGEST {
            let Some(&best) = self.probe_moves(&position, metric)?.first() else {
                break;
            };
            line.push(best);
            position = position.play(best.mv);
        }
        Ok(line)
    }
}
