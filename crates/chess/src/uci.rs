//! Moves as UCI writes them: `e2e4`, `e7e8q`, castling `e1g1` or, in Chess960, `e1h1`.

use super::castling::{back_rank, castling_targets};
use super::{File, Move, MoveKind, Position, Role, Square};

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

impl Move {
    /// The move as UCI writes it; castling as king takes rook if `chess960`. From squares where the king's way would be
    /// ambiguous (not from the e-file, or to a rook that does not stand at the edge) it is king takes rook in any case, so that
    /// [`Position::parse_uci`] reads every legal move back.
    ///
    /// ```
    /// use duchamp_chess::{Move, Position, Square};
    ///
    /// let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
    /// let castling = Move::castle(Square::E1, Square::H1);
    /// assert_eq!(castling.uci(false), "e1g1");
    /// assert_eq!(castling.uci(true), "e1h1");
    /// assert_eq!(position.parse_uci("e1g1"), Ok(castling));
    /// # Ok::<(), duchamp_chess::FenError>(())
    /// ```
    #[must_use]
    pub fn uci(self, chess960: bool) -> String {
        let rook = self.to().file();
        let ordinary = self.from().file() == File::E && matches!(rook, File::A | File::H);
        if self.kind() == MoveKind::Castling && ordinary && !chess960 {
            let file = if rook == File::H { File::G } else { File::C };
            return format!("{}{}", self.from(), Square::at(file, self.from().rank()));
        }
        format!("{self:?}")
    }
}

impl Position {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Setup;
    use std::collections::HashSet;

    /// Kings and rooks of every Chess960 set-up, with nothing between them: no two moves are written alike, and each is
    /// read back, whichever way castling is written.
    #[test]
    fn every_castling_is_read_back() {
        let mut castlings = 0;
        for number in 0..960 {
            let setup = Setup::chess960(number).expect("below 960");
            let full = Position::from_setup(&setup).expect("legal").fen();
            let row: String = full[..8]
                .chars()
                .map(|man| if "kr".contains(man) { man } else { '1' })
                .collect();
            let fen = format!("{row}/8/8/8/8/8/8/{} w KQkq - 0 1", row.to_uppercase());
            let Ok(position) = Position::from_fen(&fen) else {
                continue;
            };
            let moves = position.legal_moves();
            for chess960 in [false, true] {
                let texts: HashSet<String> = moves.iter().map(|mv| mv.uci(chess960)).collect();
                assert_eq!(texts.len(), moves.len(), "{fen}");
                for &mv in &moves {
                    castlings += usize::from(mv.kind() == MoveKind::Castling);
                    assert_eq!(position.parse_uci(&mv.uci(chess960)), Ok(mv), "{fen}");
                }
            }
        }
        assert!(castlings > 1000, "{castlings}");
    }
}
