//! What `duchamp tb` shows to people and to other programs: stable keys, straight columns, whole pictures.

use crate::common::program::PROGRAM;
use crate::common::shared_folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

fn tb(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(PROGRAM)
        .arg("tb")
        .args(arguments)
        .env("DUCHAMP_TABLEBASES", folder)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the program runs")
}

/// The folder of all tables of three men, and KQvKR.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = shared_folder("tables");
        let output = tb(&folder, &["generate", "3", "KQKR"]);
        assert!(output.status.success(), "{output:?}");
        folder
    })
}

fn answer(arguments: &[&str]) -> String {
    let output = tb(folder(), arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("plain text")
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&answer(arguments)).expect("one JSON object")
}

/// The error of a command that fails with this exit code: one line.
fn failure(arguments: &[&str], code: i32) -> String {
    let output = tb(folder(), arguments);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}: {output:?}"
    );
    let error = String::from_utf8(output.stderr).expect("plain text");
    assert!(
        output.stdout.is_empty() && error.trim_end().lines().count() == 1,
        "{error}"
    );
    error
}

#[test]
fn the_list_has_straight_columns() {
    let text = answer(&["list"]);
    let row = text
        .lines()
        .find(|line| line.starts_with("KQvK "))
        .expect("a row");
    let words: Vec<&str> = row.split_whitespace().collect();
    assert!(
        words.ends_with(&["19", "plies", "10", "moves", "ready"]),
        "{text}"
    );
    let ends: Vec<usize> = text.lines().filter_map(|line| line.find("ready")).collect();
    // The last row only sums up.
    assert!(
        ends[..ends.len() - 1]
            .windows(2)
            .all(|two| two[0] == two[1]),
        "{text}"
    );
    let listed = answer(&["list", "--json"]);
    let first: serde_json::Value =
        serde_json::from_str(listed.lines().next().expect("a table")).expect("an object");
    for key in [
        "material",
        "state",
        "wdl_bytes",
        "dtm_bytes",
        "dtc_bytes",
        "dtz_bytes",
        "longest_win_plies",
    ] {
        assert!(first.get(key).is_some(), "{key}: {first}");
    }
}

#[test]
fn a_line_is_a_game() {
    let pgn = answer(&["line", "8/8/8/8/8/2k5/8/K6R w - - 0 1", "--pgn"]);
    for part in [
        "[SetUp \"1\"]\n[FEN \"8/8/8/8/8/2k5/8/K6R w - - 0 1\"]\n",
        "[Result \"1-0\"]\n",
        "27 plies)} 1. ",
        "{26 plies to mate}",
        "{1 ply to mate}",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&pgn).contains(&words(part)), "{part}: {pgn}");
    }
    assert!(
        pgn.trim_end().ends_with("# 1-0") && pgn.lines().all(|line| line.len() < 90),
        "{pgn}"
    );
    // A draw has no moves, but it is a game.
    let pgn = answer(&["line", "7k/8/6Q1/5K2/8/8/8/8 b - - 0 1", "--pgn"]);
    assert!(pgn.trim_end().ends_with("{draw} 1/2-1/2"), "{pgn}");
}

#[test]
fn the_histogram_is_a_whole_picture() {
    let picture = folder().join("histogram.svg");
    for material in ["KQKR", "KRK", "KBK"] {
        answer(&["stats", material, "--svg", &picture.to_string_lossy()]);
        let text = std::fs::read_to_string(&picture).expect("a picture");
        assert!(
            text.starts_with("<svg ") && text.ends_with("</svg>\n"),
            "{material}"
        );
        assert_eq!(
            text.matches("<text").count(),
            text.matches("</text>").count()
        );
        assert!(!text.contains("NaN") && !text.contains("inf"), "{material}");
    }
    std::fs::remove_file(picture).expect("a picture");
}

