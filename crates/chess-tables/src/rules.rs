//! Chess position by position: what probing and verification need, computed by the board of [`duchamp_chess`].

use std::ops::ControlFlow;

use duchamp_base::{Plies, Value};
use duchamp_chess::{Board, Move, MoveKind, Piece, Position, Role};
use duchamp_tablebase::{CellId, MoveFacts, Rules};

use crate::game::Chess;
use crate::layout::Layout;
use crate::positions::position_of;

/// What a move does to the distances of the metrics.
#[inline]
pub(crate) fn facts(position: &Position, mv: Move) -> MoveFacts<Move> {
    let capture = position.is_capture(mv);
    let pawn = position
        .at(mv.from())
        .is_some_and(|piece| piece.role == Role::Pawn);
    MoveFacts {
        mv,
        converts: capture || mv.promotion().is_some(),
        zeroes: capture || pawn,
        unstored: mv.kind() == MoveKind::EnPassant,
    }
}

impl Rules for Chess {
    type Position = Position;
    type Move = Move;

    fn position(index: &Layout, at: CellId) -> Option<Position> {
        let (board, turn) = index.place(at)?;
        let position = position_of(board, turn)?;
        (index.locate_as(position.board(), turn, false)? == at).then_some(position)
    }

    #[inline]
    fn code(position: &Position) -> u64 {
        position.material_counts()
    }

    #[inline]
    fn cell(index: &Layout, position: &Position, exchanged: bool) -> Option<CellId> {
        index.locate_as(position.board(), position.turn(), exchanged)
    }

    fn men(position: &Position) -> u32 {
        position.occupied().count()
    }

    #[inline]
    fn refusal(position: &Position) -> Option<&'static str> {
        position.has_castling_rights().then_some("castling rights")
    }

    #[inline]
    fn is_dead_draw(position: &Position) -> bool {
        position.is_insufficient_material()
    }

    #[inline]
    fn has_unstored_moves(position: &Position) -> bool {
        position.ep_square().is_some()
    }

    #[inline]
    fn moves(position: &Position, mut each: impl FnMut(MoveFacts<Move>) -> ControlFlow<()>) {
        for mv in position.legal_moves() {
            if each(facts(position, mv)).is_break() {
                return;
            }
        }
    }

    #[inline]
    fn play(position: &Position, mv: Move) -> Position {
        position.play(mv)
    }

    fn stuck(position: &Position) -> Value {
        if position.in_check() {
            Value::Loss(Plies(0))
        } else {
            Value::Draw
        }
    }

    #[inline]
    fn mates(position: &Position, mv: Move) -> bool {
        position.gives_check(mv) && position.play(mv).is_checkmate()
    }

    fn notation(position: &Position) -> String {
        position.fen().to_string()
    }

    fn exchanged(position: &Position) -> Option<Position> {
        let mut board = Board::EMPTY;
        for square in position.occupied() {
            if let Some(piece) = position.at(square) {
                let other = Piece {
                    color: !piece.color,
                    role: piece.role,
                };
                board.put(other, square.flip_rank());
            }
        }
        position_of(board, !position.turn())
    }
}
