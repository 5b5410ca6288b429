//! Reading rule files: TOML whose every mistake is told with its line and key.
//!
//! Here it is seen to that rules are sound. A verdict that is a loss for the bound side can only cost it. Any other one
//! might be better for it than the truth, so it needs `assume = true` and is recorded as an assumption.

use super::file::{CaptureText, FileText, ManText, PromotionText, Texts};
use super::layout::MOST_MEN;
use super::squares::{name_squares, read_squares};
use super::words::{kinds, name_man, name_piece, name_taken, on};
use super::{
    CaptureRule, Outside, PromotionRule, RuleId, RuleSource, Rules, Ruling, Tables, Taken, Verdict,
};
use duchamp_chess::{Bitboard, Color, Piece, Position, Role, Square};
use std::ops::Range;
use toml::Spanned;

/// What is wrong with a rule file, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {}{text}", self.prefix())]
pub struct RuleError {
    /// Line of the file, from 1.
    pub line: usize,
    /// The key or table that it is about; empty if there is none.
    pub key: String,
    /// What is wrong.
    pub text: String,
}

impl RuleError {
    fn prefix(&self) -> String {
        match self.key.as_str() {
            "" => String::new(),
            key => format!("{key}: "),
        }
    }
}

/// The most captures and promotions in a row that lead into restricted tables of their own.
const MOST_CHAIN: i64 = 8;
/// The most rules that give verdicts.
const MOST_RULES: usize = 10_000;

impl Rules {
    /// Reads a rule file.
    ///
    /// # Errors
    /// If it is no TOML, has keys that do not exist, makes no sense, or has a verdict that could favour the bound side
    /// without `assume = true`.
    pub fn parse(text: &str) -> Result<Rules, RuleError> {
        let file: FileText = toml::from_str(text).map_err(|error| of_toml(text, &error))?;
        let start = start(text, file.start.as_ref())?;
        let whole = || 0..0;
        let bound = file.bound.ok_or_else(|| {
            let words = "the side whose result is proved is missing: \"white\" or \"black\"";
            fault(text, whole(), "bound", words)
        })?;
        let goal = file.prove.ok_or_else(|| {
            let words = "what is to be proved for that side is missing: \"win\" or \"draw\"";
            fault(text, whole(), "prove", words)
        })?;
        let mut rules = Rules::free(start, bound.into(), goal);
        rules.title = file.title;
        if let Some(chain) = &file.chain {
            rules.chain = number(text, chain, "chain", MOST_CHAIN)?;
        }
        if let Some(tables) = file.tables {
            rules.tables = Tables {
                max_men: match &tables.max_men {
                    Some(men) => number(text, men, "max_men", MOST_MEN as i64 - 1)?,
                    None => rules.tables.max_men,
                },
                make: tables.make.unwrap_or(rules.tables.make),
            };
        }
        let mut reader = Reader {
            text,
            named: Vec::new(),
            rules,
        };
        file.man.iter().try_for_each(|man| reader.man(man))?;
        let captures = &file.capture;
        captures.iter().try_for_each(|rule| reader.capture(rule))?;
        let promotions = &file.promotion;
        promotions
            .iter()
            .try_for_each(|rule| reader.promotion(rule))?;
        Ok(reader.rules)
    }
}

/// The line of a place in a text, from 1.
fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    1 + before.filter(|&&byte| byte == b'\n').count()
}

fn fault(text: &str, at: Range<usize>, key: &str, words: impl Into<String>) -> RuleError {
    RuleError {
        line: line_of(text, at.start),
        key: key.to_owned(),
        text: words.into(),
    }
}

