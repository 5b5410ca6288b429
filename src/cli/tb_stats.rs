//! `duchamp tb stats MATERIAL...`: as text, JSON, CSV, or a picture.

use super::Failure;
use super::crew;
use super::tb_input::{self, Dir, MetricName};
use super::tb_missing;
use super::tb_plot;
use super::tb_words;
use duchamp_base::Plies;
use duchamp_chess::Position;
use duchamp_chess_tables::{Counting, Metric, SideStats, Stats, stats};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables: materials such as KRPvKR, a number of men, or all4 for up to so many men
    #[arg(required = true)]
    materials: Vec<String>,
    /// What the longest distances and the histogram count; the table needs a file of it
    #[arg(long, value_enum, default_value = "dtm")]
    metric: MetricName,
    /// Tell identical pieces apart in all counts but that of mutual zugzwangs, as the statistics of the
    /// Syzygy generator do; without it each position counts once
    #[arg(long)]
    syzygy_counts: bool,
    /// Print one JSON object a table, with the histogram
    #[arg(long, conflicts_with_all = ["csv", "svg"])]
    json: bool,
    /// Print the histogram as `material,side_to_move,value,plies,positions` rows
    #[arg(long, conflicts_with = "svg")]
    csv: bool,
    /// Write the histogram of one table as an SVG picture
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
    /// `[n]`: positions that are won in n plies; losses the same.
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
    /// By kind.
    full_point_zugzwangs: u64,
    win_draw_zugzwangs: u64,
    draw_loss_zugzwangs: u64,
    mutual_zugzwang_fen: Option<String>,
}

impl From<&Stats> for StatsObject {
    fn from(stats: &Stats) -> Self {
        StatsObject {
            material: stats.material.name(),
            metric: stats.metric.name(),
            white_to_move: (&stats.white).into(),
            black_to_move: (&stats.black).into(),
            mutual_zugzwangs: stats.mutual_zugzwangs.total(),
            full_point_zugzwangs: stats.mutual_zugzwangs.full_point,
            win_draw_zugzwangs: stats.mutual_zugzwangs.win_draw,
            draw_loss_zugzwangs: stats.mutual_zugzwangs.draw_loss,
            mutual_zugzwang_fen: stats.mutual_zugzwangs.first.as_ref().map(Position::fen),
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
    let metric = Metric::from(arguments.metric);
    let counting = if arguments.syzygy_counts {
        Counting::ToldApart
    } else {
        Counting::Once
    };
    let control = crew::control(arguments.threads);
    let mut out = std::io::stdout().lock();
    if arguments.csv {
        writeln!(out, "material,side_to_move,value,plies,positions")?;
    }
    for material in materials {
        tb_missing::check_metric(&tables, material, metric)?;
        let stats = crew::on_threads(&control, || {
            stats(tables.store(), material, metric, counting, &control)
        })?
        .map_err(|error| Failure::Failed(tb_missing::verify_error(&tables, material, &error)))?;
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
    let zugzwangs = &stats.mutual_zugzwangs;
    writeln!(
        out,
        "  mutual zugzwangs: {}",
        tb_words::zugzwangs(zugzwangs)
    )?;
    if let Some(example) = &zugzwangs.first {
        writeln!(out, "    such as {}", example.fen())?;
    }
    Ok(())
}
