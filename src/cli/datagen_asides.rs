//! `duchamp datagen off-game`: adds searched off-game positions to the games of a file.

use super::Failure;
use super::crew::{self, locked};
use super::net::Net;
use super::progress::{Display, ProgressArguments};
use super::tb_input::Dir;
use duchamp_base::{Random, human};
use duchamp_search::Knowledge;
use duchamp_training::selfplay::{
    Block, Blocks, FileError, GameWriter, OffGameSampler, read_blocks,
};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(clap::Args)]
pub(super) struct AsidesArguments {
    /// A file of games
    file: PathBuf,
    /// The file to append the games with their new positions to; games that it holds already are omitted
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The most off-game positions that are added at each position
    #[arg(long, default_value_t = 1)]
    each: usize,
    /// Soft node limit of a search: no further iteration starts beyond it
    #[arg(long, default_value_t = 400)]
    nodes: u64,
    /// Blocks of games worked on at the same time, one thread each
    #[arg(long, alias = "concurrency", default_value_t = 1)]
    threads: usize,
    #[command(flatten)]
    net: Net,
    #[command(flatten)]
    dir: Dir,
    #[command(flatten)]
    progress: ProgressArguments,
}

pub(super) fn run(arguments: &AsidesArguments) -> Result<(), Failure> {
    if arguments.nodes == 0 || arguments.threads == 0 || arguments.each == 0 {
        return Err(Failure::bad_input(
            "--each, --nodes and --threads must be at least 1",
        ));
    }
    let blocks = read_blocks(&arguments.file).map_err(Failure::bad_input)?;
    let mut done = HashSet::new();
    let writer = GameWriter::open(&arguments.out, |block| {
        done.insert((block.seed, block.first));
    })
    .map_err(Failure::bad_input)?;
    let (evaluator, _) = arguments.net.open()?;
    let knowledge = Knowledge::of(arguments.dir.open().oracle());
    let stopped = crew::stop_flag()?;
    let display = arguments.progress.start("datagen off-game", "games");
    let work = Work {
        blocks: Mutex::new(blocks),
        writer: Mutex::new(writer),
        done,
        each: arguments.each,
        stopped: &stopped,
        display,
        added: AtomicU64::new(0),
    };
    crew::work(arguments.threads, || {
        let sampler = OffGameSampler::new(&evaluator, knowledge.clone(), arguments.nodes);
        work.sample(sampler)
    })
    .map_err(Failure::failed)?;
    locked(&work.writer).sync().map_err(Failure::failed)?;
    let stopped = stopped.load(Ordering::Relaxed);
    if !stopped {
        work.display.finish();
    }
    writeln!(
        std::io::stdout(),
        "Added {} off-game positions",
        human::grouped(work.added.into_inner(), ',')
    )?;
    if stopped {
        return Err(crew::stopped());
    }
    Ok(())
}

/// What the threads share.
struct Work<'a> {
    blocks: Mutex<Blocks>,
    writer: Mutex<GameWriter>,
    /// Seeds and first numbers of the blocks that are written already.
    done: HashSet<(u64, u64)>,
    each: usize,
    stopped: &'a AtomicBool,
    display: Display,
    added: AtomicU64,
}

impl Work<'_> {
    /// Works on one block after the other. What is added to a block depends on the block alone.
    fn sample(&self, mut sampler: OffGameSampler) -> Result<(), FileError> {
        loop {
            let Some(block) = locked(&self.blocks).next() else {
                return Ok(());
            };
            let mut block: Block = block?;
            if !self.done.contains(&(block.seed, block.first)) {
                sampler.clear();
                let mut random = Random::of(block.seed, !block.first);
                let mut added = 0;
                for game in &mut block.games {
                    if self.stopped.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    let before = game.off_game.len();
                    sampler.add(game, self.each, &mut random);
                    added += game.off_game.len() - before;
                }
                locked(&self.writer).append(&block)?;
                self.added.fetch_add(added as u64, Ordering::Relaxed);
            }
            let games = block.games.len() as u64;
            self.display.update(|report| report.done += games);
        }
    }
}
