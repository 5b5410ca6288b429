//! `duchamp train`: a network learns from files of games.
//!
//! After every epoch the network so far, the picture of the losses and a checkpoint are written, so an interrupt loses
//! nothing: the same command with `--resume CHECKPOINT` goes on, to the same network.

use super::crew::Watch;
use super::{Failure, crew, net, tb_generate, train_plot};
use duchamp_base::{checksum, files, human};
use duchamp_eval::network::{MAX_LABEL, Network};
use duchamp_eval::{Classical, by_network, hce};
use duchamp_training::selfplay::{Filter, read_blocks};
use duchamp_training::train::{Data, EpochEnd, Loader, Neighbours, Shape, TrainSettings, Trainer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `duchamp train` takes.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Files of games, as `duchamp datagen` writes them
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    data: Vec<PathBuf>,
    /// Where to write the network, after every epoch
    #[arg(long, value_name = "FILE")]
    net: PathBuf,
    /// Hidden units of each side
    #[arg(long, value_name = "N")]
    hidden: usize,
    /// Sets of features by the place of the own king: 1, 2, 4 or 8
    #[arg(long, value_name = "K", default_value_t = 1)]
    king_buckets: usize,
    /// Outputs by the number of men
    #[arg(long, value_name = "B", default_value_t = 1)]
    output_buckets: usize,
    /// See boards with the own king on files e to h in a mirror; the default
    #[arg(long, overrides_with = "no_mirror")]
    mirror: bool,
    /// See all boards as they are
    #[arg(long)]
    no_mirror: bool,
    /// Begin with the numbers of a network instead of random ones; it must be of the same scale and, but for fewer hidden
    /// units, of the same shape
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Learn what to add to the hand-crafted evaluation, instead of all
    #[arg(long)]
    residual: bool,
    /// The share of the game's result in what is learnt; the rest is the score of the search
    #[arg(long, value_name = "LAMBDA", default_value_t = 0.3)]
    share: f32,
    /// The score, in hundredths of a pawn, at which 73 of 100 points are expected; what an output of 1 is worth
    #[arg(long, default_value_t = 400)]
    scale: i32,
    /// The power of the error that is the loss
    #[arg(long, default_value_t = 2.0)]
    power: f32,
    /// Times to go through the data
    #[arg(long, default_value_t = 20)]
    epochs: u32,
    /// Positions a step
    #[arg(long, default_value_t = 16_384)]
    batch: usize,
    /// The rate of learning after the first steps
    #[arg(long, default_value_t = 0.001)]
    rate: f32,
    /// The rate of learning in the end, to which it falls along a cosine
    #[arg(long, default_value_t = 0.000_01)]
    final_rate: f32,
    /// How fast weights decay: the share that a step at rate 1 takes away
    #[arg(long, default_value_t = 0.01)]
    decay: f32,
    /// Where randomness begins: first weights, order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Positions with greater scores, in hundredths of a pawn, are left out
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(i16).range(0..))]
    max_score: i16,
    /// Plies at the start of games that are left out, random ones included
    #[arg(long, default_value_t = 0)]
    min_ply: usize,
    /// Learn also from quiet positions a few random moves beside the games, as many tries for each position, as the
    /// hand-crafted evaluation judges them
    #[arg(long, default_value_t = 0, value_name = "TRIES")]
    neighbours: usize,
    /// One game in so many, or fewer if that is plenty, judges instead of being learnt from
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(2..))]
    judges: u64,
    /// Networks that are judged, too, before the training begins, like the hand-crafted evaluation
    #[arg(long, num_args = 1.., value_name = "FILE")]
    compare: Vec<PathBuf>,
    /// Threads to use; one a core by default. The network does not depend on it
    #[arg(long)]
    threads: Option<usize>,
    /// Where to draw the losses, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Where to keep what is needed to go on; the network's name with `.checkpoint` by default
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Go on from a checkpoint; data and settings must be those that it was made with
    #[arg(long, value_name = "CHECKPOINT")]
    resume: Option<PathBuf>,
}

