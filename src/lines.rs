//! Reading input lines from bytes that may be anything.
//!
//! GUIs and scripts send short ASCII lines; this reader also lives through invalid UTF-8, a byte-order mark,
//! carriage returns, control characters and lines of any length: a line beyond [`MAX_LINE`] is
//! thrown away while it is read, so it never takes more memory than that.

use std::io::{self, BufRead};

/// The longest line taken, in bytes. The longest game that the 75-move rule allows, written as a
/// `position` command, has about 60 KiB.
pub const MAX_LINE: usize = 256 * 1024;

/// What was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A line without its end, blanks at both ends removed; may be empty.
    Text(String),
    /// A line of so many bytes, more than [`MAX_LINE`]: thrown away.
    TooLong(usize),
}

/// Reads lines from `input`.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// A reader of `input`.
    pub fn new(input: R) -> Lines<R> {
        Lines {
            input,
            buffer: Vec::new(),
        }
    }

    /// The next line; `None` at the end of the input. A last line without a line end counts.
    ///
    /// # Errors
    /// Whatever the input answers, interruptions apart.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        self.buffer.clear();
        let mut length = 0usize;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok((length > 0).then(|| self.finish(length)));
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let room = MAX_LINE.saturating_sub(self.buffer.len());
            self.buffer.extend_from_slice(&part[..part.len().min(room)]);
            length = length.saturating_add(part.len());
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(self.finish(length)));
            }
        }
    }

    fn finish(&self, length: usize) -> Line {
        if length > MAX_LINE {
            Line::TooLong(length)
        } else {
            Line::Text(clean(&self.buffer))
        }
    }
}

/// The text of raw bytes: lossy UTF-8, no byte-order mark, control characters as blanks, trimmed.
/// Inner blanks stay, since a folder's name may hold two in a row.
#[must_use]
pub fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text: String = text
        .chars()
        .map(|c| {
            if c.is_control() || c == '\u{feff}' {
                ' '
            } else {
                c
            }
        })
        .collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(io::BufReader::with_capacity(7, bytes));
        std::iter::from_fn(|| lines.next_line().expect("memory never fails")).collect()
    }

    #[test]
    fn odd_bytes_become_plain_lines() {
        let text = |s: &str| Line::Text(s.to_owned());
        assert_eq!(
            all(b"\xef\xbb\xbfuci\r\n  go \t\nquit"),
            [text("uci"), text("go"), text("quit")]
        );
        assert_eq!(all(b"\n\r\n"), [text(""), text("")]);
        assert_eq!(
            all(b"\xff\xfe go\0depth\n"),
            [text("\u{fffd}\u{fffd} go depth")]
        );
        assert_eq!(all(b""), []);
    }

    #[test]
    fn a_long_line_is_dropped_and_the_next_one_is_read() {
        let mut bytes = vec![b'x'; 1_000_000];
        bytes.extend_from_slice(b"\nisready\n");
        assert_eq!(
            all(&bytes),
            [Line::TooLong(1_000_000), Line::Text("isready".to_owned())]
        );
    }
}
