//! `/standard` and `/standard/mainline` against what lichess's server documents and answers.

use crate::common::program::out;
use crate::server::{Server, escaped, server};
use duchamp_chess::Position;
use serde_json::Value;
use std::collections::BTreeMap;

fn standard(fen: &str) -> Value {
    server()
        .get(&format!("/standard?fen={}", escaped(fen)))
        .json()
}

/// The example of the documentation of lila-tablebase.
#[test]
fn the_documented_example() {
    let answer = standard("4k3/6KP/8/8/8/8/7p/8 w - - 0 1");
    for (key, value) in [
        ("dtz", Value::from(1)),
        ("precise_dtz", Value::from(1)),
        ("dtm", Value::from(17)),
        ("checkmate", Value::from(false)),
        ("insufficient_material", Value::from(false)),
        ("category", Value::from("win")),
        ("dtw", Value::Null),
        ("dtc", Value::Null),
    ] {
        assert_eq!(answer[key], value, "{key}");
    }
    let first = &answer["moves"][0];
    for (key, value) in [
        ("uci", Value::from("h7h8q")),
        ("san", Value::from("h8=Q+")),
        ("dtz", Value::from(-2)),
        ("dtm", Value::from(-16)),
        ("zeroing", Value::from(true)),
        ("category", Value::from("loss")),
    ] {
        assert_eq!(first[key], value, "{key}");
    }
}

/// The tables of the first start have no distances to zeroing. A mate in 21 plies comes in time with a clock of 79; with a
/// later one that is not known. And a table that another process generates is found.
#[test]
fn without_distances_to_zeroing_only_a_mate_in_time_is_sure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::new(folder.path(), &[]);
    let ask = |clock: u32| {
        let fen = format!("4k3/8/8/8/8/8/8/4K2R w - - {clock} 1");
        server
            .get(&format!("/standard?fen={}", escaped(&fen)))
            .json()
    };
    assert_eq!(ask(0)["category"], "unknown");
    out(folder.path(), &["tb", "generate", "KRvK", "--dir", "."]);
    // The folder is looked at again after some milliseconds.
    let mut answer = ask(0);
    while answer["category"] == "unknown" {
        std::thread::sleep(std::time::Duration::from_millis(5));
        answer = ask(0);
    }
    assert_eq!((&answer["dtm"], &answer["dtz"]), (&21.into(), &Value::Null));
    for (clock, category, reply) in [
        (0, "win", "loss"),
        (79, "win", "loss"),
        (80, "maybe-win", "maybe-loss"),
        (99, "maybe-win", "maybe-loss"),
        (100, "cursed-win", "blessed-loss"),
    ] {
        let answer = ask(clock);
        assert_eq!(answer["category"], category, "{clock}");
        assert_eq!(answer["moves"][0]["category"], reply, "{clock}");
    }
    // What no table has follows from its moves without such distances, too.
    let castling = "/standard?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1";
    let castling = server.get(castling).json();
    let best = castling["moves"][0]["dtm"].as_i64().expect("a distance");
    assert_eq!(castling["dtm"], 1 - best);
    assert_eq!(castling["dtz"], Value::Null);
}

