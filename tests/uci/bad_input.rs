//! Bad input: one clear line each, and the engine goes on.

use crate::common::client::{Client, HANG_GUARD, is_move};
use crate::common::program::PROGRAM;
use std::time::Duration;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Sends a line and counts the lines that come back before `readyok`; all must be `info string`.
fn notes(client: &mut Client, line: &str) -> usize {
    client.send(line);
    let lines = client.sync();
    assert!(
        lines.iter().all(|text| text.starts_with("info string ")),
        "{line:?}: {lines:?}"
    );
    lines.len()
}

/// The position that the engine now has.
fn fen(client: &mut Client) -> String {
    client.send("d");
    let lines = client.expect("FEN: ");
    client.sync();
    lines
        .last()
        .and_then(|line| line.strip_prefix("FEN: "))
        .expect("a FEN")
        .to_owned()
}

#[test]
fn every_go_that_breaks_the_parser_crate_is_answered() {
    let mut client = Client::ready();
    // Trailing blanks, numbers beyond a byte or beyond everything, words in odd places.
    for line in [
        "go depth 3 ",
        "go depth 3\t",
        "go wtime 100 btime 100 ",
        "go depth 256 nodes 100",
        "go depth 999 nodes 100",
        "go depth 1000 nodes 100",
        "go movestogo 256 wtime 100 btime 100",
        "go depth 99999999999999999999 nodes 100",
        "go nodes 100 depth 1000",
        "go nodes 1000000000000 depth 3",
        "go movetime 99999999999999 depth 3",
        "go mate 256 nodes 500",
        "go wtime 100 foo 3 btime 100",
        "go wtime 1000.5 btime 1",
        "go wtime 9223372036854775807 btime 1 depth 3",
        "go depth 3 wtime 10000 btime 10000 movetime 20",
        "go depth -1",
        "go movetime",
        "go searchmoves depth 2",
        "go searchmoves e9e9 zz depth 2",
        "go searchmoves e7e5 depth 2",
        "GO DEPTH 2",
        "junk go depth 2",
    ] {
        client.send("position startpos");
        client.send(line);
        if line == "go movetime" {
            // Nothing limits it.
            client.send("stop");
        }
        let search = client.answer();
        assert!(is_move(search.best()), "{line}");
        assert!(
            search.field("score").is_some(),
            "{line}: {:?}",
            search.lines
        );
    }
    for line in [
        "go ",
        "go infinite ",
        "go",
        "go ponder wtime 1000 btime 1000 ",
        "go mate",
        "go mate 300",
    ] {
        client.send(line);
        client.sync();
        client.send("stop");
        assert!(is_move(client.answer().best()), "{line}");
    }
}

#[test]
fn every_position_that_the_parser_crate_drops_is_taken() {
    let mut client = Client::ready();
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    for line in [
        "position startpos  moves  e2e4",
        "position  startpos moves e2e4 ",
        "position startpos moves E2E4",
        "position startpos e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1 moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - -5 -1 moves e2e4",
        "position rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4",
    ] {
        assert_eq!(notes(&mut client, "position startpos"), 0);
        assert_eq!(notes(&mut client, line), 0, "{line}");
        assert_eq!(fen(&mut client), after, "{line}");
    }
    notes(
        &mut client,
        "position fen 8/8/8/8/8/4k3/8/4K2R w K - 0 12345",
    );
    assert_eq!(fen(&mut client), "8/8/8/8/8/4k3/8/4K2R w K - 0 12345");
    notes(
        &mut client,
        "position fen 7k/P7/8/8/8/8/8/K7 w - - 0 1 moves a7a8Q h8h7",
    );
    assert_eq!(fen(&mut client), "Q7/7k/8/8/8/8/8/K7 w - - 1 2");
}

#[test]
fn a_bad_move_ends_the_list_with_one_note() {
    let mut client = Client::ready();
    for bad in [
        "xyz",
        "0000",
        "e9e5",
        "e7e4",
        "e7e5q",
        "a7a8k",
        "e7",
        "moves",
        "\u{e9}\u{e9}\u{e9}",
    ] {
        assert_eq!(
            notes(
                &mut client,
                &format!("position startpos moves e2e4 {bad} d2d4")
            ),
            1,
            "{bad}"
        );
        assert!(
            fen(&mut client).starts_with("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"),
            "{bad}"
        );
    }
    assert!(is_move(client.go("depth 2").best()));
}

