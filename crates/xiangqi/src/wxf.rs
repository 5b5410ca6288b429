//! Moves as the World Xiangqi Federation writes them: `C2=5`, `H8+7`.
//!
//! A move is four characters: the piece, the file on which it stands, the direction (`+` forward, `-` back, `=` sideways; `.` is
//! read for `=`), and the file where it arrives, or, if it moves straight along its file, the number of steps. Files count from 1 to 9
//! from the right of the side that moves.
//!
//! Of two chariots, cannons, horses or pawns on a file the front one is written `+` instead of its file, the rear one `-`:
//! `C+-3`. Read is also `+C-3`. If three pawns or more stand on a file, or on two files two or more, pawns in tandem are
//! written by their number from the front and their file instead: `15=6` is the first pawn of file 5. Advisors and elephants need no
//! sign, since of two on a file only one moves forward.
//!
//! The same notation in the letters of Wu and Beal's paper ([`Letters::WuBeal`]) has capitals for Red and small letters for
//! Black, as the paper's FEN has.

use super::{Bitboard, Color, Letters, Move, Piece, Position, Role, Square};

/// Why a text is no move in WXF notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WxfError {
    /// Not of the form.
    #[error(
        "not a move such as C2=5, H8+7, C+-3 or 15=6 (piece, file, one of + - =, file or steps)"
    )]
    Syntax,
    /// Of the form, but no legal move.
    #[error("no piece can move so here")]
    Illegal,
    /// More than one legal move.
    #[error(
        "more than one piece can move so; write + for the front and - for the rear one instead of the file (C+-3), or number pawns from the front (15=6)"
    )]
    Ambiguous,
}

/// Which piece moves, as far as the text says.
#[derive(Clone, Copy)]
enum Who {
    /// A piece of this kind on a file.
    OnFile(Role, u8),
    /// The front one (`true`) or the rear one of those that share a file.
    Sign(Role, bool),
    /// A pawn by its number from the front, 1 first, and its file.
    Number(usize, u8),
}

/// A move as written: who, in which direction, and the last digit.
type Written = (Who, char, u8);

/// A file as the side that moves counts it, 1 to 9 from its right.
const fn column(color: Color, square: Square) -> u8 {
    match color {
        Color::Red => 9 - square.file(),
        Color::Black => square.file() + 1,
    }
}

/// The direction of a move and its last digit.
fn tail(piece: Piece, mv: Move) -> (char, u8) {
    let (from, to) = (mv.from.rank(), mv.to.rank());
    let sign = match (from == to, (to > from) == (piece.color == Color::Red)) {
        (true, _) => '=',
        (_, true) => '+',
        (_, false) => '-',
    };
    let straight = mv.from.file() == mv.to.file();
    let digit = if straight {
        to.abs_diff(from)
    } else {
        column(piece.color, mv.to)
    };
    (sign, digit)
}

impl Position {
    /// The pieces of a sort on a file, the front one first.
    fn tandem(&self, piece: Piece, file: u8) -> Vec<Square> {
        let set = self.board().of(piece.color, piece.role) & Bitboard::file(file);
        let mut squares: Vec<Square> = set.into_iter().collect();
        if piece.color == Color::Red {
            squares.reverse();
        }
        squares
    }

    /// The legal move in WXF notation, letters as capitals.
    ///
    /// ```
    /// use duchamp_xiangqi::Position;
    ///
    /// let position = Position::start();
    /// let mv = position.parse_move("h2e2").unwrap();
    /// assert_eq!(position.wxf(mv), "C2=5");
    /// let next = position.play(mv);
    /// assert_eq!(next.wxf(next.parse_move("h9g7").unwrap()), "H8+7");
    /// ```
    #[must_use]
    pub fn wxf(&self, mv: Move) -> String {
        self.wxf_in(mv, Letters::Wxf)
    }

