//! Seeded random input: the line parser in this process, mixed commands to an engine in another.

use crate::common::Rng;
use crate::common::client::Client;
use duchamp::uci::{Command, Line, Lines, parse};
use std::time::Duration;

/// Words that mean something somewhere, and some that mean nothing.
const WORDS: [&str; 72] = [
    "uci",
    "debug",
    "on",
    "off",
    "isready",
    "setoption",
    "name",
    "value",
    "register",
    "later",
    "code",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "stop",
    "ponderhit",
    "quit",
    "perft",
    "d",
    "eval",
    "id",
    "uciok",
    "bestmove",
    "info",
    "option",
    "Hash",
    "Threads",
    "MultiPV",
    "Clear Hash",
    "UCI_Chess960",
    "true",
    "false",
    "e2e4",
    "e7e5",
    "e1g1",
    "e1h1",
    "a7a8q",
    "0000",
    "e9e9",
    "-1",
    "0",
    "1",
    "3",
    "255",
    "256",
    "4294967296",
    "99999999999999999999",
    "1.5",
    "1e9",
    "8/8/8/8/8/2k5/8/K6R",
    "w",
    "b",
    "KQkq",
    "-",
    "\u{0}",
    "\u{e9}\u{1F600}",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
];

fn line(rng: &mut Rng) -> String {
    let mut line = String::new();
    for _ in 0..rng.below(14) {
        line.push_str(WORDS[rng.below(WORDS.len())]);
        line.push_str(["", " ", " ", " ", "  ", "\t", "\r"][rng.below(7)]);
    }
    line
}

#[test]
fn any_line_becomes_a_command_or_a_note() {
    let mut rng = Rng(1);
    for _ in 0..60_000 {
        let text = line(&mut rng);
        let parsed = parse(&text);
        assert!(
            parsed
                .notes
                .iter()
                .all(|note| note.chars().count() < 200 && !note.contains('\n')),
            "{text:?}"
        );
        // What is understood stays understood when blanks are added around it.
        assert_eq!(
            parse(&format!("  {text}\t")).command,
            parsed.command,
            "{text:?}"
        );
        if text.trim_start().starts_with("go ") {
            assert!(
                matches!(parsed.command, Some(Command::Go(_))),
                "a go must be answered: {text:?}"
            );
        }
    }
}

#[test]
fn any_bytes_become_lines() {
    let mut rng = Rng(2);
    for _ in 0..300 {
        let length = rng.below(3000);
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                if rng.below(20) == 0 {
                    b'\n'
                } else {
                    rng.next() as u8
                }
            })
            .collect();
        let mut lines = Lines::new(std::io::BufReader::with_capacity(
            1 + rng.below(64),
            bytes.as_slice(),
        ));
        let mut count = 0;
        while let Some(line) = lines.next_line().expect("memory never fails") {
            count += 1;
            if let Line::Text(text) = line {
                assert!(text == text.trim() && !text.chars().any(char::is_control));
                let _ = parse(&text);
            }
        }
        let ends = bytes.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(
            count,
            ends + usize::from(bytes.last().is_some_and(|&byte| byte != b'\n'))
        );
    }
}

/// Mixed commands, sensible and not, in a random order: the engine answers each `go` once and each
/// `isready`, and lives.
#[test]
fn an_engine_lives_through_mixed_commands() {
    let mut rng = Rng(3);
    for _ in 0..4 {
        let mut client = Client::ready();
        let mut asked = 0;
        for _ in 0..120 {
            let text = match rng.below(8) {
                0 => "position startpos moves e2e4 e7e5 g1f3".to_owned(),
                1 => "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".to_owned(),
                2 => "go nodes 300".to_owned(),
                3 => "go infinite".to_owned(),
                4 => "go ponder wtime 50 btime 50".to_owned(),
                5 => ["stop", "ponderhit", "ucinewgame", "d", "eval"][rng.below(5)].to_owned(),
                6 => ["setoption name Hash value 2", "setoption name MultiPV value 2", "setoption name UCI_Chess960 value true"]
                    [rng.below(3)]
                .to_owned(),
                _ => line(&mut rng),
            };
            let words: Vec<&str> = text.split_whitespace().collect();
            // Left out: what ends the engine, takes for ever, or asks for more than this machine has.
            let has = |word: &str| words.contains(&word);
            if has("quit")
                || has("perft")
                || (has("setoption") && (has("Hash") || has("Threads")) && !has("2"))
            {
                continue;
            }
            if matches!(parse(&text).command, Some(Command::Go(_))) {
                asked += 1;
            }
            client.send(&text);
            if rng.below(5) == 0 {
                client.sync();
            }
        }
        client.send("stop");
        client.sync();
        client.overhear(Duration::from_millis(200));
        let best = client
            .heard
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count();
        assert_eq!(best, asked);
        assert!(
            !client
                .heard
                .iter()
                .any(|line| line.contains("internal error")),
            "{:?}",
            client.heard
        );
        assert!(client.quit().success());
    }
}
