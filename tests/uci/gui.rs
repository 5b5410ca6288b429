//! What chess GUIs and match runners demand of an answer, a test for each demand.

use crate::common::client::{Client, check, start_and};
use duchamp_chess::Position;

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

/// One node more than a depth takes is enough to finish it; when as many are counted the search is over.
#[test]
fn nodes_are_counted_exactly_with_one_thread() {
    let mut client = Client::ready();
    let mut go = |arguments: &str| {
        client.send("ucinewgame");
        client.send("position startpos");
        let search = client.go(arguments);
        let depth = search.field("depth").map(str::to_owned);
        (depth.expect("a depth"), search.nodes())
    };
    for depth in ["5", "8"] {
        let (reached, nodes) = go(&format!("depth {depth}"));
        assert_eq!(reached, depth);
        assert_eq!(go(&format!("nodes {}", nodes + 1)), (reached, nodes));
        let (less, counted) = go(&format!("nodes {nodes}"));
        assert!(less != depth && counted <= nodes, "{less} {counted}");
    }
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
    let lines = client.sync();
    let last = lines.last().expect("an answer");
    assert!(last.starts_with("Final evaluation "), "{lines:?}");
    client.send("position startpos");
    for line in ["go perft 3", "perft 3"] {
        client.send(line);
        let lines = client.expect("Nodes searched: 8902");
        assert!(lines.contains(&"e2e4: 600".to_owned()), "{lines:?}");
    }
}

/// The lines before `bestmove` are lines 1 to N of one set, each with its whole variation: a GUI keeps what it read last.
#[test]
fn the_last_lines_are_the_whole_set_of_multipv() {
    let mut client = Client::ready();
    client.send("setoption name MultiPV value 3");
    for (fen, arguments) in [
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "depth 8",
        ),
        // Stopped within an iteration.
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "nodes 20000",
        ),
        (
            "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
            "movetime 400",
        ),
    ] {
        client.send(&format!("position fen {fen}"));
        let search = client.go(arguments);
        let count = search.lines.len();
        let last = &search.lines[count - 4..count - 1];
        let depth = word_after(&last[0], "depth");
        for (index, line) in last.iter().enumerate() {
            let number = (index + 1).to_string();
            assert_eq!(word_after(line, "multipv"), Some(&*number), "{last:#?}");
            assert_eq!(word_after(line, "depth"), depth, "{last:#?}");
            assert!(!line.contains("bound"), "{last:#?}");
            let pv = line.split(" pv ").nth(1).expect("a variation");
            assert!(pv.split(' ').count() > 2, "{last:#?}");
            let best = pv.split(' ').next();
            assert_eq!(index == 0, best == Some(search.best()), "{last:#?}");
        }
        let again = search.lines[..count - 4]
            .iter()
            .any(|line| line == &last[0]);
        assert!(!again, "{:#?}", search.lines);
    }
}

fn word_after<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|&word| word != name).nth(1)
}
