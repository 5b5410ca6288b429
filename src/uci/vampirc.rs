//! A safe use of the parser crate `vampirc-uci`: the only file that names that crate.
//!
//! The crate is unmaintained and panics, or silently drops tokens, on lines that GUIs do send
//! (`go infinite ` with a trailing blank, `go ponder wtime ...`, two blanks after `moves`, FENs of
//! four fields). So `go` and `position` never reach it ([`super::go`], [`super::position`] read
//! them); it reads the other commands, from a line whose first word is known to be one of them and
//! whose blanks are single; and a panic inside it is caught and counts as "not understood".
//! On the way out it writes `id`, `option`, `uciok` and `readyok`, which it does right; `info` and
//! `bestmove` are ours ([`super::print`]), since it lacks `wdl`, `(none)` and long mates.

use duchamp_engine::Kind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vampirc_uci::{UciMessage, UciOptionConfig, parse_one};

/// The commands that are read here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Simple {
    Uci,
    Debug(bool),
    IsReady,
    SetOption { name: String, value: Option<String> },
    Register,
    NewGame,
    Stop,
    PonderHit,
    Quit,
}

/// Reads one line that begins with the word of a simple command; `None` if it makes no sense.
///
/// `line` is trimmed, with single blanks between words (those of an option's value may be any).
pub(super) fn parse(line: &str) -> Option<Simple> {
    let message = catch_unwind(AssertUnwindSafe(|| parse_one(line))).ok()?;
    Some(match message {
        UciMessage::Uci => Simple::Uci,
        UciMessage::Debug(on) => Simple::Debug(on),
        UciMessage::IsReady => Simple::IsReady,
        UciMessage::SetOption { name, value } => Simple::SetOption { name, value },
        UciMessage::Register { .. } => Simple::Register,
        UciMessage::UciNewGame => Simple::NewGame,
        UciMessage::Stop => Simple::Stop,
        UciMessage::PonderHit => Simple::PonderHit,
        UciMessage::Quit => Simple::Quit,
        _ => return None,
    })
}

/// The lines that say who the engine is.
pub(super) fn id_lines(name: &str, author: &str) -> [String; 2] {
    [
        UciMessage::id_name(name).to_string(),
        UciMessage::id_author(author).to_string(),
    ]
}

/// `uciok`.
pub(super) fn uciok() -> String {
    UciMessage::UciOk.to_string()
}

/// `readyok`.
pub(super) fn readyok() -> String {
    UciMessage::ReadyOk.to_string()
}

/// The line that declares an option.
pub(super) fn option_line(name: &str, kind: Kind) -> String {
    let name = name.to_owned();
    UciMessage::Option(match kind {
        Kind::Check { default } => UciOptionConfig::Check {
            name,
            default: Some(default),
        },
        Kind::Spin { default, min, max } => UciOptionConfig::Spin {
            name,
            default: Some(default),
            min: Some(min),
            max: Some(max),
        },
        Kind::Choice { default, words } => UciOptionConfig::Combo {
            name,
            default: Some(words[default].to_owned()),
            var: words.iter().map(|&word| word.to_owned()).collect(),
        },
        // GUIs read `<empty>` as an empty text; a bare `default` confuses some of them.
        Kind::Text => UciOptionConfig::String {
            name,
            default: Some("<empty>".to_owned()),
        },
        Kind::Button => UciOptionConfig::Button { name },
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_commands_are_read() {
        assert_eq!(parse("uci"), Some(Simple::Uci));
        assert_eq!(parse("debug on"), Some(Simple::Debug(true)));
        assert_eq!(parse("ucinewgame"), Some(Simple::NewGame));
        let option = |name: &str, value: Option<&str>| {
            Some(Simple::SetOption {
                name: name.to_owned(),
                value: value.map(str::to_owned),
            })
        };
        assert_eq!(
            parse("setoption name Hash value 128"),
            option("Hash", Some("128"))
        );
        assert_eq!(
            parse("setoption name Clear Hash"),
            option("Clear Hash", None)
        );
        assert_eq!(
            parse("setoption name TablebasePath value a  b"),
            option("TablebasePath", Some("a  b"))
        );
        assert_eq!(
            parse("setoption name TablebasePath value"),
            option("TablebasePath", None)
        );
        assert_eq!(parse("setoption Hash"), None);
        assert_eq!(parse("debug"), None);
    }

    #[test]
    fn options_are_written() {
        let spin = Kind::Spin {
            default: 16,
            min: 1,
            max: 64,
        };
        assert_eq!(
            option_line("Hash", spin),
            "option name Hash type spin default 16 min 1 max 64"
        );
        assert_eq!(
            option_line("Ponder", Kind::Check { default: false }),
            "option name Ponder type check default false"
        );
        let choice = Kind::Choice {
            default: 1,
            words: &["a", "b"],
        };
        assert_eq!(
            option_line("C", choice),
            "option name C type combo default b var a var b"
        );
        assert_eq!(
            option_line("P", Kind::Text),
            "option name P type string default <empty>"
        );
        assert_eq!(
            option_line("Clear Hash", Kind::Button),
            "option name Clear Hash type button"
        );
    }
}
