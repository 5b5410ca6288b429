//! Makes the tables that a paper is compared with.

use super::super::Failure;
use super::super::tb_input::Dir;
use clap::Args;
use duchamp_base::Control;
use duchamp_chess_tables::{GenerateOptions, Generator, Material, Prober};

/// Where tables are, and what making them may use.
#[derive(Args)]
pub(super) struct Making {
    #[command(flatten)]
    pub(super) dir: Dir,
    /// Threads [default: one a core]
    #[arg(long)]
    pub(super) threads: Option<usize>,
    /// The most memory for tables, in MiB
    #[arg(long, value_name = "MIB")]
    pub(super) memory: Option<u64>,
}

/// Makes tables that are missing, with all they depend on.
pub(super) fn make(
    tables: &Prober,
    materials: &[Material],
    memory: Option<u64>,
    control: &Control,
) -> Result<(), Failure> {
    let options = GenerateOptions {
        memory,
        ..GenerateOptions::default()
    };
    let mut last = None;
    let made = Generator::new(tables.store()).run(materials, &options, control, &mut |progress| {
        if last != Some(progress.done) {
            last = Some(progress.done);
            let (done, total) = (progress.done, progress.total);
            log::info!("{}: {done} of {total} tables", progress.key);
        }
    });
    made.map(|_| ()).map_err(Failure::failed)
}
