//! `duchamp train`: trains a network on files of games.
//!
//! After every epoch the network so far, the picture of the losses and a checkpoint are written, so an interrupt loses
//! nothing: the same command with `--resume CHECKPOINT` continues, to the same network.

use super::crew::Watch;
use super::datagen_files::tell_cut_off;
use super::outputs;
use super::progress::ProgressArguments;
use super::{Failure, crew, net, train_plot};
use duchamp_base::{Control, checksum, files, human};
use duchamp_eval::network::{Head, MAX_LABEL, NETWORK_LABEL, Network};
use duchamp_eval::{MATERIAL, by_network};
use duchamp_training::selfplay::{Filter, read_blocks};
use duchamp_training::train::{
    CHECKPOINT_LABEL, Data, EpochEnd, LambdaReturn, Loader, Neighbours, Shape, TrainSettings,
    Trainer, unfinished,
};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `duchamp train` takes.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Files of games from `duchamp datagen`
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    data: Vec<PathBuf>,
    /// The file to write the network to, after every epoch
    #[arg(long, value_name = "FILE")]
    net: PathBuf,
    /// Hidden units of each side: a multiple of 32 (with --layers of 64, with --paired-layers of 128), up to 2048
    #[arg(long, value_name = "N")]
    hidden: usize,
    /// Input buckets by the square of the own king: 1, 2, 4 or 8
    #[arg(long, value_name = "N", default_value_t = 1)]
    king_buckets: usize,
    /// Output buckets by the number of pieces
    #[arg(long, value_name = "N", default_value_t = 1)]
    output_buckets: usize,
    /// Mirror boards with the own king on files e to h (the default)
    #[arg(long, overrides_with = "no_mirror")]
    mirror: bool,
    /// Mirror no boards
    #[arg(long)]
    no_mirror: bool,
    /// Start from the weights of this network
    ///
    /// It must have the same scale and, but for fewer hidden units, the same shape; one without king buckets and threats
    /// may be begun with for either, one with threats for more king buckets. One without further layers, of whatever scale,
    /// may be begun with for --layers; for --paired-layers only its hidden layer is taken. Hidden units that are hardly ever
    /// active begin anew.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Count pieces that are attacked or defended, by pawns or by pieces only, as other pieces: nine times as many inputs
    #[arg(long)]
    threat_inputs: bool,
    /// Put two more layers, of 16 and 32 units, between the hidden layer and the output
    #[arg(long)]
    layers: bool,
    /// The same, of products of two hidden units each: half as many inputs, which cost half as much in a search
    #[arg(long, conflicts_with = "layers")]
    paired_layers: bool,
    /// WDL weight (lambda) of the target: 0 is the search score, 1 the result of the game
    #[arg(
        long = "wdl-weight",
        alias = "share",
        value_name = "WEIGHT",
        default_value_t = 0.0
    )]
    wdl_weight: f32,
    /// Weight of what comes after a position in its score (TD(lambda), the lambda-return): 0 is its own search alone
    #[arg(long = "td-lambda", value_name = "LAMBDA", default_value_t = 0.8)]
    td_lambda: f32,
    /// Scale of the sigmoid: at this score, in centipawns, 73 % of the points are expected
    #[arg(long, value_name = "CP", default_value_t = 400)]
    scale: i32,
    /// The loss is the absolute error to this power
    #[arg(long, default_value_t = 2.0)]
    power: f32,
    /// Passes through the data
    #[arg(long, default_value_t = 20)]
    epochs: u32,
    /// Batch size, in positions
    #[arg(
        long = "batch-size",
        alias = "batch",
        value_name = "N",
        default_value_t = 16_384
    )]
    batch: usize,
    /// Learning rate after the warm-up
    #[arg(
        long = "lr",
        alias = "rate",
        value_name = "RATE",
        default_value_t = 0.001
    )]
    rate: f32,
    /// Learning rate of the last step; the rate follows a cosine
    #[arg(
        long = "final-lr",
        alias = "final-rate",
        value_name = "RATE",
        default_value_t = 0.000_01
    )]
    final_rate: f32,
    /// Weight decay (decoupled, as in AdamW)
    #[arg(
        long = "weight-decay",
        alias = "decay",
        value_name = "DECAY",
        default_value_t = 0.01
    )]
    decay: f32,
    /// Decay of what features of one piece on one square have apart, with king buckets or threat inputs, and of what output
    /// buckets have, with further layers [default: 2]
    #[arg(long, value_name = "DECAY")]
    decay_apart: Option<f32>,
    /// Seed of the first weights and of the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Omit positions with a greater search score, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 2000, value_parser = clap::value_parser!(i16).range(0..))]
    max_score: i16,
    /// Omit positions before this ply of a game, random plies included
    #[arg(long, value_name = "PLY", default_value_t = 0)]
    min_ply: usize,
    /// Learn quiet off-game positions with their static evaluation: tries for each position
    ///
    /// A try is a few random moves from the position of a game.
    #[arg(
        long = "off-game",
        alias = "neighbours",
        value_name = "TRIES",
        default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(..=100)
    )]
    off_game: u16,
    /// Evaluate the positions of --off-game by this network instead of the built-in one
    #[arg(long, value_name = "FILE", requires = "off_game")]
    off_game_net: Option<PathBuf>,
    /// Divide the labels so that the network of --from is neither too large nor too small on average
    ///
    /// Labels of games and of off-game positions with 1 to 4 men, 5 to 8 and so on are divided by a number each.
    #[arg(long, requires = "from")]
    keep_scale: bool,
    /// One game in N is in the validation set, fewer if there are many games; which ones is up to their moves alone
    #[arg(long = "validation-every", alias = "judges", value_name = "N", default_value_t = 50,
        value_parser = clap::value_parser!(u64).range(2..))]
    validation_every: u64,
    /// Print the validation loss of these networks first, besides that of the built-in one
    #[arg(long, num_args = 1.., value_name = "FILE")]
    compare: Vec<PathBuf>,
    /// Threads [default: one a core]; the network does not depend on their number
    #[arg(long, value_parser = crew::threads)]
    threads: Option<usize>,
    /// Draw the losses into this file, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// The file of the checkpoint [default: the network's name with `.checkpoint`]
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Continue from a checkpoint; data and settings must be the same as before
    #[arg(long, value_name = "CHECKPOINT")]
    resume: Option<PathBuf>,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// The decay of what weights have apart, where the user does not say it.
