//! Which positions of a game are worth learning from.

use super::record::{NO_SCORE, Ply};
use crate::chess::Position;

/// Keeps quiet positions with scores that say something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    /// The greatest score, in centipawns, of either side.
    pub max_score: i16,
    /// Plies of the game, the random ones included, before the first position that is kept.
    pub min_ply: usize,
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
    /// Whether to keep the position after `number` plies, from which `ply` was played: not in check, the
    /// move neither captures nor promotes, the score is known and not too great.
    #[must_use]
    pub fn keeps(&self, position: &Position, number: usize, ply: Ply) -> bool {
        number >= self.min_ply
            && ply.score != NO_SCORE
            && ply.score.unsigned_abs() <= self.max_score.unsigned_abs()
            && !position.in_check()
            && !position.is_noisy(ply.mv)
    }
}
