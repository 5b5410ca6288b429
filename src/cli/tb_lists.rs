//! What the lists of positions have in common: their format, and lines written as they come.

use super::Failure;
use super::progress::{Display, ProgressArguments};
use clap::Args;
use std::io::{self, Write};
use std::ops::ControlFlow;

use rayon::prelude::*;

/// The format of a list.
#[derive(Args)]
pub(super) struct FormatArguments {
    /// Print EPD lines
    #[arg(long, conflicts_with = "json")]
    epd: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// The format of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// A line for people.
    Text,
    /// An EPD line.
    Epd,
    /// A JSON object.
    Json,
}

impl FormatArguments {
    pub(super) fn format(&self) -> Format {
        match (self.epd, self.json) {
            (true, _) => Format::Epd,
            (_, true) => Format::Json,
            _ => Format::Text,
        }
    }

    /// Lines of a command, and the progress of it.
    pub(super) fn start(&self, command: &'static str) -> Lines {
        Lines {
            out: io::BufWriter::new(io::stdout()),
            display: self.progress.start(command, "positions"),
            count: 0,
            failure: None,
        }
    }
}

/// Lines on stdout, written as they come; the first failure is kept for the end.
pub(super) struct Lines {
    out: io::BufWriter<io::Stdout>,
    display: Display,
    /// Lines written.
    count: u64,
    failure: Option<Failure>,
}

impl Lines {
    /// Shows what is gone through next.
    pub(super) fn begin(&self, text: String) {
        self.display.update(|report| report.text = text);
    }

    /// Writes a line for each of some things, in their order; the lines are built on all threads. Breaks at the first failure.
    pub(super) fn write<T: Sync>(
        &mut self,
        things: &[T],
        line: impl Fn(&T) -> Result<String, Failure> + Sync + Send,
    ) -> ControlFlow<()> {
        let lines: Vec<Result<String, Failure>> = things.par_iter().map(line).collect();
        let (out, count) = (&mut self.out, &mut self.count);
        let written = self.display.suspend(|| -> Result<(), Failure> {
            for line in lines {
                writeln!(out, "{}", line?)?;
                *count += 1;
            }
            // No bar in the middle of a line.
            Ok(out.flush()?)
        });
        self.display.update(|report| report.done = self.count);
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    /// Whether a line could not be written: no more are wanted.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The number of lines, once all are written.
    pub(super) fn finish(self) -> Result<u64, Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.display.finish();
        Ok(self.count)
    }
}

/// An EPD line: the first four fields of a FEN, then operations.
pub(super) fn epd(fen: &str, operations: &[(&str, String)]) -> String {
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let mut line = fields.join(" ");
    for (opcode, operand) in operations {
        line += &format!(" {opcode} {operand};");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_ends_a_list() {
        let arguments = FormatArguments {
            epd: false,
            json: false,
            progress: ProgressArguments::default(),
        };
        let mut lines = arguments.start("tb longest");
        let broken = |_: &u8| Err(Failure::ClosedPipe);
        assert!(lines.write(&[], broken).is_continue() && !lines.has_failed());
        assert!(lines.write(&[1], broken).is_break() && lines.has_failed());
        assert!(matches!(lines.finish(), Err(Failure::ClosedPipe)));
    }
}
