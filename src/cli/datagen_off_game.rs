//! `duchamp datagen off-game`: adds searched off-game positions to the games of a file.

use super::Failure;
use super::crew;
use super::datagen_rework::{GameWork, Rework};
use duchamp_base::Random;
use duchamp_training::selfplay::{GameRecord, OffGameSampler};

#[derive(clap::Args)]
pub(super) struct OffGameArguments {
    #[command(flatten)]
    rework: Rework,
    /// The most off-game positions that are added at each position
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=100))]
    each: u8,
    /// Soft node limit of a search: no further iteration starts beyond it
    #[arg(long, default_value_t = 400)]
    nodes: u64,
}

/// Adds so many positions at each of a game.
struct OffGameWork(OffGameSampler, usize);

impl GameWork for OffGameWork {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn work(&mut self, game: &mut GameRecord, random: &mut Random) -> usize {
        let before = game.off_game.len();
        self.0.add(game, self.1, random);
        game.off_game.len() - before
    }
}

pub(super) fn run(arguments: &OffGameArguments) -> Result<(), Failure> {
    let &OffGameArguments { each, nodes, .. } = arguments;
    crew::check_nodes(nodes)?;
    let make = |evaluator: &_, knowledge| {
        OffGameWork(
            OffGameSampler::new(evaluator, knowledge, nodes),
            each.into(),
        )
    };
    let words = ["Added", "off-game positions"];
    arguments.rework.run("datagen off-game", make, words)
}
