//! Options as chess GUIs and match runners declare, set and use them.

use crate::common::client::{Client, check, start_and};
use duchamp_chess::Position;

#[test]
fn uci_is_answered_with_names_options_and_uciok() {
    let mut client = Client::start_bare();
    client.send("uci");
    let lines = client.expect("uciok");
    assert!(lines.iter().any(|line| line.starts_with("id name Duchamp")));
    assert!(lines.iter().any(|line| line.starts_with("id author ")));
    client.send("isready");
    client.expect("readyok");
    assert!(client.quit().success());
}

#[test]
fn option_lines_are_well_formed() {
    let mut client = Client::start();
    client.send("uci");
    let lines = client.expect("uciok");
    let options: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("option name "))
        .collect();
    let mut names = Vec::new();
    for option in options {
        assert!(!option.contains("  "), "{option:?}");
        let (name, rest) = option.split_once(" type ").expect("a type");
        let words: Vec<&str> = rest.split(' ').collect();
        let number = |name: &str| -> i64 {
            let at = words
                .iter()
                .position(|&word| word == name)
                .unwrap_or_else(|| panic!("{option}: no {name}"));
            words[at + 1]
                .parse()
                .unwrap_or_else(|_| panic!("{option}: {name} is no number"))
        };
        match words[0] {
            "spin" => assert!(
                number("min") <= number("default") && number("default") <= number("max"),
                "{option}"
            ),
            "check" => assert!(
                matches!(words[1..], ["default", "true" | "false"]),
                "{option}"
            ),
            "string" => assert_eq!(words[1..], ["default", "<empty>"], "{option}"),
            "button" => assert_eq!(words.len(), 1, "{option}"),
            "combo" => {
                let word = words[2];
                let vars: Vec<&[&str]> = words[3..].chunks(2).collect();
                assert!(words[1] == "default" && vars.contains(&&["var", word][..]));
                assert!(vars.iter().all(|var| var[0] == "var"), "{option}");
            }
            other => panic!("{option}: no GUI knows {other}"),
        }
        names.push(name);
    }
    for name in [
        "Hash",
        "Threads",
        "MultiPV",
        "Ponder",
        "Move Overhead",
        "Clear Hash",
        "UCI_Chess960",
        "UCI_ShowWDL",
        "UCI_AnalyseMode",
        "UCI_LimitStrength",
        "UCI_Elo",
        "TablebasePath",
        "TBStartupMen",
        "TBMaxMen",
        "TBMemory",
        "TBOnDemand",
        "GenerateTB",
        "SyzygyPath",
        "SyzygyProbeDepth",
        "SyzygyProbeLimit",
        "Syzygy50MoveRule",
    ] {
        assert!(names.contains(&name), "no option {name}");
    }
}

#[test]
fn every_option_can_be_set_to_its_default_and_limits() {
    let mut client = Client::start();
    client.send("uci");
    let lines = client.expect("uciok");
    for option in lines
        .iter()
        .filter_map(|line| line.strip_prefix("option name "))
    {
        let (name, rest) = option.split_once(" type ").expect("a type");
        let words: Vec<&str> = rest.split(' ').collect();
        let after = |word: &str| {
            words
                .iter()
                .position(|&w| w == word)
                .map(|at| words[at + 1])
        };
        // The largest hash table and the most threads would ask too much of the machine.
        let values = [
            after("min"),
            after("max").filter(|_| !["Hash", "Threads"].contains(&name)),
            after("default"),
        ];
        for value in values.into_iter().flatten() {
            // Tables are the topic elsewhere.
            let value = if name == "TBStartupMen" { "0" } else { value };
            client.send(&format!("setoption name {name} value {value}"));
        }
        assert_eq!(client.sync(), Vec::<String>::new(), "{option}");
    }
}

#[test]
fn emptied_string_options_are_taken() {
    let mut client = Client::ready();
    client.send("setoption name TablebasePath value ");
    client.send("setoption name TablebasePath value");
    client.send("setoption name TablebasePath");
    client.send("setoption name TablebasePath value <empty>");
    client.send("setoption name GenerateTB value ");
    client.send("setoption name SyzygyPath value ");
    client.send("setoption name SyzygyPath value <empty>");
    assert_eq!(client.sync(), Vec::<String>::new());
}

#[test]
fn castling_is_written_as_the_option_says() {
    let mut client = Client::ready();
    let fen = "4k3/8/8/8/8/8/PPPPPPPP/4K2R w K - 0 1";
    client.send(&format!("position fen {fen}"));
    assert_eq!(client.go("depth 2 searchmoves e1g1").best(), "e1g1");
    assert_eq!(client.go("depth 2 searchmoves e1h1").best(), "e1g1");
    client.send("setoption name UCI_Chess960 value true");
    client.send(&format!("position fen {}", fen.replace(" K ", " H ")));
    assert_eq!(client.go("depth 2 searchmoves e1h1").best(), "e1h1");
}

