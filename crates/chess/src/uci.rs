//! Moves as UCI writes them: `e2e4`, `e7e8q`, castling `e1g1` or, in Chess960, `e1h1`.

use super::castling::{back_rank, castling_targets};
use super::{Move, MoveKind, Position, Role, Square};

/// A text that is no legal UCI move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UciMoveError {
    /// Not of the form `e2e4` or `e7e8q`.
    #[error("not a move such as e2e4 or e7e8q")]
    Syntax,
    /// Well formed, but not legal in this position.
    #[error("not a legal move here")]
    Illegal,
}

impl Position {
    /// The move as UCI writes it; castling as king takes rook if `chess960`.
    ///
    /// ```
    /// use duchamp_chess::{Move, Position, Square};
    ///
    /// let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
    /// let castling = Move::castle(Square::E1, Square::H1);
    /// assert_eq!(position.uci(castling, false), "e1g1");
    /// assert_eq!(position.uci(castling, true), "e1h1");
    /// assert_eq!(position.parse_uci("e1g1"), Ok(castling));
    /// # Ok::<(), duchamp_chess::FenError>(())
    /// ```
    #[must_use]
    pub fn uci(&self, mv: Move, chess960: bool) -> String {
        if mv.kind() == MoveKind::Castling && !chess960 {
            let (king_to, _) = castling_targets(self.turn(), mv.from(), mv.to());
            return format!("{}{king_to}", mv.from());
        }
        format!("{mv:?}")
    }

    /// The legal move of a UCI text. Castling may be written either way; where a king's step and
    /// castling share a text (Chess960), it is the step.
    ///
    /// # Errors
    /// If the text is no move or the move is not legal.
    pub fn parse_uci(&self, text: &str) -> Result<Move, UciMoveError> {
        let part = |range| text.get(range).ok_or(UciMoveError::Syntax);
        let square = |text: &str| text.parse::<Square>().map_err(|_| UciMoveError::Syntax);
        let (from, to) = (square(part(0..2)?)?, square(part(2..4)?)?);
        let role = match part(4..text.len())? {
            "" => None,
            "q" | "Q" => Some(Role::Queen),
            "r" | "R" => Some(Role::Rook),
            "b" | "B" => Some(Role::Bishop),
            "n" | "N" => Some(Role::Knight),
            _ => return Err(UciMoveError::Syntax),
        };
        if from == to {
            return Err(UciMoveError::Illegal);
        }
        let candidates = match (role, self.role_at(from)) {
            (Some(role), _) => [Some(Move::promote(from, to, role)), None, None],
            (None, Some(Role::King)) => [
                Some(Move::normal(from, to)),
                Some(Move::castle(from, to)),
                self.castling_to(from, to),
            ],
            (None, _) => [
                Some(Move::normal(from, to)),
                Some(Move::en_passant(from, to)),
                None,
            ],
        };
        candidates
            .into_iter()
            .flatten()
            .find(|&mv| self.is_legal(mv))
            .ok_or(UciMoveError::Illegal)
    }

    /// Castling that is written as the king's way to `to`.
    fn castling_to(&self, king: Square, to: Square) -> Option<Move> {
        if to.rank() != back_rank(self.turn()) {
            return None;
        }
        let rook = self.castling().rook(self.turn(), king, to > king)?;
        (castling_targets(self.turn(), king, rook).0 == to).then(|| Move::castle(king, rook))
    }
}
