//! FEN, X-FEN and Shredder-FEN.
//!
//! Castling may be written `KQkq` (X-FEN: the outermost rook on that side of the king), or by the
//! file of the rook (Shredder-FEN: `HAha`), mixed at will.
//!
//! A FEN has two to six fields. Those that are missing at the end have their usual values: no castling
//! rights, no en-passant square, halfmove clock 0, move number 1.

use super::castling::back_rank;
use super::{
    Bitboard, Board, BoardError, Castling, Color, File, Position, PositionError, Role, Setup,
    Square,
};
use std::fmt::Write;
use std::str::FromStr;

/// What is wrong with a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FenError {
    /// The first field.
    #[error("bad FEN: {0}")]
    Board(#[from] BoardError),
    /// Too few or too many fields.
    #[error("bad FEN: expected 2 to 6 fields, found {0}")]
    Fields(usize),
    /// The side to move.
    #[error("bad FEN: the side to move is neither w nor b")]
    Turn,
    /// The castling rights.
    #[error("bad FEN: {0:?} is no castling right")]
    Castling(char),
    /// The en-passant square.
    #[error("bad FEN: the en-passant field is neither - nor a square")]
    EnPassant,
    /// The number of plies since a capture or pawn move.
    #[error("bad FEN: the halfmove clock is no number up to 65535")]
    Halfmoves,
    /// The number of the move.
    #[error("bad FEN: the move number is no number up to 65535")]
    Fullmoves,
    /// It can be read, but is no legal position.
    #[error("impossible position: {0}")]
    Position(#[from] PositionError),
}

impl FromStr for Setup {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Setup, FenError> {
        let count = fen.split_ascii_whitespace().count();
        if !(2..=6).contains(&count) {
            return Err(FenError::Fields(count));
        }
        let mut fields = fen.split_ascii_whitespace();
        let mut field = |usual| fields.next().unwrap_or(usual);
        let board: Board = field("").parse()?;
        let turn = match field("") {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err(FenError::Turn),
        };
        let castling = parse_castling(&board, field("-"))?;
        let ep = match field("-") {
            "-" => None,
            square => Some(square.parse().map_err(|_| FenError::EnPassant)?),
        };
        let halfmoves = number(field("0")).ok_or(FenError::Halfmoves)?;
        let fullmoves = number(field("1")).ok_or(FenError::Fullmoves)?;
        Ok(Setup {
            board,
            turn,
            castling,
            ep,
            halfmoves,
            fullmoves,
        })
    }
}

/// A number written in digits only.
fn number(text: &str) -> Option<u16> {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

fn parse_castling(board: &Board, text: &str) -> Result<Castling, FenError> {
    let mut rooks = Bitboard::EMPTY;
    if text == "-" {
        return Ok(Castling::NONE);
    }
    for c in text.chars() {
        let color = if c.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        let rook = match c.to_ascii_lowercase() {
            'k' => outermost(board, color, true),
            'q' => outermost(board, color, false),
            lower => {
                let file = File::from_char(lower).ok_or(FenError::Castling(c))?;
                Square::at(file, back_rank(color))
            }
        };
        rooks |= rook.into();
    }
    Ok(Castling(rooks))
}

/// The outermost rook on one side of the king; the corner if there is none, so that the right
/// stays visible as a fault.
fn outermost(board: &Board, color: Color, short: bool) -> Square {
    let rank = Bitboard::rank(back_rank(color));
    let corner = Square::at(if short { File::H } else { File::A }, back_rank(color));
    let rooks = board.of(color, Role::Rook) & rank;
    let rook = if short { rooks.last() } else { rooks.first() };
    match (rook, (board.of(color, Role::King) & rank).first()) {
        (Some(rook), Some(king)) if (rook > king) == short => rook,
        _ => corner,
    }
}

impl Setup {
    /// The FEN, with castling rights as `KQkq`, or by file where only that is unambiguous (X-FEN).
    #[must_use]
    pub fn fen(&self) -> String {
        self.write(|color, rook, text| {
            let king = self.board.of(color, Role::King).first();
            let short = king.is_some_and(|king| rook > king);
            let letter = match (short, outermost(&self.board, color, short) == rook) {
                (true, true) => 'k',
                (false, true) => 'q',
                _ => rook.file().to_char(),
            };
            text.push(if color == Color::White {
                letter.to_ascii_uppercase()
            } else {
                letter
            });
        })
    }

    /// The FEN with castling rights by file: `HAha`.
    #[must_use]
    pub fn shredder_fen(&self) -> String {
        self.write(|color, rook, text| {
            let letter = rook.file().to_char();
            text.push(if color == Color::White {
                letter.to_ascii_uppercase()
            } else {
                letter
            });
        })
    }

    fn write(&self, right: impl Fn(Color, Square, &mut String)) -> String {
        let mut text = format!("{} {} ", self.board, self.turn.to_char());
        for color in Color::ALL {
            let mut rooks = self.castling.of(color);
            while let Some(rook) = rooks.last() {
                right(color, rook, &mut text);
                rooks ^= rook.into();
            }
        }
        if self.castling.is_empty() {
            text.push('-');
        }
        match self.ep {
            Some(square) => _ = write!(text, " {square}"),
            None => text.push_str(" -"),
        }
        _ = write!(text, " {} {}", self.halfmoves, self.fullmoves);
        text
    }
}

impl Position {
    /// Reads a FEN, X-FEN or Shredder-FEN of two to six fields: the pieces and the side to move are needed,
    /// the rest may be missing from the end.
    ///
    /// ```
    /// use duchamp_chess::Position;
    ///
    /// let position = Position::from_fen("4k3/8/8/8/8/8/8/Q3K3 w")?;
    /// assert_eq!(position.fen(), "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1");
    /// # Ok::<(), duchamp_chess::FenError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is no FEN or the position has any fault; see [`Position::from_setup_forgiving`]
    /// for a way to overlook some.
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        Ok(Position::from_setup(&fen.parse::<Setup>()?)?)
    }

    /// The FEN; castling rights as `KQkq`, or by file where only that is unambiguous (X-FEN).
    #[must_use]
    pub fn fen(&self) -> String {
        self.setup().fen()
    }

    /// The FEN with castling rights by file: `HAha`.
    #[must_use]
    pub fn shredder_fen(&self) -> String {
        self.setup().shredder_fen()
    }
}
