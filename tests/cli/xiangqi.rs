//! The `tb` commands and `papers wu-beal` on xiangqi, from outside.

use crate::common::program::{duchamp, out, text};
use crate::common::shared_folder;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A chariot that mates in one move.
const MATE: &str = "3k5/9/9/9/9/9/9/9/9/R3K4 w";
/// Endings with one attacker, recomputed by a program that shares nothing with this one.
const ONE_ATTACKER: &str = include_str!("../../crates/xiangqi-tables/tests/data/one_attacker.csv");

/// A folder with the tables of one chariot, horse or cannon against all defenders, and of all that they lead to.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = shared_folder("xiangqi");
        let told = out(&folder, &["tb", "generate", "c-aaee", "KNvKAABB", "g-aaee"]);
        assert!(told.contains("Generated 27 tables"), "{told}");
        folder
    })
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&out(folder(), arguments)).expect("one JSON object")
}

/// The error of bad input: one line, code 2.
fn refused(arguments: &[&str]) -> String {
    let output = duchamp(folder(), arguments);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(
        output.stdout.is_empty() && error.trim_end().lines().count() == 1,
        "{arguments:?}: {error}"
    );
    error
}

#[test]
fn probe_gives_values_and_moves_in_both_notations() {
    let answer = json(&["tb", "probe", MATE, "--json"]);
    assert_eq!(answer["wdl"], "win");
    assert_eq!(
        (&answer["dtc_plies"], &answer["dtc_moves"]),
        (&1.into(), &1.into())
    );
    assert!(answer["dtz_plies"].is_null() && answer.get("clock").is_none());
    let moves = answer["moves"].as_array().expect("moves");
    let best = [&moves[0]["uci"], &moves[0]["wxf"], &moves[0]["dtc_plies"]];
    assert_eq!(best, [&Value::from("a0d0"), &"R9=6".into(), &1.into()]);
    let lengths: Vec<Option<u64>> = moves.iter().map(|mv| mv["dtc_plies"].as_u64()).collect();
    let known: Vec<u64> = lengths.iter().flatten().copied().collect();
    assert!(known.is_sorted(), "{known:?}");
    let told = out(folder(), &["tb", "probe", MATE]);
    assert!(
        told.starts_with("Red wins: conversion in 1 move (1 ply)\nwinning:\n"),
        "{told}"
    );
    // The same with the sides exchanged, and the letters of Wu and Beal's table in lists of FENs.
    let black = "r3k4/9/9/9/9/9/9/9/9/3K5 b";
    assert_eq!(json(&["tb", "probe", black, "--json"])["dtc_plies"], 1);
    // Bare of attackers: a draw without any table.
    let told = out(folder(), &["tb", "probe", "3k5/9/9/9/9/9/9/9/9/4KA3 w"]);
    assert!(told.starts_with("draw\n"), "{told}");
}

#[test]
fn the_longest_line_is_as_long_as_its_value() {
    let stats = json(&["tb", "stats", "c-aaee", "--json"]);
    let red = &stats["red_to_move"];
    assert_eq!(red["longest_win_plies"], 35);
    let fen = red["longest_win_fen"].as_str().expect("a FEN");
    let line = out(folder(), &["tb", "line", fen]);
    let mut rows = line.lines();
    let head = rows.next().expect("a headline");
    assert_eq!(head, "Red wins: conversion in 18 moves (35 plies)");
    let moves: Vec<&str> = rows.flat_map(str::split_whitespace).collect();
    let numbers = moves.iter().filter(|word| word.ends_with('.')).count();
    assert!(numbers >= 18 && moves.len() - numbers >= 35, "{line}");
    refused(&["tb", "line", fen, "--pgn"]);
}

