//! Output that nobody reads, as in `duchamp bench | head -1`: the program ends, without a message.

use crate::common::program::PROGRAM;
use std::io::Write;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a shell reports of a program that SIGPIPE ended.
const CLOSED_PIPE: i32 = 141;

/// A pipe that nobody reads: closed before a program starts, since a process that another test starts meanwhile could hold the
/// reader open.
fn closed() -> std::io::PipeWriter {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer
}

/// A program whose output is closed before it writes anything, and its folder.
fn started(arguments: &[&str]) -> (tempfile::TempDir, Child) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let child = Command::new(PROGRAM)
        .args(arguments)
        .current_dir(folder.path())
        .env("DUCHAMP_TABLEBASES", folder.path())
        .stdin(Stdio::piped())
        .stdout(closed())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    (folder, child)
}

/// The end of a program that need not be told to end.
pub(crate) fn ended(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a process") {
            return status;
        }
        if start.elapsed() > Duration::from_secs(180) {
            child.kill().expect("killed");
            panic!("it still runs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn commands_end_quietly() {
    for arguments in [
        &["bench", "2"][..],
        &["perft", "2"],
        &["completions", "bash"],
        &["man"],
        &["duel", "--nodes", "20", "--pairs", "1", "--quiet"],
        &["tb", "list"],
        &["pawns", "8/8/8/8/4k3/8/4P3/4K3 w", "--seconds", "0.1"],
    ] {
        let (_folder, mut child) = started(arguments);
        let status = ended(&mut child);
        let error = child.wait_with_output().expect("a process").stderr;
        let error = String::from_utf8_lossy(&error);
        assert_eq!(status.code(), Some(CLOSED_PIPE), "{arguments:?}: {error}");
        assert_eq!(error, "", "{arguments:?}");
    }
}

#[test]
fn the_engine_ends_though_its_input_stays_open() {
    let (_folder, mut child) = started(&[]);
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"uci\n").expect("written");
    assert_eq!(ended(&mut child).code(), Some(CLOSED_PIPE));
    drop(input);
    // Also while it thinks, from another thread.
    let (_folder, mut child) = started(&[]);
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"go infinite\n").expect("written");
    assert_eq!(ended(&mut child).code(), Some(CLOSED_PIPE));
}

/// Where nobody reads stderr, what is printed there is lost and nothing else.
#[test]
fn commands_do_without_a_reader_of_stderr() {
    const PAWN: &str = "1k6/8/1K6/P7/8/8/8/8 b - - 0 1";
    let folder = tempfile::tempdir().expect("a temporary folder");
    for arguments in [
        &["tb", "generate", "KQvK", "--quiet"][..],
        &["tb", "longest", "KQvK"],
        &["tb", "zugzwangs", "KQvK"],
        &[
            "freeze",
            "--auto",
            PAWN,
            "--prove",
            "draw",
            "--max-men",
            "0",
        ],
    ] {
        let status = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(folder.path())
            .env("DUCHAMP_TABLEBASES", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(closed())
            .status()
            .expect("the program runs");
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
}
