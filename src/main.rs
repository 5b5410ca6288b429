//! The `duchamp` binary: UCI without arguments, else a subcommand.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: duchamp_base::Allocator = duchamp_base::Allocator;

fn main() -> ExitCode {
    duchamp_base::limits::prepare();
    // Messages go to stderr; stdout belongs to the protocol or to a command's answer.
    let start = Instant::now();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn"))
        .format(move |out, record| {
            let (seconds, level) = (start.elapsed().as_secs_f64(), record.level());
            writeln!(
                out,
                "[{seconds:.3} {level} {}] {}",
                record.target(),
                record.args()
            )
        })
        .init();
    duchamp::cli::run().unwrap_or_else(duchamp::uci::run)
}
