//! `duchamp spsa`: tunes the parameters of the search by self-play (SPSA).

use super::Failure;
use super::columns::{Columns, Side};
use super::crew::{self, locked};
use super::net::Net;
use super::outputs;
use super::progress::ProgressArguments;
use super::tb_input::Dir;
use duchamp_base::files;
use duchamp_search::{Knowledge, Params, SearchControl, Searcher};
use duchamp_training::selfplay::{GamePairs, Spsa};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The bytes that a file of the state has at most.
const LONGEST_STATE: u64 = 64 << 20;

/// What `duchamp spsa` takes.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The file of the state; if it exists, the run continues from it
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Pairs of games in total
    #[arg(long, default_value_t = 20_000)]
    pairs: u64,
    /// Soft node limit of a search: no further iteration starts beyond it
    #[arg(long, default_value_t = 4000)]
    nodes: u64,
    /// Pairs played at the same time, one thread each
    #[arg(long, alias = "concurrency", default_value_t = 1, value_parser = crew::threads)]
    threads: usize,
    /// Seed of the random openings and perturbations
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The parameters to tune [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    params: Vec<String>,
    #[command(flatten)]
    net: Net,
    #[command(flatten)]
    dir: Dir,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// How often the state is written.
const WRITE_EVERY: Duration = Duration::from_secs(20);

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    crew::check_nodes(arguments.nodes)?;
    let _lock = crew::lock_output(&arguments.state)?;
    let spsa = begin(arguments)?;
    let (evaluator, _) = arguments.net.open()?;
    let tables = arguments.dir.open()?;
    let stopped = crew::stop_flag()?;
    let next = AtomicU64::new(spsa.done);
    let total = spsa.total;
    let display = arguments.progress.start("spsa", "pairs");
    display.update(|report| {
        report.done = spsa.done;
        report.total = Some(total);
    });
    let state = Mutex::new((spsa, Instant::now()));
    let work = || -> Result<(), Failure> {
        let knowledge = Knowledge::of(tables.oracle());
        let players = [0, 1].map(|_| Searcher::with_evaluator(Arc::clone(&evaluator)));
        let mut duel = GamePairs::new(players, knowledge, arguments.nodes);
        while !stopped.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= total {
                break;
            }
            let trial = locked(&state).0.trial(number);
            duel.set_params(trial.params.clone());
            // Pairs in progress end: the state has all pairs up to a number, unless the program is killed.
            let pair = duel.pair(arguments.seed, number, &SearchControl::new());
            let pair = pair.map_err(Failure::failed)?;
            let half_points = pair.iter().sum();
            let mut state = locked(&state);
            state.0.learn(&trial, half_points);
            display.update(|report| report.done += 1);
            if state.1.elapsed() >= WRITE_EVERY {
                write(arguments, &state.0)?;
                state.1 = Instant::now();
            }
        }
        Ok(())
    };
    let worked = crew::work(arguments.threads, &stopped, work);
    let (spsa, _) = &*locked(&state);
    write(arguments, spsa)?;
    worked?;
    if spsa.done >= total {
        display.finish();
    }
    print(spsa)?;
    if spsa.done < total {
        let text = format!(
            "stopped after {} of {total} pairs; to go on: the same command again",
            spsa.done
        );
        return Err(Failure::failed(text));
    }
    Ok(())
}

/// The state of the file, or a new one.
fn begin(arguments: &Arguments) -> Result<Spsa, Failure> {
    let path = arguments.state.display();
    let mut spsa = match files::read_text(&arguments.state, LONGEST_STATE) {
        Ok(text) => {
            let wrong = |why: &dyn std::fmt::Display| Failure::bad_input(format!("{path}: {why}"));
            let spsa: Spsa = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
            spsa.check().map_err(|error| wrong(&error))?;
            check_same(&spsa, arguments).map_err(|error| wrong(&error))?;
            spsa
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Spsa::new(&arguments.params, arguments.pairs, arguments.seed)
                .map_err(|name| Failure::bad_input(unknown_parameter(&name)))?
        }
        Err(error) => return Err(Failure::bad_input(format!("{path}: {error}"))),
    };
    spsa.total = spsa.total.max(arguments.pairs);
    Ok(spsa)
}

/// What to say of a name that no parameter of the search has.
pub(super) fn unknown_parameter(name: &str) -> String {
    let names: Vec<&str> = Params::ALL.iter().map(|&(name, ..)| name).collect();
    format!(
        "the search has no parameter {name:?}; it has {}",
        names.join(", ")
    )
}

/// Fails if a run that is to go on was begun with another seed or other parameters.
fn check_same(spsa: &Spsa, arguments: &Arguments) -> Result<(), String> {
    if spsa.seed != arguments.seed {
        return Err(format!(
            "begun with --seed {0}: go on with --seed {0}",
            spsa.seed
        ));
    }
    let begun: Vec<&str> = spsa.values.iter().map(|(name, _)| name.as_str()).collect();
    let all = Params::ALL.iter().map(|&(name, ..)| name);
    let named = |name: &&str| {
        arguments.params.is_empty() || arguments.params.iter().any(|other| other == name)
    };
    if begun != all.filter(named).collect::<Vec<_>>() {
        let begun = begun.join(",");
        return Err(format!(
            "begun with other parameters: go on with --params {begun}"
        ));
    }
    Ok(())
}

fn write(arguments: &Arguments, spsa: &Spsa) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(spsa).map_err(Failure::failed)?;
    outputs::write(&arguments.state, text)
}

/// The default values and the tuned ones.
fn print(spsa: &Spsa) -> Result<(), Failure> {
    let mut columns = Columns::new([
        ("parameter", Side::Left),
        ("default", Side::Right),
        ("tuned", Side::Right),
        ("exact", Side::Right),
    ]);
    let (before, now) = (Params::default().values(), spsa.params().values());
    for ((&(name, ..), before), now) in Params::ALL.iter().zip(before).zip(now) {
        if let Some((_, value)) = spsa.values.iter().find(|(known, _)| known == name) {
            columns.row([
                name.to_owned(),
                before.to_string(),
                now.to_string(),
                format!("{value:.1}"),
            ]);
        }
    }
    let mut out = std::io::stdout().lock();
    columns.write(&mut out)?;
    writeln!(out, "{} of {} pairs of games", spsa.done, spsa.total)?;
    Ok(())
}
