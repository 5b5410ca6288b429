//! `duchamp datagen`: self-play games for training, and the files that hold them.

use super::Failure;
use super::datagen_files::tell_removed;
use super::net::Net;
use super::progress::{Display, ProgressArguments};
use super::tb_input::Dir;
use super::{crew, datagen_endings, datagen_files, datagen_off_game, datagen_rescore};
use clap::Subcommand;
use duchamp_chess::Oracle;
use duchamp_chess_tables::Prober;
use duchamp_eval::EvaluatorFactory;
use duchamp_search::{Knowledge, SearchControl};
use duchamp_training::selfplay::{
    Block, DatagenSettings, GameRecord, GameWriter, MAX_GENERATOR, Player, Unplayed,
};
use std::collections::HashMap;
use std::io::Write;
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
    play: Play,
}

#[derive(Subcommand)]
enum Files {
    /// Count games and positions in files of games
    Stats(datagen_files::StatsArguments),
    /// Merge files of games and drop duplicates
    Merge(datagen_files::MergeArguments),
    /// Search more off-game positions for the games of a file
    #[command(name = "off-game", alias = "asides")]
    OffGame(datagen_off_game::OffGameArguments),
    /// Search positions of a file's games again, with more nodes or another network
    Rescore(datagen_rescore::RescoreArguments),
    /// Find test positions just outside the tables, with values that the tables prove
    Endings(datagen_endings::EndingsArguments),
    /// Print games as PGN, with the scores as comments
    Pgn(datagen_files::PgnArguments),
}

/// How to play.
#[derive(clap::Args)]
struct Play {
    /// The file to append the games to; games that it holds already are not played again
    #[arg(long, value_name = "FILE", required = true)]
    out: Option<PathBuf>,
    /// How many games to play in total [default: until --hours or Ctrl-C]
    #[arg(long)]
    games: Option<u64>,
    /// Start no further game after this time
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true)]
    hours: Option<f64>,
    /// Games played at the same time, one thread each
    #[arg(long, alias = "concurrency", default_value_t = 1, value_parser = crew::threads)]
    threads: usize,
    /// Soft node limit of a search: no further iteration starts beyond it
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// Seed of the random numbers; the same seed gives the same openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The least and the greatest number of random plies of an opening
    #[arg(long, alias = "random", num_args = 2, default_values_t = [8, 12], value_names = ["MIN", "MAX"])]
    random_plies: Vec<usize>,
    /// Reject openings whose search score is beyond this many centipawns for either side
    #[arg(long, alias = "max-opening-score", default_value_t = 400, value_name = "CP", value_parser = clap::value_parser!(i32).range(10..))]
    max_opening: i32,
    /// Percentage of games that start from a Chess960 position
    #[arg(
        long = "chess960-percent",
        alias = "chess960",
        value_name = "PERCENT",
        default_value_t = 10
    )]
    chess960: u64,
    /// Percentage of positions at which an off-game position is searched, too: a quiet one that a few random
    /// moves reach
    #[arg(
        long = "off-game",
        alias = "asides",
        value_name = "PERCENT",
        default_value_t = 50
    )]
    off_game: u64,
    /// Percentage of off-game positions that are drawn from those which the search of the game's position evaluated,
    /// instead of reached by random moves
    #[arg(long, value_name = "PERCENT", default_value_t = 0)]
    from_search: u64,
    #[command(flatten)]
    net: Net,
    #[command(flatten)]
    dir: Dir,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// Games in a block.
const STRETCH: u64 = 32;

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.files {
        Some(Files::Stats(arguments)) => datagen_files::stats(arguments),
        Some(Files::Merge(arguments)) => datagen_files::merge(arguments),
        Some(Files::OffGame(arguments)) => datagen_off_game::run(arguments),
        Some(Files::Rescore(arguments)) => datagen_rescore::run(arguments),
        Some(Files::Endings(arguments)) => datagen_endings::run(arguments),
        Some(Files::Pgn(arguments)) => datagen_files::pgn(arguments),
        None => play(&arguments.play),
    }
}

/// What the threads share.
struct Work {
    writer: Mutex<GameWriter>,
    /// What the file has of each stretch, by its first number: the number after the last one that was played.
    done: HashMap<u64, u64>,
    next: AtomicU64,
    end: u64,
    deadline: Option<Instant>,
    stopped: Arc<AtomicBool>,
    /// An interrupt ends the search in progress, and its game is dropped: a later run plays it again.
    control: Arc<SearchControl>,
    settings: DatagenSettings,
    generator: String,
    evaluator: EvaluatorFactory,
    tables: Prober,
    display: Display,
    played: [AtomicU64; 2],
}

fn play(arguments: &Play) -> Result<(), Failure> {
    let work = prepare(arguments)?;
    let worked = crew::work(arguments.threads, &work.stopped, || work.play());
    crew::locked(&work.writer).sync().map_err(Failure::failed)?;
    worked?;
    let stopped = work.stopped.load(Ordering::Relaxed);
    if !stopped {
        work.display.finish();
    }
    let [games, plies] = work.played.map(AtomicU64::into_inner);
    writeln!(
        std::io::stdout(),
        "Generated {games} games, {plies} positions, by {}",
        work.generator
    )?;
    if stopped {
        return Err(crew::stopped());
    }
    Ok(())
}

