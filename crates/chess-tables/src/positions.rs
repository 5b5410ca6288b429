//! From a placement to a position.

use duchamp_chess::{Board, Color, Faults, Position, Setup};

/// A position without rights; `None` if it is illegal.
pub(crate) fn position_of(board: Board, turn: Color) -> Option<Position> {
    let setup = Setup {
        board,
        turn,
        ..Setup::EMPTY
    };
    Position::from_setup_forgiving(&setup, Faults::FORGIVABLE).ok()
}
