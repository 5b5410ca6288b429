//! `duchamp pawns` from outside: JSON names, pictures, lists of positions, exit codes.

use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;

#[cfg(unix)]
use crate::common::program::interrupted;
use crate::common::program::{duchamp, text};
use duchamp_chess::Position;
use serde_json::{Value, json};

const FINE_70: &str = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";

/// Runs the command without tables. The proof of the position takes a fraction of a second, that of all its placements
/// goes on as long as it may.
fn pawns(folder: &Path, arguments: &[&str]) -> Output {
    let options = ["--seconds", "6", "--dir", ".", "--quiet"];
    duchamp(folder, &[&["pawns"], arguments, &options].concat())
}

fn answer(folder: &Path, fen: &str) -> Value {
    let output = pawns(folder, &[fen, "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect(fen)
}

/// The answer on Fine's position, asked for once.
fn fine_70() -> &'static Value {
    static ANSWER: LazyLock<Value> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        answer(folder.path(), FINE_70)
    });
    &ANSWER
}

#[test]
fn json_tells_value_moves_and_corresponding_squares() {
    let answer = fine_70();
    assert_eq!(answer["exact"], "win");
    assert_eq!(answer["bounds"], json!([1, 1]));
    assert_eq!(answer["best"], json!(["a1b1"]));
    assert_eq!(answer["holds"], false);
    assert_eq!(answer["critical"], json!(["a5", "f5", "d6"]));
    assert_eq!(answer["complete"].as_bool(), Some(!answer["key"].is_null()));
    assert!(answer["key_proved"].is_array() && answer["seconds"].is_number());
    assert!(answer["structures"].is_u64() && answer["queens"].is_u64());
    let moves = answer["moves"].as_array().expect("moves");
    let drawn = json!({"uci": "a1b2", "san": "Kb2", "bounds": [0, 0]});
    assert!(moves.len() == 3 && moves.contains(&drawn), "{moves:?}");
    let pairs = answer["zugzwangs_proved"].as_array().expect("pairs");
    assert!(pairs.contains(&json!(["c4", "b6"])) && pairs.contains(&json!(["d2", "c8"])));
    let class = json!({"kings": ["c4"], "others": ["b6"]});
    let classes = &answer["corresponding"];
    let complete = answer["complete"] == true;
    assert!(!complete || classes.as_array().is_some_and(|all| all.contains(&class)));
}

/// The moves of a plan hang together and lead from the position to where it is decided.
#[test]
fn a_proved_win_has_a_plan() {
    let answer = fine_70();
    let plan = &answer["plan"];
    assert_eq!(
        (&plan["winner"], &answer["plan_open"]),
        (&json!("white"), &Value::Null)
    );
    let nodes = plan["nodes"].as_array().expect("moves");
    let first = &nodes[plan["first"][0].as_u64().expect("a number") as usize];
    assert_eq!(first["san"], "Kb1");
    assert_eq!(first["only"], true);
    assert_eq!(first["zugzwang_on"], "a7");
    assert_eq!(first["fails_to_reach"], json!(["c7"]));
    assert_eq!(first["side"], "white");
    assert!(first["plies"].as_u64() < plan["plies"].as_u64());
    let mut lines = 0;
    for (number, node) in nodes.iter().enumerate() {
        let before = match node["parent"].as_u64() {
            Some(parent) => nodes[parent as usize]["fen"].as_str(),
            None => Some(FINE_70),
        };
        let position = Position::from_fen(before.expect("a FEN")).expect("a position");
        let mv = node["uci"]
            .as_str()
            .and_then(|uci| position.parse_uci(uci).ok());
        let mv = mv.expect("a legal move");
        assert_eq!(node["san"], position.san(mv));
        assert_eq!(node["fen"], position.play(mv).fen());
        let replies = node["replies"].as_array().expect("a list");
        assert!(
            replies
                .iter()
                .all(|next| nodes[next.as_u64().expect("a number") as usize]["parent"] == number)
        );
        assert_eq!(replies.is_empty(), node["why"].is_string(), "{node}");
        lines += usize::from(replies.is_empty());
    }
    assert_eq!(plan["lines"], lines);
    assert!((4..=8).contains(&lines), "{lines}");
    let whys: Vec<&str> = nodes
        .iter()
        .filter_map(|node| node["why"].as_str())
        .collect();
    assert!(whys.contains(&"White queens and wins"), "{whys:?}");
}

/// A draw by corresponding squares: which answer holds against which move.
#[test]
fn a_held_draw_is_told_by_its_answers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fen = FINE_70.replace("8/k7/", "8/1k6/");
    let arguments = ["pawns", &fen, "--seconds", "1", "--dir", ".", "--quiet"];
    let output = duchamp(folder.path(), &arguments);
    let out = text(&output.stdout);
    assert!(
        out.contains("\nIt holds by the answers Kb1 Ka7/Kc7, Ka2 Kb8, Kb2 Ka8/Kc8\n"),
        "{out}"
    );
    let output = duchamp(folder.path(), &[&arguments[..], &["--json"]].concat());
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let first = json!({"uci": "a1b1", "san": "Kb1", "replies": [
        {"uci": "b7a7", "san": "Ka7"},
        {"uci": "b7c7", "san": "Kc7"},
    ]});
    assert_eq!(told["answers"][0], first);
    assert_eq!(
        (&told["exact"], &told["plan"]),
        (&json!("draw"), &Value::Null)
    );
}

