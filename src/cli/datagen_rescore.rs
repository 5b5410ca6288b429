//! `duchamp datagen rescore`: scores positions of played games anew, by longer searches or a better network.

use super::Failure;
use super::crew;
use super::datagen_rework::{GameWork, Rework};
use duchamp_base::Random;
use duchamp_training::selfplay::{GameRecord, Rescorer};

#[derive(clap::Args)]
pub(super) struct RescoreArguments {
    #[command(flatten)]
    rework: Rework,
    /// Score one position in N; the others have no score in the new file
    #[arg(long = "one-in", value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1000))]
    one_in: u64,
    /// Soft node limit of a search: no further iteration starts beyond it
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
}

impl GameWork for Rescorer {
    fn clear(&mut self) {
        Rescorer::clear(self);
    }

    fn work(&mut self, game: &mut GameRecord, random: &mut Random) -> usize {
        self.rescore(game, random)
    }
}

pub(super) fn run(arguments: &RescoreArguments) -> Result<(), Failure> {
    let &RescoreArguments { one_in, nodes, .. } = arguments;
    crew::check_nodes(nodes)?;
    let make = |evaluator: &_, knowledge| Rescorer::new(evaluator, knowledge, nodes, one_in);
    let words = ["Scored", "positions"];
    arguments.rework.run("datagen rescore", make, words)
}
