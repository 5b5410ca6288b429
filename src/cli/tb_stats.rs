//! `duchamp tb stats MATERIAL...`: as text, JSON, CSV, or a picture.

use super::Failure;
use super::crew;
use super::outputs;
use super::progress::ProgressArguments;
use super::tb_game::{TableGame, TableStats};
use super::tb_input::{self, Dir, GameOption, MetricName, in_game};
use super::tb_missing;
use super::tb_plot;
use super::tb_words;
use duchamp_base::Plies;
use duchamp_tablebase::{Counting, SideStats};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables: materials such as KRPvKR or, of xiangqi, cp-aaee; a number of men, or all4 for up to so
    /// many men
    #[arg(required = true)]
    materials: Vec<String>,
    /// What the longest distances and the histogram count; the table needs a file of it [default: dtm;
    /// xiangqi: dtc]
    #[arg(long, value_enum)]
    metric: Option<MetricName>,
    #[command(flatten)]
    game: GameOption,
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
    #[arg(long, value_parser = crew::threads)]
    threads: Option<usize>,
    #[command(flatten)]
    progress: ProgressArguments,
}

#[derive(serde::Serialize)]
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

impl SideObject {
    fn new<G: TableGame>(side: &SideStats<G::Position>) -> SideObject {
        let counts = &side.counts;
        let fen = |entry: &Option<(Plies, G::Position)>| {
            entry.as_ref().map(|(_, position)| G::notation(position))
        };
        SideObject {
            win: side.counts.won - side.counts.cursed,
            cursed_win: side.counts.cursed,
            draw: side.counts.drawn,
            blessed_loss: side.counts.blessed,
            loss: side.counts.lost - side.counts.blessed,
            longest_win_plies: (counts.won > 0).then_some(counts.longest_win),
            longest_win_fen: fen(&side.longest_win),
            longest_loss_plies: (counts.lost > 0).then_some(counts.longest_loss),
            longest_loss_fen: fen(&side.longest_loss),
            win_histogram: side.wins.clone(),
            loss_histogram: side.losses.clone(),
        }
    }
}

/// The statistics of a table as an object.
pub(super) struct StatsObject<'a, G: TableGame>(pub(super) &'a TableStats<G>);

impl<G: TableGame> Serialize for StatsObject<'_, G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stats = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("material", &stats.key.to_string())?;
        map.serialize_entry("metric", stats.metric.name())?;
        for (name, side) in G::SIDE_NAMES.into_iter().zip(&stats.sides) {
            map.serialize_entry(&format!("{name}_to_move"), &SideObject::new::<G>(side))?;
        }
        G::add_extra(&stats.extra, &mut map)?;
        map.end()
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    in_game!(
        arguments.game.of_specs(&arguments.materials)?,
        print(arguments)
    )
}

fn print<G: TableGame>(arguments: &Arguments) -> Result<(), Failure> {
    outputs::check_texts(&arguments.svg, &[])?;
    let store = arguments.dir.store::<G>()?;
    let materials = tb_input::materials(&arguments.materials, &store)?;
    if arguments.svg.is_some() && materials.len() != 1 {
        return Err(Failure::BadInput(
            "a picture shows one table: name one".to_owned(),
        ));
    }
    let metric = tb_input::metric_of::<G>(arguments.metric)?;
    let counting = if arguments.syzygy_counts {
        Counting::ToldApart
    } else {
        Counting::Once
    };
    let control = crew::control(arguments.threads);
    let display = arguments.progress.start("tb stats", "tables");
    // One table is no share of anything.
    let total = (materials.len() > 1).then_some(materials.len() as u64);
    if arguments.csv {
        writeln!(
            std::io::stdout(),
            "material,side_to_move,value,plies,positions"
        )?;
    }
    for key in materials {
        tb_missing::check_metric(&store, key, metric)?;
        let histogram = arguments.csv || arguments.svg.is_some();
        if (histogram || arguments.syzygy_counts) && G::is_counted_only(key) {
            return Err(Failure::Failed(format!(
                "{key} is too large for a histogram; its counts and longest wins: {} tb stats {key}",
                crew::program()
            )));
        }
        let begins = |what: &str| {
            display.update(|report| {
                report.total = total;
                report.text = format!("counting {what} of {key}");
            });
        };
        let stats = crew::on_threads(&control, || {
            TableStats::<G>::of(&store, key, metric, counting, &control, &begins)
        })?
        .map_err(|error| Failure::Failed(tb_missing::verify_error(&store, key, &error)))?;
        display.suspend(|| write(arguments, &stats))?;
        display.update(|report| report.done += 1);
    }
    display.finish();
    Ok(())
}

/// Writes the statistics as they are asked for.
fn write<G: TableGame>(arguments: &Arguments, stats: &TableStats<G>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let object = serde_json::to_string(&StatsObject(stats)).map_err(Failure::failed)?;
        writeln!(out, "{object}")?;
    } else if arguments.csv {
        write_csv(&mut out, stats)?;
    } else if let Some(file) = &arguments.svg {
        outputs::write(file, tb_plot::histogram(stats))?;
    } else {
        write_text(&mut out, stats)?;
    }
    Ok(())
}

fn write_csv<G: TableGame>(out: &mut impl Write, stats: &TableStats<G>) -> Result<(), Failure> {
    for (name, side) in G::SIDE_NAMES.into_iter().zip(&stats.sides) {
        for (value, histogram) in [("win", &side.wins), ("loss", &side.losses)] {
            for (plies, count) in histogram
                .iter()
                .enumerate()
                .filter(|(_, count)| **count > 0)
            {
                writeln!(out, "{},{name},{value},{plies},{count}", stats.key)?;
            }
        }
        writeln!(out, "{},{name},draw,,{}", stats.key, side.counts.drawn)?;
    }
    Ok(())
}

fn write_text<G: TableGame>(out: &mut impl Write, stats: &TableStats<G>) -> Result<(), Failure> {
    let to = tb_words::end_of(stats.metric);
    writeln!(out, "{}, plies to {to}", stats.key)?;
    for (name, side) in G::SIDES.into_iter().zip(&stats.sides) {
        let counts = side.counts;
        writeln!(
            out,
            "  {name} to move: {} won, {} drawn, {} lost",
            counts.won, counts.drawn, counts.lost
        )?;
        if counts.cursed + counts.blessed > 0 {
            writeln!(
                out,
                "    by the 50-move rule drawn: {} of the wins, {} of the losses",
                counts.cursed, counts.blessed
            )?;
        }
        for (what, number, plies, longest) in [
            ("win", counts.won, counts.longest_win, &side.longest_win),
            ("loss", counts.lost, counts.longest_loss, &side.longest_loss),
        ] {
            if number > 0 {
                let moves = Plies(plies).moves();
                write!(out, "    longest {what}: {plies} plies ({moves} moves)")?;
                match longest {
                    Some((_, position)) => writeln!(out, "  {}", G::notation(position))?,
                    None => writeln!(out)?,
                }
            }
        }
    }
    Ok(G::write_extra(&stats.extra, out)?)
}
