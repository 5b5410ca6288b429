//! Syzygy tables as a GUI's user meets them: found, probed, missing, damaged. The engine has no tables of its own here and
//! proves no pawn endings.

use crate::common::client::{Client, check};
use duchamp_chess::Position;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The folder of some files that the reference generator wrote: see `tests/data/README.md`.
pub(crate) fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy")
}

/// A folder with copies of some of these files.
fn folder(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in names {
        std::fs::copy(files().join(name), folder.path().join(name)).expect("a copy");
    }
    folder
}

/// An engine that has nothing but Syzygy tables, and what it said of them.
pub(crate) fn engine_with(path: &str) -> (Client, Vec<String>) {
    let mut client = Client::ready();
    client.send("setoption name PawnProofs value false");
    client.send(&format!("setoption name SyzygyPath value {path}"));
    let lines = client.sync();
    (client, lines)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn tbhits(client: &mut Client, fen: &str, depth: u32) -> u64 {
    client.send("ucinewgame");
    client.send(&format!("position fen {fen}"));
    let search = client.go(&format!("depth {depth}"));
    check(&search, &Position::from_fen(fen).expect("legal"));
    search
        .field("tbhits")
        .and_then(|n| n.parse().ok())
        .expect("a number")
}

/// The score of a position: `cp` or `mate`, and the number.
fn score(client: &mut Client, fen: &str) -> (String, i32) {
    client.send("ucinewgame");
    client.send(&format!("position fen {fen}"));
    let search = client.go("depth 6");
    check(&search, &Position::from_fen(fen).expect("legal"));
    let kind = search.field("score").expect("a score").to_owned();
    let number = search.field(&kind).and_then(|n| n.parse().ok());
    (kind, number.expect("a number"))
}

#[test]
fn the_options_are_declared_as_other_engines_declare_them() {
    let mut client = Client::start();
    client.send("uci");
    let lines = client.expect("uciok");
    for line in [
        "option name SyzygyPath type string default <empty>",
        "option name SyzygyProbeDepth type spin default 1 min 1 max 100",
        "option name SyzygyProbeLimit type spin default 7 min 0 max 7",
        "option name Syzygy50MoveRule type check default true",
    ] {
        assert!(lines.iter().any(|it| it == line), "no {line}");
    }
}

#[test]
fn one_line_says_how_many_files_were_found() {
    let three = folder(&["KRvK.rtbw", "KRvK.rtbz", "KQvK.rtbw"]);
    let other = folder(&["KBvK.rtbw", "KRvK.rtbw"]);
    let (mut client, lines) = engine_with(&text(three.path()));
    let found = "info string Found 2 WDL and 1 DTZ Syzygy files (up to 3-man)";
    assert_eq!(lines, [found]);
    // Several folders, in both ways of writing; a file that lies in two counts once.
    let separators: &[&str] = if cfg!(windows) { &[";"] } else { &[";", ":"] };
    for separator in separators {
        let path = format!("{}{separator}{}", text(three.path()), text(other.path()));
        client.send(&format!("setoption name SyzygyPath value {path}"));
        let found = "info string Found 3 WDL and 1 DTZ Syzygy files (up to 3-man)";
        assert_eq!(client.sync(), [found]);
    }
    let path = format!("{};/nowhere/at/all", text(three.path()));
    client.send(&format!("setoption name SyzygyPath value {path}"));
    assert_eq!(
        client.sync(),
        [format!("{found}; cannot read /nowhere/at/all")]
    );
    client.send("setoption name SyzygyPath value <empty>");
    assert_eq!(client.sync(), Vec::<String>::new());
    assert_eq!(tbhits(&mut client, "8/8/8/4k3/8/8/3RK3/8 w - - 0 1", 5), 0);
    assert!(client.quit().success());
}

#[test]
fn a_folder_without_files_gets_one_line() {
    let empty = folder(&[]);
    let path = text(empty.path());
    let (mut client, lines) = engine_with(&path);
    assert_eq!(
        lines,
        [format!("info string Found no Syzygy files in {path}")]
    );
    client.send("setoption name SyzygyPath value /nowhere/at/all");
    assert_eq!(
        client.sync(),
        ["info string Found no Syzygy files in /nowhere/at/all, which cannot be read"]
    );
    client.send("setoption name SyzygyPath value ;;");
    assert_eq!(client.sync(), ["info string SyzygyPath names no folder"]);
    assert_eq!(tbhits(&mut client, "8/8/8/4k3/8/8/3RK3/8 w - - 0 1", 5), 0);
}

/// A root of four men without a file, from which captures lead to files of three.
const ROOT: &str = "8/8/2k5/8/4n3/8/3R4/3K4 w - - 0 1";

#[test]
fn the_search_probes_within_the_limits_that_are_set() {
    let three = folder(&["KRvK.rtbw", "KNvK.rtbw"]);
    let (mut client, _) = engine_with(&text(three.path()));
    assert!(tbhits(&mut client, ROOT, 8) > 0);
    for (option, value) in [
        ("SyzygyProbeLimit", 2),
        ("SyzygyProbeLimit", 0),
        ("SyzygyProbeDepth", 100),
    ] {
        client.send(&format!("setoption name {option} value {value}"));
        assert_eq!(tbhits(&mut client, ROOT, 8), 0, "{option} {value}");
        client.send("setoption name SyzygyProbeLimit value 3");
    }
    client.send("setoption name SyzygyProbeDepth value 1");
    assert!(tbhits(&mut client, ROOT, 8) > 0);
    // The board says what the tables say.
    client.send(&format!(
        "setoption name SyzygyPath value {}",
        text(&files())
    ));
    client.send("position fen 8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
    client.send("d");
    let lines = client.sync();
    assert!(
        lines.iter().any(|line| line == "Syzygy: win, DTZ 11"),
        "{lines:?}"
    );
}

#[test]
fn roots_are_scored_under_the_fifty_move_rule_or_without() {
    let (mut client, _) = engine_with(&text(&files()));
    let won = |clock: u32| format!("8/8/8/3k4/8/8/8/KR6 w - - {clock} 80");
    // No distance to mate is known; the search may find one.
    let (kind, number) = score(&mut client, &won(0));
    assert!(
        kind == "mate" && number > 0 || number == 20_000,
        "{kind} {number}"
    );
    assert_eq!(score(&mut client, &won(90)), ("cp".to_owned(), 1));
    assert_eq!(
        score(&mut client, "8/8/8/3k4/8/8/8/KR6 b - - 90 80"),
        ("cp".to_owned(), -1)
    );
    assert_eq!(
        score(&mut client, "8/8/8/4k3/8/4p3/4K3/8 w - - 0 1"),
        ("cp".to_owned(), 0)
    );
    let lost = score(&mut client, "8/8/8/3k4/8/8/8/KR6 b - - 0 80");
    assert!(
        lost.1 == -20_000 || lost.0 == "mate" && lost.1 < 0,
        "{lost:?}"
    );
    client.send("setoption name Syzygy50MoveRule value false");
    assert_eq!(score(&mut client, &won(90)), ("cp".to_owned(), 20_000));
}

#[test]
fn own_tables_come_first_with_their_distances_to_mate() {
    let (mut client, _) = engine_with(&text(&files()));
    // Syzygy knows KRPvK, too, of which there is no table of our own.
    client.send("setoption name GenerateTB value KPK KQK KRK");
    client.send("isready");
    client.expect("info string Generated ");
    let won = "8/8/8/8/8/2k5/8/K6R w - - 0 1";
    assert_eq!(score(&mut client, won), ("mate".to_owned(), 14));
    let four = "8/8/8/4k3/8/8/3RP3/3K4 w - - 0 1";
    assert!(tbhits(&mut client, four, 4) > 0);
    let won = score(&mut client, four);
    assert!(won.0 == "mate" && won.1 > 0 || won.1 == 20_000, "{won:?}");
}

#[test]
fn damaged_files_get_one_line_each_and_play_goes_on() {
    let folder = folder(&["KRvK.rtbw", "KRvK.rtbz", "KQvK.rtbw", "KQvK.rtbz"]);
    let file = folder.path().join("KRvK.rtbw");
    let bytes = std::fs::read(&file).expect("a file");
    std::fs::write(&file, &bytes[..80]).expect("written");
    let distances = folder.path().join("KQvK.rtbz");
    std::fs::write(&distances, b"no table at all").expect("written");
    let (mut client, lines) = engine_with(&text(folder.path()));
    assert_eq!(lines.len(), 1, "{lines:?}");
    let from = client.heard.len();
    for _ in 0..3 {
        for fen in [
            "8/8/8/4k3/8/8/3RK3/8 w - - 0 1",
            "8/8/8/4k3/8/8/3QK3/8 w - - 0 1",
            ROOT,
        ] {
            client.send(&format!("position fen {fen}"));
            let search = client.go("depth 5");
            check(&search, &Position::from_fen(fen).expect("legal"));
        }
    }
    client.sync();
    for name in ["KRvK.rtbw", "KQvK.rtbz"] {
        let told = client.heard[from..]
            .iter()
            .filter(|line| line.starts_with("info string Syzygy: ") && line.contains(name));
        assert_eq!(told.count(), 1, "{name}");
    }
    // Results without distances still decide.
    let queen = score(&mut client, "8/8/8/4k3/8/8/3QK3/8 w - - 0 1");
    assert!(queen.0 == "mate" || queen.1 >= 19_000, "{queen:?}");
    assert!(client.quit().success());
}

#[test]
fn missing_sub_tables_are_named() {
    let folder = folder(&["KRPvK.rtbw", "KRPvK.rtbz", "KRvK.rtbw"]);
    let (mut client, lines) = engine_with(&text(folder.path()));
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(
        lines[1],
        "info string Missing Syzygy files: KPvK.rtbw, KQRvK.rtbw, KRBvK.rtbw, KRNvK.rtbw, KRRvK.rtbw; \
         positions that capture or promote into them are not probed"
    );
    let fen = "8/8/8/8/4k3/8/3RP3/3K4 b - - 0 1";
    client.send(&format!("position fen {fen}"));
    check(
        &client.go("depth 6"),
        &Position::from_fen(fen).expect("legal"),
    );
}
