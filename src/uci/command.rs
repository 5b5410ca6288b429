//! A line of text becomes a [`Command`].
//!
//! As the protocol demands, words before the first known command are skipped
//! (`joho debug on` is `debug on`); a line that begins with a message meant for the GUI is ignored.

use super::go::{self, GoArguments};
use super::position::{self, PositionArguments};
use super::text::short;
use super::vampirc::{self, Simple};

/// What the user asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `uci`: say who you are and which options there are.
    Uci,
    /// `debug on` or `off`.
    Debug(bool),
    /// `isready`: answer when all before is done.
    IsReady,
    /// `setoption`.
    SetOption {
        /// The option's name as written.
        name: String,
        /// The value as written, `None` if missing or empty.
        value: Option<String>,
    },
    /// `register`: nothing to register.
    Register,
    /// `ucinewgame`.
    NewGame,
    /// `position`.
    Position(PositionArguments),
    /// `go`.
    Go(GoArguments),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `quit`.
    Quit,
    /// `d`: show the board (not in the protocol, like all that follow).
    Show,
    /// `eval`: the static evaluation, and what each piece adds to it.
    Eval,
    /// `bench [DEPTH]`.
    Bench(Option<u32>),
    /// `tb`: which tables are there.
    Tables,
    /// `compiler`: what the program was compiled with and for.
    Compiler,
    /// `help`.
    Help,
}

/// What came of a line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Parsed {
    /// The command, if one was understood.
    pub command: Option<Command>,
    /// What could not be used, a line each for the user.
    pub notes: Vec<String>,
}

const SIMPLE: [&str; 9] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "stop",
    "ponderhit",
    "quit",
];
const GUI_BOUND: [&str; 8] = [
    "id",
    "uciok",
    "readyok",
    "bestmove",
    "copyprotection",
    "registration",
    "info",
    "option",
];
const EXTRA: [&str; 7] = ["d", "eval", "bench", "perft", "tb", "compiler", "help"];

/// Reads one line. Never fails and never panics, whatever the line holds.
#[must_use]
pub fn parse(line: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(first) = words.first().map(|w| w.to_ascii_lowercase()) else {
        return parsed;
    };
    if GUI_BOUND.contains(&first.as_str()) || first.starts_with('#') {
        return parsed;
    }
    if EXTRA.contains(&first.as_str()) {
        parsed.command = extra(&first, &words[1..], &mut parsed.notes);
        return parsed;
    }
    let known = |w: &&str| {
        let w = w.to_ascii_lowercase();
        SIMPLE.contains(&w.as_str()) || w == "go" || w == "position"
    };
    let Some(start) = words.iter().position(known) else {
        parsed
            .notes
            .push(format!("unknown command: {}", short(line)));
        return parsed;
    };
    let arguments = &words[start + 1..];
    match words[start].to_ascii_lowercase().as_str() {
        "go" => {
            let notes = &mut parsed.notes;
            parsed.command = Some(Command::Go(go::parse(arguments, &mut |note| {
                notes.push(note)
            })));
        }
        "position" => match position::parse(arguments) {
            Ok(arguments) => parsed.command = Some(Command::Position(arguments)),
            Err(note) => parsed.notes.push(note),
        },
        "setoption" => parsed.command = simple_command(&setoption(line)),
        // `stop now` is `stop`: only `debug` and `register` have arguments.
        "debug" => parsed.command = simple_command(&first_words(&words[start..], 2)),
        "register" => parsed.command = Some(Command::Register),
        word => parsed.command = simple_command(word),
    }
    if parsed.command.is_none() && parsed.notes.is_empty() {
        parsed
            .notes
            .push(format!("not understood: {}", short(line)));
    }
    parsed
}

fn extra(first: &str, words: &[&str], notes: &mut Vec<String>) -> Option<Command> {
    Some(match first {
        "d" => Command::Show,
        "eval" => Command::Eval,
        "tb" => Command::Tables,
        "compiler" => Command::Compiler,
        "help" => Command::Help,
        "bench" => match words.first().map(|word| (word, word.parse())) {
            None => Command::Bench(None),
            Some((_, Ok(depth))) => Command::Bench(Some(depth)),
            Some((word, Err(_))) => {
                notes.push(format!("bench: {} is no depth", short(word)));
                return None;
            }
        },
        _ => {
            let Some(depth) = words.first().and_then(|w| w.parse().ok()) else {
                notes.push("perft: which depth?".to_owned());
                return None;
            };
            Command::Go(GoArguments {
                perft: Some(depth),
                ..GoArguments::default()
            })
        }
    })
}

