//! `duchamp duel`: a match between two evaluations or two sets of search parameters, at equal nodes.

use super::crew::{self, locked};
use super::progress::ProgressArguments;
use super::{Failure, net, spsa, tb_input::Dir};
use duchamp_search::{Knowledge, Params, Searcher};
use duchamp_training::selfplay::{GamePairs, MIN_PAIRS, MIN_UNEVEN, Pentanomial, Unplayed};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What `duchamp duel` takes.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The network of the first player, or `material` for one that counts material only [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// The network of the second player
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Search parameters of the first player
    #[arg(long, value_delimiter = ',', value_name = "NAME=VALUE,...")]
    params: Vec<String>,
    /// Search parameters of the second player
    #[arg(long, value_delimiter = ',', value_name = "NAME=VALUE,...")]
    against_params: Vec<String>,
    /// The most pairs of games; a pair is one opening with both colours
    #[arg(long, default_value_t = 500)]
    pairs: u64,
    /// Soft node limit of a search: no further iteration starts beyond it
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// Pairs played at the same time, one thread each
    #[arg(long, alias = "concurrency", default_value_t = 1, value_parser = crew::threads)]
    threads: usize,
    /// Seed of the random openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop by a sequential test (SPRT, alpha = beta = 0.05) of H0: ELO0 against H1: ELO1
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true)]
    sprt: Vec<f64>,
    #[command(flatten)]
    dir: Dir,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// The test ends where the log-likelihood ratio (LLR) is this or its negative: ln(0.95 / 0.05).
const LLR_BOUND: f64 = 2.944_438_979;

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    crew::check_nodes(arguments.nodes)?;
    if let &[elo0, elo1] = &arguments.sprt[..]
        && !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1)
    {
        return Err(Failure::bad_input(
            "--sprt needs two numbers, the smaller one first",
        ));
    }
    let params = [
        params(&arguments.params)?,
        params(&arguments.against_params)?,
    ];
    let (first, name) = net::open(arguments.net.as_deref())?;
    let (second, other) = net::open(arguments.against.as_deref())?;
    let name = with_params(name, &arguments.params);
    let other = with_params(other, &arguments.against_params);
    let tables = arguments.dir.open()?;
    let (stopped, control) = (crew::stop_flag()?, crew::search_control()?);
    let (next, results) = (AtomicU64::new(0), Mutex::new(Pentanomial::default()));
    let decided = AtomicBool::new(false);
    let display = arguments.progress.start("duel", "pairs");
    display.update(|report| report.total = Some(arguments.pairs));
    let work = || -> Result<(), Failure> {
        let knowledge = Knowledge::of(tables.oracle());
        let players = [&first, &second].map(|it| Searcher::with_evaluator(Arc::clone(it)));
        let mut duel = GamePairs::new(players, knowledge, arguments.nodes);
        duel.set_params(params.clone());
        while !stopped.load(Ordering::Relaxed) && !decided.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= arguments.pairs {
                break;
            }
            // An interrupt drops the pair in progress.
            let pair = match duel.pair(arguments.seed, number, &control) {
                Err(Unplayed::Stopped) => break,
                pair => pair.map_err(Failure::failed)?,
            };
            let half_points = pair.iter().sum();
            let mut pairs = locked(&results);
            // The first crossing decides, whatever the pairs still in play bring.
            if decided.load(Ordering::Relaxed) {
                break;
            }
            pairs.add(half_points);
            display.update(|report| {
                report.done = pairs.count();
                report.text = summary(&pairs, &arguments.sprt);
            });
            decided.store(is_decided(&pairs, &arguments.sprt), Ordering::Relaxed);
        }
        Ok(())
    };
    crew::work(arguments.threads, &stopped, work)?;
    let pairs = locked(&results);
    let whole = decided.into_inner() || pairs.count() >= arguments.pairs;
    if whole {
        display.finish();
    }
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{name} against {other}, {} nodes a move, seed {}",
        arguments.nodes, arguments.seed
    )?;
    writeln!(out, "{}", summary(&pairs, &arguments.sprt))?;
    if !whole {
        let text = format!(
            "stopped after {} of {} pairs; pairs in progress are not counted",
            pairs.count(),
            arguments.pairs
        );
        return Err(Failure::failed(text));
    }
    Ok(())
}

