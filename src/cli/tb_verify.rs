//! `duchamp tb verify [MATERIAL...]`

use super::tb_input::{self, Dir, MetricName};
use super::{Failure, crew};
use duchamp_chess_tables::{Material, Metric, Verified, Verifier, VerifyOptions};
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables, such as KRPvKR, 4 or all4; all in the folder if none is named
    materials: Vec<String>,
    /// Only this metric [default: all that a table has]
    #[arg(long, value_enum)]
    metric: Option<MetricName>,
    /// Look at N random positions of each table and side to move [default: at all positions of tables up to 4 men, at
    /// 10000 of larger ones]; where that is more than a thousandth of a large table, look at all
    #[arg(long, value_name = "N", conflicts_with = "full")]
    sample: Option<u64>,
    /// Look at all positions of large tables too
    #[arg(long)]
    full: bool,
    /// Look at small tables the way large ones are: 64 positions at a time, not by the move generator
    #[arg(long, conflicts_with = "sample")]
    fast: bool,
    /// The folder for temporary files without a name [default: the folder of the tables]
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
    #[command(flatten)]
    dir: Dir,
    /// Threads [default: one a core]
    #[arg(long)]
    threads: Option<usize>,
}

/// Positions that stand for a table that is too large to look at all of it.
const SAMPLE: u64 = 10_000;
/// The most men of a table that is looked at whole unless told otherwise.
const WHOLE: u32 = 4;

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = arguments.dir.open();
    let materials = tb_input::materials(&arguments.materials, &tables)?;
    if materials.is_empty() {
        return Err(Failure::Failed(format!(
            "no tables in {}",
            tables.store().dir().display()
        )));
    }
    let control = crew::control(arguments.threads);
    let metrics = match arguments.metric {
        Some(metric) => vec![metric.into()],
        None => Metric::DISTANCES.to_vec(),
    };
    let (small, large): (Vec<Material>, Vec<Material>) = materials
        .into_iter()
        .partition(|material| arguments.full || material.men() <= WHOLE);
    let sample = (!arguments.full).then_some(arguments.sample.unwrap_or(SAMPLE));
    println!("table      metric      positions  errors  seconds");
    let mut results = Vec::new();
    for (materials, sample) in [(small, arguments.sample), (large, sample)] {
        let options = VerifyOptions {
            metrics: metrics.clone(),
            sample,
            fast: arguments.fast,
            scratch: arguments.scratch.clone(),
        };
        let verified = crew::on_threads(&control, || {
            Verifier::new(tables.store()).verify(
                &materials,
                &options,
                &control,
                &mut print_verified,
            )
        })?;
        results.extend(verified.map_err(Failure::failed)?);
    }
    let (positions, errors) = results.iter().fold((0, 0), |sum, one| {
        (sum.0 + one.positions, sum.1 + one.errors)
    });
    println!(
        "{} tables and metrics, {positions} positions, {errors} errors",
        results.len()
    );
    if errors > 0 {
        Err(Failure::Failed(format!("{errors} positions are wrong")))
    } else {
        Ok(())
    }
}

fn print_verified(result: &Verified) {
    // A closed pipe shows in the exit code only: the check goes on.
    let mut out = std::io::stdout().lock();
    let _ = writeln!(
        out,
        "{:10} {:6} {:14} {:7} {:8.2}{}",
        result.key.name(),
        result.metric.name(),
        result.positions,
        result.errors,
        result.elapsed.as_secs_f64(),
        if result.sampled { "  (sample)" } else { "" }
    );
    if let Some(first) = &result.first {
        let _ = writeln!(out, "  {first}");
    }
}
