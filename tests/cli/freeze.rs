//! `duchamp freeze` from outside: verdicts, assumptions, JSON names, games, pictures, walks, exit codes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[cfg(unix)]
use crate::common::program::interrupted;
use crate::common::program::{PROGRAM, duchamp, text};
use duchamp_chess::Position;
use serde_json::{Value, json};

/// Rook against king, White's king kept on some squares: no table is needed.
const ROOK: &str = "start = \"8/8/8/8/8/2k5/8/K6R w - - 0 1\"\nbound = \"white\"\nprove = \"win\"\n\
                    [tables]\nmake = false\n[[man]]\nat = \"a1\"\nsquares = \"files a-f\"\n";

/// A rook's pawn cannot be queened against the king in the corner.
const CORNER: &str = "title = \"The corner\"\nstart = \"1k6/8/1K6/P7/8/8/8/8 b - - 0 1\"\nbound = \"black\"\nprove = \"draw\"\n\
                      [tables]\nmake = false\nmax_men = 0\n[[man]]\npiece = \"k\"\nsquares = \"a7-c8\"\n";

/// Nothing can be proved of this one but with the help of an assumption.
const ASSUMED: &str = "start = \"4k3/8/8/8/8/8/3q4/3RK3 w - - 0 1\"\nbound = \"white\"\nprove = \"win\"\n\
                       [tables]\nmake = false\nmax_men = 0\n[[man]]\nat = \"d1\"\nsquares = \"d1\"\n";

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    path
}

/// Runs the command with tables in a folder, on a rule file.
fn freeze(folder: &Path, rules: &str, arguments: &[&str], input: &str) -> Output {
    let rules = file(folder, "rules.toml", rules);
    let mut child = Command::new(PROGRAM)
        .args(["freeze", "--quiet"])
        .arg(rules)
        .args(arguments)
        .arg("--dir")
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that reads no input may be gone already.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

fn answer(folder: &Path, rules: &str, code: i32) -> Value {
    let output = freeze(folder, rules, &["--json"], "");
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn json_tells_verdict_moves_and_boxes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = answer(folder.path(), ROOK, 0);
    assert_eq!(told["verdict"], "win");
    assert_eq!(
        (&told["bound_side"], &told["goal"]),
        (&json!("white"), &json!("win"))
    );
    assert_eq!(told["fen"], "8/8/8/8/8/2k5/8/K6R w - - 0 1");
    assert_eq!(told["assumptions"], json!([]));
    assert!(told["seconds"].is_number() && told["entries"].as_u64() > Some(100_000));
    let plies = told["start_plies"].as_u64().expect("a win");
    assert!(plies % 2 == 1 && Some(plies) <= told["longest_plies"].as_u64());
    let best = &told["moves"][0];
    assert_eq!(
        (&best["verdict"], &best["plies"]),
        (&json!("win"), &json!(plies))
    );
    assert!(best["uci"].is_string() && best["san"].is_string() && best["from"] == "box");
    let one = &told["boxes"][0];
    assert_eq!(one["men"], "KRvK");
    assert!(one["white_to_move"]["win"].as_u64() > Some(100_000));
    assert!(one["longest_fen"].is_string() && one["black_to_move"]["draw"].is_u64());

    let told = answer(folder.path(), CORNER, 0);
    assert_eq!(
        (&told["verdict"], &told["bound_side"]),
        (&json!("draw"), &json!("black"))
    );
    assert_eq!(told["start_plies"], Value::Null);
    assert_eq!(told["title"], "The corner");
}

#[test]
fn what_is_not_proved_is_never_told_as_its_opposite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Black's king may not go to b8's neighbours: the corner is out of bounds, and nothing holds.
    let rules = CORNER.replace("a7-c8", "b8 c8");
    let told = answer(folder.path(), &rules, 1);
    assert_eq!(told["verdict"], "not-proved");
    let output = freeze(folder.path(), &rules, &[], "");
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(
        told.starts_with("Not proved that Black does not lose\n"),
        "{told}"
    );
    assert!(
        told.contains("Ka8      not proved (rule in line "),
        "{told}"
    );
    assert!(!told.contains("wins"), "{told}");
    assert_eq!(text(&output.stderr).lines().count(), 1);
}

