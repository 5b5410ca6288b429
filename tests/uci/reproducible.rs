//! One thread, the same input, the same nodes: also after `ucinewgame`, and in the bench.

use crate::common::client::Client;
use crate::common::program::PROGRAM;

/// The nodes and moves of a short game that the engine plays against itself.
fn game(client: &mut Client) -> Vec<(String, u64)> {
    let mut moves = String::new();
    let mut result = Vec::new();
    for arguments in ["depth 8", "nodes 20000", "depth 9", "nodes 5000", "depth 8"] {
        client.send(&format!("position startpos moves{moves}"));
        let search = client.go(arguments);
        result.push((search.best().to_owned(), search.nodes()));
        moves.push(' ');
        moves.push_str(search.best());
    }
    result
}

#[test]
fn the_same_game_twice_takes_the_same_nodes() {
    let mut client = Client::ready();
    client.send("ucinewgame");
    let first = game(&mut client);
    client.send("ucinewgame");
    client.sync();
    assert_eq!(game(&mut client), first);
    let mut other = Client::ready();
    other.send("ucinewgame");
    assert_eq!(game(&mut other), first);
}

#[test]
fn clear_hash_forgets_as_much_as_a_new_game() {
    let mut client = Client::ready();
    let first = game(&mut client);
    client.send("setoption name Clear Hash");
    assert_eq!(game(&mut client), first);
}

#[test]
fn the_bench_has_a_signature() {
    let nodes = || {
        let output = std::process::Command::new(PROGRAM)
            .args(["bench", "5"])
            .output()
            .expect("the bench runs");
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).expect("plain text");
        let last = text.lines().last().expect("a last line").to_owned();
        let words: Vec<&str> = last.split(' ').collect();
        assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{last}");
        assert!(words[2].parse::<u64>().is_ok());
        words[0].parse::<u64>().expect("a number of nodes")
    };
    let first = nodes();
    assert!(first > 1000);
    assert_eq!(nodes(), first);
    // The same from inside a session.
    let mut client = Client::ready();
    client.send("bench 5");
    let line = client.expect(&format!("{first} nodes "));
    assert!(line.last().is_some_and(|line| line.ends_with(" nps")));
}
