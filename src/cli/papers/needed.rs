//! The tables that a comparison needs: named with their cost, generated only if the user says so.

use super::super::Failure;
use super::super::crew::{self, Watch};
use super::super::progress::{Display, ProgressArguments};
use super::super::tb_forecast::Forecast;
use super::super::tb_game::TableGame;
use super::super::tb_generate;
use super::super::tb_input::Dir;
use clap::Args;
use duchamp_tablebase::{GenerateOptions, Store};

/// Where tables are, whether missing ones are generated, and what that may take.
#[derive(Args)]
pub(super) struct Needed {
    #[command(flatten)]
    pub(super) dir: Dir,
    /// Generate the tables that are missing, in the folder of tables; without it their number is printed,
    /// with time and disk
    #[arg(long)]
    generate: bool,
    /// Threads [default: one a core]
    #[arg(long, value_parser = crew::threads)]
    pub(super) threads: Option<usize>,
    /// The most memory for tables, in MiB
    #[arg(long, value_name = "MIB", default_value_t = GenerateOptions::DEFAULT_MEMORY)]
    memory: u64,
    #[command(flatten)]
    progress: ProgressArguments,
}

impl Needed {
    /// Whether missing tables are to be generated.
    pub(super) const fn generates(&self) -> bool {
        self.generate
    }

    /// Has tables present with all that they depend on.
    ///
    /// # Errors
    /// When some are missing and were not to be generated: says what that takes and how to do it.
    pub(super) fn ensure<G: TableGame>(
        &self,
        store: &Store<G>,
        materials: &[G::Key],
        watch: &Watch,
    ) -> Result<(), Failure> {
        let options = GenerateOptions {
            memory: Some(self.memory),
            metrics: vec![G::METRIC],
            ..GenerateOptions::default()
        };
        let threads = watch.control.threads();
        let forecast = Forecast::new(store, materials, &options, threads);
        if forecast.is_empty() {
            return Ok(());
        }
        if !self.generate {
            return Err(Failure::Failed(format!(
                "{}. To generate them there: {} --generate",
                forecast.missing(),
                crew::this_command()
            )));
        }
        forecast.check_disk()?;
        let control = &watch.control;
        tb_generate::generate(store, materials, &options, control, &self.progress).map(drop)
    }

    /// Shows how far the comparison is.
    pub(super) fn display(&self, command: &'static str, steps: u64) -> Display {
        let display = self.progress.start(command, "steps");
        display.update(|report| report.total = Some(steps));
        display
    }
}

/// The next step of a comparison begins.
pub(super) fn begin(display: &Display, done: u64, text: &str) {
    display.update(|report| {
        report.done = done;
        text.clone_into(&mut report.text);
    });
}
