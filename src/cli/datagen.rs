//! `duchamp datagen`: games of the engine against itself, for training, and the files that hold them.

use super::Failure;
use super::net::Net;
use super::tb_input::Dir;
use super::{crew, datagen_asides, datagen_endings, datagen_files};
use clap::Subcommand;
use duchamp_chess::Oracle;
use duchamp_chess_tables::Prober;
use duchamp_eval::EvaluatorFactory;
use duchamp_search::Knowledge;
use duchamp_training::selfplay::{
    Block, DatagenSettings, FileError, GameWriter, MAX_MAKER, Player,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What `duchamp datagen` takes.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    files: Option<Files>,
    #[command(flatten)]
    make: Make,
}

#[derive(Subcommand)]
enum Files {
    /// Counts what files of games hold
    Stats(datagen_files::StatsArguments),
    /// Joins files of games, without games that are there twice
    Merge(datagen_files::MergeArguments),
    /// Searches positions beside the games of a file
    Asides(datagen_asides::AsidesArguments),
    /// Finds positions near the range of the tables, with their values
    Endings(datagen_endings::EndingsArguments),
    /// Writes games as PGN, with the scores as comments
    Pgn(datagen_files::PgnArguments),
}

/// How to play.
#[derive(clap::Args)]
struct Make {
    /// File to append the games to; what it has of them already is not played again
    #[arg(long, value_name = "FILE", required = true)]
    out: Option<PathBuf>,
    /// Numbers of games to play, from 0; without end if neither this nor --hours is given
    #[arg(long)]
    games: Option<u64>,
    /// Begin no more games after so many hours
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    hours: Option<f64>,
    /// Games played at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Nodes after which no new iteration of a search begins
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// What the games are made from; the same seed gives the same openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Least and greatest number of random plies at the start
    #[arg(long, num_args = 2, default_values_t = [8, 12], value_names = ["LEAST", "MOST"])]
    random: Vec<usize>,
    /// Openings that a search scores beyond so many hundredths of a pawn for a side are thrown away
    #[arg(long, default_value_t = 400, value_name = "SCORE", value_parser = clap::value_parser!(i32).range(10..))]
    max_opening: i32,
    /// Share of games in percent that start from one of the 960 start positions
    #[arg(long, default_value_t = 10)]
    chess960: u64,
    /// At so many of a hundred positions, search one some random moves beside the game too, if it is quiet
    #[arg(long, default_value_t = 50)]
    asides: u64,
    #[command(flatten)]
    net: Net,
    #[command(flatten)]
    dir: Dir,
}

/// Games in a block.
const STRETCH: u64 = 32;

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.files {
        Some(Files::Stats(arguments)) => datagen_files::stats(arguments),
        Some(Files::Merge(arguments)) => datagen_files::merge(arguments),
        Some(Files::Asides(arguments)) => datagen_asides::run(arguments),
        Some(Files::Endings(arguments)) => datagen_endings::run(arguments),
        Some(Files::Pgn(arguments)) => datagen_files::pgn(arguments),
        None => make(&arguments.make),
    }
}

/// What the threads share.
struct Work {
    writer: Mutex<GameWriter>,
    /// First numbers of the stretches that the file has.
    done: HashSet<u64>,
    next: AtomicU64,
    end: u64,
    deadline: Option<Instant>,
    stopped: Arc<AtomicBool>,
    settings: DatagenSettings,
    maker: String,
    evaluator: EvaluatorFactory,
    tables: Prober,
    bar: ProgressBar,
    played: [AtomicU64; 2],
}

fn make(arguments: &Make) -> Result<(), Failure> {
    let work = prepare(arguments)?;
    crew::work(arguments.threads, || work.play()).map_err(Failure::failed)?;
    crew::locked(&work.writer).sync().map_err(Failure::failed)?;
    work.bar.finish_and_clear();
    let [games, plies] = work.played.map(AtomicU64::into_inner);
    println!("{games} games, {plies} positions by {}", work.maker);
    if work.stopped.load(Ordering::Relaxed) {
        return Err(crew::stopped());
    }
    Ok(())
}