/// About how many bytes a position takes in a file of games.
const BYTES: u64 = 4;
/// About how many of a hundred positions are kept.
const KEPT: u64 = 70;
/// More judges tell nothing more.
const MAX_JUDGES: u64 = 300_000;

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = settings(arguments)?;
    let watch = Watch::new(arguments.threads)?;
    let mut trainer = Trainer::new(settings.clone());
    let mut from = String::new();
    if let Some(path) = &arguments.from {
        let network = Network::load(path).map_err(Failure::bad_input)?;
        let begun = trainer.begin_with(&network);
        begun.map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))?;
        from = format!(" from {:016x}", checksum(&network.to_bytes()));
    }
    let data = read(arguments)?;
    if let Some(path) = &arguments.resume {
        trainer = Trainer::resume(path, settings, &data)
            .map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))?;
    }
    let work = Work {
        arguments,
        label: label(arguments, &data, &from),
        data,
    };
    // Told at once if it cannot be written there.
    work.save(&trainer)?;
    let control = &watch.control;
    crew::on_threads(control, || {
        work.judge_others(&trainer)?;
        work.train(trainer, control)
    })?
}

fn settings(arguments: &Arguments) -> Result<TrainSettings, Failure> {
    let shape = Shape::new(
        arguments.hidden,
        arguments.output_buckets,
        arguments.king_buckets,
        !arguments.no_mirror,
    );
    let settings = TrainSettings {
        shape: shape
            .map_err(Failure::bad_input)?
            .residual(arguments.residual),
        wdl_weight: arguments.share,
        scale: arguments.scale,
        power: arguments.power,
        epochs: arguments.epochs,
        batch: arguments.batch,
        rate: arguments.rate,
        final_rate: arguments.final_rate,
        decay: arguments.decay,
        seed: arguments.seed,
    };
    settings.check().map_err(Failure::bad_input)?;
    Ok(settings)
}

fn read(arguments: &Arguments) -> Result<Data, Failure> {
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |data| data.len());
    let kept = arguments.data.iter().map(size).sum::<u64>() / BYTES * KEPT / 100;
    let filter = Filter {
        max_score: arguments.max_score,
        min_ply: arguments.min_ply,
    };
    let every = arguments.judges.max(kept / MAX_JUDGES);
    let mut loader = Loader::new(filter, every, kept as usize);
    if arguments.neighbours > 0 {
        let teacher = Box::new(Classical::new());
        let tries = arguments.neighbours;
        loader = loader.with_neighbours(Neighbours::new(teacher, tries, arguments.seed));
    }
    for path in &arguments.data {
        let mut blocks = read_blocks(path).map_err(Failure::bad_input)?;
        for block in blocks.by_ref() {
            let block = block.map_err(Failure::bad_input)?;
            block.games.iter().for_each(|game| loader.add(game));
        }
        if blocks.is_cut_off() {
            eprintln!("{}: cut off in the middle of a block", path.display());
        }
    }
    let mut data = loader.finish();
    if arguments.residual {
        data = data.on_top_of(&hce());
    }
    println!("{}", data.stats);
    if data.training.is_empty() || data.validation.games.is_empty() {
        return Err(Failure::bad_input(format!(
            "{} positions to learn from and {} to judge by are too few",
            data.training.len(),
            data.validation.games.len()
        )));
    }
    println!(
        "{} positions to learn from, {} to judge by",
        human::grouped(data.training.len() as u64, ','),
        human::grouped(data.validation.games.len() as u64, ',')
    );
    Ok(data)
}