#[test]
fn assumptions_are_told_with_every_answer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = answer(folder.path(), ASSUMED, 1);
    assert_eq!(told["verdict"], "not-proved");
    let rules = format!("{ASSUMED}[[capture]]\ntaken = \"q\"\nverdict = \"win\"\nassume = true\n");
    let told = answer(folder.path(), &rules, 0);
    assert_eq!(told["verdict"], "win");
    let [assumption] = &told["assumptions"].as_array().expect("a list")[..] else {
        panic!("{told}");
    };
    assert_eq!(assumption["line"], 10);
    assert_eq!(assumption["text"], "a black queen is taken: win");
    assert!(assumption["used"].as_u64() > Some(0));
    let name = folder.path().join("a.pgn");
    let name = name.to_str().expect("a name in UTF-8");
    let output = freeze(folder.path(), &rules, &["--pgn", name, "--stats"], "");
    let told = text(&output.stdout);
    assert!(
        told.starts_with("If one assumption is right: White wins in 1 ply"),
        "{told}"
    );
    assert!(
        told.contains("Assumed in line 10: a black queen is taken: win\n"),
        "{told}"
    );
    assert!(told.contains("White wins (assumed in line 10)"), "{told}");
    let game = fs::read_to_string(name).expect("a game");
    assert!(game.contains("Assumed in line 10"), "{game}");
    // Without owning up to it the rule is refused.
    let output = freeze(
        folder.path(),
        &rules.replace("assume = true\n", ""),
        &[],
        "",
    );
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(
        told.contains("rules.toml: line 12: verdict: \"win\" may be better"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1);
}

#[test]
fn bad_input_is_told_in_one_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for rules in [
        "",
        "start = 1",
        "[[man]]",
        &ROOK.replace("\"a1\"", "\"a2\""),
        "\u{0}",
    ] {
        let output = freeze(folder.path(), rules, &[], "");
        assert_eq!(output.status.code(), Some(2), "{rules}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{rules}");
    }
    let output = duchamp(folder.path(), &["freeze", "no such file"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr).lines().count(), 1);
}

/// Reads the moves of a game with variations and plays them; the number of moves.
fn replay(game: &str) -> usize {
    let fen = game.split("[FEN \"").nth(1).expect("a start");
    let start = Position::from_fen(fen.split('"').next().expect("a FEN")).expect("legal");
    let moves = game.split_once("\n\n").expect("moves").1;
    let mut plain = String::new();
    let mut comment = false;
    for letter in moves.chars() {
        match letter {
            '{' => comment = true,
            '}' => comment = false,
            '(' | ')' if !comment => plain.extend([' ', letter, ' ']),
            letter if !comment => plain.push(letter),
            _ => {}
        }
    }
    // Before and after the last move, for each variation that is open.
    let mut open = vec![(start, start)];
    let mut count = 0;
    for word in plain.split_whitespace() {
        let last = open.len() - 1;
        match word {
            "(" => open.push((open[last].0, open[last].0)),
            ")" => drop(open.pop()),
            "1-0" | "0-1" | "1/2-1/2" | "*" => {}
            number if number.ends_with('.') => {
                let (_, now) = &open[last];
                let right = if number.ends_with("...") { 'b' } else { 'w' };
                assert_eq!(now.turn().to_char(), right, "{number}");
            }
            san => {
                let (before, now) = &mut open[last];
                let mv = now.parse_san(san).expect(san);
                assert_eq!(now.san(mv), san);
                *before = *now;
                now.advance(mv);
                count += 1;
            }
        }
    }
    assert_eq!(open.len(), 1);
    count
}

#[test]
fn the_strategy_is_a_legal_game_with_variations() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = folder.path().join("game.pgn");
    let name = name.to_str().expect("a name in UTF-8");
    let output = freeze(
        folder.path(),
        ROOK,
        &["--pgn", name, "--pgn-moves", "300"],
        "",
    );
    assert!(output.status.success());
    let game = fs::read_to_string(name).expect("a game");
    assert!(
        game.contains("[Result \"1-0\"]") && game.contains('#'),
        "{game}"
    );
    assert!(replay(&game) >= 250, "{game}");
    assert!(game.lines().all(|line| line.len() < 80));

    // A whole strategy fits: each move of White's is answered until the position repeats.
    let output = freeze(
        folder.path(),
        CORNER,
        &["--pgn", name, "--pgn-moves", "20000"],
        "",
    );
    assert!(output.status.success());
    let game = fs::read_to_string(name).expect("a game");
    assert!(game.contains("[Result \"1/2-1/2\"]"), "{game}");
    assert!(
        game.contains("Every move of the other side is answered."),
        "{game}"
    );
    assert!(game.contains("repeats: Black holds"), "{game}");
    assert!(replay(&game) > 100);
}