fn prepare(arguments: &Make) -> Result<Work, Failure> {
    let settings = settings(arguments)?;
    let out = arguments
        .out
        .as_ref()
        .ok_or_else(|| Failure::bad_input("--out is missing"))?;
    let (evaluator, name) = arguments.net.open()?;
    let tables = arguments.dir.open();
    let mut done = HashSet::new();
    let writer = GameWriter::open(out, |block| {
        if block.seed == settings.seed {
            done.insert(block.first);
        }
    })
    .map_err(Failure::bad_input)?;
    let stopped = crew::stop_flag()?;
    let deadline = match arguments.hours {
        Some(hours) => Some(
            Duration::try_from_secs_f64(hours * 3600.0)
                .ok()
                .and_then(|time| Instant::now().checked_add(time))
                .ok_or_else(|| Failure::bad_input("--hours is no time"))?,
        ),
        None => None,
    };
    let bar = ProgressBar::new(arguments.games.unwrap_or(0));
    let template = if arguments.games.is_some() {
        "{elapsed_precise} {wide_bar} {pos}/{len} games {per_sec} {eta}"
    } else {
        "{elapsed_precise} {spinner} {pos} games {per_sec}"
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    Ok(Work {
        writer: Mutex::new(writer),
        done,
        next: AtomicU64::new(0),
        end: arguments.games.unwrap_or(u64::MAX),
        deadline,
        stopped,
        maker: maker(&name, &settings, tables.max_men()),
        settings,
        evaluator,
        tables,
        bar,
        played: [const { AtomicU64::new(0) }; 2],
    })
}

fn settings(arguments: &Make) -> Result<DatagenSettings, Failure> {
    let [least, most] = arguments.random[..] else {
        return Err(Failure::bad_input("--random takes two numbers"));
    };
    if arguments.nodes == 0 || arguments.threads == 0 {
        return Err(Failure::bad_input("nodes and threads must be at least 1"));
    }
    if least > most || most > 100 {
        return Err(Failure::bad_input(
            "--random wants the lesser number first, and at most 100",
        ));
    }
    if arguments.chess960 > 100 || arguments.asides > 100 {
        return Err(Failure::bad_input(
            "--chess960 and --asides are shares in percent",
        ));
    }
    Ok(DatagenSettings {
        seed: arguments.seed,
        nodes: arguments.nodes,
        random: (least, most),
        chess960: arguments.chess960,
        off_game: arguments.asides,
        max_opening: arguments.max_opening,
    })
}

/// Version, evaluation and settings, short enough for the header of a block.
fn maker(evaluation: &str, settings: &DatagenSettings, men: u32) -> String {
    let text = format!(
        "{} {evaluation} n{} r{}-{} o{} f{} a{} t{men}",
        env!("CARGO_PKG_VERSION"),
        settings.nodes,
        settings.random.0,
        settings.random.1,
        settings.max_opening,
        settings.chess960,
        settings.off_game,
    );
    // At the end of a character.
    text.chars()
        .scan(0, |bytes, c| {
            *bytes += c.len_utf8();
            (*bytes <= MAX_MAKER).then_some(c)
        })
        .collect()
}

impl Work {
    /// Plays stretches of games until there are no more or the time is over.
    fn play(&self) -> Result<(), FileError> {
        let knowledge = Knowledge::of(self.tables.oracle());
        let mut player = Player::new(&self.evaluator, knowledge, self.settings.clone());
        loop {
            let first = self.next.fetch_add(STRETCH, Ordering::Relaxed);
            if first >= self.end {
                return Ok(());
            }
            let stretch = STRETCH.min(self.end - first);
            if self.done.contains(&first) {
                self.bar.inc(stretch);
                continue;
            }
            let mut games = Vec::new();
            for number in first..first + stretch {
                if self.is_over() {
                    return Ok(());
                }
                games.push(player.play(number));
                self.bar.inc(1);
            }
            let plies: usize = games.iter().map(|game| game.plies.len()).sum();
            self.played[0].fetch_add(stretch, Ordering::Relaxed);
            self.played[1].fetch_add(plies as u64, Ordering::Relaxed);
            let block = Block {
                seed: self.settings.seed,
                first,
                stretch: stretch as u32,
                maker: self.maker.clone(),
                games,
            };
            crew::locked(&self.writer).append(&block)?;
        }
    }

    fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }
}
