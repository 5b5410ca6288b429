//! FEN of xiangqi.
//!
//! Ten ranks from Black's back rank down, each of nine files, the side to move (`w` or `r` for Red, `b` for Black), two fields
//! that are `-` in xiangqi, plies since the last capture, and the number of the move. Pieces are K A B N R C P, capital for
//! Red; E is read for B (elephant) and H for N (horse). Fields that are missing at the end have their usual values.

use super::{Board, Color, Letters, Piece, Position, PositionError, Square};
use std::fmt;
use std::str::FromStr;

/// What is wrong with a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FenError {
    /// Too few or too many fields.
    #[error("bad FEN: expected 2 to 6 fields (board, side to move, -, -, two counters), found {0}")]
    Fields(usize),
    /// A character of the board that no alphabet of xiangqi has.
    #[error(
        "bad FEN: {0:?} is no piece; the letters are K A B N R C P (or E for B, H for N), capitals for Red"
    )]
    Letter(char),
    /// A queen, which only chess has.
    #[error(
        "bad FEN: {0:?} is the queen of chess; the letters of xiangqi are K A B N R C P (or E for B, H for N)"
    )]
    ChessLetter(char),
    /// The cannon (gunner) of Wu & Beal's letters, in which C is the chariot.
    #[error(
        "bad FEN: {0:?} is the cannon in the letters K A E H C G P of Wu and Beal only; write C for the cannon and R for the chariot"
    )]
    PaperLetter(char),
    /// Not ten ranks.
    #[error("bad FEN: the board has {0} ranks, and xiangqi has 10, separated by /{hint}", hint = if *.0 == 8 { " (is it a chess position?)" } else { "" })]
    Ranks(usize),
    /// Not nine squares in a rank.
    #[error(
        "bad FEN: rank {rank} has {files} files, and xiangqi has 9 (ranks are numbered 9 to 0 from the top)"
    )]
    Files {
        /// The rank, 0 to 9.
        rank: u8,
        /// How many files it has.
        files: usize,
    },
    /// The side to move.
    #[error("bad FEN: the side to move, the second field, is w or r for Red or b for Black")]
    Turn,
    /// The third or fourth field.
    #[error("bad FEN: field {0} is - in xiangqi, where nobody castles or captures en passant")]
    Unused(usize),
    /// The plies since the last capture.
    #[error("bad FEN: field 5, the plies since the last capture, is no number up to 65535")]
    Halfmoves,
    /// The number of the move.
    #[error("bad FEN: field 6, the number of the move, is no number up to 65535")]
    Fullmoves,
    /// It can be read, but is no legal position.
    #[error("impossible position: {0}")]
    Position(#[from] PositionError),
}

/// A number written in digits only.
fn number(text: &str) -> Option<u16> {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

impl Board {
    /// Reads the first field of a FEN in the letters of an alphabet.
    ///
    /// # Errors
    /// If it is no board of ten ranks of nine files, or a letter is unknown.
    pub fn parse(text: &str, letters: Letters) -> Result<Board, FenError> {
        let mut board = Board::EMPTY;
        let ranks = text.split('/').count();
        for c in text.chars() {
            let known = matches!(c, '/' | '1'..='9') || Piece::from_letter(c, letters).is_some();
            match c {
                _ if known => {}
                'q' | 'Q' => return Err(FenError::ChessLetter(c)),
                'g' | 'G' => return Err(FenError::PaperLetter(c)),
                _ => return Err(FenError::Letter(c)),
            }
        }
        if ranks != 10 {
            return Err(FenError::Ranks(ranks));
        }
        for (row, rank) in text.split('/').zip((0..10).rev()) {
            let mut files = 0;
            for c in row.chars() {
                let digit = c.to_digit(10).map(|digit| digit as usize);
                let square = u8::try_from(files)
                    .ok()
                    .and_then(|file| Square::at(file, rank));
                if let (Some(piece), Some(square)) = (Piece::from_letter(c, letters), square) {
                    board.put(piece, square);
                }
                files += digit.unwrap_or(1);
            }
            if files != 9 {
                return Err(FenError::Files { rank, files });
            }
        }
        Ok(board)
    }

    /// The first field of a FEN in the letters of an alphabet.
    #[must_use]
    pub fn write(&self, letters: Letters) -> String {
        let mut text = String::new();
        for rank in (0..10).rev() {
            let mut empty = 0;
            for file in 0..9 {
                let piece = Square::at(file, rank).and_then(|square| self.at(square));
                let Some(piece) = piece else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    text.push(char::from(b'0' + empty));
                    empty = 0;
                }
                text.push(piece.letter(letters));
            }
            if empty > 0 {
                text.push(char::from(b'0' + empty));
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text
    }
}

/// The first field of a FEN, in the letters K A B N R C P.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.write(Letters::Uci))
    }
}