/// A mistake that the TOML reader found; its key is the first word of the line, or of the nearest line above that has
/// one.
fn of_toml(text: &str, error: &toml::de::Error) -> RuleError {
    let line = line_of(text, error.span().map_or(0, |span| span.start));
    let mut lines: Vec<&str> = text.lines().take(line).collect();
    let mut key = String::new();
    while let (Some(last), true) = (lines.pop(), key.is_empty()) {
        let last = last.trim_start().trim_start_matches('[');
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let word = &last[..last.find(|c| !legal(c)).unwrap_or(last.len())];
        if last[word.len()..].trim_start().starts_with(['=', ']']) {
            word.clone_into(&mut key);
        }
    }
    let words: Vec<&str> = error.message().split_whitespace().collect();
    let printable = |c: char| if c.is_control() { '?' } else { c };
    RuleError {
        line,
        key,
        text: words.join(" ").chars().map(printable).collect(),
    }
}

/// A number from 0 to `most`.
fn number(text: &str, value: &Spanned<i64>, key: &str, most: i64) -> Result<u32, RuleError> {
    let small = u32::try_from(*value.get_ref()).ok();
    let fits = small.filter(|&small| i64::from(small) <= most);
    fits.ok_or_else(|| {
        let words = format!("{} is no number from 0 to {most}", value.get_ref());
        fault(text, value.span(), key, words)
    })
}

fn start(text: &str, fen: Option<&Spanned<String>>) -> Result<Position, RuleError> {
    let fen = fen.ok_or_else(|| fault(text, 0..0, "start", "the FEN of the start is missing"))?;
    let wrong = |words: String| fault(text, fen.span(), "start", words);
    let start = Position::from_fen(fen.get_ref()).map_err(|error| wrong(error.to_string()))?;
    if start.has_castling_rights() {
        return Err(wrong("castling rights are not supported".into()));
    }
    let men = start.occupied().count() as usize;
    if men > MOST_MEN {
        let words = format!("{men} men are too many, {MOST_MEN} are the most");
        return Err(wrong(words));
    }
    Ok(start)
}

/// A verdict with the key and place that it was written at.
type Written<'a> = (&'a str, &'a Option<Spanned<Verdict>>);

/// The rules as far as they have been read.
struct Reader<'a> {
    text: &'a str,
    rules: Rules,
    /// Pieces that have rules, and the line of these.
    named: Vec<(Square, usize)>,
}

