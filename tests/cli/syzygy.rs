//! `duchamp tb probe --syzygy` and `tb verify --syzygy`, on files of the reference generator.

use crate::common::program::PROGRAM;
use crate::common::shared_folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy")
}

fn tb(folder: &Path, syzygy: &Path, arguments: &[&str]) -> Output {
    Command::new(PROGRAM)
        .arg("tb")
        .args(arguments)
        .arg("--syzygy")
        .arg(syzygy)
        .env("DUCHAMP_TABLEBASES", folder)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the program runs")
}

/// The folder of all tables of three men, with distances to zeroing.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = shared_folder("syzygy");
        let output = Command::new(PROGRAM)
            .args(["tb", "generate", "3", "--metric", "dtz"])
            .env("DUCHAMP_TABLEBASES", &folder)
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{output:?}");
        folder
    })
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn error(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let lines = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = lines.lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("duchamp: "), "{lines}");
    last
}

const QUEEN: &str = "8/8/8/8/8/2k5/8/KQ6 w - - 0 1";

#[test]
fn both_tables_stand_side_by_side() {
    let output = tb(folder(), &files(), &["probe", QUEEN]);
    assert!(output.status.success(), "{output:?}");
    let text = text(&output);
    assert_eq!(text.lines().nth(1), Some("Syzygy: win, DTZ 11"), "{text}");
    assert!(text.contains("dtz 11  Syzygy win, DTZ 11"), "{text}");
    let output = tb(folder(), &files(), &["probe", "--json", QUEEN]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(object["syzygy_wdl"], "win");
    assert_eq!(object["syzygy_dtz"], 11);
    assert_eq!(object["dtz_plies"], 11);
    let moves = object["moves"].as_array().expect("moves");
    assert!(moves.iter().all(|mv| mv["syzygy_wdl"] == mv["wdl"]));
    assert_eq!(moves[0]["syzygy_dtz"], moves[0]["dtz_plies"]);
}

#[test]
fn one_of_both_is_enough() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    // No tables of ours.
    let output = tb(empty.path(), &files(), &["probe", QUEEN]);
    assert!(output.status.success(), "{output:?}");
    let lines = text(&output);
    assert!(
        lines.starts_with("Syzygy: win, DTZ 11\nwinning:\n"),
        "{lines}"
    );
    assert!(lines.contains("drawing:"), "{lines}");
    let output = tb(empty.path(), &files(), &["probe", "--json", QUEEN]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(
        (object["syzygy_wdl"].as_str(), object["wdl"].as_str()),
        (Some("win"), None)
    );
    // No Syzygy file of the material.
    std::fs::copy(files().join("KRvK.rtbw"), empty.path().join("KRvK.rtbw")).expect("copied");
    let output = tb(folder(), empty.path(), &["probe", QUEEN]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output).starts_with("White wins"), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no file KQvK.rtbw"));
    let output = tb(folder(), empty.path(), &["probe", "--json", QUEEN]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    let why = object["syzygy_error"].as_str().unwrap_or_default();
    assert!(why.contains("no file KQvK.rtbw"), "{object}");
    // Without distances.
    let rook = "8/8/8/8/8/2k5/8/KR6 w - - 0 1";
    let own = tempfile::tempdir().expect("a temporary folder");
    let output = tb(own.path(), empty.path(), &["probe", "--json", rook]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(object["syzygy_wdl"], "win");
    assert!(object["syzygy_dtz"].is_null());
    // Neither.
    let output = tb(own.path(), empty.path(), &["probe", QUEEN]);
    let error = error(&output, 1);
    assert!(
        error.contains("KQvK is missing") && error.contains("no file KQvK.rtbw"),
        "{error}"
    );
}

/// Syzygy files alone would ignore the clock, so they do not answer for tables that lack what it needs.
#[test]
fn a_clock_without_distances_to_zeroing_is_refused() {
    let own = tempfile::tempdir().expect("a temporary folder");
    let ask = ["probe", "--clock", "5", QUEEN];
    let told = error(&tb(own.path(), &files(), &ask), 1);
    assert!(told.contains("KQvK is missing"), "{told}");
    let made = Command::new(PROGRAM)
        .args(["tb", "generate", "KQvK", "--quiet"])
        .env("DUCHAMP_TABLEBASES", own.path())
        .output()
        .expect("the program runs");
    assert!(made.status.success(), "{made:?}");
    let told = error(&tb(own.path(), &files(), &ask), 1);
    assert!(told.contains("--clock needs .dtz files"), "{told}");
}

/// Rights without a meaning keep neither tables from answering.
#[test]
fn both_tables_read_positions_alike() {
    let fen = QUEEN.replace("w - -", "w KQkq e6");
    let output = tb(folder(), &files(), &["probe", &fen]);
    assert!(
        text(&output).contains("\nSyzygy: win, DTZ 11\n"),
        "{output:?}"
    );
}

#[test]
fn lines_of_positions_have_both_values() {
    use std::io::Write;
    let mut program = Command::new(PROGRAM)
        .args(["tb", "probe", "-", "--syzygy"])
        .arg(files())
        .env("DUCHAMP_TABLEBASES", folder())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = program.stdin.take().expect("an input");
    // The last one is in Syzygy files only.
    let fens = [QUEEN, "8/8/8/pP2k3/8/8/8/6K1 w - a6 0 1"];
    writeln!(input, "{}\n{}", fens[0], fens[1]).expect("written");
    drop(input);
    let output = program.wait_with_output().expect("an end");
    let lines = text(&output);
    let objects: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    assert_eq!(objects[0]["wdl"], objects[0]["syzygy_wdl"]);
    assert_eq!(objects[1]["syzygy_wdl"], "win");
    assert_eq!(objects[1]["wdl"], serde_json::Value::Null);
}

#[test]
fn folders_without_files_are_refused() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    for arguments in [&["probe", QUEEN][..], &["verify"]] {
        let error = error(&tb(folder(), empty.path(), arguments), 2);
        assert!(error.contains("no Syzygy files (.rtbw)"), "{error}");
    }
}

#[test]
fn all_positions_of_three_men_are_equal() {
    let output = tb(folder(), &files(), &["verify"]);
    assert!(output.status.success(), "{output:?}");
    let text = text(&output);
    let last = text.lines().last().unwrap_or_default();
    assert_eq!(
        last, "5 tables, 372162 positions, 0 differences, 0 tables with a wrong checksum",
        "{text}"
    );
    assert!(!text.contains("results only"), "{text}");
}

#[test]
fn differences_and_wrong_checksums_fail() {
    let forged = tempfile::tempdir().expect("a temporary folder");
    for name in ["KRvK.rtbw", "KBvK.rtbw", "KQvK.rtbw"] {
        std::fs::copy(files().join(name), forged.path().join(name)).expect("copied");
    }
    // The value of all positions of KBvK is a win of the side to move, then.
    let path = forged.path().join("KBvK.rtbw");
    let mut bytes = std::fs::read(&path).expect("readable");
    let single = bytes.windows(2).position(|pair| pair == [0x80, 2]);
    bytes[single.expect("a single value") + 1] = 4;
    std::fs::write(&path, bytes).expect("writable");
    let output = tb(folder(), forged.path(), &["verify", "--threads", "1"]);
    let failure = error(&output, 1);
    assert!(
        failure.contains("tables with a wrong checksum: 1"),
        "{failure}"
    );
    let text = text(&output);
    let differences = text
        .lines()
        .filter(|line| line.contains("ours draw, Syzygy win"));
    assert_eq!(differences.count(), 10, "{text}");
    assert!(text.contains("(results only: no .rtbz file)"), "{text}");
    // Who names a table wants it.
    let output = tb(folder(), forged.path(), &["verify", "KNvK"]);
    let failure = error(&output, 1);
    assert!(failure.contains("no file KNvK.rtbw"), "{failure}");
    let output = tb(folder(), forged.path(), &["verify", "KRvK"]);
    assert!(output.status.success(), "{output:?}");
}

/// A damaged file ends nothing: the other files are compared, and the exit code tells.
#[test]
fn damaged_files_are_reported_and_the_others_compared() {
    let folder_of_files = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder_of_files.path().join(name);
    for name in ["KBvK.rtbw", "KNvK.rtbw", "KQvK.rtbw", "KRvK.rtbw"] {
        std::fs::copy(files().join(name), path(name)).expect("copied");
    }
    std::fs::write(path("KBvK.rtbw"), "no table").expect("written");
    let bytes = std::fs::read(path("KQvK.rtbw")).expect("readable");
    std::fs::write(path("KQvK.rtbw"), &bytes[..bytes.len() / 2]).expect("written");
    let output = tb(folder(), folder_of_files.path(), &["verify"]);
    let failure = error(&output, 1);
    assert!(
        failure.contains("damaged or missing: KQvK KBvK; replace these files"),
        "{failure}"
    );
    let text = text(&output);
    for material in ["KBvK", "KQvK"] {
        let row = text.lines().find(|line| line.starts_with(material));
        let why = format!("(not compared: {material}.rtbw is damaged)");
        assert!(row.is_some_and(|row| row.ends_with(&why)), "{text}");
        let fault = format!("  {}: ", path(&format!("{material}.rtbw")).display());
        assert!(text.lines().any(|line| line.starts_with(&fault)), "{text}");
    }
    for material in ["KNvK", "KRvK"] {
        let row = text.lines().find(|line| line.starts_with(material));
        assert!(row.is_some_and(|row| row.contains(" right ")), "{text}");
    }
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("2 tables, ") && last.ends_with(", 2 not compared"),
        "{text}"
    );
    let output = tb(
        folder(),
        folder_of_files.path(),
        &["verify", "KNvK", "KRvK"],
    );
    assert!(output.status.success(), "{output:?}");
}

/// What `tb export` writes holds against our own tables; a second run has nothing to do.
#[test]
fn exported_files_hold_against_our_tables() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let export = |format: &str| {
        Command::new(PROGRAM)
            .args(["tb", "export", "3", "--format", format, "--quiet", "--out"])
            .arg(out.path())
            .env("DUCHAMP_TABLEBASES", folder())
            .output()
            .expect("the program runs")
    };
    let first = export("syzygy");
    assert!(first.status.success(), "{first:?}");
    assert!(text(&first).contains("Exported 5 tables"), "{first:?}");
    for name in ["KQvK.rtbw", "KQvK.rtbz", "KPvK.rtbw", "KPvK.rtbz"] {
        assert!(out.path().join(name).is_file(), "{name}");
    }
    let verified = tb(folder(), out.path(), &["verify", "3"]);
    assert!(verified.status.success(), "{verified:?}");
    assert!(text(&export("syzygy")).contains("5 already present"));
    assert_eq!(export("nalimov").status.code(), Some(2));
}
