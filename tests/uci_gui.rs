//! What chess GUIs and match runners demand of an engine, a test for each demand.

#[path = "common/client.rs"]
mod client;

use client::{Client, Search, is_move};
use duchamp::chess::{Game, Position};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(300);

/// Checks what a match runner reads: the last line before `bestmove`, and its variation.
fn check(search: &Search, position: &Position) {
    let info = search.last_info();
    let words: Vec<&str> = info.split(' ').collect();
    assert!(
        words.iter().all(|word| !word.is_empty()),
        "two blanks in {info:?}"
    );
    assert_eq!(words[0], "info");
    assert!(
        !words.contains(&"lowerbound") && !words.contains(&"upperbound"),
        "{info}"
    );
    for name in [
        "depth", "seldepth", "multipv", "nodes", "nps", "time", "hashfull", "tbhits",
    ] {
        let value = search
            .field(name)
            .unwrap_or_else(|| panic!("no {name} in {info}"));
        assert!(value.parse::<u64>().is_ok(), "{name} {value} in {info}");
    }
    let kind = search.field("score").expect("a score");
    assert!(kind == "cp" || kind == "mate", "{info}");
    assert!(
        search
            .field(kind)
            .is_some_and(|value| value.parse::<i32>().is_ok()),
        "{info}"
    );
    assert_eq!(search.pv().first().copied(), Some(search.best()), "{info}");
    let mut game = Game::new(*position);
    for text in search.pv() {
        assert!(
            game.outcome().is_none(),
            "{info}: goes on after the end of the game"
        );
        let mv = game
            .current()
            .parse_uci(text)
            .unwrap_or_else(|error| panic!("{text} in {info}: {error}"));
        game.push(mv);
    }
}

fn start_and(moves: &str) -> Position {
    let mut position = Position::start();
    for text in moves.split_whitespace() {
        position = position.play(position.parse_uci(text).expect("a legal move"));
    }
    position
}

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
    assert_eq!(client.sync(), Vec::<String>::new());
}

#[test]
fn the_start_position_and_fens_with_moves_are_searched() {
    let mut client = Client::ready();
    client.send("ucinewgame");
    client.sync();
    client.send("position startpos");
    check(&client.go("depth 5"), &Position::start());
    client.send("position startpos moves e2e4 e7e5 g1f3");
    check(&client.go("depth 5"), &start_and("e2e4 e7e5 g1f3"));
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    client.send(&format!("position fen {fen} moves e1g1"));
    let position = Position::from_fen(fen).expect("a legal position");
    check(
        &client.go("depth 4"),
        &position.play(position.parse_uci("e1g1").expect("legal")),
    );
}

#[test]
fn clocks_of_one_side_only_are_enough() {
    let mut client = Client::ready();
    client.send("position startpos");
    check(&client.go("wtime 100"), &Position::start());
    client.send("position startpos moves e2e4");
    check(&client.go("btime 100"), &start_and("e2e4"));
    // The wrong clock: the engine must still answer.
    check(&client.go("wtime 100"), &start_and("e2e4"));
}

#[test]
fn clock_arguments_come_in_any_order() {
    let mut client = Client::ready();
    client.send("position startpos moves d2d4");
    let position = start_and("d2d4");
    let words = ["wtime 200", "btime 200", "winc 10", "binc 10"];
    for first in 0..4 {
        for second in (0..4).filter(|&i| i != first) {
            let rest: Vec<usize> = (0..4).filter(|&i| i != first && i != second).collect();
            for order in [
                [first, second, rest[0], rest[1]],
                [first, second, rest[1], rest[0]],
            ] {
                let line: Vec<&str> = order.iter().map(|&i| words[i]).collect();
                check(&client.go(&line.join(" ")), &position);
            }
        }
    }
}

