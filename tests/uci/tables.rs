//! Endgame tables as a GUI's user meets them: generated at the start, on request, moved, used in play.

use crate::common::client::{Client, HANG_GUARD};
use std::path::Path;
use std::time::{Duration, Instant};

/// How many tables of 3 and 4 men there are.
const SMALL: usize = 35;

/// The names of all files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// How many tables the engine says are ready.
fn ready(client: &mut Client) -> usize {
    client.send("tb");
    let lines = client.sync();
    let line = lines
        .iter()
        .find(|line| line.contains(" of up to ") || line.contains(" no tables in "))
        .expect("an answer")
        .clone();
    line.trim_start_matches("info string ")
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0)
}

fn wait_for(client: &mut Client, count: usize) {
    let start = Instant::now();
    while ready(client) < count {
        assert!(start.elapsed() < HANG_GUARD, "{:?}", client.heard.last());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Only whole tables: for every material both files, and no others.
fn assert_whole(folder: &Path) -> usize {
    // A table is reported ready a moment before its lock is gone.
    let start = Instant::now();
    while files(folder).iter().any(|name| name.ends_with(".lock")) && start.elapsed() < HANG_GUARD {
        std::thread::sleep(Duration::from_millis(20));
    }
    let names = files(folder);
    let count = |end: &str| names.iter().filter(|name| name.ends_with(end)).count();
    assert_eq!(count(".wdl"), count(".dtm"), "{names:?}");
    assert_eq!(count(".wdl") * 2, names.len(), "{names:?}");
    count(".wdl")
}

#[test]
fn the_first_start_generates_all_small_tables_and_the_second_finds_them() {
    let mut client = Client::start_bare();
    let folder = client.folder.path().join("tables");
    client.send("uci");
    client.expect("uciok");
    // The answers come while tables are generated; so does a move.
    client.sync();
    client.send("position startpos");
    client.go("wtime 300 btime 300");
    wait_for(&mut client, SMALL);
    client.send("position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1");
    let search = client.go("wtime 1000 btime 1000");
    assert_eq!(
        (search.field("score"), search.field("mate")),
        (Some("mate"), Some("14")),
        "{:?}",
        search.lines
    );
    assert!(
        search
            .field("tbhits")
            .and_then(|n| n.parse::<u64>().ok())
            .is_some_and(|n| n > 0)
    );
    client.send("quit");
    client.wait();
    assert_eq!(assert_whole(&folder), SMALL);
    let mut second = Client::start_in(tempfile::tempdir().expect("a temporary folder"), &folder);
    assert_eq!(ready(&mut second), SMALL);
    assert!(second.quit().success());
    assert_eq!(assert_whole(&folder), SMALL);
}

#[test]
fn two_engines_started_together_end_with_one_good_set() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = home.path().join("shared");
    let start = || Client::start_in(tempfile::tempdir().expect("a temporary folder"), &folder);
    let mut engines = [start(), start()];
    for client in &mut engines {
        client.send("uci");
        client.send("isready");
        client.send("position startpos");
        client.send("go movetime 50");
    }
    for client in &mut engines {
        client.expect("readyok");
        client.answer();
    }
    for client in &mut engines {
        wait_for(client, SMALL);
        client.send("position fen 8/8/8/4k3/8/8/3QK3/8 w - - 0 1");
        assert!(client.go("depth 4").last_info().contains("score mate"));
    }
    for client in engines {
        assert!(client.quit().success());
    }
    assert_eq!(assert_whole(&folder), SMALL);
}

#[test]
fn quit_leaves_no_broken_file() {
    for millis in [0, 30, 120] {
        let mut client = Client::start_bare();
        let folder = client.folder.path().join("tables");
        client.send("isready");
        client.expect("readyok");
        std::thread::sleep(Duration::from_millis(millis));
        client.send("quit");
        assert!(client.wait().success());
        assert!(assert_whole(&folder) <= SMALL);
    }
}

#[test]
fn an_engine_that_was_killed_leaves_nothing_that_disturbs_the_next() {
    let mut client = Client::start_bare();
    client.send("isready");
    client.expect("readyok");
    std::thread::sleep(Duration::from_millis(60));
    let home = client.kill();
    let folder = home.path().join("tables");
    let mut next = Client::start_in(tempfile::tempdir().expect("a temporary folder"), &folder);
    wait_for(&mut next, SMALL);
    assert!(next.quit().success());
    let names = files(&folder);
    let whole = names
        .iter()
        .filter(|name| name.ends_with(".wdl") || name.ends_with(".dtm"))
        .count();
    assert_eq!(whole, 2 * SMALL, "{names:?}");
}

#[test]
fn tables_are_generated_on_request_with_progress() {
    let mut client = Client::ready();
    let folder = client.folder.path().join("tables");
    client.send("setoption name GenerateTB value KRPkr");
    let lines = client.sync();
    assert!(
        lines.is_empty()
            || lines
                .iter()
                .all(|line| line.starts_with("info string Generating ")),
        "{lines:?}"
    );
    client.send("setoption name GenerateTB value stop");
    client.expect("info string Generation stopped");
    assert!(assert_whole(&folder) < SMALL);
    client.send("setoption name GenerateTB value KQvK, KRK");
    let lines = client.expect("info string");
    let finished = |line: &String| line.starts_with("info string Generated ");
    if !lines.iter().any(finished) {
        let start = Instant::now();
        while !finished(&client.line()) {
            assert!(start.elapsed() < HANG_GUARD);
        }
    }
    assert!(ready(&mut client) >= 2);
    let names = files(&folder);
    assert!(
        names.contains(&"KQvK.wdl".to_owned()) && names.contains(&"KRvK.dtm".to_owned()),
        "{names:?}"
    );
    let progress: Vec<&String> = client
        .heard
        .iter()
        .filter(|line| line.starts_with("info string Generating K"))
        .collect();
    assert!(
        progress
            .iter()
            .all(|line| line.contains(" tables done, ") && line.contains(" %")),
        "{progress:?}"
    );
}

/// What was asked for was for the folder before.
#[test]
fn another_folder_ends_what_was_asked_for() {
    let mut client = Client::ready();
    client.send("setoption name GenerateTB value KRPkr");
    let other = client.folder.path().join("other");
    client.send(&format!(
        "setoption name TablebasePath value {}",
        other.display()
    ));
    client.expect("info string Generation stopped");
    assert!(client.quit().success());
}

#[test]
fn requests_beyond_the_limit_are_refused() {
    let mut client = Client::ready();
    client.send("setoption name TBMaxMen value 4");
    client.send("setoption name GenerateTB value KQPKQ");
    let lines = client.sync();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("TBMaxMen"), "{lines:?}");
}

