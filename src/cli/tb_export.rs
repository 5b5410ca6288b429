//! `duchamp tb export SPEC... --format syzygy`

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use duchamp_base::human;
use duchamp_chess_tables::{Chess, GenerateOptions, Generator, Material, Summary, SyzygyExporter};
use duchamp_tablebase::{Game, Store};

use super::Failure;
use super::columns::{Columns, Side};
use super::crew::{self, Watch};
use super::progress::ProgressArguments;
use super::tb_generate;
use super::tb_input::{self, Dir};
use super::tb_words;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables: materials such as KRPvKR or KQPKQ; 4 for all 4-man tables, all5 for all of 3 to 5 men;
    /// those that they need come along
    #[arg(required = true)]
    specs: Vec<String>,
    /// The format of the files
    #[arg(long, value_enum)]
    format: Format,
    #[command(flatten)]
    dir: Dir,
    /// The folder of the new files [default: that of the tables]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads [default: one a core]
    #[arg(long, value_parser = crew::threads)]
    threads: Option<usize>,
    /// The most memory for the whole program, in MiB
    #[arg(long, value_name = "MIB", default_value_t = MEMORY)]
    memory: u64,
    /// A folder on a disk for what does not fit into memory [default: that of the new files]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Write files again that are present
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// MiB that an export may take by default: the largest tables of five men fit.
const MEMORY: u64 = 3584;

/// What other programs read.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Syzygy: MATERIAL.rtbw with results, MATERIAL.rtbz with distances to zeroing
    Syzygy,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Format::Syzygy = arguments.format;
    let own = arguments.dir.store::<Chess>()?;
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| own.dir().to_owned());
    // Locks and unfinished files lie beside the new ones.
    let store = Store::<Chess>::open(&out);
    let materials = tb_input::materials(&arguments.specs, &store)?;
    let too_large = |material: &&Material| material.men() > Chess::MAX_MEN && material.pawns() > 0;
    if let Some(material) = materials.iter().find(too_large) {
        return Err(Failure::bad_input(format!(
            "{material}: tables of six men with pawns cannot be exported"
        )));
    }
    let exporter = SyzygyExporter::new(&out).map_err(|error| {
        Failure::bad_input(format!(
            "the folder {} cannot be made: {error}",
            out.display()
        ))
    })?;
    let exporter = exporter.forcing(arguments.force);
    let options = GenerateOptions {
        memory: Some(arguments.memory),
        scratch: arguments.scratch.clone(),
        export_only: true,
        ..GenerateOptions::default()
    };
    let watch = Watch::new(arguments.threads)?;
    let generator = Generator::new(&store).exporting(&exporter);
    let summary = tb_generate::watched(
        "tb export",
        &store,
        arguments.memory,
        &arguments.progress,
        None,
        &mut |progress| generator.run(&materials, &options, &watch.control, progress),
    )?;
    print(&summary)
}

fn print(summary: &Summary) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let mut columns = Columns::new(vec![
        ("table", Side::Left),
        ("rtbw", Side::Right),
        ("rtbz", Side::Right),
        ("solving", Side::Right),
        ("writing", Side::Right),
    ]);
    let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
    let mut bytes = [0; 2];
    for made in &summary.made {
        let size = |n: usize| made.exported.get(n).copied().unwrap_or(0);
        bytes = [bytes[0] + size(0), bytes[1] + size(1)];
        columns.row(vec![
            Material::name(&made.key),
            human::size(size(0)),
            human::size(size(1)),
            seconds(made.solving),
            seconds(made.encoding),
        ]);
    }
    if !summary.made.is_empty() {
        columns.write(&mut out)?;
    }
    writeln!(
        out,
        "Exported {}; {} already present (.rtbw {}, .rtbz {}, {})",
        tb_words::tables(summary.made.len()),
        summary.found,
        human::size(bytes[0]),
        human::size(bytes[1]),
        human::span(summary.elapsed),
    )?;
    Ok(())
}
