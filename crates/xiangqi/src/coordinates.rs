//! Moves written as two squares: as UCI engines do, with ranks from 0 (`h2e2`) or from 1 (`h3e3`, `h10h9`), and as ICCS does
//! (`H2-E2`).
//!
//! The two ways to count ranks look alike: in the start position `b2b9` with ranks from 0 and `b3b10` with ranks from 1 are the same
//! capture, and `a1a2` names a move in neither or only one of them. So a reader is told which way it is
//! ([`RankBase`]); a reader that is not told ([`Position::parse_move`]) takes ranks from 0 unless the text has a rank 10, which only
//! exists if they start at 1.

use super::{Move, Position, Square};

/// The number of Red's back rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum RankBase {
    /// Ranks 0 to 9, as UCCI, Pikafish and ICCS count.
    #[default]
    Zero,
    /// Ranks 1 to 10, as Fairy-Stockfish counts under UCI.
    One,
}

/// Why a text is no move of two squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CoordinateError {
    /// Not two squares.
    #[error(
        "not a move such as h2e2 or H2-E2 (files a to i, ranks 0 to 9) or h3e3 (ranks 1 to 10)"
    )]
    Syntax,
    /// A rank 10 where ranks start at 0.
    #[error("rank 10 does not exist where ranks are numbered 0 to 9")]
    RankTen,
    /// A rank 0 where ranks start at 1.
    #[error("rank 0 does not exist where ranks are numbered 1 to 10")]
    RankZero,
    /// Two squares, but no legal move.
    #[error("not a legal move here, with ranks numbered {}", match .0 { RankBase::Zero => "0 to 9", RankBase::One => "1 to 10" })]
    Illegal(RankBase),
}

/// The file (0 to 8) and the rank (0 to 10) of a square, as written.
type Numbers = (u8, u8);

impl Move {
    /// The move as UCI engines write it.
    ///
    /// ```
    /// use duchamp_xiangqi::{Position, RankBase};
    ///
    /// let mv = Position::start().parse_move("h2h9")?;
    /// assert_eq!(mv.uci(RankBase::Zero), "h2h9");
    /// assert_eq!(mv.uci(RankBase::One), "h3h10");
    /// assert_eq!(mv.iccs(), "H2-H9");
    /// # Ok::<(), duchamp_xiangqi::CoordinateError>(())
    /// ```
    #[must_use]
    pub fn uci(self, base: RankBase) -> String {
        let square = |square: Square| {
            let file = char::from(b'a' + square.file());
            format!("{file}{}", square.rank() + base as u8)
        };
        square(self.from) + &square(self.to)
    }

    /// The move as ICCS writes it: `H2-E2`.
    #[must_use]
    pub fn iccs(self) -> String {
        format!("{}-{}", self.from, self.to).to_ascii_uppercase()
    }
}

impl Position {
    /// The legal move of a text such as `h2e2`, `h10h9` or `H2-E2`, in letters of either case: ranks are numbered from 1 if the text has a
    /// rank 10, else from 0. So `h3e3` is read with ranks from 0; where ranks from 1 are expected, use
    /// [`Position::parse_move_in`].
    ///
    /// # Errors
    /// If the text is no move or the move is not legal.
    pub fn parse_move(&self, text: &str) -> Result<Move, CoordinateError> {
        let [from, to] = numbers(text)?;
        let ten = from.1 == 10 || to.1 == 10;
        self.parse_move_in(text, if ten { RankBase::One } else { RankBase::Zero })
    }

    /// The legal move of a text such as `h2e2` or `H2-E2` with ranks numbered as given.
    ///
    /// ```
    /// use duchamp_xiangqi::{Position, RankBase};
    ///
    /// let position = Position::start();
    /// let zero = position.parse_move_in("H2-E2", RankBase::Zero)?;
    /// assert_eq!(position.parse_move_in("h3e3", RankBase::One)?, zero);
    /// # Ok::<(), duchamp_xiangqi::CoordinateError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is no move or the move is not legal.
    pub fn parse_move_in(&self, text: &str, base: RankBase) -> Result<Move, CoordinateError> {
        let square = |(file, rank): Numbers| match (base, rank) {
            (RankBase::Zero, 10) => Err(CoordinateError::RankTen),
            (RankBase::One, 0) => Err(CoordinateError::RankZero),
            _ => Square::at(file, rank - base as u8).ok_or(CoordinateError::Syntax),
        };
        let [from, to] = numbers(text)?;
        let (from, to) = (square(from)?, square(to)?);
        let mv = Move { from, to };
        if self.is_legal(mv) {
            Ok(mv)
        } else {
            Err(CoordinateError::Illegal(base))
        }
    }
}

/// Both squares of a move.
fn numbers(text: &str) -> Result<[Numbers; 2], CoordinateError> {
    let (from, rest) = square(text).ok_or(CoordinateError::Syntax)?;
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    match square(rest) {
        Some((to, "")) => Ok([from, to]),
        _ => Err(CoordinateError::Syntax),
    }
}

/// A file and a rank at the head of a text, and the rest.
fn square(text: &str) -> Option<(Numbers, &str)> {
    let file = match *text.as_bytes().first()? {
        file @ b'a'..=b'i' => file - b'a',
        file @ b'A'..=b'I' => file - b'A',
        _ => return None,
    };
    let rest = text.get(1..)?;
    if let Some(rest) = rest.strip_prefix("10") {
        return Some(((file, 10), rest));
    }
    match *rest.as_bytes().first()? {
        rank @ b'0'..=b'9' => Some(((file, rank - b'0'), rest.get(1..)?)),
        _ => None,
    }
}
