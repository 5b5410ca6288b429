//! The program, run in a folder that also has its tables.

use std::path::Path;
use std::process::{Command, Output};

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