#[test]
fn counts_are_those_of_other_programs() {
    let mut rows = 0;
    for line in ONE_ATTACKER
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
    {
        let fields: Vec<&str> = line.split(',').collect();
        let stats = json(&["tb", "stats", fields[0], "--json"]);
        let paper = &stats["wu_beal"];
        let number = |key: &str| paper[key].as_u64().expect(key);
        let percent = |key: &str| {
            format!(
                "{:.2}",
                100.0 * number(key) as f64 / number("real_size") as f64
            )
        };
        let found = [
            number("real_size").to_string(),
            number("dtc_moves").to_string(),
            percent("rtm_win"),
            percent("btm_loss"),
        ];
        assert_eq!(found, fields[1..5], "{line}");
        let halves = [number("rtm_win"), number("btm_loss")];
        let orders: u64 = if fields[0].contains("aaee") {
            4
        } else if fields[0].contains("aa") || fields[0].contains("ee") {
            2
        } else {
            1
        };
        let named =
            [&fields[5], &fields[6]].map(|field| field.parse::<u64>().expect("a number") * orders);
        assert_eq!(halves, named, "{line}");
        assert_eq!(
            number("rtm_win") + number("rtm_draw") + number("rtm_loss"),
            number("btm_win") + number("btm_draw") + number("btm_loss")
        );
        rows += 1;
    }
    assert_eq!(rows, 16);
    let told = out(folder(), &["tb", "stats", "c-aaee"]);
    assert!(
        told.contains("Red to move: 2845296 won (84.60 %)"),
        "{told}"
    );
    let csv = out(folder(), &["tb", "stats", "c-a", "--csv"]);
    assert!(csv.contains("\nc-a,red,win,1,"), "{csv}");
    let picture = folder().join("c.svg");
    out(
        folder(),
        &["tb", "stats", "c-aaee", "--svg", &picture.to_string_lossy()],
    );
    let picture = std::fs::read_to_string(picture).expect("a picture");
    assert!(picture.contains("Red to move") && picture.ends_with("</svg>\n"));
}

#[test]
fn tables_are_listed_planned_and_verified() {
    let listed = out(folder(), &["tb", "list"]);
    let row = listed.lines().find(|line| line.starts_with("c-aaee "));
    let row = row.expect("a row");
    assert!(row.contains("35 plies  18 moves"), "{row}");
    let verified = out(folder(), &["tb", "verify", "c-aaee", "h-ae"]);
    let last = verified.lines().last().expect("a sum");
    assert!(
        last.starts_with("2 tables") && last.ends_with(" 0 errors"),
        "{last}"
    );
    let plan = json(&["tb", "plan", "c-aaee", "--format", "json"]);
    assert_eq!(plan["tables"].as_array().expect("tables").len(), 9);
    assert_eq!(
        plan["tables"][8]["files"],
        serde_json::json!(["c-aaee.wdl", "c-aaee.dtc"])
    );
    let workflow = out(folder(), &["tb", "plan", "c-e"]);
    for part in [
        "table=\"[aehcgpk]*-[aehcgpk]*\"",
        "[f\"{DIR}/{need}.dtc.sub\" for need in",
        "sub=temp(f\"{DIR}/{{table}}.dtc.sub\")",
        "--only --keep-subs --metric dtc",
    ] {
        assert!(workflow.contains(part), "{part}: {workflow}");
    }
    // Jobs leave each other what the workflow says they do.
    let jobs = tempfile::tempdir().expect("a temporary folder");
    for table in ["c-k", "c-e"] {
        let words = [
            "tb",
            "generate",
            table,
            "--only",
            "--keep-subs",
            "--metric",
            "all",
        ];
        out(jobs.path(), &words);
        for ending in ["wdl", "dtc", "dtm", "dtc.sub", "sub"] {
            let file = jobs.path().join("tables").join(format!("{table}.{ending}"));
            assert!(file.is_file(), "{}", file.display());
        }
    }
    let dry = out(folder(), &["tb", "generate", "KRvKAABB", "--dry-run"]);
    assert!(dry.starts_with("To generate: none\n"), "{dry}");
}

#[test]
fn distances_to_mate_are_a_run_of_their_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    out(
        folder.path(),
        &["tb", "generate", "c-ae", "--metric", "all"],
    );
    for file in ["c-ae.wdl", "c-ae.dtm", "c-ae.dtc", "c-k.dtm"] {
        assert!(folder.path().join("tables").join(file).is_file(), "{file}");
    }
    let answer = out(folder.path(), &["tb", "probe", MATE, "--json"]);
    let answer: Value = serde_json::from_str(&answer).expect("an object");
    assert_eq!(
        (&answer["dtm_plies"], &answer["dtc_plies"]),
        (&1.into(), &1.into())
    );
    // Four tables in two metrics.
    let verified = out(folder.path(), &["tb", "verify"]);
    let last = verified.lines().last().expect("a sum");
    assert!(
        last.starts_with("8 tables and metrics, ") && last.ends_with(" 0 errors"),
        "{verified}"
    );
}

