//! How search asks for exact values, without knowing who answers.

use super::Position;
use duchamp_base::{Value, Wdl};

/// Something that knows exact values of some positions: endgame tables, a pawn-ending prover.
///
/// Values ignore the 50-move counter of the position (as if it were zero) and are exact for the
/// position as given, en-passant rights included. `None` means "not known": wrong material, a table
/// that is not there yet, castling rights.
pub trait Oracle: Send + Sync {
    /// The most men (kings included) that any answer covers now; 0 when nothing can be answered.
    /// Search asks nothing about positions with more.
    fn max_men(&self) -> u32;

    /// Win, draw or loss for the side to move; the fast question.
    fn wdl(&self, position: &Position) -> Option<Wdl>;

    /// The value with its distance to mate in plies; slower.
    fn dtm(&self, position: &Position) -> Option<Value>;
}

/// Knows nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoOracle;

impl Oracle for NoOracle {
    fn max_men(&self) -> u32 {
        0
    }
    fn wdl(&self, _: &Position) -> Option<Wdl> {
        None
    }
    fn dtm(&self, _: &Position) -> Option<Value> {
        None
    }
}
