//! When an answer comes: searches that wait, that are stopped, that end each other; exactly one answer each.

use crate::common::client::{Client, SHORT, Search, check, is_move, start_and};
use duchamp_chess::Position;

#[test]
fn infinite_search_answers_only_after_stop() {
    let mut client = Client::ready();
    // A mate in one is found at once; the answer must still wait.
    client.send("position fen 6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1");
    client.send("go infinite");
    client.expect_no_answer();
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
    assert_eq!(client.answers(), asked);
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
    assert_eq!(client.answers(), 2);
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
    client.expect_no_answer();
    client.send("ponderhit");
    client.answer();
    // Missed: `stop` brings an answer, which the GUI throws away.
    client.send(&line);
    client.send("go wtime 300 btime 300 ponder");
    client.expect_no_answer();
    client.send("stop");
    client.answer();
    client.overhear(SHORT);
    assert_eq!(client.answers(), 3);
}

#[test]
fn pondering_on_a_finished_depth_still_waits() {
    let mut client = Client::ready();
    client.send("position startpos");
    client.send("go ponder depth 1");
    client.expect_no_answer();
    client.send("ponderhit");
    client.answer();
}

#[test]
fn quit_ends_work_that_would_take_for_ever() {
    // What would be written at the end of it.
    for (work, result) in [
        ("", None),
        ("go infinite", None),
        ("go ponder", None),
        ("go wtime 1000000000 btime 1000000000", None),
        ("go depth 100", None),
        ("perft 12", Some("Nodes searched")),
        ("bench 100", Some(" nps")),
    ] {
        let mut client = Client::ready();
        client.send(work);
        // Now the work is begun.
        client.sync();
        client.send("quit");
        assert!(client.wait().success(), "{work}");
        let ended = |line: &String| result.is_some_and(|result| line.contains(result));
        let rest = client.rest();
        assert!(!rest.iter().any(ended), "{work}: {rest:?}");
    }
}

/// A sum over some of the positions is no signature.
#[test]
fn a_bench_that_is_stopped_has_no_result() {
    let mut client = Client::ready();
    client.send("bench 100");
    client.send("stop");
    client.expect("info string bench stopped");
    client.send("bench abc");
    client.expect("info string bench: abc is no depth");
    client.send("perft 7");
    client.send("stop");
    client.send("perft 2");
    client.expect("Nodes searched: 400");
    let searched = |line: &&String| line.starts_with("Nodes searched");
    assert_eq!(client.heard.iter().filter(searched).count(), 1);
}

/// What is asked for is counted to its end; what `quit` ends says so.
#[test]
fn perfts_wait_for_each_other() {
    let mut client = Client::ready();
    for depth in [4, 1, 3] {
        client.send(&format!("perft {depth}"));
    }
    for nodes in [197_281, 20, 8_902] {
        client.expect(&format!("Nodes searched: {nodes}"));
    }
    client.send("go perft 9");
    client.send("quit");
    client.expect("info string perft 9 stopped: not all moves are counted");
    assert!(client.wait().success());
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