/// As text: a tree with marks, as many variations as asked for, none where there is nothing to win or none is wanted.
#[test]
fn the_plan_is_printed_as_a_tree() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = |arguments: &[&str]| {
        let output = pawns(folder.path(), arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let out = text(&output.stdout);
        out.split_once("\nPlan: ").map(|(_, plan)| plan.to_string())
    };
    let plan = told(&[FINE_70]).expect("a plan");
    assert!(plan.starts_with("White "), "{plan}");
    assert!(plan.contains("\n  1.Kb1! [a7 c7] K"), "{plan}");
    assert!(
        plan.contains(": White takes f5") && plan.contains(": White queens and wins"),
        "{plan}"
    );
    assert!(
        plan.lines()
            .any(|line| line.starts_with("    ") && line.contains("...")),
        "{plan}"
    );
    // A win that takes no second.
    let quick = "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1";
    let plan = told(&[quick]).expect("a plan");
    let short = told(&[quick, "--plan", "1"]).expect("a plan");
    assert!(short.lines().count() < plan.lines().count(), "{short}");
    let numbers = |plan: &str, number: &str| plan.matches(number).count();
    assert!(
        numbers(&plan, " 4...") > 0 && numbers(&short, " 4...") == 0,
        "{plan}{short}"
    );
    assert_eq!(told(&[quick, "--plan", "0"]), None);
    assert_eq!(told(&["8/8/8/8/8/5k2/5p2/5K2 w - - 0 1"]), None, "a draw");
    // Who is lost is told how; Black's plan is turned.
    let lost = told(&["8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"]).expect("a plan");
    assert!(
        lost.starts_with("Black ") && lost.contains("  1.K"),
        "{lost}"
    );
    assert_eq!(
        pawns(folder.path(), &[FINE_70, "--plan", "x"])
            .status
            .code(),
        Some(2)
    );
}

/// A position that the tables have is planned without them.
#[test]
fn a_position_of_the_tables_has_a_plan() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = duchamp(
        folder.path(),
        &["tb", "generate", "KPvKP", "--dir", ".", "--quiet"],
    );
    assert!(made.status.success(), "{}", text(&made.stderr));
    let answer = answer(folder.path(), "8/8/7k/8/1p6/7K/2P5/8 w - - 0 1");
    assert_eq!(answer["exact"], "win");
    let nodes = answer["plan"]["nodes"].as_array().expect("moves");
    assert_eq!(nodes[0]["san"], "Kh4");
    assert!(
        nodes
            .iter()
            .any(|node| node["why"] == "White wins by the tables (KPvK)"),
        "{nodes:?}"
    );
}

/// Without time nothing is determined, and nothing is said to be absent.
#[test]
fn what_time_did_not_allow_is_not_called_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |more: &[&str]| {
        let fixed = ["pawns", FINE_70, "--seconds", "0", "--dir", ".", "--quiet"];
        let output = duchamp(folder.path(), &[&fixed[..], more].concat());
        assert!(output.status.success() && output.stderr.is_empty());
        text(&output.stdout).to_string()
    };
    let told: Value = serde_json::from_str(&run(&["--json"])).expect("JSON");
    assert_eq!(told["complete"], false);
    for part in ["exact", "best", "key", "corresponding", "zugzwangs", "plan"] {
        assert_eq!(told[part], Value::Null, "{part}");
    }
    let told = run(&[]);
    assert!(!told.contains("none"), "{told}");
    assert!(told.contains("The exact value: not determined in 0 s; try --seconds 1\n"));
    assert!(
        told.contains("stands: not determined in 0 s; try --seconds 1\n"),
        "{told}"
    );
    // What would help, and how to get it.
    let hint = "in the table KQPvKQ, which is missing; to generate it, within a minute: ";
    assert!(
        told.contains(hint) && told.contains(" tb generate KQPvKQ --dir "),
        "{told}"
    );
}

/// At every time limit the value is at least that of the best move.
#[test]
fn the_headline_is_never_below_the_best_move() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seconds in ["0", "0.02", "0.1", "0.3"] {
        let arguments = [
            "pawns",
            FINE_70,
            "--json",
            "--quiet",
            "--dir",
            ".",
            "--seconds",
        ];
        let output = duchamp(folder.path(), &[&arguments[..], &[seconds]].concat());
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let moves = told["moves"].as_array().expect("moves").iter();
        let best = moves.map(|mv| mv["bounds"][0].as_i64()).max().flatten();
        assert!(told["bounds"][0].as_i64() >= best, "{told}");
    }
}

