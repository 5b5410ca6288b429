//! Where lines go: whole lines, flushed at once, never mixed, from any thread.

use super::print::{self, Style};
use duchamp_chess::Move;
use duchamp_engine::Event;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A shared writer of lines.
pub struct Output {
    inner: Mutex<Inner>,
}

struct Inner {
    writer: Box<dyn Write + Send>,
    style: Style,
    /// The last line of the best variation, and whether anything was written since.
    last: Option<String>,
    stale: bool,
}

impl Output {
    /// Writes to `writer`.
    #[must_use]
    pub fn new(writer: Box<dyn Write + Send>) -> Output {
        Output {
            inner: Mutex::new(Inner {
                writer,
                style: Style::default(),
                last: None,
                stale: false,
            }),
        }
    }

    /// Only whole lines are written under the lock, so a panic elsewhere spoils nothing.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn restyle(&self, change: impl FnOnce(&mut Style)) {
        change(&mut self.inner().style);
    }

    /// Writes one line.
    pub(super) fn line(&self, line: &str) {
        self.inner().write(&[line]);
    }

    /// Writes lines that belong together.
    pub(super) fn lines(&self, lines: &[String]) {
        self.inner().write(lines);
    }

    /// Writes an `info string` line.
    pub(super) fn string(&self, text: &str) {
        self.line(&print::string(text));
    }

    /// A move in the style that is set.
    pub(super) fn move_text(&self, mv: Move) -> String {
        print::move_text(mv, self.inner().style.chess960)
    }

    /// Writes an event of the engine.
    ///
    /// Match runners read the score from the last line before `bestmove`: if something else came in
    /// between, the line is written again.
    pub(super) fn event(&self, event: Event) {
        let mut inner = self.inner();
        let style = inner.style;
        match event {
            Event::Line(line) => {
                let text = print::line(&line, style);
                inner.write(&[&text]);
                inner.stale = false;
                if line.multipv == 1 {
                    inner.last = Some(text);
                }
            }
            Event::Best { best, ponder } => {
                let last = inner.last.take().filter(|_| inner.stale);
                let best = print::best(best, ponder, style);
                let lines: Vec<String> = last.into_iter().chain([best]).collect();
                inner.write(&lines);
            }
            Event::Settled(settled) => inner.write(&[print::string(&print::settled(&settled))]),
            Event::Current { depth, mv, number } => {
                inner.write(&[print::current(depth, mv, number, style)])
            }
            Event::Tables(news) => inner.write(&[print::string(&print::tables(&news))]),
            Event::Freezer(news) => inner.write(&[print::string(&print::freezer(&news))]),
            Event::Trouble(trouble) => inner.write(&[print::string(&trouble.to_string())]),
        }
    }
}

impl Inner {
    fn write(&mut self, lines: &[impl AsRef<str>]) {
        self.stale = true;
        let mut text = String::new();
        for line in lines {
            text.push_str(line.as_ref());
            text.push('\n');
        }
        // A closed pipe means that the GUI is gone: its end of the input ends the session.
        if let Err(error) = self
            .writer
            .write_all(text.as_bytes())
            .and_then(|()| self.writer.flush())
        {
            log::debug!("writing: {error}");
        }
    }
}
