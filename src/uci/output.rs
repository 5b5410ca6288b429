//! Where lines go: whole lines, flushed at once, never mixed, from any thread.

use super::debug_log::DebugLog;
use super::print::{self, Style};
use duchamp_chess::Move;
use duchamp_engine::Event;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A shared writer of lines.
pub struct Output {
    inner: Mutex<Inner>,
}

struct Inner {
    writer: Box<dyn Write + Send>,
    style: Style,
    /// The newest lines of a search, from the first one on, and whether anything was written since.
    last: Vec<String>,
    stale: bool,
    log: Option<DebugLog>,
    /// Messages of the background that wait for the first command to be answered; `None` once that is done.
    held: Option<Vec<String>>,
}

impl Output {
    /// Writes to `writer`.
    #[must_use]
    pub fn new(writer: Box<dyn Write + Send>) -> Output {
        Output {
            inner: Mutex::new(Inner {
                writer,
                style: Style::default(),
                last: Vec::new(),
                stale: false,
                log: None,
                held: Some(Vec::new()),
            }),
        }
    }

    /// Only whole lines are written under the lock, so a panic elsewhere leaves nothing half written.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn restyle(&self, change: impl FnOnce(&mut Style)) {
        change(&mut self.inner().style);
    }

    /// Sets the file to which all lines are logged; `None` for no log.
    pub(super) fn set_log(&self, log: Option<DebugLog>) {
        self.inner().log = log;
    }

    /// Logs a line that was read.
    pub(super) fn log_input(&self, line: &str) {
        self.inner().log(|log| log.read(line));
    }

    /// From now on messages of the background are written at once. Before the first command is answered they wait: a GUI
    /// expects nothing before `uciok` but `id` and `option`.
    pub(super) fn release(&self) {
        let mut inner = self.inner();
        if let Some(held) = inner.held.take().filter(|held| !held.is_empty()) {
            inner.write(&held);
        }
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
        mv.uci(self.inner().style.chess960)
    }

    /// Writes an event of the engine.
    ///
    /// Match runners read the score from the last line before `bestmove`: if something else came in
    /// between, the lines are written again.
    pub(super) fn event(&self, event: Event) {
        let mut inner = self.inner();
        let style = inner.style;
        match event {
            Event::Line(line) => {
                let text = print::line(&line, style);
                inner.write(&[&text]);
                inner.stale = false;
                inner.last.truncate(line.multipv - 1);
                inner.last.push(text);
            }
            Event::Best { best, ponder } => {
                let mut lines = std::mem::take(&mut inner.last);
                if !inner.stale {
                    lines.clear();
                }
                lines.push(print::best(best, ponder, style));
                inner.write(&lines);
            }
            Event::Settled(settled) => inner.write(&[print::string(&print::settled(&settled))]),
            Event::Current { depth, mv, number } => {
                inner.write(&[print::current(depth, mv, number, style)])
            }
            Event::Tables(news) => inner.message(&print::tables(&news)),
            Event::Syzygy(news) => print::syzygy(&news)
                .iter()
                .for_each(|text| inner.message(text)),
            Event::Freezer(news) => inner.message(&print::freezer(&news)),
            Event::Fewer { wanted, processors } => inner.message(&format!(
                "Threads {wanted} is more than the {processors} processors there are: {processors} threads search"
            )),
            Event::Trouble(trouble) => inner.message(&trouble.to_string()),
        }
    }
}

impl Inner {
    /// Writes a message of the background, or holds it back.
    fn message(&mut self, text: &str) {
        let line = print::string(text);
        match &mut self.held {
            Some(held) => held.push(line),
            None => self.write(&[line]),
        }
    }

    /// Logs something; a log that cannot be written to is closed, with one message.
    fn log(&mut self, write: impl FnOnce(&mut DebugLog) -> io::Result<()>) {
        if let Some(mut log) = self.log.take() {
            match write(&mut log) {
                Ok(()) => self.log = Some(log),
                Err(error) => self.message(&format!("Debug Log File: {error}; logging stopped")),
            }
        }
    }

    fn write(&mut self, lines: &[impl AsRef<str>]) {
        self.stale = true;
        let mut text = String::new();
        for line in lines {
            text.push_str(line.as_ref());
            text.push('\n');
        }
        // A closed pipe ends the program (`EndingStdout`); another failure, as of a full disk, costs the lines only.
        if let Err(error) = self
            .writer
            .write_all(text.as_bytes())
            .and_then(|()| self.writer.flush())
        {
            log::debug!("writing: {error}");
        }
        self.log(|log| log.written(lines));
    }
}
