//! The file of the option `Debug Log File`: every line read, after `>> `, and every line written, after `<< `.

use duchamp_base::files;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// An open log. It is written line by line, so that it is complete when a program ends in a bad way.
#[derive(Debug)]
pub(super) struct DebugLog(File);

impl DebugLog {
    /// Opens a log; a log that exists is appended to.
    ///
    /// # Errors
    /// If the file cannot be opened or is not a regular file, or holds something else than a log.
    pub(super) fn open(path: &Path) -> io::Result<DebugLog> {
        let file = files::open_append(path)?;
        if file.metadata()?.len() > 0 && !is_log(path)? {
            let told = "a file with other contents has this name: choose another one";
            return Err(io::Error::other(told));
        }
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

/// Whether a file begins as logs do.
fn is_log(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    files::open_regular(path)?.take(3).read_to_end(&mut start)?;
    Ok(start.starts_with(b">> ") || start.starts_with(b"<< "))
}