/// A table of six men is refused with figures where it does not fit, after a line that says what it takes.
#[test]
fn a_table_of_six_men_is_estimated_and_refused() {
    let mut client = Client::ready();
    client.send("setoption name TBMaxMen value 6");
    client.send("setoption name TBMemory value 64");
    client.send("setoption name GenerateTB value KRPKRP");
    let start = Instant::now();
    let is_refusal = |line: &String| line.contains(" allowed") || line.contains(" of disk ");
    while !client.heard.iter().any(is_refusal) {
        assert!(start.elapsed() < HANG_GUARD, "{:?}", client.heard.last());
        ready(&mut client);
        std::thread::sleep(Duration::from_millis(20));
    }
    let refusal = client.heard.iter().position(is_refusal).expect("refused");
    let estimate = client.heard[..refusal].iter();
    let estimate = estimate.rev().find(|line| line.contains("Generating"));
    let estimate = estimate.expect("an estimate first");
    for figure in ["about", "on disk", "while it lasts", "of memory"] {
        assert!(estimate.contains(figure), "{estimate}");
    }
    assert_eq!(ready(&mut client), 0);
}

#[test]
fn the_folder_can_change_while_the_engine_runs() {
    let mut client = Client::ready();
    let home = tempfile::tempdir().expect("a temporary folder");
    let other = home.path().join("other  place");
    client.send(&format!(
        "setoption name TablebasePath value {}",
        other.display()
    ));
    assert_eq!(ready(&mut client), 0);
    client.send("setoption name GenerateTB value KQK");
    wait_for(&mut client, 1);
    assert_eq!(files(&other), ["KQvK.dtm", "KQvK.wdl"]);
    // Back to the usual place, where there is nothing.
    client.send("setoption name TablebasePath value ");
    assert_eq!(ready(&mut client), 0);
    client.send(&format!(
        "setoption name TablebasePath value {}",
        other.display()
    ));
    assert_eq!(ready(&mut client), 1);
    client.send("position fen 8/8/8/4k3/8/8/3QK3/8 w - - 0 1");
    assert!(client.go("depth 3").last_info().contains("score mate"));
    // Tables of more men than allowed are not probed.
    client.send("setoption name TBMaxMen value 0");
    assert_eq!(client.go("depth 1").field("tbhits"), Some("0"));
}

