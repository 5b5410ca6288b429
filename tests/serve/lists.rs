//! Everything beside `/standard`: moves without tables, lines, statistics, lists, proofs, xiangqi.

use crate::server::{escaped, server};
use serde_json::Value;

#[test]
fn legal_moves_need_no_table() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let answer = server()
        .get(&format!("/legal?fen={}", escaped(start)))
        .json();
    assert_eq!(answer["moves"].as_array().map(Vec::len), Some(20));
    assert_eq!(answer["turn"], "white");
    assert_eq!(answer["ended"], Value::Null);
    let mated = server()
        .get("/legal?fen=7k/6Q1/6K1/8/8/8/8/8_b_-_-_0_1")
        .json();
    assert_eq!(
        [&mated["ended"], &mated["check"]],
        [&Value::from("checkmate"), &Value::from(true)]
    );
    assert_eq!(mated["material"], "KQvK");
    let xiangqi = server()
        .get("/legal?game=xiangqi&fen=4k4/9/9/9/9/9/9/9/9/3K1R3_w")
        .json();
    assert_eq!(xiangqi["turn"], "red");
    assert!(
        xiangqi["moves"]
            .as_array()
            .is_some_and(|moves| moves.len() > 10)
    );
    assert_eq!(
        server()
            .get("/legal?game=go&fen=8/8/8/8/8/2k5/8/KQ6_w")
            .status,
        400
    );
}