#[test]
fn every_field_is_there_and_moves_are_in_order() {
    let answer = standard("8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
    let rank = |category: &Value| {
        let order = [
            "loss",
            "unknown",
            "blessed-loss",
            "draw",
            "cursed-win",
            "win",
        ];
        let category = category.as_str().expect("a category");
        order.iter().position(|name| *name == category)
    };
    let moves = answer["moves"].as_array().expect("a list");
    let fields = [
        "uci",
        "san",
        "zeroing",
        "conversion",
        "checkmate",
        "stalemate",
        "variant_win",
        "variant_loss",
        "insufficient_material",
        "dtz",
        "precise_dtz",
        "dtm",
        "dtw",
        "dtc",
        "category",
    ];
    for mv in moves {
        for field in fields {
            assert!(mv.get(field).is_some(), "{field}");
        }
    }
    assert!(moves.is_sorted_by_key(|mv| rank(&mv["category"])));
    let winning = moves.iter().filter(|mv| mv["category"] == "loss");
    let lengths: Vec<i64> = winning.filter_map(|mv| mv["dtm"].as_i64()).collect();
    assert!(
        lengths.len() > 3 && lengths.is_sorted_by_key(|plies| -plies),
        "{lengths:?}"
    );
}

/// A mate on the board, mate in one, stalemate, bare kings.
#[test]
fn ends_of_games() {
    let mated = standard("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(
        [
            &mated["category"],
            &mated["dtz"],
            &mated["dtm"],
            &mated["checkmate"]
        ],
        [
            &Value::from("loss"),
            &Value::from(-1),
            &Value::from(0),
            &Value::from(true)
        ]
    );
    let mating = standard("7k/8/6K1/8/8/8/6Q1/8 w - - 0 1");
    assert_eq!([&mating["dtz"], &mating["dtm"]], [1, 1]);
    let first = &mating["moves"][0];
    assert_eq!(
        [&first["checkmate"], &first["category"]],
        [&Value::from(true), &Value::from("loss")]
    );
    let stuck = standard("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1");
    assert_eq!(
        [&stuck["stalemate"], &stuck["category"]],
        [&Value::from(true), &Value::from("draw")]
    );
    let bare = standard("7k/8/8/8/8/8/8/K7 w - - 0 1");
    assert_eq!(bare["insufficient_material"], true);
    assert_eq!(
        [&bare["category"], &bare["dtz"]],
        [&Value::from("draw"), &Value::from(0)]
    );
}

/// A mate in the hundredth ply counts, one later does not.
#[test]
fn the_clock_counts() {
    for (clock, category, first) in [
        (99, "win", "loss"),
        (100, "cursed-win", "blessed-loss"),
        (101, "cursed-win", "blessed-loss"),
    ] {
        let answer = standard(&format!("7k/8/6K1/8/8/8/6Q1/8 w - - {clock} 148"));
        assert_eq!(answer["category"], category, "{clock}");
        assert_eq!(answer["moves"][0]["category"], first, "{clock}");
        assert_eq!(answer["moves"][0]["checkmate"], true, "{clock}");
    }
}

/// Without a table a position is unknown, but for its moves into tables and ends of games.
#[test]
fn unknown_positions() {
    let answer = standard("4K1k1/1N1P4/8/8/8/1q6/5PPP/8 w - - 0 1");
    assert_eq!(answer["category"], "unknown");
    assert_eq!(answer["dtz"], Value::Null);
    assert_eq!(answer["moves"][0]["category"], "unknown");
    let missing = standard("8/8/8/3k4/8/8/1N6/K3B3 w - - 0 1");
    assert_eq!(missing["unknown"]["reason"], "missing-table");
    let told = missing["unknown"]["text"].as_str().expect("a sentence");
    assert!(
        told.contains("KBNvK is missing") && told.ends_with(": duchamp tb generate KBNvK"),
        "{told}"
    );
    // Castling rights have no table, positions without them do.
    let castling = standard("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    let of = |san: &str| {
        let moves = castling["moves"].as_array().expect("a list");
        moves
            .iter()
            .find(|mv| mv["san"] == san)
            .map(|mv| mv["category"].clone())
    };
    assert_eq!(of("O-O"), Some(Value::from("loss")));
    // All moves are known, so the position is.
    assert_eq!(castling["category"], "win");
    let best = &castling["moves"][0];
    let plies = |value: &Value| value.as_i64().expect("a distance");
    assert_eq!(plies(&castling["dtm"]), 1 - plies(&best["dtm"]));
    let start = standard("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(start["unknown"]["reason"], "too-many-men");
}

/// As the reference: castling rights and en-passant squares that cannot be, and impossible checks, are let pass.
#[test]
fn faults_that_are_forgiven_and_not() {
    let get = |fen: &str| server().get(&format!("/standard?fen={}", escaped(fen)));
    for fen in [
        "4k3/8/8/8/8/8/8/4K2Q w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/4K2Q w - e3 0 1",
    ] {
        assert_eq!(get(fen).json()["category"], "win", "{fen}");
    }
    for fen in [
        "nonsense",
        "",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1",
        "9/8 w",
    ] {
        let answer = get(fen);
        assert_eq!(answer.status, 400, "{fen}: {answer:?}");
        assert!(
            !answer.body.is_empty() && !answer.body.contains('\n'),
            "{answer:?}"
        );
    }
}

#[test]
fn a_main_line_ends_in_mate_and_agrees_with_the_rules() {
    let answer = server()
        .get("/standard/mainline?fen=4k3/6KP/8/8/8/8/7p/8_w_-_-_0_1")
        .json();
    assert_eq!(
        [&answer["winner"], &answer["dtz"]],
        [&Value::from("w"), &Value::from(1)]
    );
    let mut position = Position::from_fen("4k3/6KP/8/8/8/8/7p/8 w - - 0 1").expect("legal");
    for step in answer["mainline"].as_array().expect("a list") {
        let mv = position
            .parse_uci(step["uci"].as_str().expect("a move"))
            .expect("legal");
        assert_eq!(position.san(mv), step["san"].as_str().expect("a move"));
        position = position.play(mv);
    }
    assert!(position.is_checkmate());
    let drawn = server()
        .get("/standard/mainline?fen=8/8/8/8/8/8/8/k1K5_w_-_-_0_1")
        .json();
    assert_eq!(
        [&drawn["mainline"], &drawn["winner"]],
        [&Value::Array(vec![]), &Value::Null]
    );
    let missing = server().get("/standard/mainline?fen=8/8/8/3k4/8/8/1N6/K3B3_w_-_-_0_1");
    assert_eq!(missing.status, 404, "{missing:?}");
    // Any page may read it: it does not say where tables lie.
    assert!(!missing.body.contains("--dir"), "{missing:?}");
}

/// Black moves the king, so that White has to take: a pawn move would zero at once.
#[test]
fn who_loses_zeroes_as_late_as_he_can() {
    let answer = server()
        .get("/standard/mainline?fen=1Q6/p7/8/7k/8/8/8/7K_b_-_-_0_1")
        .json();
    let line = &answer["mainline"];
    let first = line[0]["san"].as_str().expect("a move");
    assert!(first.starts_with('K'), "{answer}");
    assert_eq!([&answer["dtz"], &line[0]["dtz"]], [-2, 1]);
    assert_eq!(line[1]["san"], "Qxa7");
}

/// Signs and values of all moves agree with probing each position after a move alone.
#[test]
fn moves_are_as_the_opponent_sees_them() {
    for fen in [
        "8/8/8/8/8/2k5/4P3/K7 w - - 0 1",
        "8/8/3k4/8/8/8/4R3/K7 b - - 3 1",
    ] {
        let position = Position::from_fen(fen).expect("legal");
        for mv in standard(fen)["moves"].as_array().expect("a list") {
            let uci = mv["uci"].as_str().expect("a move");
            let after = position.play(position.parse_uci(uci).expect("legal"));
            let alone = standard(&after.fen());
            for key in ["dtz", "dtm", "dtc_plies", "category", "checkmate"] {
                assert_eq!(mv[key], alone[key], "{fen} {uci} {key}");
            }
        }
    }
}

/// Positions that our tables do not have come from Syzygy files, if there are any: results alike, distances a ply too short
/// at most.
#[test]
fn syzygy_files_fill_gaps() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    let files = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
    let other = Server::new(empty.path(), &["--syzygy", files]);
    for fen in [
        "8/8/8/8/8/2k5/4P3/K7 w - - 0 1",
        "8/8/3k4/8/8/8/4R3/7K b - - 3 1",
        "8/8/8/8/3k4/8/8/KQ6 w - - 10 100",
        "7k/8/6K1/8/8/8/6Q1/8 w - - 0 1",
        "8/5p2/8/8/1k6/8/4P3/6K1 w - - 0 1",
    ] {
        let path = format!("/standard?fen={}", escaped(fen));
        let (own, syzygy) = (server().get(&path).json(), other.get(&path).json());
        assert_eq!(own["category"], syzygy["category"], "{fen}");
        assert_eq!([&syzygy["dtm"], &syzygy["dtc_plies"]], [&Value::Null; 2]);
        let dtz = |value: &Value| value["dtz"].as_i64().expect("a distance");
        assert!((dtz(&own).abs() - dtz(&syzygy).abs()).abs() <= 1, "{fen}");
        let moves = |value: &Value| {
            let moves = value["moves"].as_array().expect("a list").iter();
            let category = |mv: &Value| (mv["uci"].to_string(), mv["category"].to_string());
            moves.map(category).collect::<BTreeMap<_, _>>()
        };
        assert_eq!(moves(&own), moves(&syzygy), "{fen}");
    }
    let path = "/standard/mainline?fen=8/8/8/8/3k4/8/8/KQ6_w_-_-_0_1";
    assert_eq!(other.get(path).json()["winner"], "w");
    // With a clock at which the rounding matters the result is not certain.
    let path = "/standard?fen=8/8/8/8/3k4/8/8/KQ6_w_-_-_{}_100";
    let dtz = other.get(&path.replace("{}", "0")).json()["dtz"].as_i64();
    let clock = 100 - dtz.expect("a distance");
    let unsure = other.get(&path.replace("{}", &clock.to_string())).json();
    assert_eq!(unsure["category"], "syzygy-win");
    let late = other
        .get(&path.replace("{}", &(clock + 1).to_string()))
        .json();
    assert_eq!(late["category"], "cursed-win");
    let none = std::process::Command::new(crate::common::program::PROGRAM)
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--syzygy",
            "no-such-folder",
        ])
        .output()
        .expect("the program runs");
    assert_eq!(none.status.code(), Some(2));
}
