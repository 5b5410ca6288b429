//! `duchamp duel`: two evaluations or two settings of the search against each other, at equal nodes.

use super::crew::{self, locked};
use super::{Failure, net, tb_input::Dir};
use duchamp_search::{Knowledge, Params, Searcher};
use duchamp_training::selfplay::{Duel, Pairs};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What `duchamp duel` takes.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The network of the first player, or `by-hand`; the built-in evaluation if there is none
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// The same of the second player
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Numbers of the first player's search, as name=value, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAME=VALUE")]
    params: Vec<String>,
    /// The same of the second player
    #[arg(long, value_delimiter = ',', value_name = "NAME=VALUE")]
    against_params: Vec<String>,
    /// At most so many pairs of games
    #[arg(long, default_value_t = 500)]
    pairs: u64,
    /// Nodes after which no new iteration of a search begins
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// Pairs played at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// What the games are made from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop as soon as it is clear (5 % error either way) whether the first is better by LESS or by MORE Elo
    #[arg(long, num_args = 2, value_names = ["LESS", "MORE"], allow_negative_numbers = true)]
    sprt: Vec<f64>,
    #[command(flatten)]
    dir: Dir,
}

/// The logarithm of 0.95 / 0.05.
const CLEAR: f64 = 2.944_438_979;

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.nodes == 0 || arguments.threads == 0 {
        return Err(Failure::bad_input("nodes and threads must be at least 1"));
    }
    let params = [
        params(&arguments.params)?,
        params(&arguments.against_params)?,
    ];
    let (first, name) = net::open(arguments.net.as_deref())?;
    let (second, other) = net::open(arguments.against.as_deref())?;
    let tables = arguments.dir.open();
    let stopped = crew::stop_flag()?;
    let (next, results) = (AtomicU64::new(0), Mutex::new(Pairs::default()));
    let bar = ProgressBar::new(arguments.pairs);
    if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {pos}/{len} pairs {msg}") {
        bar.set_style(style);
    }
    let work = || -> Result<(), Failure> {
        let knowledge = Knowledge::of(tables.oracle());
        let players = [&first, &second].map(|it| Searcher::with_evaluator(Arc::clone(it)));
        let mut duel = Duel::new(players, knowledge, arguments.nodes);
        duel.set_params(params.clone());
        while !stopped.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= arguments.pairs {
                break;
            }
            let half_points = duel.pair(arguments.seed, number).iter().sum();
            let mut pairs = locked(&results);
            pairs.add(half_points);
            bar.inc(1);
            bar.set_message(told(&pairs, &arguments.sprt));
            if ratio(&pairs, &arguments.sprt).is_some_and(|ratio| ratio.abs() >= CLEAR) {
                stopped.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    crew::work(arguments.threads, work)?;
    bar.finish_and_clear();
    let pairs = locked(&results);
    println!(
        "{name} against {other}, {} nodes a move, seed {}",
        arguments.nodes, arguments.seed
    );
    println!("{}", told(&pairs, &arguments.sprt));
    Ok(())
}

fn ratio(pairs: &Pairs, sprt: &[f64]) -> Option<f64> {
    match sprt {
        &[less, more] => Some(pairs.log_ratio(less, more)),
        _ => None,
    }
}

/// The result in a line.
fn told(pairs: &Pairs, sprt: &[f64]) -> String {
    let (elo, error) = pairs.elo();
    // No minus before a nought.
    let elo = if elo.abs() < 0.05 { 0.0 } else { elo };
    let (share, _) = pairs.score();
    let games = 2 * pairs.count();
    let mut text = format!(
        "{games} games, {:.1} %, Elo {elo:+.1} ± {error:.1}, pairs by half points {:?}",
        100.0 * share,
        pairs.0
    );
    if let Some(ratio) = ratio(pairs, sprt) {
        text += &format!(", log ratio {ratio:.2} of ± {CLEAR:.2}");
    }
    text
}

/// The usual numbers with some of them changed.
fn params(changes: &[String]) -> Result<Params, Failure> {
    let mut params = Params::default();
    let mut values = params.values();
    for change in changes {
        let bad = || Failure::bad_input(format!("{change:?} is no NAME=VALUE of the search"));
        let (name, value) = change.split_once('=').ok_or_else(bad)?;
        let index = Params::ALL.iter().position(|(known, ..)| *known == name);
        values[index.ok_or_else(bad)?] = value.parse().map_err(|_| bad())?;
    }
    params.set(&values);
    Ok(params)
}
