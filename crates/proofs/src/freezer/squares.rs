//! Sets of squares in words: `e3`, `e1-h4`, `files a-c`, `dark`, `not d4 e4`, `ranks 4-8 and light not h8`.
//!
//! Words that follow one another are added up; `and` keeps what the next words name too, `not` takes away what they
//! name (from the whole board, if it stands first). What is read first is done first.

use duchamp_chess::{Bitboard, File, Rank, Square};
use std::iter::Peekable;
use std::str::FromStr;

/// Words that name no set of squares.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SquaresError(String);

/// What may stand where squares are named, for messages.
const HELP: &str = "a square is e3, a rectangle e1-h4; there are file e, files a-c, rank 4, ranks 4-8, light, dark, all, \
                    none, and, not";

/// The longest word that a message repeats.
const SHOWN: usize = 24;

/// The squares that `text` names; `home` is what `stay` means.
///
/// # Errors
/// If a word makes no sense or lacks its partner.
pub fn read_squares(text: &str, home: Option<Square>) -> Result<Bitboard, SquaresError> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| c.is_whitespace() || c == ',');
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    let mut set = Bitboard::FULL;
    let mut before = "";
    loop {
        let minus = words.next_if_eq(&"not").is_some();
        let group = group(&mut words, home)?.ok_or_else(|| {
            SquaresError(match (minus, before) {
                (true, _) => "squares are missing after \"not\"".into(),
                (false, "") => "no square is named".into(),
                (false, word) => format!("squares are missing after {word:?}"),
            })
        })?;
        set = if minus { set - group } else { set & group };
        match words.peek() {
            None => return Ok(set),
            Some(&"not") => {}
            Some(&word) => {
                before = word;
                words.next();
            }
        }
    }
}

/// The words up to the next `and`, `not` or end, added up; `None` if there are none.
fn group<'a>(
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
    home: Option<Square>,
) -> Result<Option<Bitboard>, SquaresError> {
    let mut set = None;
    while let Some(word) = words.next_if(|word| !matches!(*word, "and" | "not")) {
        let squares = match word {
            "all" => Bitboard::FULL,
            "none" => Bitboard::EMPTY,
            "dark" => Bitboard::DARK,
            "light" => !Bitboard::DARK,
            "stay" => home.map(Bitboard::of).ok_or_else(|| {
                SquaresError("\"stay\" needs a piece that stands somewhere".into())
            })?,
            "file" | "files" => lines(words, word, 'a')?,
            "rank" | "ranks" => lines(words, word, '1')?,
            other => rectangle(other)?,
        };
        set = Some(set.unwrap_or_default() | squares);
    }
    Ok(set)
}

/// The files or ranks that the next words name: `a`, `a-c`.
fn lines<'a>(
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
    what: &str,
    first: char,
) -> Result<Bitboard, SquaresError> {
    let number = |text: &str| {
        let mut chars = text.chars();
        let number = u32::from(chars.next()?).wrapping_sub(first.into());
        (number < 8 && chars.next().is_none()).then_some(number as usize)
    };
    let range = |word: &str| {
        let (from, to) = word.split_once('-').unwrap_or((word, word));
        let (from, to) = (number(from)?, number(to)?);
        Some(from.min(to)..=from.max(to))
    };
    let mut set = Bitboard::EMPTY;
    while let Some(numbers) = words.peek().and_then(|word| range(word)) {
        words.next();
        for number in numbers {
            set |= match first {
                'a' => Bitboard::file(File::wrapping(number)),
                _ => Bitboard::rank(Rank::wrapping(number)),
            };
        }
    }
    if set.is_empty() {
        let (one, range) = match first {
            'a' => ("e", "a-c"),
            _ => ("4", "4-8"),
        };
        return Err(SquaresError(format!(
            "after {what:?} there must be {one} or {range}, for example"
        )));
    }
    Ok(set)
}

/// A square, or two of them as the corners of a rectangle.
fn rectangle(word: &str) -> Result<Bitboard, SquaresError> {
    let wrong = |_| {
        let shown: String = word.chars().take(SHOWN).collect();
        SquaresError(format!("{shown:?} names no squares ({HELP})"))
    };
    let (from, to) = word.split_once('-').unwrap_or((word, word));
    let from = Square::from_str(from).map_err(wrong)?;
    let to = Square::from_str(to).map_err(wrong)?;
    Ok(between(from, to))
}

/// The rectangle with two squares as its corners.
fn between(a: Square, b: Square) -> Bitboard {
    let within = |x: usize, a: usize, b: usize| (a.min(b)..=a.max(b)).contains(&x);
    Square::ALL
        .into_iter()
        .filter(|square| {
            within(square.file().index(), a.file().index(), b.file().index())
                && within(square.rank().index(), a.rank().index(), b.rank().index())
        })
        .collect()
}

/// Short words for a set of squares, which [`read_squares`] reads back.
#[must_use]
pub fn name_squares(set: Bitboard) -> String {
    match set {
        Bitboard::FULL => return "all".into(),
        Bitboard::EMPTY => return "none".into(),
        Bitboard::DARK => return "dark".into(),
        _ if set == !Bitboard::DARK => return "light".into(),
        _ => {}
    }
    let files = |set| lines_of(set, "file", File::ALL.map(Bitboard::file), b'a');
    let ranks = |set| lines_of(set, "rank", Rank::ALL.map(Bitboard::rank), b'1');
    if let Some(lines) = files(set).or(ranks(set)) {
        return lines;
    }
    let rest = |whole: Bitboard| {
        let rest = whole - set;
        files(rest)
            .or(ranks(rest))
            .unwrap_or_else(|| rectangles(rest))
    };
    let mut names = vec![rectangles(set), format!("not {}", rest(Bitboard::FULL))];
    let frame = frame(set);
    if frame != set && frame != Bitboard::FULL {
        names.push(format!("{} not {}", rectangles(frame), rest(frame)));
    }
    names
        .into_iter()
        .min_by_key(String::len)
        .unwrap_or_default()
}