#[test]
fn a_promotion_that_wins_is_among_the_best_moves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // White queens first and stops the other pawn; the other way round he is lost.
    let answer = answer(folder.path(), "8/P5k1/8/8/8/8/1K5p/8 w - - 0 1");
    assert_eq!(answer["exact"], "win");
    assert_eq!(answer["best"], json!(["a7a8q"]));
}

#[test]
fn bare_kings_have_no_squares_to_fight_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = pawns(folder.path(), &["8/8/4k3/8/8/3K4/8/8 w - - 0 1"]);
    let told = text(&told.stdout);
    let right = told.contains("No pawn is left") && !told.contains("Key squares");
    assert!(right, "{told}");
}

#[test]
fn a_right_to_capture_en_passant_is_regarded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let answer = answer(folder.path(), "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
    assert_eq!(answer["exact"], "draw");
    let best = answer["best"].as_array().expect("moves");
    assert!(best.contains(&json!("e5d6")), "{best:?}");
}

#[test]
fn a_picture_shows_the_numbered_squares() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("fine.svg");
    let name = file.to_str().expect("a name in UTF-8");
    let output = pawns(folder.path(), &[FINE_70, "--svg", name]);
    assert!(output.status.success());
    assert!(text(&output.stdout).starts_with("White to move: win; only Kb1  ("));
    let picture = std::fs::read_to_string(&file).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert_eq!(picture.matches("<path ").count(), 9, "nine men");
    assert!(picture.contains("c4-b6") && picture.contains("only Kb1"));
    let nowhere = folder.path().join("none").join("x.svg");
    let nowhere = nowhere.to_str().expect("a name in UTF-8");
    let output = pawns(
        folder.path(),
        &["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "--svg", nowhere],
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr).lines().count(), 1);
}

#[test]
fn lists_are_gone_through_and_finds_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("list.csv");
    let name = file.to_str().expect("a name in UTF-8");
    let list = "fen,result_stm,verified,source\n\
                8/8/8/3pK3/2kP4/8/8/8 w - - 0 1,loss,exact,\"a mutual zugzwang, White to move\"\n\
                4k3/8/8/8/8/8/4P3/4K3 w - - 0 1,draw,sf,wrong\n\
                4k3/8/4K3/4P3/8/8/8/8 b - - 0 1,?,conflict,\n";
    std::fs::write(&file, list).expect("written");
    let output = pawns(folder.path(), &["--suite", name, "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    let [trebuchet, wrong, unknown, sums] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(trebuchet["exact"], "loss");
    assert_eq!(trebuchet["contradicted"], false);
    assert_eq!(
        (&wrong["result"], &wrong["bounds"]),
        (&json!(0), &json!([1, 1]))
    );
    assert_eq!(wrong["contradicted"], true);
    assert_eq!(
        (&unknown["result"], &unknown["exact"]),
        (&Value::Null, &json!("loss"))
    );
    assert_eq!(sums["sum"]["rows"], 3);
    assert_eq!(sums["sum"]["proved"], 3);
    assert_eq!(sums["by_verified"]["sf"]["contradicted"], 1);
    let output = pawns(folder.path(), &["--suite", name]);
    let out = text(&output.stdout);
    assert!(out.contains("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1: draw by the list (sf), proved: win"));
    // A row that is called exact must not be contradicted.
    std::fs::write(&file, list.replace(",sf,", ",exact,")).expect("written");
    let output = pawns(folder.path(), &["--suite", name]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

/// What came of the rows before is summed up; the row at work has no answer.
#[cfg(unix)]
#[test]
fn a_list_that_is_stopped_has_its_sums() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // No prover settles the second one in seconds.
    let list = "fen,result_stm,verified\n\
                8/8/8/3pK3/2kP4/8/8/8 w - - 0 1,loss,exact\n\
                5k2/p5p1/Pp6/4P3/1P1p4/7K/2P5/8 b - - 0 1,?,open\n";
    std::fs::write(folder.path().join("list.csv"), list).expect("written");
    let words = "pawns --suite list.csv --json --seconds 1000".split(' ');
    let (output, _) = interrupted(folder.path(), &words.collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    let last = told.lines().last().unwrap_or_default();
    assert!(
        last.contains(" of 2 rows; nothing is kept. To start again: "),
        "{told}"
    );
    let printed = text(&output.stdout);
    let sums: Value = serde_json::from_str(printed.lines().last().expect("a line")).expect("JSON");
    assert!(sums["sum"]["rows"].is_u64(), "{printed}");
}

#[test]
fn bad_input_is_one_line_and_code_2() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = folder.path().join("none.csv");
    let missing = missing.to_str().expect("a name in UTF-8");
    for arguments in [
        &["4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1"][..],
        &["not a fen"],
        &["--suite", missing],
    ] {
        let output = pawns(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let error = text(&output.stderr);
        assert!(
            error.starts_with("duchamp: ") && error.lines().count() == 1,
            "{error}"
        );
    }
}
