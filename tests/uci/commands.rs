//! What goes beyond the protocol: the commands for people at a terminal, and the log of a debug session.

use crate::common::client::Client;
use duchamp_chess::{Color, Position};
use duchamp_eval::built_in;

/// Openings, an ending, and one with Black to move.
const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "8/5pk1/4p1p1/1R5p/r6P/5PP1/5K2/8 w - - 2 41",
    "r1bq1rk1/pp3p1p/2n1p1pQ/3pP1N1/3P4/2PB4/PP3PPP/R3K2R b KQ - 0 1",
];

/// The answer to a command.
fn answer(client: &mut Client, command: &str) -> Vec<String> {
    client.send(command);
    client.sync()
}

/// The number after a label, in hundredths of a pawn.
fn hundredths(lines: &[String], label: &str) -> i32 {
    let line = lines.iter().find_map(|line| line.strip_prefix(label));
    let line = line.unwrap_or_else(|| panic!("no {label} in {lines:#?}"));
    let number = line.split_whitespace().next().expect("a number");
    (number.parse::<f64>().expect("a number") * 100.0).round() as i32
}

#[test]
fn eval_prints_what_pieces_are_worth_to_the_network_that_search_uses() {
    let mut client = Client::ready();
    for fen in POSITIONS {
        client.send(&format!("position fen {fen}"));
        let lines = answer(&mut client, "eval");
        let position = Position::from_fen(fen).expect("legal");
        let mut evaluator = built_in()();
        evaluator.reset(&position);
        let score = white(&position, evaluator.evaluate(&position).0);
        assert_eq!(hundredths(&lines, "Final evaluation"), score, "{lines:#?}");
        // A letter for each piece, and a value for each but the kings.
        let cells: Vec<&str> = lines
            .iter()
            .filter(|line| line.starts_with('|'))
            .flat_map(|line| line.split('|').map(str::trim))
            .filter(|cell| !cell.is_empty())
            .collect();
        let pieces = position.board().men() as usize;
        assert_eq!(cells.len(), 2 * pieces - 2, "{lines:#?}");
        // Queens are worth a pawn and more to their side.
        for (name, sign) in [("Q", 1.0), ("q", -1.0)] {
            let rows: Vec<&String> = lines.iter().filter(|line| line.starts_with('|')).collect();
            for pair in rows.chunks(2) {
                for (letter, value) in pair[0].split('|').zip(pair[1].split('|')) {
                    if letter.trim() == name {
                        let value: f64 = value.trim().parse().expect("a number");
                        assert!(sign * value > 1.0, "{lines:#?}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_evaluation_of_earlier_versions_is_refused_in_a_line() {
    let mut client = Client::ready();
    let built_in = answer(&mut client, "eval");
    for name in ["hce", "by-hand"] {
        let told = answer(
            &mut client,
            &format!("setoption name EvalFile value {name}"),
        );
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(
            told[0].contains("no hand-crafted evaluation any more"),
            "{told:#?}"
        );
        assert_eq!(answer(&mut client, "eval"), built_in, "{name}");
    }
    client.send("setoption name EvalFile value material");
    assert_ne!(answer(&mut client, "eval"), built_in);
    client.send("setoption name EvalFile value");
    assert_eq!(answer(&mut client, "eval"), built_in);
}

/// A value for the side to move as White sees it.
fn white(position: &Position, score: i32) -> i32 {
    match position.turn() {
        Color::White => score,
        Color::Black => -score,
    }
}

#[test]
fn compiler_says_what_the_program_was_compiled_with() {
    let mut client = Client::ready();
    let lines = answer(&mut client, "compiler");
    for (name, value) in [
        ("Version", env!("CARGO_PKG_VERSION")),
        ("Compiled by", "rustc 1."),
        ("Target", std::env::consts::ARCH),
        ("Profile", ""),
    ] {
        let line = lines.iter().find(|line| line.starts_with(name));
        let line = line.unwrap_or_else(|| panic!("no {name} in {lines:#?}"));
        assert!(line.contains(value), "{line}");
    }
}

#[test]
fn help_names_every_command() {
    let mut client = Client::ready();
    let lines = answer(&mut client, "help");
    assert!(lines.iter().all(|line| line.starts_with("info string ")));
    assert!(lines.iter().all(|line| line.len() <= 140), "{lines:#?}");
    let text = lines.join("\n");
    for command in [
        "uci",
        "isready",
        "ucinewgame",
        "setoption",
        "position",
        "go",
        "stop",
        "ponderhit",
        "quit",
        "debug",
        "d:",
        "eval",
        "perft",
        "bench",
        "tb:",
        "compiler",
        "GenerateTB",
    ] {
        assert!(text.contains(command), "{command}: {lines:#?}");
    }
}

#[test]
fn the_debug_log_holds_what_was_read_and_written() {
    let mut client = Client::ready();
    let path = client.folder.path().join("a log.txt");
    client.send(&format!(
        "setoption name Debug Log File value {}",
        path.display()
    ));
    client.send("position startpos");
    let search = client.go("depth 3");
    client.send("setoption name Debug Log File value");
    client.send("position startpos moves e2e4");
    client.sync();
    let log = std::fs::read_to_string(&path).expect("a log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(
        lines[..2],
        [">> position startpos", ">> go depth 3"],
        "{log}"
    );
    let written = search.lines.iter().map(|line| format!("<< {line}"));
    assert!(
        written.eq(lines[2..lines.len() - 1].iter().copied()),
        "{log}"
    );
    assert_eq!(
        lines[lines.len() - 1],
        ">> setoption name Debug Log File value"
    );
}

#[test]
fn a_log_that_cannot_be_opened_gives_one_line() {
    let mut client = Client::ready();
    let folder = client.folder.path().display().to_string();
    // What is no log is not appended to.
    let table = format!("{folder}/KQvK.wdl");
    std::fs::write(&table, "DUCHTABL").expect("written");
    for path in [folder.as_str(), "/no/such/folder/log.txt", &table] {
        let lines = answer(
            &mut client,
            &format!("setoption name Debug Log File value {path}"),
        );
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(
            lines[0].starts_with("info string Debug Log File: "),
            "{lines:?}"
        );
    }
    client.go("depth 2");
    assert_eq!(std::fs::read(&table).expect("there"), b"DUCHTABL");
    assert!(client.quit().success());
}

/// No count of so many plies would end, and the stack would not hold it.
#[test]
fn perft_has_a_greatest_depth() {
    let mut client = Client::ready();
    for line in ["perft 21", "go perft 4294967295"] {
        client.send("position fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1");
        let lines = answer(&mut client, line);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(
            lines[0].starts_with("info string perft: depths of 0 to 20 "),
            "{lines:?}"
        );
    }
    client.send("perft 20");
    client.send("stop");
    client.go("depth 2");
    assert!(client.quit().success());
}

/// They wait for each other; `stop` ends all.
#[test]
fn many_benches_run_one_at_a_time() {
    let mut client = Client::ready();
    for _ in 0..200 {
        client.send("bench 100");
    }
    client.send("stop");
    let stopped = |line: &String| line.starts_with("info string bench stopped; ");
    let mut told = 0;
    while told < 200 {
        told += usize::from(stopped(&client.line()));
    }
    client.go("depth 2");
    assert!(client.quit().success());
}

/// As GUIs expect it: after three seconds, which move is being searched.
#[test]
fn the_current_move_is_printed_in_long_searches_only() {
    let mut client = Client::ready();
    client.send("position startpos");
    let current = |line: &String| line.contains(" currmove ");
    assert!(!client.go("movetime 500").lines.iter().any(current));
    // However slow the machine is, a move begins after three seconds some time.
    client.send("go infinite");
    let mut lines = Vec::new();
    while lines.len() < 3 {
        lines.extend(Some(client.line()).filter(|line| current(line)));
    }
    client.send("stop");
    client.answer();
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words.len(), 7, "{line}");
        assert_eq!([words[0], words[1]], ["info", "depth"], "{line}");
        assert_eq!(
            [words[3], words[5]],
            ["currmove", "currmovenumber"],
            "{line}"
        );
        let number: usize = words[6].parse().expect("a number");
        assert!((1..=20).contains(&number), "{line}");
        assert!(Position::start().parse_uci(words[4]).is_ok(), "{line}");
    }
}