/// How the network is made, for its file.
fn label(arguments: &Arguments, data: &Data, from: &str) -> String {
    let mut label = format!(
        "{} {} positions ({} + {} beside games) epochs {} batch {} rate {} to {} decay {} share {} power {} seed {}{from}",
        env!("CARGO_PKG_VERSION"),
        data.training.len(),
        data.stats.off_game,
        data.stats.neighbours,
        arguments.epochs,
        arguments.batch,
        arguments.rate,
        arguments.final_rate,
        arguments.decay,
        arguments.share,
        arguments.power,
        arguments.seed,
    );
    label.truncate(MAX_LABEL);
    label
}

struct Work<'a> {
    arguments: &'a Arguments,
    label: String,
    data: Data,
}

impl Work<'_> {
    /// Tells how evaluations that are there already are judged.
    fn judge_others(&self, trainer: &Trainer) -> Result<(), Failure> {
        let paths = self.arguments.compare.iter();
        let mut others = vec![("by hand".to_owned(), hce())];
        for path in paths {
            let (make, _) = net::open(Some(path))?;
            others.push((path.display().to_string(), make));
        }
        for (name, make) in others {
            let judged = trainer.validation_loss_of(&make, &self.data.validation);
            println!("{name}: judged {judged}");
        }
        Ok(())
    }

    /// Goes through the epochs that are left.
    fn train(&self, mut trainer: Trainer, control: &duchamp_base::Control) -> Result<(), Failure> {
        let bar = tb_generate::bar();
        while !trainer.is_done() {
            let number = trainer.epochs().len() + 1;
            let epochs = self.arguments.epochs;
            bar.set_message(format!("epoch {number} of {epochs}"));
            let told = |share: f64| bar.set_position((share * 1000.0) as u64);
            let ended = trainer.epoch(&self.data, control, told).cloned();
            let epoch = match ended {
                Err(EpochEnd::Diverged) => return Err(Failure::failed(EpochEnd::Diverged)),
                Err(EpochEnd::Cancelled) => {
                    self.save(&trainer)?;
                    bar.finish_and_clear();
                    return Err(Failure::Failed(format!(
                        "stopped; --resume {} goes on from here",
                        self.checkpoint().display()
                    )));
                }
                Ok(epoch) => epoch,
            };
            let speed = self.data.training.len() as f64 / epoch.seconds.max(1e-9) / 1000.0;
            bar.suspend(|| {
                println!(
                    "epoch {number:>3}/{epochs}  learnt {:.6}  judged {}  rate {:.6}  {speed:.0} k positions/s",
                    epoch.training_loss, epoch.validation_loss, epoch.rate
                );
            });
            self.save(&trainer)?;
            self.write_net(&trainer)?;
            if let Some(path) = &self.arguments.plot {
                let picture = train_plot::losses(trainer.epochs(), &self.label);
                written(path, picture.as_bytes())?;
            }
        }
        bar.finish_and_clear();
        let network = self.write_net(&trainer)?;
        let judges = &self.data.validation;
        println!(
            "{}: judged {} in floats, {} in integers",
            self.arguments.net.display(),
            trainer.validation_loss(judges),
            trainer.validation_loss_of(&by_network(Arc::new(network)), judges),
        );
        Ok(())
    }

    fn checkpoint(&self) -> PathBuf {
        let beside = || {
            let mut name = self.arguments.net.clone().into_os_string();
            name.push(".checkpoint");
            name.into()
        };
        self.arguments.checkpoint.clone().unwrap_or_else(beside)
    }

    fn save(&self, trainer: &Trainer) -> Result<(), Failure> {
        let path = self.checkpoint();
        let saved = trainer.save(&path, &self.data);
        saved.map_err(|error| Failure::failed(format!("{}: {error}", path.display())))
    }

    fn write_net(&self, trainer: &Trainer) -> Result<Network, Failure> {
        let network = trainer.network(&self.label).map_err(Failure::failed)?;
        written(&self.arguments.net, &network.to_bytes())?;
        Ok(network)
    }
}

fn written(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let done = files::write_atomic(path, bytes);
    done.map_err(|error| Failure::failed(format!("{}: {error}", path.display())))
}
