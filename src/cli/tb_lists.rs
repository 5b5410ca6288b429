//! What the lists of positions have in common: their format, and lines written as they come.

use super::Failure;
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
}

/// Lines on stdout, written as they come; the first failure is kept for the end.
pub(super) struct Lines {
    out: io::BufWriter<io::Stdout>,
    /// Lines written.
    count: u64,
    failure: Option<Failure>,
}

impl Lines {
    pub(super) fn new() -> Lines {
        Lines {
            out: io::BufWriter::new(io::stdout()),
            count: 0,
            failure: None,
        }
    }

    /// Writes a line for each of some things, in their order; the lines are built on all threads. Breaks at the first failure.
    pub(super) fn write<T: Sync>(
        &mut self,
        things: &[T],
        line: impl Fn(&T) -> Result<String, Failure> + Sync + Send,
    ) -> ControlFlow<()> {
        let lines: Vec<Result<String, Failure>> = things.par_iter().map(line).collect();
        for line in lines {
            let written = line.and_then(|line| Ok(writeln!(self.out, "{line}")?));
            match written {
                Ok(()) => self.count += 1,
                Err(failure) => {
                    self.failure = Some(failure);
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The number of lines, once all are written.
    pub(super) fn finish(mut self) -> Result<u64, Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.out.flush()?;
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
