//! UCI: text to commands, events to text.
//!
//! A line goes through [`Lines`] (any bytes become a plain line), [`parse`] (a [`Command`], never a
//! panic) and the [`Session`], which drives the engine; its events come back through
//! [`Output`]. Only `vampirc.rs` names the parser crate `vampirc-uci`.
//!
//! May import `base`, `chess` and `engine`.

mod background;
mod command;
mod compiler;
mod debug_log;
mod eval;
mod go;
mod options;
mod output;
mod position;
mod print;
mod session;
mod text;
mod vampirc;

pub use crate::lines::{Line, Lines, MAX_LINE, clean};
pub use command::{Command, Parsed, parse};
pub use go::GoArguments;
pub use output::Output;
pub use position::PositionArguments;
pub use session::Session;

use crate::closed_pipe::EndingStdout;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

/// Writes an error to stderr, which nobody may be reading.
fn say(error: &str) {
    let _ = writeln!(std::io::stderr(), "duchamp: {error}");
}

/// Speaks UCI on stdin and stdout until `quit` or the end of the input.
#[must_use]
pub fn run() -> ExitCode {
    let output = Arc::new(Output::new(Box::new(EndingStdout::new())));
    if std::io::stdin().is_terminal() {
        // A person, not a GUI: no need to wait for `uci` with messages.
        output.line(concat!(
            "Duchamp ",
            env!("CARGO_PKG_VERSION"),
            ", a UCI chess engine for use in a chess GUI. `help` lists the commands, `quit` ends; ",
            "`duchamp --help` lists the commands of the shell."
        ));
        output.release();
    }
    let ended = match Session::new(output) {
        Ok(mut session) => session.run(std::io::stdin().lock()),
        Err(error) => {
            say(&format!(
                "the system gives no thread to search with: {error}"
            ));
            return ExitCode::FAILURE;
        }
    };
    if let Err(error) = &ended {
        say(&format!("commands cannot be read: {error}"));
    }
    // Threads that still run (a long perft, say) hold no file that could be left broken.
    std::process::exit(ended.is_err().into())
}