#[test]
fn every_form_of_go_is_answered() {
    let mut client = Client::ready();
    for arguments in [
        "depth 3",
        "nodes 500",
        "movetime 30",
        "wtime 300 btime 300 winc 0 binc 0",
        "wtime 300 btime 300 movestogo 1",
        "wtime 300 btime 300 movestogo 40 depth 4",
        "wtime 300 btime 300 nodes 400",
        "wtime 0 btime 0",
        "wtime -500 btime -500 winc 0 binc 0",
        "wtime 1 btime 1",
        "movetime 0",
        "depth 2 movetime 1000",
        "searchmoves e2e4 d2d4 depth 3",
        "depth 3 searchmoves a2a3",
    ] {
        client.send("position startpos");
        let search = client.go(arguments);
        check(&search, &Position::start());
        if arguments.contains("searchmoves") {
            assert!(
                arguments.contains(search.best()),
                "{arguments}: {}",
                search.best()
            );
        }
    }
}

#[test]
fn nodes_are_counted_exactly_with_one_thread() {
    let mut client = Client::ready();
    client.send("position startpos");
    let nodes = client.go("nodes 5000").nodes();
    assert!(nodes <= 5000, "{nodes}");
}

#[test]
fn infinite_search_answers_only_after_stop() {
    let mut client = Client::ready();
    // A mate in one is found at once; the answer must still wait.
    client.send("position fen 6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1");
    client.send("go infinite");
    assert!(
        !client
            .overhear(SHORT)
            .iter()
            .any(|line| line.starts_with("bestmove"))
    );
    client.send("stop");
    client.answer();
    let search = Search {
        lines: client.heard.clone(),
    };
    assert_eq!(search.best(), "e1e8");
    assert_eq!(
        (search.field("score"), search.field("mate")),
        (Some("mate"), Some("1"))
    );
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut client = Client::ready();
    client.send("position startpos");
    client.send("go infinite");
    for _ in 0..3 {
        assert!(
            !client
                .sync()
                .iter()
                .any(|line| line.starts_with("bestmove"))
        );
    }
    client.send("stop");
    client.answer();
}

#[test]
fn each_go_has_exactly_one_bestmove() {
    let mut client = Client::ready();
    client.send("position startpos");
    let mut asked = 0;
    for arguments in [
        "depth 2",
        "nodes 100",
        "infinite",
        "movetime 20",
        "ponder wtime 100 btime 100",
        "depth 1",
    ] {
        client.send(&format!("go {arguments}"));
        client.send("stop");
        client.send("stop");
        client.answer();
        asked += 1;
    }
    client.send("stop");
    client.send("ponderhit");
    client.overhear(SHORT);
    let best = client
        .heard
        .iter()
        .filter(|line| line.starts_with("bestmove"))
        .count();
    assert_eq!(best, asked);
}

#[test]
fn a_go_during_a_search_ends_the_first_with_its_answer() {
    let mut client = Client::ready();
    client.send("position startpos");
    client.send("go infinite");
    client.send("go depth 2");
    client.answer();
    client.answer();
    client.overhear(SHORT);
    assert_eq!(
        client
            .heard
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count(),
        2
    );
}

#[test]
fn pondering_waits_for_ponderhit_or_stop() {
    let mut client = Client::ready();
    client.send("setoption name Ponder value true");
    client.send("position startpos moves e2e4 e7e5");
    let search = client.go("wtime 500 btime 500");
    check(&search, &start_and("e2e4 e7e5"));
    let expected = search.ponder().unwrap_or("b8c6").to_owned();
    assert!(is_move(&expected));
    let line = format!(
        "position startpos moves e2e4 e7e5 {} {expected}",
        search.best()
    );
    // Hit: the answer comes after it, not before.
    client.send(&line);
    client.send("go ponder wtime 300 btime 300 winc 0 binc 0");
    assert!(
        !client
            .overhear(SHORT)
            .iter()
            .any(|line| line.starts_with("bestmove"))
    );
    client.send("ponderhit");
    client.answer();
    // Missed: `stop` brings an answer, which the GUI throws away.
    client.send(&line);
    client.send("go wtime 300 btime 300 ponder");
    assert!(
        !client
            .overhear(SHORT)
            .iter()
            .any(|line| line.starts_with("bestmove"))
    );
    client.send("stop");
    client.answer();
    client.overhear(SHORT);
    assert_eq!(
        client
            .heard
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count(),
        3
    );
}