/// A `setoption` line for the parser crate: blanks single up to the value, the value as it was written.
fn setoption(line: &str) -> String {
    let mut result = String::new();
    let mut rest = line;
    let mut started = false;
    while let Some(word) = rest.split_whitespace().next() {
        let at = rest.find(word).unwrap_or(0);
        rest = &rest[at + word.len()..];
        if !started && !word.eq_ignore_ascii_case("setoption") {
            continue;
        }
        started = true;
        if !result.is_empty() {
            result.push(' ');
        }
        result.push_str(word);
        if word.eq_ignore_ascii_case("value") {
            let value = rest.trim();
            if !value.is_empty() {
                result.push(' ');
                result.push_str(value);
            }
            break;
        }
    }
    result
}

fn first_words(words: &[&str], count: usize) -> String {
    words[..words.len().min(count)].join(" ")
}

fn simple_command(line: &str) -> Option<Command> {
    Some(match vampirc::parse(line)? {
        Simple::Uci => Command::Uci,
        Simple::Debug(on) => Command::Debug(on),
        Simple::IsReady => Command::IsReady,
        Simple::SetOption { name, value } => Command::SetOption {
            name: name.trim().to_owned(),
            value: value.map(|v| v.trim().to_owned()).filter(|v| !v.is_empty()),
        },
        Simple::Register => Command::Register,
        Simple::NewGame => Command::NewGame,
        Simple::Stop => Command::Stop,
        Simple::PonderHit => Command::PonderHit,
        Simple::Quit => Command::Quit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Option<Command> {
        parse(line).command
    }

    #[test]
    fn words_before_a_command_are_skipped() {
        assert_eq!(command("joho debug on"), Some(Command::Debug(true)));
        assert_eq!(command("  joho  isready junk"), Some(Command::IsReady));
        assert_eq!(command("stop now"), Some(Command::Stop));
        assert_eq!(command("ISREADY"), Some(Command::IsReady));
        assert_eq!(command("register"), Some(Command::Register));
        assert_eq!(command("register name a code b"), Some(Command::Register));
        assert_eq!(command("isreadyx"), None);
        assert_eq!(parse("isreadyx").notes.len(), 1);
        assert_eq!(parse("debug").notes.len(), 1);
    }

    #[test]
    fn messages_for_the_gui_are_ignored() {
        for line in [
            "",
            "   ",
            "info string quit",
            "bestmove e2e4",
            "id name x",
            "option name go type button",
            "# quit",
        ] {
            assert_eq!(parse(line), Parsed::default(), "{line}");
        }
    }

    #[test]
    fn options_keep_their_values() {
        let option = |name: &str, value: Option<&str>| {
            Some(Command::SetOption {
                name: name.to_owned(),
                value: value.map(str::to_owned),
            })
        };
        assert_eq!(
            command("setoption  name  Multi   PV  value  3 "),
            option("Multi PV", Some("3"))
        );
        assert_eq!(
            command("setoption name TablebasePath value /a  b/c"),
            option("TablebasePath", Some("/a  b/c"))
        );
        assert_eq!(
            command("setoption name TablebasePath value "),
            option("TablebasePath", None)
        );
        assert_eq!(
            command("setoption name TablebasePath"),
            option("TablebasePath", None)
        );
        assert_eq!(command("setoption Hash value 16"), None);
        assert_eq!(
            command("x setoption name Hash value 16"),
            option("Hash", Some("16"))
        );
    }

    #[test]
    fn nothing_makes_it_panic() {
        // A small generator of lines from words and junk; the seed is fixed.
        const PARTS: [&str; 40] = [
            "go",
            "position",
            "setoption",
            "name",
            "value",
            "startpos",
            "fen",
            "moves",
            "e2e4",
            "0000",
            "infinite",
            "ponder",
            "wtime",
            "btime",
            "-1",
            "99999999999999999999999",
            "1.5",
            "8/8/8/8/8/8/8/8",
            "w",
            "KQkq",
            "-",
            "debug",
            "on",
            "register",
            "later",
            "code",
            "uci",
            "stop",
            "quit",
            "\u{0}",
            "\u{feff}",
            "\t",
            "é",
            "searchmoves",
            "mate",
            "depth",
            "256",
            "perft",
            "Hash",
            "isready",
        ];
        let mut random = duchamp_base::Random::new(1);
        for _ in 0..20_000 {
            let mut line = String::new();
            for _ in 0..random.below(12) {
                line.push_str(PARTS[random.below(PARTS.len())]);
                line.push_str(["", " ", "  ", "\t"][random.below(4)]);
            }
            let parsed = parse(&line);
            assert!(parsed.notes.iter().all(|note| note.len() < 400), "{line:?}");
        }
    }
}