/// The name of a player: its network and the parameters that are not the default.
fn with_params(net: String, params: &[String]) -> String {
    match params {
        [] => net,
        params => format!("{net} with {}", params.join(",")),
    }
}

/// Whether a test is asked for and has ended.
fn is_decided(pairs: &Pentanomial, sprt: &[f64]) -> bool {
    match sprt {
        &[elo0, elo1] => pairs
            .llr(elo0, elo1)
            .is_some_and(|llr| llr.abs() >= LLR_BOUND),
        _ => false,
    }
}

/// The result in one line.
fn summary(pairs: &Pentanomial, sprt: &[f64]) -> String {
    let (elo, error) = pairs.elo();
    // No minus before a nought.
    let elo = if elo.abs() < 0.05 { 0.0 } else { elo };
    let interval = match error {
        Some(error) => format!("± {error:.1} (95 %)"),
        None if pairs.count() < 2 => "(too few pairs for an interval)".to_owned(),
        None => "(no interval: all pairs ended alike)".to_owned(),
    };
    let mut text = format!(
        "{} games, {:.1} %, Elo {elo:+.1} {interval}, Ptnml(0-2): {:?}",
        2 * pairs.count(),
        100.0 * pairs.score(),
        pairs.0
    );
    if let &[elo0, elo1] = sprt {
        text += &match pairs.llr(elo0, elo1) {
            None => format!(", LLR from {MIN_PAIRS} pairs on, {MIN_UNEVEN} of them not level"),
            Some(llr) => {
                let verdict = match llr {
                    _ if llr >= LLR_BOUND => ": H1 accepted",
                    _ if llr <= -LLR_BOUND => ": H0 accepted",
                    _ => "",
                };
                format!(
                    ", LLR {llr:.2} ({:.2}, {LLR_BOUND:.2}) [{elo0:.2}, {elo1:.2}]{verdict}",
                    -LLR_BOUND
                )
            }
        };
    }
    text
}

/// The default parameters with some of them changed.
fn params(changes: &[String]) -> Result<Params, Failure> {
    let mut params = Params::default();
    let mut values = params.values();
    for change in changes {
        let bad = || {
            Failure::bad_input(format!(
                "{change:?} is not NAME=VALUE, a parameter of the search and a number"
            ))
        };
        let (name, value) = change.split_once('=').ok_or_else(bad)?;
        let index = Params::ALL.iter().position(|(known, ..)| *known == name);
        let index = index.ok_or_else(|| Failure::bad_input(spsa::unknown_parameter(name)))?;
        let (_, least, most) = Params::ALL[index];
        values[index] = value.parse().map_err(|_| bad())?;
        if !(least..=most).contains(&values[index]) {
            let text = format!("{change:?}: {name} is from {least} to {most}");
            return Err(Failure::bad_input(text));
        }
    }
    params.set(&values);
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_an_interval_only_with_a_variance() {
        let told = |counts, sprt: &[f64]| summary(&Pentanomial(counts), sprt);
        assert_eq!(
            told([0, 0, 0, 1, 0], &[]),
            "2 games, 75.0 %, Elo +190.8 (too few pairs for an interval), Ptnml(0-2): [0, 0, 0, 1, 0]"
        );
        assert_eq!(
            told([0, 0, 6, 0, 0], &[0.0, 5.0]),
            "12 games, 50.0 %, Elo +0.0 (no interval: all pairs ended alike), Ptnml(0-2): [0, 0, 6, 0, 0], \
             LLR from 8 pairs on, 5 of them not level"
        );
        assert!(told([0, 0, 0, 0, 1], &[]).starts_with("2 games, 100.0 %, Elo +inf (too few"));
        let long = told([5, 15, 40, 25, 15], &[-5.0, 0.0]);
        assert!(
            long.contains(" ± 37.") && long.contains("(-2.94, 2.94) [-5.00, 0.00]"),
            "{long}"
        );
        assert!(told([0, 0, 0, 5, 15], &[0.0, 5.0]).ends_with("[0.00, 5.00]: H1 accepted"));
    }
}
