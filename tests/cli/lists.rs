//! Lists of positions, the 50-move rule with a running clock, and what is printed where a table is missing.

use crate::common::program::PROGRAM;
use crate::common::shared_folder;
use duchamp_chess::{Epd, Position};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

fn tb_in(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(PROGRAM)
        .arg("tb")
        .args(arguments)
        .env("DUCHAMP_TABLEBASES", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that ends before it reads closes the pipe.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

/// A folder of all tables of three men in all metrics, KRvKN without distances to zeroing, and the xiangqi ending of a chariot
/// against two advisors.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = shared_folder("lists");
        for arguments in [
            &["generate", "3", "--metric", "all"][..],
            &["generate", "KRKN"],
            &["generate", "c-aa"],
        ] {
            let output = tb_in(&folder, arguments, "");
            assert!(output.status.success(), "{output:?}");
        }
        folder
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("plain text")
}

/// What a command prints that ends well.
fn answer(arguments: &[&str]) -> String {
    let output = tb_in(folder(), arguments, "");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    text(&output.stdout)
}

fn objects(arguments: &[&str]) -> Vec<serde_json::Value> {
    let lines = answer(arguments);
    let object = |line| serde_json::from_str(line).expect("one JSON object a line");
    lines.lines().map(object).collect()
}

#[test]
fn all_mutual_zugzwangs_are_listed() {
    for (material, count) in [("KPvK", 80), ("KRvKN", 18), ("KQvK", 0)] {
        let stats = &objects(&["stats", material, "--json"])[0];
        assert_eq!(stats["mutual_zugzwangs"], count, "{material}");
        let lines = answer(&["zugzwangs", material]);
        let fens = lines
            .lines()
            .map(|line| line.split(' ').next().expect("a placement"));
        assert_eq!(fens.collect::<BTreeSet<_>>().len(), count, "{material}");
        let mut sum = 0;
        for kind in ["full-point", "win-draw", "draw-loss"] {
            let listed = objects(&["zugzwangs", material, "--kind", kind, "--json"]);
            let key = format!("{}_zugzwangs", kind.replace('-', "_"));
            assert_eq!(stats[key.as_str()], listed.len(), "{material} {kind}");
            assert!(listed.iter().all(|object| object["kind"] == kind));
            sum += listed.len();
        }
        assert_eq!(sum, count, "{material}");
    }
}

#[test]
fn a_position_can_be_answered_in_brief() {
    let fen = "8/8/8/8/8/2k5/8/KQ6 w - - 0 1";
    assert_eq!(answer(&["probe", "--brief", fen]), "win 11\n");
    assert_eq!(
        answer(&["probe", fen, "--brief", "--metric", "dtz"]),
        "win 11\n"
    );
    let output = tb_in(folder(), &["probe", "-", "--brief"], fen);
    assert_eq!(text(&output.stdout), "win 11\n");
    let missing = ["probe", "--brief", "8/8/8/8/8/2k5/8/KQ5R w - - 0 1"];
    let output = tb_in(folder(), &missing, "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains(" tb generate KQRvK"));
}

#[test]
fn a_zugzwang_has_the_values_of_both_sides_to_move() {
    let listed = objects(&["zugzwangs", "KPK", "--json"]);
    let object = listed
        .iter()
        .find(|object| object["fen"] == "1k6/1P6/2K5/8/8/8/8/8 w - - 0 1");
    let object = object.expect("the textbook's");
    assert_eq!(object["white_to_move"]["wdl"], "draw");
    assert_eq!(object["black_to_move"]["wdl"], "loss");
    assert_eq!(object["black_to_move"]["dtm_plies"], 8);
    for line in answer(&["zugzwangs", "KPK", "--epd"]).lines() {
        let epd: Epd = line.parse().expect("an EPD line");
        assert_eq!(epd.get("c0").expect("the kind"), ["win-draw"]);
        Position::from_setup(&epd.setup).expect("a legal position");
    }
}

#[test]
fn longest_wins_are_as_many_as_the_histogram_says() {
    for (material, metric) in [
        ("KQvK", "dtm"),
        ("KPvK", "dtm"),
        ("KPvK", "dtz"),
        ("KRvKN", "dtm"),
        ("c-aa", "dtc"),
    ] {
        let stats = &objects(&["stats", material, "--metric", metric, "--json"])[0];
        let stronger = if material == "c-aa" { "red" } else { "white" };
        let side = &stats[format!("{stronger}_to_move").as_str()];
        let longest = side["longest_win_plies"].as_u64().expect("a number");
        let listed = objects(&["longest", material, "--metric", metric, "--json"]);
        let histogram = &side["win_histogram"];
        assert_eq!(
            histogram[longest as usize],
            listed.len(),
            "{material} {metric}"
        );
        let key = format!("{metric}_plies");
        for object in &listed {
            assert_eq!(
                (&object["wdl"], object[&key].as_u64()),
                (&"win".into(), Some(longest))
            );
            let fen = object["fen"].as_str().expect("a FEN");
            let probed = &objects(&["probe", fen, "--json"])[0];
            assert_eq!(probed[&key].as_u64(), Some(longest), "{fen}");
        }
        let arguments = [
            "longest", material, "--metric", metric, "--plies", "1", "--side", stronger,
        ];
        assert_eq!(
            histogram[1],
            answer(&arguments).lines().count(),
            "{material} {metric}"
        );
    }
    // Mate in 10, as engine testers write it.
    let epd = answer(&["longest", "KQK", "--epd"]);
    assert!(epd.lines().all(|line| line.contains(" dm 10;")), "{epd}");
    assert_eq!(answer(&["longest", "KQK", "--plies", "21"]), "");
    assert_eq!(answer(&["longest", "KBK"]), "");
    let output = tb_in(folder(), &["longest", "KQK", "KRK"], "");
    assert_eq!(output.status.code(), Some(2));
    for several in ["3", "nonsense"] {
        assert_eq!(
            tb_in(folder(), &["zugzwangs", several], "").status.code(),
            Some(2)
        );
    }
}

/// A rook mates in 16 moves: with 70 plies on the clock that is too late.
#[test]
fn the_halfmove_clock_is_regarded() {
    let fen = |clock: u32| format!("8/8/8/8/8/2k5/8/K6R w - - {clock} 90");
    let object =
        |arguments: &[&str]| objects(&[&["probe", "--json"], arguments].concat()).remove(0);
    let fresh = object(&[&fen(0)]);
    let plies = fresh["dtz_plies"].as_u64().expect("a distance") as u32;
    for (clock, expected) in [(100 - plies, "win"), (101 - plies, "cursed-win")] {
        for object in [
            object(&[&fen(clock)]),
            object(&[&fen(0), "--clock", &clock.to_string()]),
        ] {
            // The values themselves are those of a fresh clock.
            assert_eq!(object["wdl"], "win");
            assert_eq!(
                (&object["clock"], &object["clock_wdl"]),
                (&clock.into(), &expected.into())
            );
            let best = &object["moves"][0];
            assert_eq!(best["clock_wdl"], expected);
        }
    }
    let told = answer(&["probe", &fen(101 - plies)]);
    assert!(
        told.contains("a draw by the 50-move rule, a cursed win"),
        "{told}"
    );
    assert!(
        told.contains("\ncursed wins (drawn by the 50-move rule):\n"),
        "{told}"
    );
    let losing = answer(&["probe", "8/8/8/8/8/2k5/8/K6R b - - 99 90"]);
    assert!(losing.contains("a blessed loss"), "{losing}");
}

#[test]
fn a_clock_without_distances_to_zeroing_names_the_command() {
    let fen = "8/2R5/8/8/7k/3K4/8/4n3 w - - 60 90";
    let told = answer(&["probe", fen]);
    let command = "generate KRvKN --metric dtz";
    assert!(
        told.contains("halfmove clock 60 is ignored") && told.contains(command),
        "{told}"
    );
    assert_eq!(
        objects(&["probe", fen, "--json"])[0]["clock_wdl"],
        serde_json::Value::Null
    );
    let output = tb_in(folder(), &["probe", fen, "--clock", "60"], "");
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(
        error.contains(command) && error.lines().count() == 1,
        "{error}"
    );
}

#[test]
fn the_only_move_is_marked() {
    // Only the king's step into the opposition draws.
    let fen = "3k4/8/3P4/3K4/8/8/8/8 b - - 0 1";
    let object = &objects(&["probe", fen, "--json"])[0];
    let moves = object["moves"].as_array().expect("moves");
    let only: Vec<_> = moves.iter().filter(|entry| entry["only"] == true).collect();
    let drawing = moves.iter().filter(|entry| entry["wdl"] == "draw");
    assert_eq!((only.len(), drawing.count()), (1, 1), "{object}");
    let told = answer(&["probe", fen]);
    assert_eq!(told.matches("the only move").count(), 1, "{told}");
    assert!(
        told.contains("\ndrawing:\n") && told.contains("\nlosing:\n"),
        "{told}"
    );
}

#[test]
fn rows_without_a_value_fail_after_all_are_answered() {
    let rows = "8/8/8/8/8/2k5/8/K6R w - - 0 1\nno position\n8/8/8/8/8/2k5/8/K6R b - -\n";
    for brief in [&[][..], &["--brief"]] {
        let arguments = [&["probe", "-"], brief].concat();
        let output = tb_in(folder(), &arguments, rows);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(text(&output.stdout).lines().count(), 3, "{output:?}");
        let error = text(&output.stderr);
        assert!(
            error.contains("1 of 3") && error.lines().count() == 1,
            "{error}"
        );
        let good = tb_in(folder(), &arguments, rows.lines().next().expect("a row"));
        assert_eq!(good.status.code(), Some(0), "{good:?}");
    }
}

/// Of a missing table only its own name is printed, and the command that generates it.
#[test]
fn a_missing_table_is_named_with_its_command() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    // With an en-passant square other tables are looked at first.
    let passing = "8/8/8/8/k1pP4/8/8/K7 b - d3 0 1";
    for (arguments, material) in [
        (&["probe", passing][..], "KPvKP"),
        (&["line", passing], "KPvKP"),
        (&["stats", "KQKR"], "KQvKR"),
        (&["zugzwangs", "KQKR"], "KQvKR"),
        (&["longest", "KQKR"], "KQvKR"),
    ] {
        let output = tb_in(empty.path(), arguments, "");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let error = text(&output.stderr);
        assert!(
            output.stdout.is_empty() && error.lines().count() == 1,
            "{error}"
        );
        let command = format!("tb generate {material}");
        assert!(error.contains(&command), "{error}");
        for sub in ["KQvK ", "KRvK ", "KPvK "] {
            assert!(!error.contains(sub), "{error}");
        }
    }
    for command in ["stats", "longest"] {
        let output = tb_in(folder(), &[command, "KRKN", "--metric", "dtz"], "");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.contains("KRvKN.dtz") && error.contains("generate KRvKN --metric dtz"),
            "{error}"
        );
    }
}