fn prepare(arguments: &Play) -> Result<Work, Failure> {
    let settings = settings(arguments)?;
    let out = arguments
        .out
        .as_ref()
        .ok_or_else(|| Failure::bad_input("--out is missing"))?;
    let (evaluator, name) = arguments.net.open()?;
    let tables = arguments.dir.open()?;
    let (stopped, control) = (crew::stop_flag()?, crew::search_control()?);
    let deadline = match arguments.hours {
        Some(hours) => Some(
            Duration::try_from_secs_f64(hours * 3600.0)
                .ok()
                .and_then(|time| Instant::now().checked_add(time))
                .ok_or_else(|| Failure::bad_input("--hours must be a number of hours from 0"))?,
        ),
        None => None,
    };
    let mut done: HashMap<u64, u64> = HashMap::new();
    let writer = GameWriter::open(out, |block| {
        if block.seed == settings.seed {
            let to = done.entry(block.first - block.first % STRETCH).or_default();
            *to = (*to).max(block.first.saturating_add(block.stretch.into()));
        }
    })
    .map_err(Failure::bad_input)?;
    tell_removed(&writer, out);
    let display = arguments.progress.start("datagen", "games");
    display.update(|report| report.total = arguments.games);
    Ok(Work {
        writer: Mutex::new(writer),
        done,
        next: AtomicU64::new(0),
        end: arguments.games.unwrap_or(u64::MAX),
        deadline,
        stopped,
        control,
        generator: generator(&name, &settings, tables.max_men()),
        settings,
        evaluator,
        tables,
        display,
        played: [const { AtomicU64::new(0) }; 2],
    })
}

fn settings(arguments: &Play) -> Result<DatagenSettings, Failure> {
    let [least, most] = arguments.random_plies[..] else {
        return Err(Failure::bad_input("--random-plies takes two numbers"));
    };
    crew::check_nodes(arguments.nodes)?;
    if least > most || most > 100 {
        return Err(Failure::bad_input(
            "--random-plies takes MIN and MAX, from 0 to 100, the smaller one first",
        ));
    }
    let percentages = [
        arguments.chess960,
        arguments.off_game,
        arguments.from_search,
    ];
    if percentages.iter().any(|&percent| percent > 100) {
        return Err(Failure::bad_input(
            "--chess960-percent, --off-game and --from-search must be from 0 to 100",
        ));
    }
    Ok(DatagenSettings {
        seed: arguments.seed,
        nodes: arguments.nodes,
        random: (least, most),
        chess960: arguments.chess960,
        off_game: arguments.off_game,
        from_search: arguments.from_search,
        max_opening: arguments.max_opening,
    })
}

/// Version, evaluation and settings, short enough for the header of a block.
fn generator(evaluation: &str, settings: &DatagenSettings, men: u32) -> String {
    let from_search = match settings.from_search {
        0 => String::new(),
        percent => format!(" s{percent}"),
    };
    let settings = format!(
        " n{} r{}-{} o{} f{} a{}{from_search} t{men}",
        settings.nodes,
        settings.random.0,
        settings.random.1,
        settings.max_opening,
        settings.chess960,
        settings.off_game,
    );
    // A long name is cut, at the end of a character, and no setting.
    let mut name = format!("{} {evaluation}", env!("CARGO_PKG_VERSION"));
    let mut room = MAX_GENERATOR.saturating_sub(settings.len()).min(name.len());
    while !name.is_char_boundary(room) {
        room -= 1;
    }
    name.truncate(room);
    let mut text = name + &settings;
    text.truncate(MAX_GENERATOR);
    text
}

impl Work {
    /// Plays stretches of games until there are no more or the time is over.
    fn play(&self) -> Result<(), Failure> {
        let knowledge = Knowledge::of(self.tables.oracle());
        let mut player = Player::new(&self.evaluator, knowledge, self.settings.clone());
        loop {
            let first = self.next.fetch_add(STRETCH, Ordering::Relaxed);
            if first >= self.end {
                return Ok(());
            }
            let end = self.end.min(first.saturating_add(STRETCH));
            // A run of fewer games has left the last stretch unfinished.
            let begin = self.done.get(&first).map_or(first, |to| end.min(*to));
            self.display.update(|report| report.done += begin - first);
            if begin == end {
                continue;
            }
            let mut games = Vec::new();
            let mut ended = Ok(());
            for number in begin..end {
                if self.is_over() {
                    ended = Err(Unplayed::Stopped);
                    break;
                }
                match player.play(number, &self.control) {
                    Ok(game) => games.push(game),
                    Err(why) => {
                        ended = Err(why);
                        break;
                    }
                }
                self.display.update(|report| report.done += 1);
            }
            // Games that are finished are kept, whatever ended the stretch; a later run plays the rest of it.
            self.keep(begin, games)?;
            match ended {
                Ok(()) => (),
                Err(Unplayed::Stopped) => return Ok(()),
                Err(why) => return Err(Failure::failed(why)),
            }
        }
    }

    /// Writes games, if there are any, of which the first has this number.
    fn keep(&self, first: u64, games: Vec<GameRecord>) -> Result<(), Failure> {
        if games.is_empty() {
            return Ok(());
        }
        let plies: usize = games.iter().map(|game| game.plies.len()).sum();
        self.played[0].fetch_add(games.len() as u64, Ordering::Relaxed);
        self.played[1].fetch_add(plies as u64, Ordering::Relaxed);
        let block = Block {
            seed: self.settings.seed,
            first,
            stretch: games.len() as u32,
            generator: self.generator.clone(),
            games,
        };
        crew::locked(&self.writer).append(&block)?;
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_costs_no_setting() {
        let settings = DatagenSettings {
            nodes: 1_000_000_000_000,
            ..DatagenSettings::default()
        };
        let text = generator("é".repeat(40).as_str(), &settings, 5);
        assert!(text.len() <= MAX_GENERATOR, "{text}");
        assert!(text.starts_with(env!("CARGO_PKG_VERSION")), "{text}");
        assert!(
            text.ends_with(" n1000000000000 r8-12 o400 f10 a50 t5"),
            "{text}"
        );
    }
}