#[test]
fn impossible_positions_are_refused_and_the_old_one_stays() {
    let mut client = Client::ready();
    let long = format!("position fen {}", "8/".repeat(50_000));
    let bad = [
        "position",
        "position fen",
        "position fen moves e2e4",
        "position junk",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 8/8/8/88888888/8/8/8/K6k w - - 0 1",
        "position fen 8/8/8/8/8/8/8/KK5k w - - 0 1",
        "position fen kr6/8/8/8/8/8/8/K7 b - - 0 1 extra words here",
        "position fen 7k/8/8/8/8/8/8/K6P w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/4K2r b - - 0 1",
        "position fen QQQQQQQQ/QQQQQQQQ/8/8/8/8/8/K6k w - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KZkq - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq z9 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP/RNBQKBNR w KQkq - 0 1",
        "position fen \u{1F600}/8 w - - 0 1",
        &long,
    ];
    for line in bad {
        let expected = if line.contains("kr6") { 0 } else { 1 };
        let short: String = line.chars().take(80).collect();
        assert_eq!(notes(&mut client, line), expected, "{short}");
        if expected == 1 {
            assert_eq!(fen(&mut client), START, "{short}");
        }
        notes(&mut client, "position startpos");
    }
    // Rights that mean nothing are dropped without a word, as other engines do.
    assert_eq!(
        notes(
            &mut client,
            "position fen 4k3/8/8/8/8/8/8/4K3 w KQkq e3 0 1"
        ),
        0
    );
    assert_eq!(fen(&mut client), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
}

#[test]
fn unknown_options_and_values_out_of_range_get_one_line() {
    let mut client = Client::ready();
    for line in [
        "setoption name NoSuchOption value 3",
        "setoption name NoSuchOption",
        "setoption name Hash 128",
        "setoption Hash value 16",
        "setoption",
        "setoption name",
        "setoption name ValueNet value x",
        "setoption name Multi   PV value 2",
        "setoption name Hash value 0",
        "setoption name Hash value -5",
        "setoption name Hash value 99999999999999999999",
        "setoption name Hash value",
        "setoption name Hash value many",
        "setoption name Threads value 0",
        "setoption name Threads value 100000",
        "setoption name MultiPV value 0",
        "setoption name Ponder value perhaps",
        "setoption name UCI_Elo value 1",
        "setoption name Move Overhead value -1",
        "setoption name TBStartupMen value 32",
        "setoption name GenerateTB value nonsense",
        "setoption name GenerateTB value KQQQKQQ",
        "setoption name GenerateTB value 9",
    ] {
        assert_eq!(notes(&mut client, line), 1, "{line}");
    }
    for line in [
        "setoption name Hash value 8  ",
        "setoption name hash value 8",
        "setoption name Clear Hash value x",
    ] {
        assert_eq!(notes(&mut client, line), 0, "{line}");
    }
    client.send("position startpos");
    assert!(is_move(client.go("depth 3").best()));
}

#[test]
fn too_large_a_hash_table_is_refused() {
    let mut client = Client::ready();
    // A TiB: some systems promise even that, and keep the promise as long as it is not touched.
    let count = notes(&mut client, "setoption name Hash value 1048576");
    assert!(count <= 1);
    assert_eq!(notes(&mut client, "setoption name Hash value 1"), 0);
    client.send("position startpos");
    assert!(is_move(client.go("depth 3").best()));
}

#[test]
fn junk_lines_do_no_harm() {
    let mut client = Client::ready();
    for (line, expected) in [
        ("", 0),
        ("   \t ", 0),
        ("isreadyx", 1),
        ("hello world", 1),
        ("debug", 1),
        ("debug maybe", 1),
        ("register", 0),
        ("register later", 0),
        ("register name Foo", 0),
        ("register name a code b", 0),
        ("joho debug off", 0),
        ("stop now", 0),
        ("ponderhit", 0),
        ("info string go infinite", 0),
        ("bestmove e2e4 ponder e7e5", 0),
        ("id name quit", 0),
        ("option name quit type button", 0),
        ("uciok", 0),
        ("readyok", 0),
        ("copyprotection ok", 0),
        ("registration checking", 0),
        ("perft", 1),
        ("perft x", 1),
        ("\u{feff}isready junk", 1),
    ] {
        let got = match line {
            // This one answers `readyok` itself.
            "\u{feff}isready junk" => {
                client.send(line);
                client.expect("readyok");
                client.sync();
                1
            }
            _ => notes(&mut client, line),
        };
        assert_eq!(got, expected, "{line:?}");
    }
    client.send("joho uci");
    client.expect("uciok");
}

#[test]
fn a_megabyte_of_junk_is_one_line() {
    let mut client = Client::ready();
    let mut line = vec![b'x'; 1 << 20];
    line.push(b'\n');
    client.send_bytes(&line);
    assert_eq!(client.sync().len(), 1);
    for start in [
        "position startpos moves ",
        "setoption name Hash value ",
        "go ",
        "position fen ",
    ] {
        let mut line = start.as_bytes().to_vec();
        line.resize(1 << 20, b'9');
        line.push(b'\n');
        client.send_bytes(&line);
        assert_eq!(client.sync().len(), 1, "{start}");
    }
    // Just below the limit: read as a line.
    let mut line = b"go depth 2".to_vec();
    line.extend(b" junk".repeat(40_000));
    line.push(b'\n');
    client.send_bytes(&line);
    assert!(is_move(client.answer().best()));
}

#[test]
fn any_bytes_are_taken() {
    let mut client = Client::ready();
    client.send_bytes(b"\xff\xfe\x00\x80 position \xc3\x28\n");
    assert_eq!(client.sync().len(), 1);
    client.send_bytes(b"\xef\xbb\xbfposition startpos\r\n\r\ngo depth 2\r\n");
    assert!(is_move(client.answer().best()));
    client.send_bytes(b"go\0depth\x0b2\x1b\n");
    assert!(is_move(client.answer().best()));
}

#[test]
fn a_long_game_is_followed() {
    let mut client = Client::ready();
    let mut line = "position startpos moves".to_owned();
    for _ in 0..1500 {
        line.push_str(" g1f3 g8f6 f3g1 f6g8");
    }
    assert_eq!(notes(&mut client, &line), 0);
    assert!(fen(&mut client).ends_with(" w KQkq - 6000 3001"));
    assert!(is_move(client.go("depth 3").best()));
}

#[test]
fn a_table_folder_that_cannot_be_used_gets_one_line() {
    let mut client = Client::start_bare();
    let file = client.folder.path().join("file");
    std::fs::write(&file, "no folder").expect("written");
    client.send("uci");
    client.expect("uciok");
    client.send(&format!(
        "setoption name TablebasePath value {}",
        file.display()
    ));
    client.sync();
    client.overhear(Duration::from_millis(500));
    let troubles = |client: &Client| {
        client
            .heard
            .iter()
            .filter(|line| line.contains("info string"))
            .count()
    };
    assert_eq!(troubles(&client), 1, "{:?}", client.heard);
    client.send("position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1");
    assert!(is_move(client.go("depth 5").best()));
    // A folder below a file can be neither read nor created.
    client.send(&format!(
        "setoption name TablebasePath value {}",
        file.join("below").display()
    ));
    client.sync();
    client.overhear(Duration::from_millis(500));
    assert_eq!(troubles(&client), 2, "{:?}", client.heard);
    assert!(client.go("wtime 500 btime 500").lines.len() > 1);
    assert!(client.quit().success());
}

#[test]
fn a_closed_output_ends_nothing_badly() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut child = Command::new(PROGRAM)
        .env("DUCHAMP_TABLEBASES", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    use std::io::Write;
    let _ = input.write_all(b"setoption name TBStartupMen value 0\nuci\ngo depth 2\nquit\n");
    drop(input);
    let start = std::time::Instant::now();
    while child.try_wait().expect("a child can be asked").is_none() {
        assert!(start.elapsed() < HANG_GUARD, "the engine does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("it has ended");
    let told = String::from_utf8_lossy(&output.stderr);
    // As of a program that SIGPIPE has ended.
    assert_eq!(output.status.code(), Some(141), "{told}");
    assert!(!told.contains("panicked"), "{told}");
}

/// Files that are none, and files without end: one line each, at once.
#[test]
#[cfg(unix)]
fn pipes_devices_folders_and_endless_files_get_one_line() {
    let mut client = Client::ready();
    let folder = client.folder.path().to_owned();
    let [pipe, endless] = ["pipe", "endless"].map(|name| folder.join(name));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let file = std::fs::File::create(&endless).expect("created");
    // It takes no room on the disk.
    file.set_len(1 << 40).expect("a file with a hole");
    let paths = [pipe.as_path(), &endless, &folder, "/dev/zero".as_ref()];
    for name in ["EvalFile", "FreezerRules"] {
        for path in paths {
            let line = format!("setoption name {name} value {}", path.display());
            assert_eq!(notes(&mut client, &line), 1, "{line}");
        }
    }
    for path in [pipe.as_path(), &folder, "/dev/zero".as_ref()] {
        let line = format!("setoption name Debug Log File value {}", path.display());
        assert_eq!(notes(&mut client, &line), 1, "{line}");
    }
    client.send("position startpos");
    assert!(is_move(client.go("depth 3").best()));
}

/// As of `duchamp < FOLDER`: no commands are no success.
#[cfg(unix)]
#[test]
fn input_that_cannot_be_read_is_a_failure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = std::fs::File::open(folder.path()).expect("opened");
    let ended = std::process::Command::new(PROGRAM)
        .env("DUCHAMP_TABLEBASES", folder.path())
        .stdin(input)
        .output()
        .expect("the program runs");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(
        told.starts_with("duchamp: commands cannot be read: "),
        "{told}"
    );
}
