//! The program, run in a folder that also has its tables.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_duchamp");

/// Runs it to its end.
pub fn duchamp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(PROGRAM)
        .args(arguments)
        .current_dir(folder)
        .env("DUCHAMP_TABLEBASES", folder.join("tables"))
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the program runs")
}

/// Interrupts it once it shows progress: what it printed until it ended, and how long that took.
#[cfg(unix)]
pub fn interrupted(folder: &Path, arguments: &[&str]) -> (Output, Duration) {
    let mut child = Command::new(PROGRAM)
        .args(arguments)
        .args(["--progress", "plain"])
        .current_dir(folder)
        .env("DUCHAMP_TABLEBASES", folder.join("tables"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    stderr.read_line(&mut String::new()).expect("plain text");
    let start = Instant::now();
    let process = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &process]).status();
    assert!(sent.expect("kill runs").success());
    let mut rest = Vec::new();
    stderr.read_to_end(&mut rest).expect("a pipe");
    let mut output = child.wait_with_output().expect("an end");
    output.stderr = rest;
    (output, start.elapsed())
}

/// What it prints, if it ends well.
pub fn out(folder: &Path, arguments: &[&str]) -> String {
    let output = duchamp(folder, arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {told}");
    text(&output.stdout)
}

/// What a program printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("plain text")
}
