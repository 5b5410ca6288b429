//! EPD: a position without clocks, and operations such as `bm Nf3; id "test 1";`.
//!
//! After the PGN standard of 1994, section 16.2. Reading tolerates a missing last semicolon and one or
//! both clocks of a FEN before the operations. The opcodes `hmvc` and `fmvn` set the clocks of the
//! setup; they stay in the list of operations.

use super::{FenError, Move, Position, SanError, Setup};
use std::fmt;
use std::str::FromStr;

/// An opcode with its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// What it says, for instance `bm`.
    pub opcode: String,
    /// The operands, quotes removed.
    pub operands: Vec<String>,
}

/// One line of an EPD file; read it with [`str::parse`].
///
/// # Examples
/// ```
/// use duchamp_chess::{Epd, Position};
///
/// let epd: Epd = "6k1/5ppp/8/8/8/8/8/1R4K1 w - - bm Rb8#; id \"back rank\";".parse()?;
/// let position = Position::from_setup(&epd.setup)?;
/// assert_eq!(epd.moves("bm", &position)?, [position.parse_uci("b1b8")?]);
/// assert_eq!(epd.get("id").unwrap(), ["back rank"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    /// The position, legal or not.
    pub setup: Setup,
    /// What the line says about it, in its order.
    pub operations: Vec<Operation>,
}

/// What is wrong with an EPD line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EpdError {
    /// One of the first four fields.
    #[error("bad EPD: {0}")]
    Fen(#[from] FenError),
    /// An opcode that does not begin with a letter.
    #[error("bad EPD: {0:?} is no opcode")]
    Opcode(String),
    /// A quote inside a word, or one that is not closed.
    #[error("bad EPD: a quote is out of place or not closed")]
    Quote,
}

impl Epd {
    /// The operands of the first operation with this opcode.
    #[must_use]
    pub fn get(&self, opcode: &str) -> Option<&[String]> {
        self.operations
            .iter()
            .find(|operation| operation.opcode == opcode)
            .map(|operation| &operation.operands[..])
    }

    /// The moves of an operation such as `bm` or `am`: alternatives in one position.
    ///
    /// # Errors
    /// If an operand is no legal move. An opcode that is absent has no moves.
    pub fn moves(&self, opcode: &str, position: &Position) -> Result<Vec<Move>, SanError> {
        let operands = self.get(opcode).unwrap_or_default();
        operands.iter().map(|san| position.parse_san(san)).collect()
    }

    /// The line of moves of an operation such as `pv`: one after the other.
    ///
    /// # Errors
    /// If an operand is no legal move when its turn comes.
    pub fn line(&self, opcode: &str, position: &Position) -> Result<Vec<Move>, SanError> {
        let mut position = *position;
        let operands = self.get(opcode).unwrap_or_default().iter();
        operands
            .map(|san| {
                let mv = position.parse_san(san)?;
                position.advance(mv);
                Ok(mv)
            })
            .collect()
    }
}

impl FromStr for Epd {
    type Err = EpdError;

    fn from_str(line: &str) -> Result<Epd, EpdError> {
        let (fields, rest) = split_fields(line, 4);
        let is_clock = |field: &&str| field.bytes().all(|b| b.is_ascii_digit());
        let clocks = split_fields(rest, 2).0.into_iter().take_while(is_clock);
        let clocks: Vec<&str> = clocks.collect();
        let (_, rest) = split_fields(rest, clocks.len());
        let text = [fields, clocks].concat().join(" ");
        let mut epd = Epd {
            setup: text.parse()?,
            operations: operations(rest)?,
        };
        let number = |epd: &Epd, opcode| epd.get(opcode)?.first()?.parse().ok();
        if epd.get("hmvc").is_some() {
            epd.setup.halfmoves = number(&epd, "hmvc").ok_or(FenError::Halfmoves)?;
        }
        if epd.get("fmvn").is_some() {
            epd.setup.fullmoves = number(&epd, "fmvn").ok_or(FenError::Fullmoves)?;
        }
        Ok(epd)
    }
}

