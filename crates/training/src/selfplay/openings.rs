//! Starts of games: a start position and some random moves.

use super::random_walk;
use super::record::GameRecord;
use duchamp_base::Random;
use duchamp_chess::{Move, Position};

/// A start that can be played on from.
pub(super) struct Opening {
    /// Number of the Chess960 start position.
    pub(super) start: u16,
    pub(super) moves: Vec<Move>,
    pub(super) position: Position,
}

/// A start position and so many random legal moves; `None` if that ended the game. `chess960`: from any of
/// the 960 start positions.
pub(super) fn random_opening(random: &mut Random, plies: usize, chess960: bool) -> Option<Opening> {
    let start = if chess960 {
        random.below(960) as u16
    } else {
        GameRecord::ORDINARY
    };
    let (position, moves) = random_walk(random, &GameRecord::start_position(start)?, plies)?;
    Some(Opening {
        start,
        moves,
        position,
    })
}