    /// [`Position::wxf`] in the letters of an alphabet. Those of Wu and Beal's paper are small for Black.
    ///
    /// ```
    /// use duchamp_xiangqi::{Letters, Position};
    ///
    /// let position = Position::start();
    /// let mv = position.parse_move("h2e2").unwrap();
    /// assert_eq!(position.wxf_in(mv, Letters::WuBeal), "G2=5");
    /// ```
    #[must_use]
    pub fn wxf_in(&self, mv: Move, letters: Letters) -> String {
        let Some(piece) = self.at(mv.from) else {
            return mv.to_string();
        };
        let (sign, digit) = tail(piece, mv);
        let letter = match letters {
            Letters::WuBeal => piece.letter(letters),
            _ => piece.role.letter(letters),
        };
        let own = column(piece.color, mv.from);
        let tandem = self.tandem(piece, mv.from.file());
        let place = tandem.iter().position(|&square| square == mv.from);
        let place = place.unwrap_or_default();
        match piece.role {
            Role::King | Role::Advisor | Role::Elephant => format!("{letter}{own}{sign}{digit}"),
            _ if tandem.len() < 2 => format!("{letter}{own}{sign}{digit}"),
            Role::Pawn if tandem.len() > 2 || self.tandem_files(piece) > 1 => {
                format!("{}{own}{sign}{digit}", place + 1)
            }
            _ if place == 0 => format!("{letter}+{sign}{digit}"),
            _ => format!("{letter}-{sign}{digit}"),
        }
    }

    /// On how many files two pieces of a sort or more stand.
    fn tandem_files(&self, piece: Piece) -> usize {
        let shared = |&file: &u8| self.tandem(piece, file).len() > 1;
        (0..9).filter(shared).count()
    }

    /// The legal move of a text in WXF notation, in letters of either case; B is read for E, and N for H.
    ///
    /// ```
    /// use duchamp_xiangqi::Position;
    ///
    /// let position = Position::start();
    /// assert_eq!(position.parse_wxf("C2=5").unwrap().to_string(), "h2e2");
    /// assert_eq!(position.parse_wxf("h8+7").unwrap().to_string(), "b0c2");
    /// ```
    ///
    /// # Errors
    /// If the text is no move of that form, or not exactly one legal move is meant by it.
    pub fn parse_wxf(&self, text: &str) -> Result<Move, WxfError> {
        self.parse_wxf_in(text, Letters::Wxf)
    }

    /// [`Position::parse_wxf`] in the letters of an alphabet.
    ///
    /// # Errors
    /// If the text is no move of that form, or not exactly one legal move is meant by it.
    pub fn parse_wxf_in(&self, text: &str, letters: Letters) -> Result<Move, WxfError> {
        let written = read(text, letters).ok_or(WxfError::Syntax)?;
        let moves = self.legal_moves();
        let mut meant = moves.into_iter().filter(|&mv| self.is_meant(mv, written));
        match (meant.next(), meant.next()) {
            (Some(mv), None) => Ok(mv),
            (None, _) => Err(WxfError::Illegal),
            (Some(_), Some(_)) => Err(WxfError::Ambiguous),
        }
    }

    fn is_meant(&self, mv: Move, (who, sign, digit): Written) -> bool {
        let Some(piece) = self.at(mv.from) else {
            return false;
        };
        let own = column(piece.color, mv.from);
        let tandem = || self.tandem(piece, mv.from.file());
        let right = match who {
            Who::OnFile(role, file) => role == piece.role && file == own,
            Who::Sign(role, front) => {
                let tandem = if role == piece.role {
                    tandem()
                } else {
                    Vec::new()
                };
                let end = if front { tandem.first() } else { tandem.last() };
                tandem.len() > 1 && end == Some(&mv.from)
            }
            Who::Number(number, file) => {
                piece.role == Role::Pawn
                    && file == own
                    && tandem().get(number - 1) == Some(&mv.from)
            }
        };
        right && tail(piece, mv) == (sign, digit)
    }
}

/// What a text of four characters says.
fn read(text: &str, letters: Letters) -> Option<Written> {
    let mut chars = text.chars();
    let four = [chars.next()?, chars.next()?, chars.next()?, chars.next()?];
    let [first, second, sign, digit] = four;
    if chars.next().is_some() {
        return None;
    }
    let number = |c: char| match c {
        '1'..='9' => Some(c as u8 - b'0'),
        _ => None,
    };
    let role = |c| Role::from_letter(c, letters);
    let who = match (first, second) {
        ('+' | '-', letter) => Who::Sign(role(letter)?, first == '+'),
        (letter, '+' | '-') => Who::Sign(role(letter)?, second == '+'),
        ('1'..='5', _) => Who::Number(number(first)?.into(), number(second)?),
        _ => Who::OnFile(role(first)?, number(second)?),
    };
    let sign = match sign {
        '+' | '-' | '=' => sign,
        '.' => '=',
        _ => return None,
    };
    Some((who, sign, number(digit)?))
}
