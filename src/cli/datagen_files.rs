//! `duchamp datagen stats`, `merge` and `pgn`: what files of games hold, merging and printing them.

use super::Failure;
use super::columns::{Columns, Side};
use super::failure::say;
use super::outputs;
use duchamp_base::{checksum, human};
use duchamp_chess::{Outcome, Pgn};
use duchamp_training::selfplay::{
    Block, Blocks, FileError, Filter, GameRecord, GameWriter, NO_SCORE, Termination, read_blocks,
};
use std::collections::{BTreeMap, HashSet};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct StatsArguments {
    /// Files of games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(super) struct MergeArguments {
    /// The file to append the games to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Files of games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(clap::Args)]
pub(super) struct PgnArguments {
    /// A file of games
    file: PathBuf,
    /// The most games to print [default: all]
    #[arg(long)]
    games: Option<usize>,
}

/// What files of games hold.
#[derive(Default, serde::Serialize)]
struct Count {
    games: u64,
    /// Games that are there more than once, counted without the first.
    repeated_games: u64,
    /// Positions from which a searched move was played.
    positions: u64,
    /// Positions that the usual filter keeps.
    kept: u64,
    /// The same without repetitions (same pieces and side to move).
    distinct: u64,
    bytes: u64,
    chess960_games: u64,
    white_wins: u64,
    draws: u64,
    black_wins: u64,
    /// Games by why they ended.
    endings: BTreeMap<&'static str, u64>,
    /// Off-game positions, and those of them that the usual filter keeps.
    off_game: [u64; 2],
    /// Kept positions by the number of pieces.
    men: BTreeMap<u32, u64>,
    /// Positions by version, evaluation and settings of the program that played them.
    generators: BTreeMap<String, u64>,
    /// Files that end in the middle of a block.
    cut_off: u64,
}

/// What has been seen, to find what is there twice.
#[derive(Default)]
struct Seen {
    games: HashSet<u64>,
    positions: HashSet<u64>,
}

impl Seen {
    /// Whether a game is new.
    fn is_new(&mut self, game: &GameRecord) -> bool {
        let mut bytes = Vec::new();
        game.write(&mut bytes);
        self.games.insert(checksum(&bytes))
    }
}

impl Count {
    fn add(&mut self, block: &Block, seen: &mut Seen) {
        let filter = Filter::default();
        for game in &block.games {
            self.games += 1;
            self.repeated_games += u64::from(!seen.is_new(game));
            self.chess960_games += u64::from(game.start != GameRecord::ORDINARY);
            *match game.half_points {
                2 => &mut self.white_wins,
                1 => &mut self.draws,
                _ => &mut self.black_wins,
            } += 1;
            *self.endings.entry(name(game.ending)).or_default() += 1;
            let mut number = game.random.len();
            game.for_each(|position, ply| {
                if filter.keeps(position, number, ply) {
                    self.kept += 1;
                    self.distinct += u64::from(seen.positions.insert(position.key()));
                    *self.men.entry(position.occupied().count()).or_default() += 1;
                }
                number += 1;
            });
            game.for_each_off_game(|position, found| {
                self.off_game[0] += 1;
                self.off_game[1] += u64::from(filter.keeps(position, usize::MAX, found));
            });
            let plies = game.plies.len() as u64;
            self.positions += plies;
            *self.generators.entry(block.generator.clone()).or_default() += plies;
        }
    }
}

fn name(ending: Termination) -> &'static str {
    match ending {
        Termination::Mate => "mate",
        Termination::Rules => "rules",
        Termination::Tables => "tables",
        Termination::Won => "won by score",
        Termination::Drawn => "drawn by score",
        Termination::Length => "length",
    }
}

