//! Setups: all that a FEN can say, legal or not.

use super::{Board, Castling, Color, Square};

/// A board with the other fields of a FEN, legal or not. [`str::parse`] reads a FEN;
/// [`Position::from_setup`](crate::Position::from_setup) checks the setup.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// Who stands where.
    pub board: Board,
    /// The side to move.
    pub turn: Color,
    /// Who may still castle.
    pub castling: Castling,
    /// The square that a pawn has just passed by a double step.
    pub ep: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmoves: u16,
    /// The number of the move to be played, from 1.
    pub fullmoves: u16,
}

impl Setup {
    /// No pieces, White to move.
    pub const EMPTY: Setup = Setup {
        board: Board::EMPTY,
        turn: Color::White,
        castling: Castling::NONE,
        ep: None,
        halfmoves: 0,
        fullmoves: 1,
    };

    /// The start position of ordinary chess.
    #[must_use]
    pub fn start() -> Setup {
        Setup::chess960(518).expect("518 is below 960")
    }
}
