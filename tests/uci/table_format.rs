//! `TBFormat`: what `GenerateTB` writes, and whether the engine plays with it.

use crate::common::client::{Client, HANG_GUARD};
use std::path::Path;
use std::time::Instant;

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = entries.filter_map(Result::ok);
    let mut names: Vec<String> = names
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Waits for the line that says that generation ended, and gives it.
fn generated(client: &mut Client) -> String {
    let start = Instant::now();
    loop {
        let line = client.line();
        if line.starts_with("info string Generated ") {
            return line;
        }
        assert!(start.elapsed() < HANG_GUARD, "{line}");
    }
}

#[test]
fn syzygy_files_alone_are_written_into_the_path_and_read_at_once() {
    let mut client = Client::ready();
    let syzygy = client.folder.path().join("for all");
    std::fs::create_dir(&syzygy).expect("a folder");
    client.send(&format!(
        "setoption name SyzygyPath value {}",
        syzygy.display()
    ));
    client.send("setoption name TBFormat value syzygy");
    client.send("setoption name GenerateTB value KRK");
    let line = generated(&mut client);
    assert!(line.contains("for all"), "{line}");
    client.expect("info string Found 1 WDL and 1 DTZ");
    assert_eq!(names(&syzygy), ["KRvK.rtbw", "KRvK.rtbz"]);
    let own = names(&client.folder.path().join("tables"));
    assert!(own.is_empty(), "{own:?}");
    // Two plies are too few to see the win.
    client.send("position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1");
    let search = client.go("depth 2");
    let hits = search.field("tbhits").and_then(|n| n.parse::<u64>().ok());
    assert!(hits.is_some_and(|n| n > 0), "{:?}", search.lines);
    assert!(client.quit().success());
}

#[test]
fn both_formats_without_a_path_lie_side_by_side() {
    let mut client = Client::ready();
    let own = client.folder.path().join("tables");
    client.send("setoption name TBFormat value both");
    client.send("setoption name GenerateTB value KQK");
    let line = generated(&mut client);
    assert!(line.contains("set SyzygyPath to "), "{line}");
    assert_eq!(names(&own), ["KQvK.dtm", "KQvK.wdl"]);
    assert_eq!(names(&own.join("syzygy")), ["KQvK.rtbw", "KQvK.rtbz"]);
    assert!(client.quit().success());
}

#[test]
fn an_unknown_format_changes_nothing() {
    let mut client = Client::ready();
    client.send("setoption name TBFormat value gaviota");
    let lines = client.sync();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("own or syzygy or both"), "{lines:?}");
    client.send("setoption name GenerateTB value KQK");
    generated(&mut client);
    assert_eq!(
        names(&client.folder.path().join("tables")),
        ["KQvK.dtm", "KQvK.wdl"]
    );
    assert!(client.quit().success());
}