#[test]
fn a_picture_shows_the_squares_of_each_man() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = folder.path().join("rules.svg");
    let name = name.to_str().expect("a name in UTF-8");
    let output = freeze(folder.path(), ROOK, &["--svg", name], "");
    assert!(output.status.success());
    let picture = fs::read_to_string(name).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    // Three men of the start, and the one that has rules.
    assert_eq!(picture.matches("<path ").count(), 4);
    assert_eq!(picture.matches(": allowed</title>").count(), 48);
    let nowhere = folder.path().join("none").join("x.svg");
    let nowhere = nowhere.to_str().expect("a name in UTF-8");
    let output = freeze(folder.path(), ROOK, &["--svg", nowhere], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr).lines().count(), 1);
}

/// What people typed before still works.
#[test]
fn the_old_name_of_the_limit_is_still_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["--table-entries", "--box-entries"] {
        let output = freeze(folder.path(), ROOK, &[name, "1000"], "");
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("1 restricted table, "));
    }
}

#[test]
fn progress_is_json_if_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rules = file(folder.path(), "rules.toml", ROOK);
    let name = rules.to_str().expect("a name in UTF-8");
    let output = duchamp(
        folder.path(),
        &["freeze", name, "--dir", ".", "--progress", "json"],
    );
    let told = text(&output.stderr);
    let last = told.lines().last().expect("a line");
    let last: Value = serde_json::from_str(last).expect("an object");
    assert_eq!(
        (&last["command"], &last["state"], &last["unit"]),
        (
            &json!("freeze"),
            &json!("done"),
            &json!("restricted tables")
        )
    );
}

#[test]
fn rules_are_found_and_prove_the_same_when_given() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = folder.path().join("found.toml");
    let output = Command::new(PROGRAM)
        .args(["freeze", "--auto", "1k6/8/1K6/P7/8/8/8/8 b - - 0 1"])
        .args(["--prove", "draw", "--max-men", "0", "--json", "--save"])
        .arg(&name)
        .arg("--dir")
        .arg(folder.path())
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains(" entries, proved, "));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&told["verdict"], &told["bound_side"]),
        (&json!("draw"), &json!("black"))
    );
    let rules = fs::read_to_string(&name).expect("rules");
    assert_eq!(told["rule_file"], rules);
    let again = answer(folder.path(), &rules, 0);
    assert_eq!(again["verdict"], "draw");
    assert_eq!(
        (&again["entries"], &again["rule_file"]),
        (&told["entries"], &Value::Null)
    );
}

/// Attempts that an interrupt ends are not kept, and that is said.
#[cfg(unix)]
#[test]
fn a_search_for_rules_that_is_stopped_keeps_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Two knights win in no zones, which takes long to find out.
    let start = "8/8/8/3k4/8/8/8/K5NN w - - 0 1";
    let words = [
        "freeze",
        "--auto",
        start,
        "--prove",
        "win",
        "--max-men",
        "0",
        "--dir",
        ".",
    ];
    let (output, _) = interrupted(folder.path(), &words);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("no attempt is kept. To start again: "),
        "{told}"
    );
}

#[test]
fn a_walk_follows_typed_moves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let commands = "Ka8\nb6c6\nnonsense\nQh8\nback\nstart\n\nhelp\nquit\nKa8\n";
    let output = freeze(folder.path(), CORNER, &["--walk"], commands);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let screens: Vec<&str> = told.split("to move: ").skip(1).collect();
    assert_eq!(screens.len(), 9, "{told}");
    assert!(screens[0].contains("8 . k . . . . . .    >* "), "{told}");
    assert!(screens[1].contains("1... [Ka8]\n"), "{told}");
    assert!(screens[2].contains("1... Ka8 2. [Kc6]\n"), "{told}");
    assert!(screens[3].contains("\"nonsense\": not a move"), "{told}");
    assert!(
        screens[4].contains("\"Qh8\": not a legal move here"),
        "{told}"
    );
    assert!(screens[5].contains("1... [Ka8] 2. Kc6\n"), "{told}");
    assert!(screens[6].contains("1... Ka8 2. Kc6\n"), "{told}");
    assert!(screens[7].starts_with("Black holds\n"), "{told}");
    assert!(
        screens[8].contains("an empty line for the best one"),
        "{told}"
    );
}

/// `duchamp freeze ... --svg FILE | head -1`: the file is written although nobody reads the answer to its end.
#[test]
fn files_are_written_before_the_answer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    file(folder.path(), "corner.toml", CORNER);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let ended = Command::new(PROGRAM)
        .args("freeze --quiet corner.toml --svg a.svg --pgn a.pgn --dir .".split(' '))
        .current_dir(folder.path())
        .stdout(writer)
        .status()
        .expect("the program runs");
    assert!(!ended.success());
    for name in ["a.svg", "a.pgn"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
}