#[test]
fn statistics_have_stable_keys() {
    let object = json(&["stats", "KQKR", "--json"]);
    for key in [
        "material",
        "metric",
        "white_to_move",
        "black_to_move",
        "mutual_zugzwangs",
        "mutual_zugzwang_fen",
    ] {
        assert!(object.get(key).is_some(), "{key}");
    }
    let side = &object["white_to_move"];
    for key in [
        "win",
        "cursed_win",
        "draw",
        "blessed_loss",
        "loss",
        "longest_win_plies",
        "longest_loss_plies",
    ] {
        assert!(side.get(key).is_some(), "{key}");
    }
    assert_eq!(side["longest_win_plies"], 69);
    let rows = answer(&["stats", "KQKR", "--csv"]);
    assert!(
        rows.starts_with("material,side_to_move,value,plies,positions\nKQvKR,white,win,1,"),
        "{rows}"
    );
}

#[test]
fn a_plan_names_every_table_after_what_it_needs() {
    let plan = json(&["plan", "KQPKQ", "--format", "json", "--dir", "here"]);
    assert_eq!(plan["folder"], "here");
    let tables = plan["tables"].as_array().expect("a list");
    let names: Vec<&str> = tables
        .iter()
        .filter_map(|table| table["material"].as_str())
        .collect();
    assert_eq!(names.last(), Some(&"KQPvKQ"));
    for (at, table) in tables.iter().enumerate() {
        for need in table["needs"].as_array().expect("a list") {
            let need = need.as_str().expect("a name");
            assert!(names[..at].contains(&need), "{} needs {need}", names[at]);
        }
        for key in [
            "files",
            "cells",
            "memory_mib",
            "least_memory_mib",
            "processor_seconds",
            "disk_bytes",
        ] {
            assert!(table.get(key).is_some(), "{key}");
        }
    }
    let graph = answer(&["plan", "KQKR", "--format", "dot"]);
    assert!(graph.contains("  KQvK -> KQvKR;\n"), "{graph}");
    let workflow = answer(&["plan", "KQKR", "--dir", "a \"folder\""]);
    assert!(
        workflow.contains("\"KQvKR\": ([\"KQvK\", \"KRvK\"], 128, 1),\n"),
        "{workflow}"
    );
    assert!(
        workflow.contains("config.get(\"dir\", \"a \\\"folder\\\"\")"),
        "{workflow}"
    );
    let cost = answer(&["plan", "6", "--format", "cost"]);
    assert!(
        cost.lines()
            .any(|line| line.trim_start().starts_with("all ")),
        "{cost}"
    );
    let workflow = answer(&["plan", "KRPvKRP"]);
    assert!(workflow.contains("    \"KRPvKRP\": (["), "{workflow}");
    assert!(!workflow.contains("LARGE"), "{workflow}");
    let workflow = answer(&["plan", "KRPvKRP", "--metric", "dtm,dtz"]);
    for line in [
        "rule table:",
        "rule large:",
        "more=temp(f\"{DIR}/{table}.dtz.sub\"),",
        " if need in LARGE]",
    ] {
        assert!(
            workflow
                .replace("{{", "{")
                .replace("}}", "}")
                .contains(line),
            "{workflow}"
        );
    }
    failure(&["plan", "7", "--format", "cost"], 2);
    failure(&["plan", "hello"], 2);
}

#[test]
fn a_table_alone_needs_its_sub_tables() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    let dir = empty.path().to_string_lossy().into_owned();
    let error = failure(&["generate", "KQKR", "--only", "--dir", &dir], 1);
    assert!(error.contains("KQvK.sub, KRvK.sub"), "{error}");
    let alone = |table: &str| {
        let arguments = ["generate", table, "--only", "--keep-subs", "--dir", &dir];
        let output = tb(empty.path(), &arguments);
        assert!(output.status.success(), "{output:?}");
    };
    for table in ["KQK", "KRK", "KQKR"] {
        alone(table);
    }
    for file in ["KQvKR.wdl", "KQvKR.dtm"] {
        let read = |folder: &Path| std::fs::read(folder.join(file)).expect("a table");
        assert!(read(empty.path()) == read(folder()), "{file}");
    }
    let files = std::fs::read_dir(empty.path()).expect("the folder").count();
    assert_eq!(files, 9);
}