#[test]
fn damaged_tables_are_reported_once_and_generated_again() {
    let mut client = Client::start_bare();
    let folder = client.folder.path().join("tables");
    client.send("setoption name TBStartupMen value 3");
    wait_for(&mut client, 5);
    client.send("quit");
    client.wait();
    for (name, at) in [("KQvK.wdl", 0), ("KRvK.dtm", 200)] {
        let path = folder.join(name);
        let mut bytes = std::fs::read(&path).expect("a table");
        if at == 0 {
            bytes.truncate(bytes.len() / 2);
        } else {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
        }
        // A new file under the old name, as a bad disk or copy leaves it.
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, bytes).expect("written");
    }
    let mut client = Client::start_in(tempfile::tempdir().expect("a temporary folder"), &folder);
    client.send("setoption name TBStartupMen value 3");
    wait_for(&mut client, 5);
    for fen in [
        "8/8/8/4k3/8/8/3QK3/8 w - - 0 1",
        "8/8/8/8/8/2k5/8/K6R w - - 0 1",
    ] {
        client.send(&format!("position fen {fen}"));
        let search = client.go("wtime 3000 btime 3000");
        assert!(search.best() != "(none)");
    }
    assert!(client.quit().success());
    assert!(
        files(&folder).iter().any(|name| name.contains(".bad")),
        "{:?}",
        files(&folder)
    );
}

/// Nobody sees the generation at the first start but through `info string`: it says what begins, where, how long it will
/// take, and what came of it; and nothing of that before `uci` is answered.
#[test]
fn the_generation_at_the_start_reports_what_it_does() {
    let mut client = Client::start_bare();
    let folder = client.folder.path().join("tables").display().to_string();
    // Longer than an engine waits before it begins by itself.
    let early = client.overhear(Duration::from_millis(1500));
    assert_eq!(early, Vec::<String>::new());
    client.send("uci");
    for line in client.expect("uciok") {
        assert!(
            ["id ", "option ", "uciok"]
                .iter()
                .any(|start| line.starts_with(start)),
            "{line}"
        );
    }
    let lines = client.expect("info string Generated 35 tables in ");
    let started = lines
        .iter()
        .find(|line| line.starts_with("info string Generating 35 missing endgame tables in "))
        .unwrap_or_else(|| panic!("{lines:#?}"));
    assert!(started.contains(&folder), "{started}");
    assert!(
        started.contains(": about ") && started.contains(" on disk"),
        "{started}"
    );
    let finished = lines.last().expect("a line");
    assert!(
        finished.contains(&folder) && finished.contains("MB)"),
        "{finished}"
    );
    assert!(
        lines.iter().all(|line| line.starts_with("info string ")),
        "{lines:#?}"
    );
    // The second start finds them and says nothing.
    client.send("ucinewgame");
    assert_eq!(client.sync(), Vec::<String>::new());
    assert!(client.quit().success());
}

#[test]
fn a_missing_table_is_named_with_the_command_that_generates_it() {
    let mut client = Client::ready();
    client.send("position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1");
    client.send("d");
    let lines = client.sync();
    let command = lines
        .iter()
        .find_map(|line| line.split_once("KRvK is missing; to generate it: "))
        .unwrap_or_else(|| panic!("{lines:#?}"))
        .1
        .to_owned();
    client.send(&command);
    client.expect("info string Generated ");
    client.send("d");
    let lines = client.sync();
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("Tables: the side to move mates in ")),
        "{lines:#?}"
    );
    // The start position has no table that could be missing.
    client.send("position startpos");
    client.send("d");
    assert!(!client.sync().iter().any(|line| line.contains("Tables")));
}

#[test]
fn tables_of_several_folders_are_used_and_the_first_is_written_to() {
    let [own, other] = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
    let made = std::process::Command::new(crate::common::program::PROGRAM)
        .args(["tb", "generate", "KRvK", "--quiet", "--dir"])
        .arg(other.path())
        .status();
    assert!(made.expect("the program runs").success());
    let before = files(other.path());
    let mut client = Client::start();
    client.send("uci");
    client.expect("uciok");
    let missing = own.path().join("nowhere");
    client.send(&format!(
        "setoption name TablebasePath value {}:{}:{}",
        own.path().display(),
        missing.display(),
        other.path().display()
    ));
    let told = client.sync().join("\n");
    assert!(told.contains(&missing.display().to_string()), "{told}");
    assert_eq!(ready(&mut client), 1);
    client.send("position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1");
    let lines = client.go("depth 3").lines;
    let mate = lines.iter().any(|line| line.contains("score mate"));
    assert!(mate, "{lines:?}");
    client.send("setoption name GenerateTB value KQvK");
    wait_for(&mut client, 2);
    assert_whole(own.path());
    assert_eq!(files(own.path()), ["KQvK.dtm", "KQvK.wdl"]);
    assert_eq!(files(other.path()), before);
    assert!(!missing.exists());
    assert!(client.quit().success());
}
