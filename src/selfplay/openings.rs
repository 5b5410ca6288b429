//! Starts of games: a start position and some random moves.

use super::Random;
use super::record::GameRecord;
use crate::chess::{Move, Position};

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
    let mut position = GameRecord::start_position(start)?;
    let mut moves = Vec::with_capacity(plies);
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return None;
        }
        let mv = legal[random.below(legal.len())];
        position.advance(mv);
        moves.push(mv);
    }
    position.has_legal_move().then_some(Opening {
        start,
        moves,
        position,
    })
}
