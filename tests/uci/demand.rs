//! `TBOnDemand` as a GUI's user meets it: tables appear for the position on the board, a clock is left alone,
//! limits hold.

use crate::common::client::{Client, HANG_GUARD};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Five men, no capture but one: the rooks.
const FIVE: &str = "8/8/8/4k3/8/8/r7/RK5n w - - 0 1";
/// The four-man tables next to it, and the three-man tables below.
const BELOW_FIVE: [&str; 5] = ["KRvKN", "KRvKR", "KRNvK", "KRvK", "KNvK"];

/// An engine that generates tables only on demand, of at most so many men.
fn on_demand(most: u32) -> Client {
    let mut client = Client::ready();
    client.send(&format!("setoption name TBMaxMen value {most}"));
    client.send("setoption name TBOnDemand value true");
    assert_eq!(client.sync(), Vec::<String>::new());
    client
}

fn path(client: &Client, table: &str) -> PathBuf {
    client.folder.path().join(format!("tables/{table}.wdl"))
}

fn count(client: &Client) -> usize {
    let folder = std::fs::read_dir(client.folder.path().join("tables"));
    folder.map_or(0, |entries| {
        let names = entries
            .filter_map(Result::ok)
            .map(|entry| entry.file_name());
        names
            .filter(|name| name.to_string_lossy().ends_with(".wdl"))
            .count()
    })
}

/// Whether the engine says that it generates tables or has some to generate.
fn is_generating(client: &mut Client) -> bool {
    client.send("tb");
    let lines = client.sync();
    lines.iter().any(|line| line.ends_with("; generating more"))
}

fn wait_for_rest(client: &mut Client) {
    let start = Instant::now();
    while is_generating(client) {
        assert!(start.elapsed() < HANG_GUARD, "{:?}", client.heard.last());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn wait_for(client: &mut Client, tables: &[&str]) {
    wait_for_rest(client);
    for table in tables {
        assert!(path(client, table).is_file(), "{table}: {:?}", client.heard);
    }
}

fn hits(client: &mut Client, go: &str) -> u64 {
    let search = client.go(go);
    search
        .field("tbhits")
        .and_then(|hits| hits.parse().ok())
        .expect("a number of hits")
}

#[test]
fn the_tables_that_a_root_can_reach_appear_and_are_used() {
    let mut client = on_demand(4);
    client.send(&format!("position fen {FIVE}"));
    assert_eq!(hits(&mut client, "depth 1 nodes 1"), 0);
    wait_for(&mut client, &BELOW_FIVE);
    assert!(
        client
            .heard
            .iter()
            .any(|line| line.starts_with("info string Generating K")
                && line.ends_with(", which becomes reachable")),
        "{:?}",
        client.heard
    );
    assert!(hits(&mut client, "depth 6") > 0);
    // Nothing else was generated: KRNvKR has too many men.
    assert_eq!(count(&client), BELOW_FIVE.len());
    assert!(client.quit().success());
}

#[test]
fn the_table_of_the_root_itself_is_generated() {
    let mut client = on_demand(5);
    client.send("position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1");
    wait_for(&mut client, &["KRvK"]);
    let search = client.go("depth 3");
    assert_eq!(search.field("mate"), Some("14"), "{:?}", search.lines);
    assert_eq!(count(&client), 1);
}

#[test]
fn without_the_option_nothing_is_generated() {
    let mut client = Client::ready();
    client.send(&format!("position fen {FIVE}"));
    client.go("movetime 200");
    assert_eq!(count(&client), 0);
    client.send("setoption name TBMaxMen value 3");
    client.send("setoption name TBOnDemand value true");
    client.send("position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1");
    wait_for(&mut client, &["KRvK"]);
}

#[test]
fn a_clock_is_left_alone() {
    let mut client = on_demand(4);
    client.send("go wtime 600000 btime 600000 movestogo 1");
    // As a GUI does that shows the next position early: now there is something to generate.
    client.send(&format!("position fen {FIVE}"));
    assert!(is_generating(&mut client));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(count(&client), 0);
    client.send("stop");
    client.answer();
    wait_for(&mut client, &BELOW_FIVE);
}

#[test]
fn an_endless_search_takes_the_tables_in() {
    let mut client = on_demand(4);
    client.send(&format!("position fen {FIVE}"));
    client.send("go infinite");
    let start = Instant::now();
    while count(&client) < BELOW_FIVE.len() {
        assert!(start.elapsed() < HANG_GUARD);
        std::thread::sleep(Duration::from_millis(20));
    }
    client.send("stop");
    client.answer();
    assert!(hits(&mut client, "depth 6") > 0);
}

#[test]
fn another_position_is_planned_anew() {
    let mut client = on_demand(4);
    client.send(&format!("position fen {FIVE}"));
    client.send("position fen 8/8/8/4k3/8/8/8/1K5Q w - - 0 1");
    wait_for(&mut client, &["KQvK"]);
    client.send("ucinewgame");
    client.send("position startpos");
    wait_for_rest(&mut client);
    client.send(&format!("position fen {FIVE}"));
    wait_for(&mut client, &BELOW_FIVE);
}

#[test]
fn stop_and_quit_leave_whole_files() {
    for (millis, end) in [
        (0, "quit"),
        (50, "quit"),
        (50, "setoption name GenerateTB value stop"),
    ] {
        let mut client = on_demand(4);
        client.send(&format!("position fen {FIVE}"));
        std::thread::sleep(Duration::from_millis(millis));
        client.send(end);
        if end != "quit" {
            wait_for_rest(&mut client);
            let before = count(&client);
            // The same tables are not begun again for the next position.
            client.send(&format!("position fen {FIVE} moves b1c1"));
            std::thread::sleep(Duration::from_millis(300));
            assert_eq!(count(&client), before);
            client.send("quit");
        }
        assert!(client.wait().success());
        let folder = client.folder.path().join("tables");
        let names: Vec<String> = std::fs::read_dir(folder).map_or(Vec::new(), |entries| {
            let names = entries
                .filter_map(Result::ok)
                .map(|entry| entry.file_name());
            names
                .map(|name| name.to_string_lossy().into_owned())
                .collect()
        });
        let whole = |name: &String| name.ends_with(".wdl") || name.ends_with(".dtm");
        assert!(names.iter().all(whole), "{names:?}");
    }
}

#[test]
fn what_needs_too_much_memory_is_refused_in_one_line() {
    let mut client = on_demand(5);
    client.send("setoption name TBMemory value 64");
    client.send("position fen 8/8/8/4k3/8/6K1/r6P/R7 w - - 0 1");
    wait_for(&mut client, &["KRvKR", "KRvKP", "KRPvK"]);
    let refusals = client.heard.iter().filter(|line| line.contains("MiB"));
    assert_eq!(refusals.count(), 1, "{:?}", client.heard);
    // Not again while the same tables are in question.
    client.send("position fen 8/8/8/4k3/8/5K2/r6P/R7 w - - 0 1");
    wait_for_rest(&mut client);
    let refusals = client.heard.iter().filter(|line| line.contains("MiB"));
    assert_eq!(refusals.count(), 1, "{:?}", client.heard);
}
