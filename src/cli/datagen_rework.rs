//! What those commands of `duchamp datagen` share that go through a file of games and search positions of each.

use super::Failure;
use super::crew::{self, locked};
use super::datagen_files::{tell_cut_off, tell_removed};
use super::net::Net;
use super::outputs;
use super::progress::{Display, ProgressArguments};
use super::tb_input::Dir;
use duchamp_base::{Random, checksum, human};
use duchamp_eval::EvaluatorFactory;
use duchamp_search::Knowledge;
use duchamp_training::selfplay::{Block, Blocks, FileError, GameRecord, GameWriter, read_blocks};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(clap::Args)]
pub(super) struct Rework {
    /// A file of games
    file: PathBuf,
    /// The file to append the games to; games that it holds already are omitted
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Blocks of games worked on at the same time, one thread each
    #[arg(long, alias = "concurrency", default_value_t = 1, value_parser = crew::threads)]
    threads: usize,
    #[command(flatten)]
    net: Net,
    #[command(flatten)]
    dir: Dir,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// What is done with games, by each thread.
pub(super) trait GameWork {
    /// Makes what comes next independent of earlier games.
    fn clear(&mut self);

    /// Works on a game; how many positions are new.
    fn work(&mut self, game: &mut GameRecord, random: &mut Random) -> usize;
}

impl Rework {
    /// Works on all games that the output lacks and reports how many positions are new, in words around the number.
    /// `name` is the command's.
    pub(super) fn run<W: GameWork>(
        &self,
        name: &'static str,
        make: impl Fn(&EvaluatorFactory, Knowledge) -> W + Sync,
        [before, after]: [&str; 2],
    ) -> Result<(), Failure> {
        outputs::check_no_input(&self.out, std::slice::from_ref(&self.file))?;
        let blocks = read_blocks(&self.file).map_err(Failure::bad_input)?;
        let (evaluator, _) = self.net.open()?;
        let knowledge = Knowledge::of(self.dir.open()?.oracle());
        let stopped = crew::stop_flag()?;
        let mut done = HashSet::new();
        let writer = GameWriter::open(&self.out, |block| {
            done.insert(games_of(&block));
        })
        .map_err(Failure::bad_input)?;
        tell_removed(&writer, &self.out);
        let display = self.progress.start(name, "games");
        let shared = Shared {
            blocks: Mutex::new(blocks),
            writer: Mutex::new(writer),
            done,
            stopped: &stopped,
            display,
            new: AtomicU64::new(0),
        };
        crew::work(self.threads, &stopped, || {
            shared.work(make(&evaluator, knowledge.clone()))
        })?;
        tell_cut_off(&locked(&shared.blocks), &self.file);
        locked(&shared.writer).sync().map_err(Failure::failed)?;
        let stopped = stopped.load(Ordering::Relaxed);
        if !stopped {
            shared.display.finish();
        }
        let new = human::grouped(shared.new.into_inner(), ',');
        writeln!(std::io::stdout(), "{before} {new} {after}")?;
        match stopped {
            true => Err(crew::stopped()),
            false => Ok(()),
        }
    }
}

/// A fingerprint of the games of a block, of their moves only: seeds and numbers say nothing where files have others' games.
fn games_of(block: &Block) -> u64 {
    let mut bytes = Vec::new();
    for game in &block.games {
        let moves = game.random.iter().copied();
        let moves = moves.chain(game.plies.iter().map(|ply| ply.mv));
        bytes.extend(game.start.to_le_bytes());
        bytes.extend(moves.flat_map(|mv| mv.bits().to_le_bytes()));
        bytes.push(game.half_points);
    }
    checksum(&bytes)
}

/// What the threads share.
struct Shared<'a> {
    blocks: Mutex<Blocks>,
    writer: Mutex<GameWriter>,
    /// The blocks that are written already, by their games.
    done: HashSet<u64>,
    stopped: &'a AtomicBool,
    display: Display,
    new: AtomicU64,
}

impl Shared<'_> {
    /// Works on one block after the other. What becomes of a block depends on the block alone.
    fn work(&self, mut work: impl GameWork) -> Result<(), FileError> {
        loop {
            let Some(block) = locked(&self.blocks).next() else {
                return Ok(());
            };
            let mut block: Block = block?;
            if !self.done.contains(&games_of(&block)) {
                work.clear();
                let mut random = Random::of(block.seed, !block.first);
                let mut new = 0;
                for game in &mut block.games {
                    if self.stopped.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    new += work.work(game, &mut random);
                }
                locked(&self.writer).append(&block)?;
                self.new.fetch_add(new as u64, Ordering::Relaxed);
            }
            let games = block.games.len() as u64;
            self.display.update(|report| report.done += games);
        }
    }
}