/// As [`Display`](fmt::Display).
impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads the first field of a FEN in the letters of UCI and WXF.
impl FromStr for Board {
    type Err = FenError;
    fn from_str(text: &str) -> Result<Board, FenError> {
        Board::parse(text, Letters::Uci)
    }
}

impl Position {
    /// The start position.
    #[must_use]
    pub fn start() -> Position {
        let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        Position::from_fen(fen).expect("the start position is legal")
    }

    /// Reads a FEN of two to six fields: board and side to move are needed, the rest may be missing from the end.
    ///
    /// ```
    /// use duchamp_xiangqi::{Position, PositionError};
    ///
    /// let position = Position::from_fen("3k5/9/9/9/9/9/9/4E4/9/4KH3 r")?;
    /// assert_eq!(position.fen(), "3k5/9/9/9/9/9/9/4B4/9/4KN3 w - - 0 1");
    /// let error = Position::from_fen("3k5/9/9/4B4/9/9/9/9/9/4K4 w").unwrap_err();
    /// assert!(error.to_string().contains("the Red elephant on e6 cannot stand there"));
    /// # Ok::<(), duchamp_xiangqi::FenError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is no FEN or the position is not legal.
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        Position::from_fen_in(fen, Letters::Uci)
    }

    /// [`Position::from_fen`] in the letters of an alphabet. [`Letters::Uci`] and [`Letters::Wxf`] are read alike.
    ///
    /// ```
    /// use duchamp_xiangqi::{Letters, Position};
    ///
    /// let fen = "3a1Ge2/9/e2ak4/9/9/9/2P6/4E4/3K5/5A3 r";
    /// let position = Position::from_fen_in(fen, Letters::WuBeal)?;
    /// assert_eq!(position.fen(), "3a1Cb2/9/b2ak4/9/9/9/2P6/4B4/3K5/5A3 w - - 0 1");
    /// # Ok::<(), duchamp_xiangqi::FenError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is no FEN or the position is not legal.
    pub fn from_fen_in(fen: &str, letters: Letters) -> Result<Position, FenError> {
        let count = fen.split_ascii_whitespace().count();
        if !(2..=6).contains(&count) {
            return Err(FenError::Fields(count));
        }
        let mut fields = fen.split_ascii_whitespace();
        let mut field = |usual| fields.next().unwrap_or(usual);
        let board = Board::parse(field(""), letters)?;
        let turn = match field("") {
            "w" | "r" => Color::Red,
            "b" => Color::Black,
            _ => return Err(FenError::Turn),
        };
        for unused in [3, 4] {
            if field("-") != "-" {
                return Err(FenError::Unused(unused));
            }
        }
        let halfmoves = number(field("0")).ok_or(FenError::Halfmoves)?;
        let fullmoves = number(field("1")).ok_or(FenError::Fullmoves)?;
        Ok(Position::new(board, turn)?.with_counters(halfmoves, fullmoves))
    }

    /// The FEN, in the letters K A B N R C P.
    #[must_use]
    pub fn fen(&self) -> String {
        self.fen_in(Letters::Uci)
    }

    /// The FEN in the letters of an alphabet.
    #[must_use]
    pub fn fen_in(&self, letters: Letters) -> String {
        let board = self.board().write(letters);
        let turn = self.turn().to_char();
        format!(
            "{board} {turn} - - {} {}",
            self.halfmoves(),
            self.fullmoves()
        )
    }
}

/// The FEN.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.fen())
    }
}

/// As [`Display`](fmt::Display).
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