/// Red's advisors and king hem each other in, and his horse is pinned between the kings.
#[test]
fn black_wins_by_a_stalemate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = |arguments: &[&str]| out(folder.path(), arguments);
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_str(&told(arguments)).expect("an object")
    };
    told(&["tb", "generate", "aah-k", "--metric", "all"]);
    let fen = "3k5/9/9/9/9/9/9/9/4N4/3AKA3 b";
    let answer = json(&["tb", "probe", fen, "--json"]);
    assert_eq!(
        (&answer["wdl"], &answer["dtm_plies"], &answer["dtc_plies"]),
        (&"win".into(), &1.into(), &1.into())
    );
    let verified = told(&["tb", "verify", "aah-k", "--full", "--fast"]);
    let last = verified.lines().last().expect("a sum");
    assert!(
        last.starts_with("2 tables and metrics, ") && last.ends_with(" 0 errors"),
        "{verified}"
    );
    let stats = json(&["tb", "stats", "aah-k", "--json"]);
    let paper = &stats["wu_beal"];
    let number = |key: &str| paper[key].as_u64().expect(key);
    assert!(number("btm_win") > 0 && number("rtm_loss") > 0, "{paper}");
    assert_eq!(
        number("btm_win") + number("btm_draw") + number("btm_loss"),
        number("real_size")
    );
    let line = format!("    Black to move: {} won, ", number("btm_win"));
    let printed = told(&["tb", "stats", "aah-k"]);
    assert!(printed.contains(&line), "{printed}");
}

#[test]
fn bad_input_is_refused_in_one_line() {
    for (fen, part) in [
        ("K2k5/9/9/9/9/9/9/9/9/R8 w", "palace"),
        ("3k5/9/9/9/9/4B4/9/9/9/R3K4 w", "river"),
        ("3k5/9/9/9/9/9/9/4P4/9/R3K4 w", "never moves back"),
        ("4k4/9/9/9/9/9/9/9/9/R3K4 w", "face each other"),
        ("3k5/9/9/9/9/9/9/9/9/Q3K4 w", "Q"),
        ("3kr4/9/9/9/9/9/9/9/9/R3K4 w", "both sides can attack"),
    ] {
        for command in ["probe", "line"] {
            let error = refused(&["tb", command, fen]);
            assert!(error.contains(part), "{fen}: {error}");
        }
    }
    for (arguments, part) in [
        (&["generate", "cp-aaee", "KRPvKR"][..], "--game"),
        (&["generate", "c-h"], "perpetual"),
        (&["generate", "cq-aaee"], "letter q"),
        (&["generate", "c-aaee", "--game", "chess"], "c-aaee"),
        (&["generate", "c-k", "--metric", "dtz"], "dtz"),
        (&["stats", "c-k", "--metric", "dtz"], "dtz"),
        (&["zugzwangs", "c-k"], "chess only"),
        (&["probe", MATE, "--clock", "3"], "--clock"),
    ] {
        let error = refused(&[&["tb"], arguments].concat());
        assert!(error.contains(part), "{arguments:?}: {error}");
    }
}

#[test]
fn rows_of_wu_and_beal_stand_beside_ours() {
    let told = out(
        folder(),
        &["papers", "wu-beal", "c-aaee", "h-aaee", "g-aaee"],
    );
    assert!(
        told.contains("3 rows: 3 equal to every printed digit, 0 different, 0 missing"),
        "{told}"
    );
    let rows = out(folder(), &["papers", "wu-beal", "--json"]);
    let rows: Vec<Value> = rows
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    assert_eq!(rows.len(), 39);
    let equal = rows.iter().filter(|row| row["verdict"] == "equal").count();
    let missing = rows
        .iter()
        .filter(|row| row["verdict"] == "missing")
        .count();
    assert_eq!((equal, missing), (3, 36));
    let markdown = out(folder(), &["papers", "wu-beal", "c-aaee", "--markdown"]);
    assert!(
        markdown.contains("| c-aaee | paper | 646,380 | 3,363,048 | 18 | 84.60 |"),
        "{markdown}"
    );
    assert!(
        markdown.contains("|  | ours | 646,380 | 3,363,048 | 18 | 84.60 |"),
        "{markdown}"
    );
    assert!(refused(&["papers", "wu-beal", "c-k"]).contains("no row of the paper"));
    // None is present: named with what generates them.
    let empty = tempfile::tempdir().expect("a temporary folder");
    let output = duchamp(empty.path(), &["papers", "wu-beal", "c-aaee"]);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("9 tables missing") && error.contains("--generate"),
        "{error}"
    );
}
