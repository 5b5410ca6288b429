//! Positions of boards.

use duchamp_chess::{Board, Castling, Color, Faults, Position, Setup};

/// The position of a board, without any rights; `None` if the side to move could take the king.
pub(super) fn position(board: Board, turn: Color) -> Option<Position> {
    let setup = Setup {
        board,
        turn,
        castling: Castling::NONE,
        ..Setup::EMPTY
    };
    Position::from_setup_forgiving(&setup, Faults::FORGIVABLE).ok()
}