/// The smallest rectangle around a set.
fn frame(set: Bitboard) -> Bitboard {
    let touched = |line: &Bitboard| (*line & set).any();
    let around = |lines: [Bitboard; 8]| {
        let first = lines.iter().position(touched).unwrap_or(0);
        let last = lines.iter().rposition(touched).unwrap_or(7);
        let lines = lines[first..=last].iter();
        lines.fold(Bitboard::EMPTY, |all, line| all | *line)
    };
    around(File::ALL.map(Bitboard::file)) & around(Rank::ALL.map(Bitboard::rank))
}

/// The name of a set that consists of whole lines.
fn lines_of(set: Bitboard, name: &str, lines: [Bitboard; 8], first: u8) -> Option<String> {
    let whole: Vec<usize> = (0..8).filter(|&at| (lines[at] - set).is_empty()).collect();
    let sum = whole
        .iter()
        .fold(Bitboard::EMPTY, |sum, &at| sum | lines[at]);
    if sum != set {
        return None;
    }
    let sign = |at: usize| char::from(first + at as u8);
    let runs = whole.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        &[one] => format!(" {}", sign(one)),
        run => format!(" {}-{}", sign(run[0]), sign(run[run.len() - 1])),
    });
    let plural = if whole.len() > 1 { "s" } else { "" };
    Some(format!("{name}{plural}{}", runs.collect::<String>()))
}

/// A set as rectangles and squares.
fn rectangles(set: Bitboard) -> String {
    let mut left = set;
    let mut words = Vec::new();
    while let Some(first) = left.first() {
        // The lowest square left is the lower left corner of what is named next: few corners have to be looked at.
        let fits = |to: &Square| {
            to.file() >= first.file()
                && to.rank() >= first.rank()
                && (between(first, *to) - set).is_empty()
        };
        let corners = Square::ALL.into_iter().filter(fits);
        let best = corners.max_by_key(|&to| (between(first, to) & left).count());
        let to = best.unwrap_or(first);
        left = left - between(first, to);
        words.push(match to == first {
            true => first.to_string(),
            false => format!("{first}-{to}"),
        });
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn squares(text: &str) -> Bitboard {
        read_squares(text, Some(Square::C2)).expect(text)
    }

    fn listed(text: &str) -> Bitboard {
        text.split(' ')
            .map(|word| word.parse().expect(word))
            .collect()
    }

    #[test]
    fn words_name_squares() {
        assert_eq!(squares("e3"), listed("e3"));
        assert_eq!(squares("E3, g3"), listed("e3 g3"));
        assert_eq!(squares("h4-e1").count(), 16);
        assert_eq!(squares("h1-e4"), squares("e1-h4"));
        assert_eq!(squares("file e"), Bitboard::file(File::E));
        assert_eq!(squares("files a-c e h1"), squares("a1-c8 file e h1"));
        assert_eq!(squares("ranks 4-8"), squares("a4-h8"));
        assert_eq!(squares("not d4 e4 d5 e5"), !squares("d4-e5"));
        assert_eq!(squares("light"), squares("not dark"));
        assert_eq!(squares("ranks 4-5 and files a b not dark"), listed("b5 a4"));
        assert_eq!(squares("e1-h4 and not h4"), squares("e1-h4 not h4"));
        assert_eq!(squares("stay"), listed("c2"));
        assert_eq!(squares("all not none"), Bitboard::FULL);
    }

    #[test]
    fn nonsense_is_told() {
        for (text, words) in [
            ("", "no square is named"),
            ("e9", "\"e9\" names no squares"),
            ("e1-h4-a1", "names no squares"),
            ("not", "missing after \"not\""),
            ("e3 and", "missing after \"and\""),
            ("file 4", "after \"file\" there must be e or a-c"),
            ("ranks 0-9", "after \"ranks\" there must be 4 or 4-8"),
            ("e3 or e4", "\"or\" names no squares"),
        ] {
            let error = read_squares(text, None).expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        assert!(read_squares("stay", None).is_err());
    }

    #[test]
    fn names_are_short() {
        for name in [
            "all",
            "none",
            "dark",
            "light",
            "e3",
            "e3 g3",
            "e1-h4",
            "ranks 4-8",
            "files a-c e",
            "not d4-e5",
            "rank 2",
            "f1-h3 not f2",
        ] {
            assert_eq!(name_squares(squares(name)), name);
        }
    }

    proptest! {
        #[test]
        fn names_are_read_back(bits: u64, sparse: u64, third: u64) {
            for bits in [bits, bits & sparse & third, bits | sparse | third] {
                let set = Bitboard(bits);
                prop_assert_eq!(squares(&name_squares(set)), set);
            }
        }

        #[test]
        fn any_text_has_an_answer_of_one_line(text in ".{0,40}", word in "([a-h1-8 ,-]|not|and|files?|ranks?|stay){0,12}") {
            for text in [text, word] {
                if let Err(error) = read_squares(&text, None) {
                    prop_assert_eq!(error.to_string().lines().count(), 1);
                }
            }
        }
    }
}
