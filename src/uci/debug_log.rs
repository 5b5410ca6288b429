//! The file of the option `Debug Log File`: every line read, after `>> `, and every line written, after `<< `.

use duchamp_base::files;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// An open log. It is written line by line, so that it is complete when a program ends in a bad way.
#[derive(Debug)]
pub(super) struct DebugLog(File);

impl DebugLog {
    /// Opens a log; a file that exists is appended to.
    ///
    /// # Errors
    /// If the file cannot be opened or is not a regular file.
    pub(super) fn open(path: &Path) -> io::Result<DebugLog> {
        let file = files::open_append(path)?;
        Ok(DebugLog(file))
    }

    /// Logs a line that was read.
    pub(super) fn read(&mut self, line: &str) -> io::Result<()> {
        self.0.write_all(format!(">> {line}\n").as_bytes())
    }

    /// Logs lines that were written.
    pub(super) fn written(&mut self, lines: &[impl AsRef<str>]) -> io::Result<()> {
        let mut text = String::new();
        for line in lines {
            text.push_str("<< ");
            text.push_str(line.as_ref());
            text.push('\n');
        }
        self.0.write_all(text.as_bytes())
    }
}
