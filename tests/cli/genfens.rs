//! Openings for OpenBench, from outside: its own command lines, books, bad input.

use crate::common::program::{duchamp, out};
use duchamp_chess::Position;
use std::collections::HashSet;
use std::fs;

/// The FENs of the lines that OpenBench reads; there must be no others.
fn fens(printed: &str) -> Vec<String> {
    let fen = |line: &str| {
        let fen = line.strip_prefix("info string genfens ");
        fen.unwrap_or_else(|| panic!("{line}")).to_owned()
    };
    printed.lines().map(fen).collect()
}

#[test]
fn openbench_gets_as_many_openings_as_it_asks_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = |seed: u64| format!("genfens 6 seed {seed} book None --nodes 200");
    let first = fens(&out(folder.path(), &[&line(1), "quit"]));
    assert_eq!(first.len(), 6);
    for fen in &first {
        // OpenBench takes the last two of six fields for the clocks.
        assert_eq!(fen.split(' ').count(), 6, "{fen}");
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert!(position.has_legal_move() && position.fen() == *fen, "{fen}");
    }
    let different: HashSet<&String> = first.iter().collect();
    assert_eq!(different.len(), 6);
    // The seed decides, and the same in the form of an ordinary command.
    assert_eq!(fens(&out(folder.path(), &[&line(1), "quit"])), first);
    assert_ne!(fens(&out(folder.path(), &[&line(2), "quit"])), first);
    let words = ["genfens", "6", "--seed", "1", "--nodes", "200"];
    assert_eq!(fens(&out(folder.path(), &words)), first);
}

#[test]
fn a_book_is_where_openings_start() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let book = "4k3/4p3/8/8/8/8/4P3/4K3 w - - hmvc 3; fmvn 40;\n\
        # the same with a pawn moved, as a FEN\n\
        4k3/8/4p3/8/8/8/4P3/4K3 b - - 0 50\r\n";
    // With the byte order mark that some programs put in front.
    let marked = format!("\u{feff}{book}");
    fs::write(folder.path().join("a book.epd"), marked).expect("written");
    fs::write(folder.path().join("book.epd"), book).expect("written");
    let line = "genfens 30 seed 7 book book.epd --nodes 50 --random-plies 0 0";
    let found = fens(&out(folder.path(), &[line, "quit"]));
    // Only two are to be had: both appear, and then again.
    let different: HashSet<&str> = found.iter().map(String::as_str).collect();
    let expected = [
        "4k3/4p3/8/8/8/8/4P3/4K3 w - - 3 40",
        "4k3/8/4p3/8/8/8/4P3/4K3 b - - 0 50",
    ];
    assert_eq!((found.len(), different), (30, HashSet::from(expected)));
    // As an option the name may have blanks.
    let words = [
        "genfens",
        "3",
        "--book",
        "a book.epd",
        "--nodes",
        "50",
        "--random-plies",
        "2",
        "2",
    ];
    assert_eq!(fens(&out(folder.path(), &words)).len(), 3);
}

#[test]
fn bad_requests_are_told_in_a_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &[u8]| {
        fs::write(folder.path().join(name), text).expect("written");
    };
    write("empty.epd", b"\n# nothing\n");
    write("word.epd", b"4k3/8/8/8/8/8/8/4K3 w - -\nword\n");
    write("bytes.epd", b"\xff\xfe\x00\n");
    write("long.epd", &[b'8'; 10_000]);
    write("stalemate.epd", b"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n");
    write("lost.epd", b"7k/8/8/8/8/8/8/1QQ1K3 w - - 0 1\n");
    for (line, code) in [
        ("genfens 2 seed 1 book missing.epd", 2),
        ("genfens 2 seed 1 book .", 2),
        ("genfens 2 seed 1 book empty.epd", 2),
        ("genfens 2 seed 1 book word.epd", 2),
        ("genfens 2 seed 1 book bytes.epd", 2),
        ("genfens 2 seed 1 book long.epd", 2),
        ("genfens 2 seed 1 book None --random-plies 5 4", 2),
        // No move is left; and won whatever is played.
        ("genfens 2 seed 1 book stalemate.epd --nodes 10", 1),
        (
            "genfens 2 seed 1 book lost.epd --nodes 10 --random-plies 0 0",
            1,
        ),
    ] {
        let output = duchamp(folder.path(), &[line, "quit"]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {told}");
        assert_eq!(told.trim().lines().count(), 1, "{line}: {told}");
        assert!(output.stdout.is_empty(), "{line}");
    }
    for line in [
        "genfens x seed 1 book None",
        "genfens 0 seed 1 book None",
        "genfens 2 seed -1 book None",
        "genfens 2 seed",
        "genfens 2 moves 8",
    ] {
        let output = duchamp(folder.path(), &[line, "quit"]);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn openbench_may_name_a_network() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // A private engine's lines; `material` stands for a file here.
    let net = "setoption name EvalFile value material";
    let line = "genfens 2 seed 1 book None --nodes 100";
    assert_eq!(fens(&out(folder.path(), &[net, line, "quit"])).len(), 2);
    let printed = out(folder.path(), &[net, "bench 1", "quit"]);
    assert!(printed.trim().ends_with(" nps"), "{printed}");
    let missing = "setoption name EvalFile value missing.net";
    assert_eq!(
        duchamp(folder.path(), &[missing, "bench", "quit"])
            .status
            .code(),
        Some(2)
    );
}