#[test]
fn pondering_on_a_finished_depth_still_waits() {
    let mut client = Client::ready();
    client.send("position startpos");
    client.send("go ponder depth 1");
    assert!(
        !client
            .overhear(SHORT)
            .iter()
            .any(|line| line.starts_with("bestmove"))
    );
    client.send("ponderhit");
    client.answer();
}

#[test]
fn a_forced_move_comes_with_a_full_line() {
    let mut client = Client::ready();
    let fen = "7k/8/8/8/8/8/6q1/7K w - - 0 1";
    client.send(&format!("position fen {fen}"));
    let search = client.go("wtime 1000 btime 1000");
    check(&search, &Position::from_fen(fen).expect("legal"));
    assert_eq!(search.best(), "h1g2");
}

#[test]
fn a_finished_game_has_no_best_move() {
    let mut client = Client::ready();
    // Mated, then stalemated.
    for (fen, score) in [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp"),
    ] {
        client.send(&format!("position fen {fen}"));
        for arguments in ["depth 3", "wtime 100 btime 100", "nodes 10"] {
            let search = client.go(arguments);
            assert_eq!(search.best(), "(none)");
            assert_eq!(
                (search.field("score"), search.field(score)),
                (Some(score), Some("0")),
                "{:?}",
                search.lines
            );
        }
    }
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

#[test]
fn quit_ends_at_once_even_during_a_search() {
    for before in [
        "",
        "go infinite",
        "go ponder",
        "go wtime 1000000 btime 1000000",
        "perft 8",
        "bench",
    ] {
        let mut client = Client::ready();
        client.send(before);
        assert!(client.quit().success(), "{before}");
    }
}

#[test]
fn stop_ends_a_long_search_with_its_answer() {
    let mut client = Client::ready();
    client.send("position startpos");
    client.send("go wtime 100000000 btime 100000000");
    client.send("stop");
    check(&client.answer(), &Position::start());
}

#[test]
fn the_end_of_the_input_lets_a_bounded_search_answer() {
    let mut client = Client::ready();
    client.send_bytes(b"position startpos\ngo depth 4");
    client.close_input();
    check(&client.answer(), &Position::start());
    assert!(client.wait().success());
    let mut client = Client::ready();
    client.send("go infinite");
    client.close_input();
    client.answer();
    assert!(client.wait().success());
}

#[test]
fn nothing_is_written_to_the_working_directory() {
    let mut client = Client::ready();
    client.send("position startpos");
    client.go("depth 4");
    let path = client.folder.path().to_owned();
    let names = || -> Vec<_> {
        let entries = std::fs::read_dir(&path).expect("the folder is there");
        entries
            .filter_map(|entry| entry.ok())
            .map(|entry| entry.file_name())
            .filter(|name| name != "tables")
            .collect()
    };
    assert_eq!(names(), Vec::<std::ffi::OsString>::new());
}

#[test]
fn extra_commands_answer() {
    let mut client = Client::ready();
    client.send("position startpos moves e2e4");
    client.send("d");
    let lines = client.sync();
    assert!(
        lines.contains(
            &"FEN: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".to_owned()
        ),
        "{lines:?}"
    );
    client.send("eval");
    assert_eq!(client.sync().len(), 1);
    client.send("position startpos");
    for line in ["go perft 3", "perft 3"] {
        client.send(line);
        let lines = client.expect("Nodes searched: 8902");
        assert!(lines.contains(&"e2e4: 600".to_owned()), "{lines:?}");
    }
}
