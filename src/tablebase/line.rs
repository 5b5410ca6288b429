//! Best lines: both sides play by the table until the game is over.

use super::probe::{MoveValue, ProbeError};
use super::tables::Tables;
use crate::base::Value;
use crate::chess::Position;

impl Tables {
    /// The best line from a position to its mate: the winner takes the shortest way, the loser the longest;
    /// among equals the first in order of generation. Empty if the position is drawn.
    ///
    /// # Errors
    /// When a position of the line cannot be probed.
    pub fn best_line(&self, position: &Position) -> Result<Vec<MoveValue>, ProbeError> {
        let mut line = Vec::new();
        let mut position = *position;
        let mut left = match self.probe(&position)? {
            Value::Draw => return Ok(line),
            Value::Win(plies) | Value::Loss(plies) => plies.0,
        };
        // Every best move brings the end one ply nearer; files that say otherwise end the line.
        while left > 0 {
            let Some(&best) = self.probe_moves(&position)?.first() else {
                break;
            };
            line.push(best);
            position = position.play(best.mv);
            left -= 1;
        }
        Ok(line)
    }
}