/// The first `count` words, or as many as there are, and what follows them.
fn split_fields(text: &str, count: usize) -> (Vec<&str>, &str) {
    let mut rest = text.trim_start();
    let mut fields = Vec::new();
    while fields.len() < count && !rest.is_empty() {
        let end = rest
            .find(|c: char| c.is_ascii_whitespace() || c == ';')
            .unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        fields.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    (fields, rest)
}

fn operations(text: &str) -> Result<Vec<Operation>, EpdError> {
    let mut all = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(';') {
            all.extend(operation(std::mem::take(&mut words))?);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('"') {
            let (word, after) = after.split_once('"').ok_or(EpdError::Quote)?;
            if words.is_empty() {
                return Err(EpdError::Opcode(word.to_string()));
            }
            words.push(word.to_string());
            rest = after;
        } else {
            let end = rest
                .find(|c: char| c.is_ascii_whitespace() || c == ';')
                .unwrap_or(rest.len());
            if rest[..end].contains('"') {
                return Err(EpdError::Quote);
            }
            words.push(rest[..end].to_string());
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    all.extend(operation(words)?);
    Ok(all)
}

/// The operation of its words; `None` without any.
fn operation(words: Vec<String>) -> Result<Option<Operation>, EpdError> {
    let mut words = words.into_iter();
    let Some(opcode) = words.next() else {
        return Ok(None);
    };
    if !opcode.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(EpdError::Opcode(opcode));
    }
    Ok(Some(Operation {
        opcode,
        operands: words.collect(),
    }))
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = self.setup.fen();
        f.write_str(fen.rsplitn(3, ' ').last().unwrap_or(&fen))?;
        for Operation { opcode, operands } in &self.operations {
            write!(f, " {opcode}")?;
            // Texts are quoted by the standard; other operands where they must.
            let text = opcode == "id" || matches!(opcode.as_bytes(), [b'c', b'0'..=b'9']);
            for operand in operands {
                let plain = |c: char| !c.is_whitespace() && c != ';' && c != '"';
                if text || operand.is_empty() || !operand.chars().all(plain) {
                    write!(f, " \"{}\"", operand.replace('"', "'"))?;
                } else {
                    write!(f, " {operand}")?;
                }
            }
            f.write_str(";")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_operations() {
        let line = "r1bqkbnr/ppp1p1pp/n7/5p2/4pP2/N6N/PPPP2PP/R1BQKB1R w KQkq - \
                    hmvc 3; fmvn 5; bm Ng5 d3; id \"a; b\"; c0 \"\"; ce -18;";
        let epd: Epd = line.parse().expect("an EPD line");
        assert_eq!(epd.to_string(), line);
        assert_eq!((epd.setup.halfmoves, epd.setup.fullmoves), (3, 5));
        assert_eq!(epd.get("id"), Some(&["a; b".to_string()][..]));
        assert_eq!(epd.get("am"), None);
        let position = Position::from_setup(&epd.setup).expect("legal");
        let best = epd.moves("bm", &position).expect("legal moves");
        assert_eq!(
            best.iter().map(|&mv| position.san(mv)).collect::<Vec<_>>(),
            ["Ng5", "d3"]
        );
        assert!(epd.moves("am", &position).expect("none").is_empty());
    }

    #[test]
    fn follows_a_line_of_moves() {
        let epd: Epd = format!("{} pv e4 e5 Nf3", &Position::start().fen()[..52])
            .parse()
            .expect("EPD");
        assert_eq!(
            epd.line("pv", &Position::start()).map(|line| line.len()),
            Ok(3)
        );
        assert_eq!(epd.moves("pv", &Position::start()), Err(SanError::Illegal));
    }

    #[test]
    fn tolerates_clocks_and_a_missing_semicolon() {
        let epd: Epd = "4k3/8/8/8/8/8/8/4K2R w K - 12 34 bm O-O"
            .parse()
            .expect("an EPD line");
        assert_eq!((epd.setup.halfmoves, epd.setup.fullmoves), (12, 34));
        assert_eq!(epd.operations.len(), 1);
        let epd: Epd = "4k3/8/8/8/8/8/8/4K2R w K -".parse().expect("an EPD line");
        assert!(epd.operations.is_empty());
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let parse = |rest: &str| format!("4k3/8/8/8/8/8/8/4K2R w K - {rest}").parse::<Epd>();
        assert_eq!(parse("id \"x"), Err(EpdError::Quote));
        assert_eq!(parse("7x y;"), Err(EpdError::Opcode("7x".into())));
        assert_eq!(parse("\"x\" y;"), Err(EpdError::Opcode("x".into())));
        assert_eq!(parse("hmvc x;"), Err(EpdError::Fen(FenError::Halfmoves)));
        assert!("8/8 w - -;".parse::<Epd>().is_err());
        assert_eq!("".parse::<Epd>(), Err(EpdError::Fen(FenError::Fields(0))));
    }
}
