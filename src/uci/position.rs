//! The arguments of `position`, and the game they make.
//!
//! Read: `startpos`, or `fen` with any number of fields (the word `fen` may be missing, as some
//! tools leave it out), then perhaps `moves` and moves; `startpos` may be followed by the moves
//! directly.

use duchamp_chess::{Faults, Game, Position, Setup};

/// What `position` asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionArguments {
    /// The FEN; `None` for the start position.
    pub fen: Option<String>,
    /// The moves as they were written.
    pub moves: Vec<String>,
}

/// Reads the words after `position`.
///
/// # Errors
/// A line for the user if there is neither `startpos` nor a FEN.
pub(super) fn parse(words: &[&str]) -> Result<PositionArguments, String> {
    let is = |word: &str, name: &str| word.eq_ignore_ascii_case(name);
    let Some((&first, mut rest)) = words.split_first() else {
        return Err("position: neither startpos nor fen".to_owned());
    };
    let fen = if is(first, "startpos") {
        None
    } else {
        let fields = if is(first, "fen") { rest } else { words };
        let end = fields
            .iter()
            .position(|w| is(w, "moves"))
            .unwrap_or(fields.len());
        if end == 0 || (!is(first, "fen") && !first.contains('/')) {
            return Err("position: neither startpos nor fen".to_owned());
        }
        rest = &fields[end..];
        Some(fields[..end].join(" "))
    };
    let moves = match rest.split_first() {
        Some((&word, moves)) if is(word, "moves") => moves,
        _ => rest,
    };
    Ok(PositionArguments {
        fen,
        moves: moves.iter().map(|&w| w.to_owned()).collect(),
    })
}

/// The game that the arguments describe, with a note if it stops at a move that is not legal.
///
/// # Errors
/// A line for the user if the FEN is none or the position cannot be played.
pub(super) fn game(arguments: &PositionArguments) -> Result<(Game, Option<String>), String> {
    let start = match &arguments.fen {
        None => Position::start(),
        Some(fen) => {
            let setup: Setup = tidy(fen)
                .parse()
                .map_err(|error| format!("position: {error}"))?;
            // GUIs and databases often leave castling rights and en-passant squares that have no
            // meaning; a human set-up board may show a triple check.
            let forgiven = Faults::CASTLING | Faults::EN_PASSANT | Faults::CHECKERS;
            Position::from_setup_forgiving(&setup, forgiven)
                .map_err(|error| format!("impossible position: {error}"))?
        }
    };
    let mut game = Game::new(start);
    for (index, text) in arguments.moves.iter().enumerate() {
        match game.current().parse_uci(&text.to_ascii_lowercase()) {
            Ok(mv) => game.push(mv),
            Err(error) => {
                let text = super::text::short(text);
                let note = format!(
                    "position: move {}, {text}: {error}; the moves before it were played",
                    index + 1
                );
                return Ok((game, Some(note)));
            }
        }
    }
    Ok((game, None))
}

/// A FEN as the parser reads it: clocks that are no numbers become the least, fields behind the sixth (the
/// operations of an EPD, say) are dropped.
fn tidy(fen: &str) -> String {
    let mut fields: Vec<String> = fen.split_whitespace().take(6).map(str::to_owned).collect();
    for (field, least) in fields.iter_mut().skip(4).zip([0, 1]) {
        let number = super::text::number(field).unwrap_or(least);
        *field = number.clamp(least, i64::from(u16::MAX)).to_string();
    }
    fields.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(Option<String>, Vec<String>)> {
        let words: Vec<&str> = line.split_whitespace().collect();
        parse(&words).ok().map(|a| (a.fen, a.moves))
    }

    #[test]
    fn every_form() {
        let moves = |list: &[&str]| list.iter().map(|&m| m.to_owned()).collect::<Vec<_>>();
        assert_eq!(read("startpos"), Some((None, vec![])));
        assert_eq!(read("startpos moves"), Some((None, vec![])));
        assert_eq!(
            read("startpos  moves  e2e4 e7e5"),
            Some((None, moves(&["e2e4", "e7e5"])))
        );
        assert_eq!(read("startpos e2e4"), Some((None, moves(&["e2e4"]))));
        let fen = Some("8/8/8/8/8/8/k7/K6R w - -".to_owned());
        assert_eq!(
            read("fen 8/8/8/8/8/8/k7/K6R w - - moves h1h8"),
            Some((fen.clone(), moves(&["h1h8"])))
        );
        assert_eq!(read("8/8/8/8/8/8/k7/K6R w - -"), Some((fen, vec![])));
        assert_eq!(read(""), None);
        assert_eq!(read("fen"), None);
        assert_eq!(read("fen moves e2e4"), None);
        assert_eq!(read("junk"), None);
    }
    #[test]
    fn clocks_are_tidied_and_more_fields_dropped() {
        assert_eq!(tidy("8/8 b"), "8/8 b");
        assert_eq!(tidy("8/8 w KQ e3 -3 -1"), "8/8 w KQ e3 0 1");
        assert_eq!(tidy("8/8 w - - 3 99999 bm e4"), "8/8 w - - 3 65535");
    }

    fn make(line: &str) -> Result<(Game, Option<String>), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        parse(&words).and_then(|arguments| game(&arguments))
    }

    #[test]
    fn games_stop_at_the_first_illegal_move() {
        let (game, note) = make("startpos moves e2e4 e7e5 e1e3 g8f6").expect("a position");
        assert_eq!(game.moves().len(), 2);
        assert!(note.expect("a note").contains("e1e3"));
        let (game, note) =
            make("startpos moves E2E4 e7e5 g1f3 b8c6 f1b5 g8f6 e1h1").expect("a position");
        assert_eq!((game.moves().len(), note), (7, None));
        assert!(make("fen 8/8/8/8/8/8/8/8 w - - 0 1").is_err());
        assert!(make("fen x").is_err());
        // Two to six fields.
        let bare = "4k3/8/8/8/8/8/8/4K3 b";
        for more in ["", " -", " - -", " - - 0", " - - 0 1"] {
            let (game, note) = make(&format!("fen {bare}{more}")).expect("a position");
            assert_eq!(game.current().fen(), format!("{bare} - - 0 1"));
            assert_eq!(note, None);
        }
        let error = make("fen 4k3/8/8/8/8/8/8/4K3").expect_err("one field");
        assert_eq!(error, "position: bad FEN: expected 2 to 6 fields, found 1");
        // Castling rights without rooks, an en-passant square that nothing has passed.
        let (game, _) = make("fen 4k3/8/8/8/8/8/8/4K3 w KQkq e6").expect("a position");
        assert_eq!(game.current().fen(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    }
}
