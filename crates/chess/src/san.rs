//! Moves in standard algebraic notation: `Nf3`, `exd8=Q+`, `O-O`.
//!
//! Writing follows the PGN standard's export format. Reading is tolerant: superfluous origin
//! squares, missing or wrong `x`, `+` and `#`, comment signs (`!?`), `0-0`, `e8Q`, `e8(Q)`, long
//! algebraic (`Ng1-f3`), a move number in front, and `e.p.` behind are all accepted, as is UCI.

use super::{Bitboard, File, Move, MoveKind, Position, Rank, Role, Square, attacks};

/// A text that is no legal move in algebraic notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SanError {
    /// Not a move in any notation known here.
    #[error("not a move such as Nf3, exd8=Q or O-O")]
    Syntax,
    /// Well formed, but not legal in this position.
    #[error("not a legal move here")]
    Illegal,
    /// Several legal moves fit.
    #[error("several legal moves fit")]
    Ambiguous,
}

impl Position {
    /// A legal move in algebraic notation, with `+` or `#` if it gives check or mate.
    ///
    /// ```
    /// use duchamp_chess::{Position, SanError};
    ///
    /// let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/1R2R1K1 w - - 0 1")?;
    /// let mv = position.parse_san("Rb8").unwrap(); // without the sign of mate
    /// assert_eq!(position.san(mv), "Rb8#");
    /// let mv = position.parse_san("Rbc1").unwrap();
    /// assert_eq!(position.san(mv), "Rbc1");
    /// assert_eq!(position.parse_san("Rc1"), Err(SanError::Ambiguous));
    /// # Ok::<(), duchamp_chess::FenError>(())
    /// ```
    #[must_use]
    pub fn san(&self, mv: Move) -> String {
        let mut text = self.san_without_suffix(mv);
        let next = self.play(mv);
        if next.in_check() {
            text.push(if next.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    fn san_without_suffix(&self, mv: Move) -> String {
        let (from, to) = (mv.from(), mv.to());
        if mv.kind() == MoveKind::Castling {
            return if to > from { "O-O" } else { "O-O-O" }.to_string();
        }
        let role = self.moved_role(mv);
        let mut text = String::with_capacity(8);
        if role == Role::Pawn {
            if from.file() != to.file() {
                text.push(from.file().to_char());
            }
        } else {
            text.push(role.upper());
            let (file, rank) = self.origin_needed(mv, role);
            text.extend(file.then(|| from.file().to_char()));
            text.extend(rank.then(|| from.rank().to_char()));
        }
        if self.is_capture(mv) {
            text.push('x');
        }
        text.push_str(&to.to_string());
        if let Some(role) = mv.promotion() {
            text.extend(['=', role.upper()]);
        }
        text
    }

    /// Whether a piece's file and rank must be written for its move to be the only one.
    fn origin_needed(&self, mv: Move, role: Role) -> (bool, bool) {
        let (from, to) = (mv.from(), mv.to());
        let others: Bitboard = (attacks::of(role, self.turn(), to, self.occupied())
            & self.of(self.turn(), role))
        .into_iter()
        .filter(|&other| other != from && self.is_legal(Move::normal(other, to)))
        .collect();
        if others.is_empty() {
            (false, false)
        } else if (others & Bitboard::file(from.file())).is_empty() {
            (true, false)
        } else if (others & Bitboard::rank(from.rank())).is_empty() {
            (false, true)
        } else {
            (true, true)
        }
    }

    /// The legal move of a text in algebraic notation (or UCI).
    ///
    /// # Errors
    /// If the text is no move, or no legal move or several fit.
    pub fn parse_san(&self, text: &str) -> Result<Move, SanError> {
        let pattern = Pattern::parse(text).ok_or(SanError::Syntax)?;
        let mut found = None;
        for mv in self.legal_moves() {
            if pattern.fits(self, mv) {
                if found.is_some() {
                    return Err(SanError::Ambiguous);
                }
                found = Some(mv);
            }
        }
        let uci = || {
            if text.is_ascii() {
                self.parse_uci(text.trim()).ok()
            } else {
                None
            }
        };
        found.or_else(uci).ok_or(SanError::Illegal)
    }
}

/// What a text says about a move.
enum Pattern {
    /// `O-O` (true) or `O-O-O`.
    Castling(bool),
    Other {
        /// `None` if no letter was written: a pawn, or any piece if the whole origin is given.
        role: Option<Role>,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Role>,
    },
}

impl Pattern {
    fn parse(text: &str) -> Option<Pattern> {
        let mut text = text.trim();
        if let Some((number, rest)) = text.split_once('.')
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
        {
            text = rest.trim_start_matches(['.', ' ']);
        }
        let text = text.trim_end_matches(['+', '#', '!', '?']).trim_end();
        let text = text
            .strip_suffix("e.p.")
            .or(text.strip_suffix("ep"))
            .unwrap_or(text)
            .trim_end();
        match text {
            "O-O" | "0-0" | "o-o" | "OO" => return Some(Pattern::Castling(true)),
            "O-O-O" | "0-0-0" | "o-o-o" | "OOO" => return Some(Pattern::Castling(false)),
            _ => {}
        }
        // At most `Qa1-b2=N`; anything longer is no move.
        let mut signs = arrayvec::ArrayVec::<char, 8>::new();
        for c in text
            .chars()
            .filter(|c| !matches!(c, 'x' | ':' | '-' | '=' | '(' | ')' | '/'))
        {
            signs.try_push(c).ok()?;
        }
        let mut signs = &signs[..];
        let mut promotion = None;
        if let [rest @ .., before, last] = signs
            && before.is_ascii_digit()
            && !last.is_ascii_digit()
        {
            promotion = Some(Role::from_char(*last).filter(|r| Role::PROMOTIONS.contains(r))?);
            signs = &signs[..rest.len() + 1];
        }
        let [head @ .., file, rank] = signs else {
            return None;
        };
        let to = Square::at(File::from_char(*file)?, Rank::from_char(*rank)?);
        let (mut role, mut file, mut rank) = (None, None, None);
        let mut head = head.iter().copied().peekable();
        if let Some(letter) = head.next_if(char::is_ascii_uppercase) {
            role = Some(Role::from_char(letter)?);
        }
        if let Some(letter) = head.peek().copied().and_then(File::from_char) {
            file = Some(letter);
            head.next();
        }
        if let Some(digit) = head.peek().copied().and_then(Rank::from_char) {
            rank = Some(digit);
            head.next();
        }
        head.next().is_none().then_some(Pattern::Other {
            role,
            file,
            rank,
            to,
            promotion,
        })
    }

    fn fits(&self, position: &Position, mv: Move) -> bool {
        let from = mv.from();
        match *self {
            Pattern::Castling(short) => {
                mv.kind() == MoveKind::Castling && (mv.to() > from) == short
            }
            Pattern::Other {
                role,
                file,
                rank,
                to,
                promotion,
            } => {
                let whole_origin = file.is_some() && rank.is_some();
                let moved = position.moved_role(mv);
                mv.kind() != MoveKind::Castling
                    && mv.to() == to
                    && mv.promotion() == promotion
                    && file.is_none_or(|file| file == from.file())
                    && rank.is_none_or(|rank| rank == from.rank())
                    && (role.unwrap_or(Role::Pawn) == moved || role.is_none() && whole_origin)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect("a legal position")
    }

    #[test]
    fn writes_what_the_standard_asks() {
        let cases = [
            ("8/8/8/3k4/8/8/8/R3K2R w KQ - 0 1", "e1h1", "O-O"),
            ("8/8/8/3k4/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O+"),
            ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", "a8=Q+"),
            ("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8n", "axb8=N"),
            ("7k/8/8/3pP3/8/8/8/K7 w - d6 0 1", "e5d6", "exd6"),
            ("6k1/8/8/8/8/Q7/8/KQ6 w - - 0 1", "b1b2", "Qbb2"),
            ("7k/8/8/Q7/8/Q7/8/K7 w - - 0 1", "a5a4", "Q5a4"),
            ("6k1/8/8/8/Q7/8/7K/Q2Q4 w - - 0 1", "a1d4", "Qa1d4"),
            ("6k1/8/8/8/Q2Q4/8/7K/Q7 w - - 0 1", "a4a3", "Q4a3"),
            ("7k/6pp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", "Rd8#"),
            // The knight on c3 is pinned: no need to distinguish them.
            ("7k/8/5b2/8/8/2N5/1K4N1/8 w - - 0 1", "g2e3", "Ne3"),
        ];
        for (fen, uci, san) in cases {
            let position = position(fen);
            let mv = position.parse_uci(uci).expect("legal");
            assert_eq!(position.san(mv), san, "{fen}");
            assert_eq!(position.parse_san(san), Ok(mv), "{fen}");
        }
    }

    #[test]
    fn three_queens_on_file_and_rank() {
        let position = position("8/7k/8/8/Q2Q4/8/8/K2Q4 w - - 0 1");
        for (uci, san) in [
            ("d4d2", "Q4d2"),
            ("d4b4", "Qdb4"),
            ("a4b3", "Qab3"),
            ("d1b1", "Qb1+"),
        ] {
            assert_eq!(position.san(position.parse_uci(uci).expect("legal")), san);
        }
    }

    #[test]
    fn reads_sloppy_texts() {
        let start = Position::start();
        for text in [
            "Nf3", "Ng1f3", "Ng1-f3", "N1f3", "Ngf3!?", "1.Nf3", "1. Nf3", "g1f3", "Nf3+", " Nf3 ",
        ] {
            assert_eq!(
                start.parse_san(text),
                start.parse_uci("g1f3").map_err(|_| SanError::Illegal),
                "{text}"
            );
        }
        let promoting = position("1r5k/P7/8/8/8/8/8/K7 w - - 0 1");
        for text in ["axb8=Q", "ab8Q", "a7xb8(Q)", "a7b8q", "axb8/Q+", "a:b8=Q"] {
            assert_eq!(
                promoting.san(promoting.parse_san(text).expect(text)),
                "axb8=Q+",
                "{text}"
            );
        }
        let castling = position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        for text in ["O-O-O", "0-0-0", "e1c1", "e1a1", "OOO"] {
            assert_eq!(
                castling.san(castling.parse_san(text).expect(text)),
                "O-O-O",
                "{text}"
            );
        }
    }

    #[test]
    fn refuses_what_is_no_move() {
        let start = Position::start();
        for text in [
            "",
            "e",
            "e9",
            "Zf3",
            "e4e5e6e7e8",
            "e8=K",
            "--",
            "\u{265e}f3",
            "..",
            "1.",
        ] {
            assert_eq!(start.parse_san(text), Err(SanError::Syntax), "{text}");
        }
        assert_eq!(start.parse_san("e5"), Err(SanError::Illegal));
        assert_eq!(start.parse_san("O-O"), Err(SanError::Illegal));
        let knights = position("7k/8/8/8/8/8/K7/1N3N2 w - - 0 1");
        assert_eq!(knights.parse_san("Nd2"), Err(SanError::Ambiguous));
        let promoting = position("7k/P7/8/8/8/8/8/K7 w - - 0 1");
        assert_eq!(promoting.parse_san("a8"), Err(SanError::Illegal));
    }
}