const DECAY_APART: f32 = 2.0;
/// About how many bytes a position takes in a file of games.
const BYTES: u64 = 4;
/// About how many of a hundred positions are kept.
const KEPT: u64 = 70;
/// More validation positions would not make the loss more exact.
const MAX_VALIDATION: u64 = 300_000;

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = settings(arguments)?;
    check_outputs(arguments)?;
    let _lock = crew::lock_output(&arguments.net)?;
    // Whoever writes the network has the one beside it; another one may be anybody's.
    let named = arguments.checkpoint.as_deref();
    let _checkpoint_lock = named.map(crew::lock_output).transpose()?;
    check_unfinished(arguments)?;
    let watch = Watch::new(arguments.threads)?;
    let mut trainer = Trainer::new(settings.clone());
    let (mut from, mut predecessor) = (String::new(), None);
    if let Some(path) = &arguments.from {
        let network = Network::load(path).map_err(Failure::bad_input)?;
        let begun = trainer.begin_with(&network);
        begun.map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))?;
        from = format!(" from {:016x}", checksum(&network.to_bytes()));
        predecessor = Some(by_network(Arc::new(network)));
    }
    let mut data = read(arguments, &watch.control)?;
    if arguments.keep_scale
        && let Some(make) = &predecessor
    {
        let ratios = data.keep_scale(make, settings.scale, arguments.max_score);
        writeln!(
            std::io::stdout(),
            "labels divided, by men up to 4, 8 and so on: {ratios}"
        )?;
        from += " keep-scale";
    }
    if let Some(path) = &arguments.resume {
        trainer = Trainer::resume(path, settings, &data)
            .map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))?;
    } else if arguments.from.is_some() {
        let idle = trainer.renew_idle_units(&data.training);
        if idle > 0 {
            writeln!(
                std::io::stdout(),
                "{idle} of {} hidden units are hardly ever active and begin anew",
                arguments.hidden
            )?;
        }
    }
    let work = Work {
        arguments,
        label: label(arguments, &data, &from),
        data,
    };
    // A file that cannot be written is an error now, not after hours.
    work.save(&trainer)?;
    let control = &watch.control;
    crew::on_threads(control, || {
        work.validate_others(&trainer)?;
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
    let head = match (arguments.layers, arguments.paired_layers) {
        (_, true) => Head::PairedLayers,
        (true, false) => Head::Layers,
        (false, false) => Head::Output,
    };
    let settings = TrainSettings {
        shape: shape
            .map_err(Failure::bad_input)?
            .threats(arguments.threat_inputs)
            .with_head(head)
            .map_err(Failure::bad_input)?,
        wdl_weight: arguments.wdl_weight,
        scale: arguments.scale,
        power: arguments.power,
        epochs: arguments.epochs,
        batch: arguments.batch,
        rate: arguments.rate,
        final_rate: arguments.final_rate,
        decay: arguments.decay,
        decay_apart: arguments.decay_apart.unwrap_or(DECAY_APART),
        seed: arguments.seed,
    };
    settings.check().map_err(Failure::bad_input)?;
    if !(0.0..=1.0).contains(&arguments.td_lambda) {
        return Err(Failure::bad_input("--td-lambda must be from 0 to 1"));
    }
    let shared = arguments.king_buckets > 1
        || arguments.threat_inputs
        || settings.shape.head().is_layered() && arguments.output_buckets > 1;
    if arguments.decay_apart.is_some() && !shared {
        return Err(Failure::bad_input(
            "--decay-apart needs --king-buckets, --threat-inputs, or --output-buckets with further layers: without them nothing lies apart",
        ));
    }
    if arguments.off_game_net.is_some() && arguments.off_game == 0 {
        return Err(Failure::bad_input("--off-game-net needs --off-game from 1"));
    }
    Ok(settings)
}

/// Nothing that is written takes the place of something that is read or of another output, and the network can be written.
fn check_outputs(arguments: &Arguments) -> Result<(), Failure> {
    let checkpoint = checkpoint(arguments);
    let networks = [&arguments.from, &arguments.off_game_net];
    let networks = networks.into_iter().flatten().chain(&arguments.compare);
    let mut inputs: Vec<PathBuf> = arguments.data.iter().chain(networks).cloned().collect();
    let always = [&arguments.net, &checkpoint];
    outputs::check(always.into_iter().chain(&arguments.plot), &inputs)?;
    // A training goes on in the checkpoint that it resumes.
    inputs.extend(arguments.resume.clone());
    outputs::check_no_input(&arguments.net, &inputs)?;
    outputs::check_texts(&arguments.plot, &inputs)?;
    outputs::check_replaces(&arguments.net, NETWORK_LABEL, "network")?;
    outputs::check_replaces(&checkpoint, CHECKPOINT_LABEL, "checkpoint")
}

/// A training that was stopped is neither begun anew by mistake nor written over by another one.
fn check_unfinished(arguments: &Arguments) -> Result<(), Failure> {
    let checkpoint = checkpoint(arguments);
    let resumed = arguments.resume.as_ref();
    if resumed.is_some_and(|resumed| files::are_one(resumed, &checkpoint)) {
        return Ok(());
    }
    match unfinished(&checkpoint) {
        None => Ok(()),
        Some((done, all)) => {
            let file = crew::quoted(&checkpoint.to_string_lossy());
            Err(Failure::Failed(format!(
                "{} holds a training with {done} of {all} epochs done: add --resume {file} to go on with it, or remove it",
                checkpoint.display()
            )))
        }
    }
}

fn read(arguments: &Arguments, control: &Control) -> Result<Data, Failure> {
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |data| data.len());
    let kept = arguments.data.iter().map(size).sum::<u64>() / BYTES * KEPT / 100;
    let filter = Filter {
        max_score: arguments.max_score,
        min_ply: arguments.min_ply,
    };
    let every = arguments.validation_every.max(kept / MAX_VALIDATION);
    let (lambda, most) = (arguments.td_lambda, arguments.max_score);
    let returns = LambdaReturn::new(lambda, arguments.scale, most);
    let mut loader = Loader::new(filter, every, kept as usize).with_lambda_return(returns);
    if arguments.off_game > 0 {
        let (teacher, _) = net::open(arguments.off_game_net.as_deref())?;
        let tries = usize::from(arguments.off_game);
        loader = loader.with_neighbours(Neighbours::new(teacher(), tries, arguments.seed));
    }
    for path in &arguments.data {
        let mut blocks = read_blocks(path).map_err(Failure::bad_input)?;
        for block in blocks.by_ref() {
            let block = block.map_err(Failure::bad_input)?;
            block.games.iter().for_each(|game| loader.add(game));
            if control.check().is_err() {
                return Err(Failure::failed(
                    "stopped while reading; nothing was written",
                ));
            }
        }
        tell_cut_off(&blocks, path);
    }
    let data = loader.finish();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", data.stats)?;
    if data.training.is_empty() || data.validation.games.is_empty() {
        return Err(Failure::bad_input(format!(
            "too few positions: {} to train on and {} in the validation set; more games are needed, or a smaller --validation-every",
            data.training.len(),
            data.validation.games.len()
        )));
    }
    writeln!(
        out,
        "{} positions to train on, {} in the validation set",
        human::grouped(data.training.len() as u64, ','),
        human::grouped(data.validation.games.len() as u64, ',')
    )?;
    Ok(data)
}

