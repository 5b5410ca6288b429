//! `duchamp tb stats MATERIAL...`: as text, JSON, CSV, or a picture.

use super::Failure;
use super::crew;
use super::tb_input::{self, Dir, MetricName};
use super::tb_plot;
use super::tb_words;
use duchamp_base::Plies;
use duchamp_chess::Position;
use duchamp_chess_tables::{SideStats, Stats, stats};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables, such as KRPvKR, 4 or all4
    #[arg(required = true)]
    materials: Vec<String>,
    /// What the distances count
    #[arg(long, value_enum, default_value = "dtm")]
    metric: MetricName,
    /// One JSON object a table
    #[arg(long, conflicts_with_all = ["csv", "svg"])]
    json: bool,
    /// The histogram as `material,side,value,plies,positions` rows
    #[arg(long, conflicts_with = "svg")]
    csv: bool,
    /// The histogram of one table as an SVG picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    dir: Dir,
    /// Threads [default: one a core]
    #[arg(long)]
    threads: Option<usize>,
}

#[derive(Serialize)]
struct SideObject {
    win: u64,
    cursed_win: u64,
    draw: u64,
    blessed_loss: u64,
    loss: u64,
    longest_win_plies: Option<u16>,
    longest_win_fen: Option<String>,
    longest_loss_plies: Option<u16>,
    longest_loss_fen: Option<String>,
    /// Positions by plies.
    win_histogram: Vec<u64>,
    loss_histogram: Vec<u64>,
}

impl From<&SideStats> for SideObject {
    fn from(side: &SideStats) -> Self {
        let plies = |entry: &Option<(Plies, Position)>| entry.as_ref().map(|(plies, _)| plies.0);
        let fen =
            |entry: &Option<(Plies, Position)>| entry.as_ref().map(|(_, position)| position.fen());
        SideObject {
            win: side.counts.won - side.counts.cursed,
            cursed_win: side.counts.cursed,
            draw: side.counts.drawn,
            blessed_loss: side.counts.blessed,
            loss: side.counts.lost - side.counts.blessed,
            longest_win_plies: plies(&side.longest_win),
            longest_win_fen: fen(&side.longest_win),
            longest_loss_plies: plies(&side.longest_loss),
            longest_loss_fen: fen(&side.longest_loss),
            win_histogram: side.wins.clone(),
            loss_histogram: side.losses.clone(),
        }
    }
}

#[derive(Serialize)]
struct StatsObject {
    material: String,
    metric: &'static str,
    white_to_move: SideObject,
    black_to_move: SideObject,
    mutual_zugzwangs: u64,
    mutual_zugzwang_fen: Option<String>,
}

impl From<&Stats> for StatsObject {
    fn from(stats: &Stats) -> Self {
        StatsObject {
            material: stats.material.name(),
            metric: stats.metric.name(),
            white_to_move: (&stats.white).into(),
            black_to_move: (&stats.black).into(),
            mutual_zugzwangs: stats.mutual_zugzwangs.0,
            mutual_zugzwang_fen: stats.mutual_zugzwangs.1.as_ref().map(Position::fen),
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = arguments.dir.open();
    let materials = tb_input::materials(&arguments.materials, &tables)?;
    if arguments.svg.is_some() && materials.len() != 1 {
        return Err(Failure::BadInput(
            "a picture shows one table: name one".to_owned(),
        ));
    }
    let control = crew::control(arguments.threads);
    let mut out = std::io::stdout().lock();
    if arguments.csv {
        writeln!(out, "material,side_to_move,value,plies,positions")?;
    }
    for material in materials {
        let stats = crew::on_threads(&control, || {
            stats(tables.store(), material, arguments.metric.into(), &control)
        })?
        .map_err(Failure::failed)?;
        if arguments.json {
            let object =
                serde_json::to_string(&StatsObject::from(&stats)).map_err(Failure::failed)?;
            writeln!(out, "{object}")?;
        } else if arguments.csv {
            write_csv(&mut out, &stats)?;
        } else if let Some(file) = &arguments.svg {
            std::fs::write(file, tb_plot::histogram(&stats))
                .map_err(|error| Failure::Failed(format!("{}: {error}", file.display())))?;
        } else {
            write_text(&mut out, &stats)?;
        }
    }
    Ok(())
}

fn write_csv(out: &mut impl Write, stats: &Stats) -> Result<(), Failure> {
    for (name, side) in [("white", &stats.white), ("black", &stats.black)] {
        for (value, histogram) in [("win", &side.wins), ("loss", &side.losses)] {
            for (plies, count) in histogram
                .iter()
                .enumerate()
                .filter(|(_, count)| **count > 0)
            {
                writeln!(out, "{},{name},{value},{plies},{count}", stats.material)?;
            }
        }
        writeln!(out, "{},{name},draw,,{}", stats.material, side.counts.drawn)?;
    }
    Ok(())
}

fn write_text(out: &mut impl Write, stats: &Stats) -> Result<(), Failure> {
    let to = tb_words::end_of(stats.metric);
    writeln!(out, "{}, plies to {to}", stats.material)?;
    for (name, side) in [
        ("White to move", &stats.white),
        ("Black to move", &stats.black),
    ] {
        let counts = side.counts;
        writeln!(
            out,
            "  {name}: {} won, {} drawn, {} lost",
            counts.won, counts.drawn, counts.lost
        )?;
        if counts.cursed + counts.blessed > 0 {
            writeln!(
                out,
                "    by the 50-move rule drawn: {} of the wins, {} of the losses",
                counts.cursed, counts.blessed
            )?;
        }
        for (what, longest) in [("win", &side.longest_win), ("loss", &side.longest_loss)] {
            if let Some((plies, position)) = longest {
                writeln!(
                    out,
                    "    longest {what}: {plies} plies ({} moves)  {}",
                    plies.moves(),
                    position.fen()
                )?;
            }
        }
    }
    let (zugzwangs, example) = &stats.mutual_zugzwangs;
    let example = example.as_ref().map_or(String::new(), |position| {
        format!("  such as {}", position.fen())
    });
    writeln!(out, "  mutual zugzwangs: {zugzwangs}{example}")?;
    Ok(())
}
