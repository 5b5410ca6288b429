//! UCI: text to commands, events to text.
//!
//! A line goes through [`Lines`] (any bytes become a plain line), [`parse`] (a [`Command`], never a
//! panic) and the [`Session`], which drives the engine; what the engine tells comes back through
//! [`Output`]. Only `wall.rs` names the parser crate `vampirc-uci`.
//!
//! May import `base`, `chess` and `engine`.

mod aside;
mod command;
mod go;
mod lines;
mod options;
mod output;
mod position;
mod print;
mod session;
mod wall;
mod words;

pub use command::{Command, Parsed, parse};
pub use go::GoArguments;
pub use lines::{Line, Lines, MAX_LINE, clean};
pub use output::Output;
pub use position::PositionArguments;
pub use session::Session;

use crate::closed_pipe::EndingStdout;
use std::process::ExitCode;
use std::sync::Arc;

/// Speaks UCI on stdin and stdout until `quit` or the end of the input.
#[must_use]
pub fn run() -> ExitCode {
    let output = Arc::new(Output::new(Box::new(EndingStdout::new())));
    Session::new(output).run(std::io::stdin().lock());
    // Threads that still run (a long perft, say) hold no file that could be left broken.
    std::process::exit(0)
}