/// How the network was trained, for its file.
fn label(arguments: &Arguments, data: &Data, from: &str) -> String {
    let mut label = format!(
        "{} {} positions ({} + {} off-game) epochs {} batch {} lr {} to {} decay {}/{} wdl {} td {} power {} seed {}{from} max {}",
        env!("CARGO_PKG_VERSION"),
        data.training.len(),
        data.stats.off_game,
        data.stats.neighbours,
        arguments.epochs,
        arguments.batch,
        arguments.rate,
        arguments.final_rate,
        arguments.decay,
        arguments.decay_apart.unwrap_or(DECAY_APART),
        arguments.wdl_weight,
        arguments.td_lambda,
        arguments.power,
        arguments.seed,
        arguments.max_score,
    );
    if arguments.min_ply > 0 {
        label += &format!(" ply {}", arguments.min_ply);
    }
    if arguments.off_game > 0 {
        label += &format!(" tries {}{}", arguments.off_game, teacher(arguments));
    }
    label.truncate(MAX_LABEL);
    label
}

/// The network that evaluates the positions beside the games, if it is not the built-in one.
fn teacher(arguments: &Arguments) -> String {
    match &arguments.off_game_net {
        None => String::new(),
        Some(path) => match Network::load(path) {
            Ok(network) => format!(" by {:016x}", checksum(&network.to_bytes())),
            // A name that stands for one.
            Err(_) => format!(" by {MATERIAL}"),
        },
    }
}