impl Reader<'_> {
    fn fault(&self, at: Range<usize>, key: &str, words: impl Into<String>) -> RuleError {
        fault(self.text, at, key, words)
    }

    /// The squares that are written; all if nothing is.
    fn squares(
        &self,
        texts: Option<&Spanned<Texts>>,
        home: Option<Square>,
    ) -> Result<Bitboard, RuleError> {
        let Some(texts) = texts else {
            return Ok(Bitboard::FULL);
        };
        let wrong = |words: String| self.fault(texts.span(), "squares", words);
        let mut set = Bitboard::EMPTY;
        for text in texts.get_ref().as_slice() {
            set |= read_squares(text, home).map_err(|error| wrong(error.to_string()))?;
        }
        if set.is_empty() {
            return Err(wrong("no square is named".into()));
        }
        Ok(set)
    }

    /// Refuses verdicts that could favour the bound side unless that is assumed; whether any could.
    fn assumed(&self, verdicts: &[Written<'_>], assume: bool) -> Result<bool, RuleError> {
        let bound = self.rules.bound;
        let lost = Verdict::lost_for(bound);
        let mut written = verdicts
            .iter()
            .filter_map(|(key, verdict)| Some((*key, verdict.as_ref()?)));
        match written.find(|(_, verdict)| *verdict.get_ref() != lost) {
            None => Ok(false),
            Some(_) if assume => Ok(true),
            Some((key, verdict)) => {
                let words = format!(
                    "{:?} may be better for {bound:?}, the bound side, than the truth, so that nothing would be proved; \
                     only {:?} is safe here. With assume = true in this table it is an assumption",
                    verdict.get_ref().name(),
                    lost.name(),
                );
                Err(self.fault(verdict.span(), key, words))
            }
        }
    }

    /// Notes a rule and gives it its number.
    fn rule(&mut self, at: Range<usize>, text: String, assumed: bool) -> Result<RuleId, RuleError> {
        if self.rules.sources.len() >= MOST_RULES {
            let words = format!("more than {MOST_RULES} rules");
            return Err(self.fault(at, "", words));
        }
        let id = RuleId(self.rules.sources.len() as u16);
        self.rules.sources.push(RuleSource {
            line: line_of(self.text, at.start),
            text,
            assumed,
        });
        Ok(id)
    }

    fn man(&mut self, entry: &Spanned<ManText>) -> Result<(), RuleError> {
        let (man, span) = (entry.get_ref(), entry.span());
        if man.squares.is_none() {
            let words = "the squares that the piece may stand on are missing";
            return Err(self.fault(span, "squares", words));
        }
        for square in self.men_of(entry)? {
            let other = self.named.iter().find(|(other, _)| *other == square);
            if let Some((_, line)) = other {
                let words = format!("the piece on {square} has its rules in line {line} already");
                return Err(self.fault(span, "man", words));
            }
            self.named.push((square, line_of(self.text, span.start)));
            let allowed = self.squares(man.squares.as_ref(), Some(square))?;
            if !allowed.has(square) {
                let at = man.squares.as_ref().map_or(span, Spanned::span);
                let words = format!(
                    "{square}, where the piece stands at the start, is not among {}",
                    name_squares(allowed)
                );
                return Err(self.fault(at, "squares", words));
            }
            let outside = self.outside(man, span.clone(), square, allowed)?;
            if let Some(rule) = self.rules.men.iter_mut().find(|rule| rule.square == square) {
                rule.allowed = allowed;
                rule.outside = outside;
            }
        }
        Ok(())
    }

    /// Where the pieces stand at the start that an entry is about.
    fn men_of(&self, entry: &Spanned<ManText>) -> Result<Bitboard, RuleError> {
        let start = &self.rules.start;
        match (&entry.get_ref().at, &entry.get_ref().piece) {
            (Some(at), None) => {
                let wrong = |words: String| self.fault(at.span(), "at", words);
                let mut men = Bitboard::EMPTY;
                for text in at.get_ref().as_slice() {
                    men |= read_squares(text, None).map_err(|error| wrong(error.to_string()))?;
                }
                if men.is_empty() {
                    return Err(wrong("no square is named".into()));
                }
                match (men - start.occupied()).first() {
                    Some(square) => Err(wrong(format!("no piece stands on {square} at the start"))),
                    None => Ok(men),
                }
            }
            (None, Some(letter)) => {
                let wrong = |words: String| self.fault(letter.span(), "piece", words);
                let piece = piece(letter.get_ref()).ok_or_else(|| {
                    wrong(format!(
                        "{} is not a letter of a piece: PNBRQK are White's, pnbrqk Black's",
                        shown(letter.get_ref())
                    ))
                })?;
                let men = start.of(piece.color, piece.role);
                if men.is_empty() {
                    let words = format!("there is no {} at the start", name_piece(piece));
                    return Err(wrong(words));
                }
                Ok(men)
            }
            (Some(_), Some(piece)) => {
                let words = "either \"at\" or \"piece\" says which piece is meant, not both";
                Err(self.fault(piece.span(), "piece", words))
            }
            (None, None) => {
                let words = "which piece is meant? at = \"f2\" or piece = \"P\" is missing";
                Err(self.fault(entry.span(), "at", words))
            }
        }
    }

    /// The verdicts on the squares that are not allowed.
    fn outside(
        &mut self,
        man: &ManText,
        span: Range<usize>,
        square: Square,
        allowed: Bitboard,
    ) -> Result<Vec<Outside>, RuleError> {
        let name = name_man(&self.rules.start, square);
        let mut left = !allowed;
        let mut outside = Vec::new();
        for entry in &man.outside_at {
            let (at, span) = (entry.get_ref(), entry.span());
            let Some(verdict) = &at.verdict else {
                return Err(self.fault(span, "verdict", "the verdict is missing"));
            };
            if at.squares.is_none() {
                return Err(self.fault(span, "squares", "the squares are missing"));
            }
            let squares = self.squares(at.squares.as_ref(), Some(square))?;
            if let Some(inside) = (squares & allowed).first() {
                let at = at.squares.as_ref().map_or(span, Spanned::span);
                let words = format!("{inside} is allowed: no verdict on it can come to pass");
                return Err(self.fault(at, "squares", words));
            }
            let assumed = self.assumed(&[("verdict", &at.verdict)], at.assume)?;
            let verdict = *verdict.get_ref();
            let words = format!(
                "{name} enters {}: {}",
                name_squares(squares),
                verdict.name()
            );
            let rule = self.rule(span, words, assumed)?;
            outside.extend(ruled(squares & left, verdict, rule));
            left = left - squares;
        }
        let assumed = self.assumed(&[("outside", &man.outside)], man.assume)?;
        if left.any() {
            let given = man.outside.as_ref().map(|verdict| *verdict.get_ref());
            let verdict = given.unwrap_or(Verdict::lost_for(self.rules.bound));
            let words = format!(
                "{name} leaves {}: {}",
                name_squares(allowed),
                verdict.name()
            );
            let rule = self.rule(span, words, assumed)?;
            outside.extend(ruled(left, verdict, rule));
        }
        Ok(outside)
    }

    fn capture(&mut self, entry: &Spanned<CaptureText>) -> Result<(), RuleError> {
        let (capture, span) = (entry.get_ref(), entry.span());
        let taken = self.taken(capture.taken.as_ref())?;
        let squares = self.squares(capture.squares.as_ref(), None)?;
        let written = [
            ("verdict", &capture.verdict),
            ("recapture", &capture.recapture),
            ("second", &capture.second),
        ];
        let assumed = self.assumed(&written, capture.assume)?;
        let given = |written: &Option<Spanned<Verdict>>| written.as_ref().map(|v| *v.get_ref());
        let verdict = given(&capture.verdict).unwrap_or(Verdict::lost_for(self.rules.bound));
        let recapture = given(&capture.recapture).unwrap_or(verdict);
        let second = given(&capture.second).unwrap_or(recapture);
        let mut words = format!(
            "{} is taken{}: {}",
            name_taken(&self.rules.start, &taken),
            on(squares),
            verdict.name()
        );
        if recapture != verdict {
            words += &format!("; {} if the taker can be taken", recapture.name());
        }
        if second != recapture {
            words += &format!("; {} if the second taker can be taken, too", second.name());
        }
        let rule = self.rule(span, words, assumed)?;
        self.rules.captures.push(CaptureRule {
            taken,
            squares,
            verdict,
            recapture,
            second,
            rule,
        });
        Ok(())
    }

    /// What a rule about captures is about; any piece if nothing is said.
    fn taken(&self, texts: Option<&Spanned<Texts>>) -> Result<Vec<Taken>, RuleError> {
        let all = |wanted: &[Color]| -> Vec<Taken> { kinds(wanted).map(Taken::Kind).collect() };
        let Some(texts) = texts else {
            return Ok(all(&Color::ALL));
        };
        let wrong = |words: String| self.fault(texts.span(), "taken", words);
        let mut taken = Vec::new();
        let lists = texts.get_ref().as_slice().iter();
        for word in lists.flat_map(|text| text.split([' ', ','])) {
            let more = match word {
                "" => continue,
                "all" => all(&Color::ALL),
                "white" => all(&[Color::White]),
                "black" => all(&[Color::Black]),
                word => match (piece(word), word.parse::<Square>()) {
                    (Some(kind), _) => vec![Taken::Kind(kind)],
                    (_, Ok(square)) => vec![Taken::Man(square)],
                    _ => {
                        return Err(wrong(format!(
                            "{} is neither a letter (P is White's pawn, p Black's) nor the square of a man; there are \
                             white, black and all, too",
                            shown(word)
                        )));
                    }
                },
            };
            for one in more {
                let role = match one {
                    Taken::Kind(kind) => Some(kind.role),
                    Taken::Man(square) => self.rules.start.role_at(square),
                };
                match role {
                    None => {
                        return Err(wrong(format!("no piece stands on {word} at the start")));
                    }
                    Some(Role::King) => return Err(wrong("kings are never taken".into())),
                    _ if taken.contains(&one) => {}
                    _ => taken.push(one),
                }
            }
        }
        if taken.is_empty() {
            return Err(wrong("no piece is named".into()));
        }
        Ok(taken)
    }

    fn promotion(&mut self, entry: &Spanned<PromotionText>) -> Result<(), RuleError> {
        let (promotion, span) = (entry.get_ref(), entry.span());
        let Some(side) = promotion.side else {
            let words = "whose pawn is meant is missing: \"white\" or \"black\"";
            return Err(self.fault(span, "side", words));
        };
        let color = Color::from(side);
        let squares = self.squares(promotion.squares.as_ref(), None)?;
        let roles = self.roles(promotion.pieces.as_ref())?;
        let written = [("verdict", &promotion.verdict), ("taken", &promotion.taken)];
        let assumed = self.assumed(&written, promotion.assume)?;
        let given = |written: &Option<Spanned<Verdict>>| written.as_ref().map(|v| *v.get_ref());
        let verdict = given(&promotion.verdict).unwrap_or(Verdict::lost_for(self.rules.bound));
        let taken = given(&promotion.taken).unwrap_or(verdict);
        let mut words = format!("{color:?} promotes");
        if roles.len() < Role::PROMOTIONS.len() {
            let letters: Vec<String> = roles.iter().map(|role| role.upper().into()).collect();
            words += &format!(" to {}", letters.join(" or "));
        }
        words += &format!("{}: {}", on(squares), verdict.name());
        if taken != verdict {
            words += &format!("; {} if the new piece can be taken", taken.name());
        }
        let rule = self.rule(span, words, assumed)?;
        self.rules.promotions.push(PromotionRule {
            color,
            squares,
            roles,
            verdict,
            taken,
            rule,
        });
        Ok(())
    }

    /// What pawns become, the queen first; anything if nothing is said.
    fn roles(&self, letters: Option<&Spanned<String>>) -> Result<Vec<Role>, RuleError> {
        let Some(letters) = letters else {
            return Ok(Role::PROMOTIONS.to_vec());
        };
        let named: Vec<Option<Role>> = letters.get_ref().chars().map(Role::from_char).collect();
        let right = |role: &Option<Role>| role.is_some_and(|role| Role::PROMOTIONS.contains(&role));
        if named.is_empty() || !named.iter().all(right) {
            let words = format!(
                "{} are no pieces that a pawn becomes: some of QRBN",
                shown(letters.get_ref())
            );
            return Err(self.fault(letters.span(), "pieces", words));
        }
        let all = Role::PROMOTIONS.into_iter();
        Ok(all.filter(|role| named.contains(&Some(*role))).collect())
    }
}

/// Verdicts on squares, if there are any.
fn ruled(squares: Bitboard, verdict: Verdict, rule: RuleId) -> Option<Outside> {
    squares.any().then_some(Outside {
        squares,
        ruling: Ruling {
            verdict,
            rule: Some(rule),
        },
    })
}

/// The piece of a single FEN letter.
fn piece(text: &str) -> Option<Piece> {
    let mut chars = text.chars();
    let piece = Piece::from_char(chars.next()?)?;
    chars.next().is_none().then_some(piece)
}

/// A text as messages repeat it.
fn shown(text: &str) -> String {
    format!("{:?}", text.chars().take(24).collect::<String>())
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