#[test]
fn chess960_positions_and_moves_are_taken() {
    let mut client = Client::ready();
    client.send("setoption name UCI_Chess960 value true");
    // Shredder-FEN, X-FEN, and a game that castles king takes rook.
    for fen in [
        "nrk1brnb/pp1ppppp/8/2p5/3P4/1N1Q1N2/1PP1PPPP/qRK1BR1B w FBfb - 2 10",
        "nrk1brnb/pp1ppppp/8/2p5/3P4/1N1Q1N2/1PP1PPPP/qRK1BR1B w KQkq - 2 10",
    ] {
        client.send(&format!("position fen {fen}"));
        check(
            &client.go("depth 4"),
            &Position::from_fen(fen).expect("legal"),
        );
    }
    let fen = "1rk2r2/pppppppp/8/8/8/8/PPPPPPPP/1RK2R2 w FBfb - 0 1";
    client.send(&format!("position fen {fen} moves c1f1 c8b8"));
    let mut position = Position::from_fen(fen).expect("legal");
    for text in ["c1f1", "c8b8"] {
        position = position.play(position.parse_uci(text).expect("castling"));
    }
    let search = client.go("depth 4");
    check(&search, &position);
    assert!(
        !client
            .heard
            .iter()
            .any(|line| line.starts_with("info string")),
        "{:?}",
        client.heard
    );
}

#[test]
fn expected_results_are_shown_on_request() {
    let mut client = Client::ready();
    client.send("position startpos");
    assert!(!client.go("depth 3").last_info().contains(" wdl "));
    client.send("setoption name UCI_ShowWDL value true");
    let search = client.go("depth 3");
    let words: Vec<&str> = search.last_info().split(' ').collect();
    let at = words
        .iter()
        .position(|&word| word == "wdl")
        .expect("expected results");
    assert_eq!(words[at - 3], "score");
    let sum: u32 = words[at + 1..at + 4]
        .iter()
        .map(|word| word.parse::<u32>().expect("a number"))
        .sum();
    assert_eq!(sum, 1000);
}

#[test]
fn several_lines_are_given_on_request() {
    let mut client = Client::ready();
    client.send("setoption name MultiPV value 3");
    client.send("position startpos");
    let search = client.go("depth 4");
    let last = |k: &str| {
        let line = search
            .lines
            .iter()
            .rfind(|line| line.contains(&format!(" multipv {k} ")))
            .expect("a line");
        line.split(' ')
            .skip_while(|&word| word != "pv")
            .nth(1)
            .expect("a move")
            .to_owned()
    };
    let moves = [last("1"), last("2"), last("3")];
    assert_eq!(moves[0], search.best());
    assert!(
        moves[0] != moves[1] && moves[1] != moves[2] && moves[0] != moves[2],
        "{moves:?}"
    );
    assert!(!search.lines.iter().any(|line| line.contains(" multipv 4 ")));
}

#[test]
fn weakened_play_still_follows_the_protocol() {
    let mut client = Client::ready();
    client.send("setoption name UCI_LimitStrength value true");
    client.send("setoption name UCI_Elo value 1200");
    client.send("position startpos moves e2e4");
    check(&client.go("wtime 1000 btime 1000"), &start_and("e2e4"));
}

#[test]
fn two_threads_and_a_small_hash_work() {
    let mut client = Client::ready();
    client.send("setoption name Threads value 2");
    client.send("setoption name Hash value 1");
    client.sync();
    client.send("position startpos");
    for _ in 0..3 {
        check(&client.go("movetime 50"), &Position::start());
    }
    client.send("setoption name Clear Hash");
    client.send("ucinewgame");
    client.sync();
    check(&client.go("depth 5"), &Position::start());
}

/// The protocol allows far more threads than there are processors: they change nothing then, and nobody waits for them.
#[test]
fn more_threads_than_processors_are_not_started() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut client = Client::ready();
    client.send("setoption name Threads value 512");
    let told = client.sync().join("\n");
    assert_eq!(
        told.contains(&format!("{processors} threads search")),
        processors < 512,
        "{told}"
    );
    client.send("position startpos");
    check(&client.go("movetime 50"), &Position::start());
    check(
        &client.go("wtime 100 btime 100 winc 1 binc 1"),
        &Position::start(),
    );
    assert!(client.quit().success());
}
