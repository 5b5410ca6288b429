//! Restricted positions through the option `FreezerRules`.

use crate::common::client::Client;
use std::path::PathBuf;

/// The fortress of E. Bleicher's paper, section 3.2: a draw that engines without tables take for a win.
const FORTRESS: &str = r#"
title = "the fortress"
start = "8/3q4/3k4/8/8/4R3/5PK1/8 b - - 0 1"
bound = "white"
prove = "draw"
[[man]]
at = "f2"
squares = "f2"
[[man]]
at = "e3"
squares = "e3 g3"
[[man]]
at = "g2"
squares = "e1-h4"
[[man]]
at = "d6"
squares = "a4-h8"
"#;

/// A file of rules in a folder of its own.
fn rules(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("rules of mine.toml");
    std::fs::write(&file, text).expect("the file can be written");
    (folder, file)
}

#[test]
fn search_knows_what_is_frozen() {
    let (_folder, file) = rules(FORTRESS);
    let mut client = Client::ready();
    client.send(&format!(
        "setoption name FreezerRules value {}",
        file.display()
    ));
    let told = client.expect("info string freezer: solved");
    let last = told.last().expect("a line");
    assert!(last.ends_with("at least a draw for White"), "{last}");
    client.send("position fen 8/3q4/3k4/8/8/4R3/5PK1/8 b - - 0 1");
    client.send("go depth 12");
    let lines = client.expect("bestmove");
    let proved = "info string restricted position proved by the fortress: not won";
    assert!(
        lines.iter().any(|line| line.starts_with(proved)),
        "{lines:?}"
    );
    let score = lines
        .iter()
        .rfind(|line| line.contains(" score "))
        .expect("a score");
    assert!(
        score.contains(" score cp 0 ") || score.contains(" score cp -"),
        "{score}"
    );
    // The moves are known far beyond the first: the line goes on through the restricted table.
    let pv = score.split(" pv ").nth(1).expect("a variation");
    assert!(pv.split(' ').count() >= 8, "{score}");
    // Forgotten, it is a queen against a rook again.
    client.send("setoption name FreezerRules value");
    client.send("ucinewgame");
    client.send("go depth 12");
    let lines = client.expect("bestmove");
    assert!(
        !lines
            .iter()
            .any(|line| line.contains("restricted position")),
        "{lines:?}"
    );
    assert!(client.quit().success());
}

#[test]
fn bad_rules_are_told_in_one_line_and_nothing_is_lost() {
    let mut client = Client::ready();
    let (_first, unsound) =
        rules(&FORTRESS.replace("squares = \"f2\"", "squares = \"f2\"\noutside = \"draw\""));
    let (_second, broken) = rules("start = 3 [");
    for path in [
        unsound.display().to_string(),
        broken.display().to_string(),
        "/no/such/file.toml".to_owned(),
        "/".to_owned(),
    ] {
        client.send(&format!("setoption name FreezerRules value {path}"));
        let lines = client.sync();
        let [line] = &lines[..] else {
            panic!("{path}: {lines:?}");
        };
        assert!(line.starts_with("info string "), "{line}");
    }
    client.send("go depth 3");
    client.expect("bestmove");
    assert!(client.quit().success());
}

/// A generation of tables that takes long is not waited for; those that the rules ask for are.
#[test]
fn other_tables_do_not_hold_the_freezer_up() {
    let mut client = Client::ready();
    client.send("setoption name GenerateTB value KRPvKR");
    let text = FORTRESS.replacen("[[man]]", "[tables]\nmax_men = 3\n[[man]]", 1);
    let (_folder, file) = rules(&text);
    client.send(&format!(
        "setoption name FreezerRules value {}",
        file.display()
    ));
    client.expect("info string freezer: solved");
    client.send("tb");
    let lines = client.sync();
    let generating = |line: &String| line.ends_with("; generating more");
    assert!(lines.iter().any(generating), "{lines:?}");
    for table in ["KPvK", "KRvK"] {
        let path = client.folder.path().join(format!("tables/{table}.wdl"));
        assert!(path.is_file(), "{table}");
    }
    assert!(client.quit().success());
}

/// Tables with more men than may be generated are done without.
#[test]
fn tables_above_the_limit_do_not_refuse_the_rules() {
    let mut client = Client::ready();
    client.send("setoption name TBMaxMen value 3");
    let (_folder, file) = rules(FORTRESS);
    client.send(&format!(
        "setoption name FreezerRules value {}",
        file.display()
    ));
    client.expect("info string freezer: solved");
    assert!(client.quit().success());
}
