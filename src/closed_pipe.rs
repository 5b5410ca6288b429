//! Standard output whose reader is gone, as in `duchamp bench | head -1`: the program ends without a message.

use std::io::{self, ErrorKind, Write};

/// The exit code of a program that wrote to a closed pipe: what a shell reports of one that SIGPIPE ended (128 + 13).
/// Rust programs ignore that signal, so the code is set by hand.
pub(crate) const CLOSED_PIPE: u8 = 141;

/// Standard output that ends the process when its reader is gone.
///
/// For a program that writes from many threads and cannot return from all of them. Files stay whole: each is
/// written beside its place and renamed, and the operating system releases the locks.
pub(crate) struct EndingStdout(io::Stdout);

impl EndingStdout {
    pub(crate) fn new() -> EndingStdout {
        EndingStdout(io::stdout())
    }
}

impl Write for EndingStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).inspect_err(end_if_closed)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().inspect_err(end_if_closed)
    }
}

fn end_if_closed(error: &io::Error) {
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(CLOSED_PIPE.into());
    }
}
