//! The command line from outside: answers, exit codes, one line for each error.

use crate::common::program::{self, text};
use std::process::Output;

fn duchamp(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    program::duchamp(folder.path(), arguments)
}

/// The total of a perft.
fn perft(arguments: &[&str]) -> u64 {
    let output = duchamp(&[&["perft"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let out = text(&output.stdout);
    let last = out.lines().last().expect("a total");
    last.split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a number first")
}

#[test]
fn perft_counts_known_positions() {
    assert_eq!(perft(&["1"]), 20);
    assert_eq!(perft(&["5"]), 4_865_609);
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert_eq!(perft(&["4", kiwipete]), 4_085_603);
    // A FEN need not be quoted.
    let words: Vec<&str> = std::iter::once("4")
        .chain("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1".split(' '))
        .collect();
    assert_eq!(perft(&words), 43_238);
}

#[test]
fn perft_counts_xiangqi() {
    assert_eq!(perft(&["4", "--game", "xiangqi"]), 3_290_240);
    let fen = "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w";
    assert_eq!(perft(&["4", fen, "--game", "xiangqi"]), 92_741);
    let out = text(&duchamp(&["perft", "2", "--game", "xiangqi"]).stdout);
    assert!(out.lines().any(|line| line == "h2e2: 45"), "{out}");
    for (arguments, reason) in [
        (&["1", "4k3/8/8/8/8/8/8/Q3K3 w"][..], "queen of chess"),
        (&["1", "--chess960"], "xiangqi has not"),
        (
            &["1", "9/9/2k6/9/9/9/9/9/9/4K4 w"],
            "the Black king on c7 cannot stand there",
        ),
    ] {
        let output = duchamp(&[&["perft", "--game", "xiangqi"], arguments].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            error.contains(reason) && error.trim_end().lines().count() == 1,
            "{error}"
        );
    }
}

#[test]
fn perft_shows_each_move() {
    let out = text(&duchamp(&["perft", "2"]).stdout);
    assert!(out.lines().any(|line| line == "e2e4: 20"), "{out}");
    assert_eq!(out.lines().filter(|line| line.contains(": ")).count(), 20);
    let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    assert!(text(&duchamp(&["perft", "1", castling]).stdout).contains("e1g1: 1"));
    assert!(text(&duchamp(&["perft", "1", castling, "--chess960"]).stdout).contains("e1h1: 1"));
}

#[test]
fn a_fen_has_two_to_six_fields_in_every_command() {
    let bare = "8/8/8/8/4k3/8/4P3/4K3 w";
    for more in ["", " -", " - -", " - - 0", " - - 0 1"] {
        let fen = &format!("{bare}{more}");
        assert_eq!(perft(&["1", fen]), 5, "{fen}");
        let answer = duchamp(&["pawns", fen, "--seconds", "0.1"]);
        assert_eq!(answer.status.code(), Some(0), "{fen}");
        // No table is there: the position is read, the answer is a failure.
        for arguments in [&["tb", "probe", fen][..], &["tb", "line", fen]] {
            let code = duchamp(arguments).status.code();
            assert_eq!(code, Some(1), "{arguments:?}");
        }
    }
    let short = "8/8/8/8/4k3/8/4P3/4K3";
    let long = &format!("{bare} - - 0 1 2");
    for fen in [short, long] {
        for arguments in [
            &["perft", "1", fen][..],
            &["pawns", fen],
            &["tb", "probe", fen],
            &["tb", "line", fen],
        ] {
            let output = duchamp(arguments);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            assert!(text(&output.stderr).contains("expected 2 to 6 fields"));
        }
    }
}

#[test]
fn bad_input_is_one_line_and_code_2() {
    for arguments in [
        &["perft", "3", "not a fen"][..],
        &["perft", "3", "8/8/8/8/8/8/8/8 w - - 0 1"],
        &["perft", "3", "-"],
    ] {
        let output = duchamp(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let error = text(&output.stderr);
        assert!(
            error.starts_with("duchamp: ") && error.trim_end().lines().count() == 1,
            "{arguments:?}: {error}"
        );
    }
    for arguments in [
        &["nonsense"][..],
        &["perft"],
        &["perft", "x"],
        &["perft", "0"],
        &["bench", "-3"],
        &["bench", "0"],
        &["--nonsense"],
    ] {
        let output = duchamp(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{arguments:?}"
        );
    }
}

#[test]
fn help_answers() {
    let help = duchamp(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    for command in ["bench", "perft"] {
        assert!(text(&help.stdout).contains(command), "{command}");
        assert_eq!(duchamp(&[command, "--help"]).status.code(), Some(0));
    }
}

#[test]
fn bench_ends_with_nodes_and_speed() {
    let output = duchamp(&["bench", "3"]);
    assert_eq!(output.status.code(), Some(0));
    let out = text(&output.stdout);
    let words: Vec<&str> = out
        .lines()
        .last()
        .expect("a last line")
        .split(' ')
        .collect();
    assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{out}");
}