#[test]
fn a_line_is_as_long_as_its_distance() {
    let fen = escaped("8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
    let value = server().get(&format!("/standard?fen={fen}")).json();
    for metric in ["dtm", "dtz", "dtc"] {
        let line = server()
            .get(&format!("/line?fen={fen}&metric={metric}"))
            .json();
        let moves = line["moves"].as_array().expect("a list");
        assert_eq!(value["dtm"], moves.len(), "{metric}");
        assert!(
            line["pgn"]
                .as_str()
                .is_some_and(|pgn| pgn.contains("[FEN "))
        );
        let last = moves.last().expect("a move");
        assert!(last["san"].as_str().is_some_and(|san| san.ends_with('#')));
    }
}

/// The numbers are those of the command.
#[test]
fn statistics_and_lists() {
    let tables = server().get("/tables.json").json();
    assert_eq!(tables["allow_generate"], false);
    let listed = tables["tables"].as_array().expect("a list");
    let find = |name: &str| listed.iter().find(|table| table["material"] == name);
    assert_eq!(find("KQvK").expect("present")["longest_win_plies"], 19);
    assert!(find("KPvKP").expect("present")["files"]["dtz"].is_u64());
    assert_eq!(
        find("c-aa").or(find("KRvKAA")).expect("present")["game"],
        "xiangqi"
    );
    let stats = server().get("/stats/KQvK.json?metric=dtm").json();
    assert_eq!(stats["white_to_move"]["longest_win_plies"], 19);
    let longest = server().get("/longest/KQvK.json?limit=3").json();
    assert_eq!(
        [&longest["plies"], &longest["material"]],
        [&Value::from(19), &Value::from("KQvK")]
    );
    assert_eq!(
        longest["count"],
        stats["white_to_move"]["win_histogram"][19]
    );
    let seven = |part: &str| {
        let path = format!("/longest/KQvK.json?plies=7{part}");
        server().get(&path).json()
    };
    let first = seven("&limit=3");
    assert_eq!(first["count"], stats["white_to_move"]["win_histogram"][7]);
    assert_eq!(first["positions"].as_array().map(Vec::len), Some(3));
    let last = first["count"].as_u64().expect("a number") - 1;
    let end = seven(&format!("&offset={last}"));
    assert_eq!(end["positions"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        seven("&offset=1&limit=1")["positions"][0],
        first["positions"][1]
    );
    let zugzwangs = server()
        .get("/zugzwangs/KPvK.json?kind=win-draw&limit=500")
        .json();
    let command = server().get("/stats/KPvK.json").json();
    assert_eq!(zugzwangs["count"], command["win_draw_zugzwangs"]);
    assert_eq!(server().get("/stats/KBNvK.json").status, 404);
    assert_eq!(server().get("/stats/all4.json").status, 400);
    assert_eq!(server().get("/longest/KQvK.json?limit=100000").status, 400);
}

/// The wins of one side to move are those of its histogram.
#[test]
fn wins_of_one_side() {
    let server = server();
    let stats = server.get("/stats/KQvKR.json?metric=dtm").json();
    let wins = |side: &str, plies: usize| stats[side]["win_histogram"][plies].as_u64();
    let [white, black] = ["white_to_move", "black_to_move"];
    let both = |plies: &usize| wins(white, *plies) > Some(0) && wins(black, *plies) > Some(0);
    let plies = (1..70).find(both).expect("a length of both");
    let list = |side: &str| {
        let path = format!("/longest/KQvKR.json?plies={plies}&limit=1{side}");
        server.get(&path).json()
    };
    for (side, key, letter) in [("white", white, " w "), ("black", black, " b ")] {
        let list = list(&format!("&side={side}"));
        assert_eq!(list["count"].as_u64(), wins(key, plies), "{side}");
        let fen = list["positions"][0]["fen"].as_str();
        assert!(fen.is_some_and(|fen| fen.contains(letter)), "{fen:?}");
    }
    let all = wins(white, plies).zip(wins(black, plies));
    assert_eq!(list("")["count"].as_u64(), all.map(|(a, b)| a + b));
    let wrong = server.get("/longest/KQvKR.json?side=red");
    assert_eq!(wrong.status, 400, "{wrong:?}");
}

#[test]
fn costs_of_what_is_missing() {
    let cost = server().get("/forecast?spec=KBNvK&metric=dtz").json();
    assert_eq!(cost["allowed"], false);
    let tables = cost["tables"].as_array().expect("a list");
    assert!(tables.iter().any(|table| table == "KBNvK"), "{cost}");
    assert!(
        cost["command"]
            .as_str()
            .is_some_and(|command| command.contains("tb generate KBNvK --metric dtz"))
    );
    assert!(cost["disk_bytes"].as_u64() > Some(10_000), "{cost}");
    assert_eq!(server().get("/forecast?spec=KQQQQQQvK").status, 400);
    let many = server().get("/forecast?spec=all14&game=xiangqi");
    assert_eq!(many.status, 400, "{many:?}");
    assert!(many.body.contains("too many"), "{many:?}");
    assert_eq!(server().get("/forecast").status, 400);
}

#[test]
fn pawn_endings() {
    let fine = escaped("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1");
    let answer = server()
        .get(&format!("/pawns?fen={fen}&seconds=6", fen = fine))
        .json();
    assert_eq!(answer["exact"], "win");
    assert_eq!(answer["best"][0], "a1b1");
    assert!(
        answer["zugzwangs_proved"]
            .as_array()
            .is_some_and(|list| list.len() > 3)
    );
    // How the win is won, in as many variations as asked for.
    let plan = &answer["plan"];
    assert_eq!(
        (&plan["winner"], &plan["nodes"][0]["san"]),
        (&"white".into(), &"Kb1".into())
    );
    assert_eq!(plan["nodes"][0]["only"], true);
    let lines = |more: &str| {
        let answer = server()
            .get(&format!("/pawns?fen={fine}&seconds=2{more}"))
            .json();
        answer["plan"]["lines"].as_u64()
    };
    assert_eq!(lines("&lines=1"), Some(1));
    assert_eq!(lines("&lines=0"), None);
    assert_eq!(
        server().get(&format!("/pawns?fen={fine}&lines=101")).status,
        400
    );
    let other = server().get("/pawns?fen=8/8/8/8/8/2k5/8/KQ6_w");
    assert_eq!(other.status, 400);
}

#[test]
fn freezer_examples() {
    let list = server().get("/freezer.json").json();
    assert!(
        list["examples"]
            .as_array()
            .is_some_and(|list| list.len() >= 10)
    );
    let example = server().get("/freezer/walled_in_king.json").json();
    assert_eq!(example["name"], "walled_in_king");
    assert!(
        example["headline"]
            .as_str()
            .is_some_and(|text| !text.is_empty())
    );
    assert!(
        example["rules"]
            .as_str()
            .is_some_and(|text| text.contains("start"))
    );
}

#[test]
fn xiangqi_values() {
    let answer = server()
        .get("/xiangqi?fen=4k4/4a4/5a3/9/9/9/9/9/9/3K1R3_w")
        .json();
    let moves = answer["moves"].as_array().expect("a list");
    assert!(moves.len() > 10);
    assert!(
        moves
            .iter()
            .all(|mv| mv["wxf"].is_string() && mv["category"].is_string())
    );
    assert_eq!(
        server().get("/xiangqi?fen=8/8/8/8/8/2k5/8/KQ6_w").status,
        400
    );
    assert!(moves.is_sorted_by_key(|mv| mv["category"] != "loss"));
    let missing = server()
        .get("/xiangqi?fen=4k4/9/9/9/9/9/9/9/4C4/3K1R3_w")
        .json();
    assert_eq!(missing["category"], "unknown");
    assert_eq!(missing["unknown"]["reason"], "missing-table");
    let told = missing["unknown"]["text"].as_str().expect("a sentence");
    assert!(told.ends_with(": duchamp tb generate cg-k"), "{told}");
    // Attackers on both sides: no table can have it.
    let both = server()
        .get("/xiangqi?fen=4k4/9/9/9/9/9/9/9/r8/3K1R3_w")
        .json();
    assert_eq!(both["unknown"]["reason"], "no-table");
}