pub(super) fn stats(arguments: &StatsArguments) -> Result<(), Failure> {
    let (mut count, mut seen) = (Count::default(), Seen::default());
    for file in &arguments.files {
        let mut blocks = read_blocks(file).map_err(Failure::bad_input)?;
        for block in blocks.by_ref() {
            count.add(&block.map_err(Failure::failed)?, &mut seen);
        }
        count.bytes += blocks.good_bytes();
        count.cut_off += u64::from(blocks.is_cut_off());
    }
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let object = serde_json::to_string(&count).map_err(Failure::failed)?;
        writeln!(out, "{object}")?;
        return Ok(());
    }
    let mut columns = Columns::new([
        ("what", Side::Left),
        ("number", Side::Right),
        ("percent", Side::Right),
    ]);
    let mut row = |what: &str, number: u64, of: u64| {
        let share = 100.0 * number as f64 / of.max(1) as f64;
        columns.row([
            what.to_owned(),
            human::grouped(number, ','),
            format!("{share:.1} %"),
        ]);
    };
    let (games, positions, kept) = (count.games, count.positions, count.kept);
    row("games", games, games);
    row("  duplicates", count.repeated_games, games);
    row("  Chess960", count.chess960_games, games);
    row("  won by White", count.white_wins, games);
    row("  drawn", count.draws, games);
    row("  won by Black", count.black_wins, games);
    for (ending, number) in &count.endings {
        row(&format!("  ended: {ending}"), *number, games);
    }
    row("positions", positions, positions);
    row("  kept (quiet)", kept, positions);
    row("  kept, without repetitions", count.distinct, positions);
    for (generator, number) in &count.generators {
        row(&format!("  by {generator}"), *number, positions);
    }
    for (low, high) in [
        (2, 5),
        (6, 8),
        (9, 12),
        (13, 16),
        (17, 20),
        (21, 24),
        (25, 28),
        (29, 32),
    ] {
        let number = count.men.range(low..=high).map(|(_, n)| n).sum();
        row(&format!("  kept with {low} to {high} pieces"), number, kept);
    }
    row("off-game positions", count.off_game[0], count.off_game[0]);
    row("  kept (quiet)", count.off_game[1], count.off_game[0]);
    columns.write(&mut out)?;
    let each = count.bytes as f64 / (positions + count.off_game[0]).max(1) as f64;
    writeln!(
        out,
        "{}, {each:.2} bytes a position",
        human::size(count.bytes)
    )?;
    if count.cut_off > 0 {
        writeln!(out, "truncated files: {}", count.cut_off)?;
    }
    Ok(())
}

pub(super) fn merge(arguments: &MergeArguments) -> Result<(), Failure> {
    outputs::check_no_input(&arguments.out, &arguments.files)?;
    // All of them, before anything is appended.
    let files = (arguments.files.iter())
        .map(|file| Ok((file, read_blocks(file)?)))
        .collect::<Result<Vec<_>, FileError>>()
        .map_err(Failure::bad_input)?;
    let mut seen = Seen::default();
    let mut writer = GameWriter::open(&arguments.out, |block| {
        for game in &block.games {
            seen.is_new(game);
        }
    })
    .map_err(Failure::bad_input)?;
    tell_removed(&writer, &arguments.out);
    let (mut kept, mut dropped) = (0, 0);
    for (file, mut blocks) in files {
        for block in blocks.by_ref() {
            let mut block = block.map_err(Failure::failed)?;
            let before = block.games.len();
            block.games.retain(|game| seen.is_new(game));
            kept += block.games.len();
            dropped += before - block.games.len();
            if !block.games.is_empty() {
                writer.append(&block).map_err(Failure::failed)?;
            }
        }
        tell_cut_off(&blocks, file);
    }
    writer.sync().map_err(Failure::failed)?;
    writeln!(
        std::io::stdout(),
        "Added {kept} games, dropped {dropped} duplicates"
    )?;
    Ok(())
}

/// Says so if a file that is appended to had lost the end of its last block.
pub(super) fn tell_removed(writer: &GameWriter, file: &Path) {
    let bytes = writer.removed_bytes();
    if bytes > 0 {
        let bytes = human::grouped(bytes, ',');
        say(&format!(
            "{}: the last block was cut off; its {bytes} bytes are removed",
            file.display()
        ));
    }
}

/// Says so if a file that was read to its end ends in the middle of a block.
pub(super) fn tell_cut_off(blocks: &Blocks, file: &Path) {
    if blocks.is_cut_off() {
        say(&format!(
            "{}: truncated in the middle of a block",
            file.display()
        ));
    }
}

pub(super) fn pgn(arguments: &PgnArguments) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut left = arguments.games.unwrap_or(usize::MAX);
    let mut blocks = read_blocks(&arguments.file).map_err(Failure::bad_input)?;
    for block in blocks.by_ref() {
        let block = block.map_err(Failure::failed)?;
        for record in &block.games {
            if left == 0 {
                return Ok(out.flush()?);
            }
            left -= 1;
            write_pgn(&mut out, record, &block.generator)?;
        }
    }
    tell_cut_off(&blocks, &arguments.file);
    Ok(out.flush()?)
}

fn write_pgn(out: &mut impl Write, record: &GameRecord, generator: &str) -> Result<(), Failure> {
    let Some(game) = record.game() else {
        return Ok(());
    };
    let by = format!("Duchamp {generator}");
    let mut pgn = Pgn::new(&game)
        .tag("Event", "self-play")
        .tag("White", &by)
        .tag("Black", &by)
        .tag("Termination", name(record.ending))
        .outcome(match record.half_points {
            2 => Outcome::Win(duchamp_chess::Color::White),
            1 => Outcome::Draw(duchamp_chess::DrawReason::Repetition),
            _ => Outcome::Win(duchamp_chess::Color::Black),
        });
    for (number, ply) in record.plies.iter().enumerate() {
        if ply.score != NO_SCORE {
            let after = record.random.len() + number + 1;
            pgn = pgn.comment(after, &ply.score.to_string());
        }
    }
    writeln!(out, "{pgn}")?;
    Ok(())
}