struct Work<'a> {
    arguments: &'a Arguments,
    label: String,
    data: Data,
}

impl Work<'_> {
    /// Prints the validation loss of evaluations that exist already.
    fn validate_others(&self, trainer: &Trainer) -> Result<(), Failure> {
        let paths = self.arguments.compare.iter();
        let (built_in, name) = net::open(None)?;
        let mut others = vec![(name, built_in)];
        for path in paths {
            let (make, _) = net::open(Some(path))?;
            others.push((path.display().to_string(), make));
        }
        for (name, make) in others {
            let loss = trainer.validation_loss_of(&make, &self.data.validation);
            writeln!(std::io::stdout(), "{name}: validation loss {loss}")?;
        }
        Ok(())
    }

    /// Goes through the epochs that are left.
    fn train(&self, mut trainer: Trainer, control: &duchamp_base::Control) -> Result<(), Failure> {
        let display = self.arguments.progress.start("train", "epochs");
        while !trainer.is_done() {
            let number = trainer.epochs().len() + 1;
            let epochs = self.arguments.epochs;
            let part = |share: f64| {
                display.update(|report| {
                    report.done = number as u64 - 1;
                    report.total = Some(epochs.into());
                    report.share = Some((number as f64 - 1.0 + share) / f64::from(epochs));
                });
            };
            part(0.0);
            let ended = trainer.epoch(&self.data, control, part).cloned();
            let epoch = match ended {
                Err(EpochEnd::Diverged) => return Err(Failure::failed(EpochEnd::Diverged)),
                Err(EpochEnd::Cancelled) => {
                    self.save(&trainer)?;
                    let file = checkpoint(self.arguments);
                    return Err(Failure::Failed(format!(
                        "stopped; the same command with --resume {} continues",
                        crew::quoted(&file.to_string_lossy())
                    )));
                }
                Ok(epoch) => epoch,
            };
            let speed = self.data.training.len() as f64 / epoch.seconds.max(1e-9) / 1000.0;
            self.save(&trainer)?;
            self.write_net(&trainer)?;
            if let Some(path) = &self.arguments.plot {
                let picture = train_plot::losses(trainer.epochs(), &self.label);
                written(path, picture.as_bytes())?;
            }
            // All files are written: a closed output ends the training here, but loses nothing.
            display.suspend(|| {
                writeln!(
                    std::io::stdout(),
                    "epoch {number:>3}/{epochs}  loss {:.6}  validation {}  lr {:.6}  {speed:.0} k positions/s",
                    epoch.training_loss,
                    epoch.validation_loss,
                    epoch.rate
                )
            })?;
        }
        display.finish();
        let network = self.write_net(&trainer)?;
        let validation = &self.data.validation;
        writeln!(
            std::io::stdout(),
            "{}: validation loss {} in floats, {} quantised",
            self.arguments.net.display(),
            trainer.validation_loss(validation),
            trainer.validation_loss_of(&by_network(Arc::new(network)), validation),
        )?;
        Ok(())
    }

    fn save(&self, trainer: &Trainer) -> Result<(), Failure> {
        let path = checkpoint(self.arguments);
        let saved = trainer.save(&path, &self.data);
        saved.map_err(|error| Failure::failed(format!("{}: {error}", path.display())))
    }

    fn write_net(&self, trainer: &Trainer) -> Result<Network, Failure> {
        let network = trainer.network(&self.label).map_err(Failure::failed)?;
        written(&self.arguments.net, &network.to_bytes())?;
        Ok(network)
    }
}

/// The file of the checkpoint.
fn checkpoint(arguments: &Arguments) -> PathBuf {
    let beside = || {
        let mut name = arguments.net.clone().into_os_string();
        name.push(".checkpoint");
        name.into()
    };
    arguments.checkpoint.clone().unwrap_or_else(beside)
}

fn written(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let done = files::write_atomic(path, bytes);
    done.map_err(|error| Failure::failed(format!("{}: {error}", path.display())))
}
