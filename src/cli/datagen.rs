//! `duchamp datagen`: games of the engine against itself, as samples for tuning and training.
//!
//! Every game starts with random moves, so that no two are alike, and is a function of its number
//! and the arguments alone; threads only share the work.

use super::Failure;
use super::sample::Sample;
use crate::chess::{Color, Game, Outcome, Position};
use crate::search::{Control, Knowledge, Limits, Reported, SearchOptions, Searcher};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What `duchamp datagen` takes.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// File to append the samples to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Games to play
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Number of the first game; the same numbers give the same games
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Nodes to search for each move
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// Random plies at the start of a game; one more in every other game
    #[arg(long, default_value_t = 8)]
    random: u64,
    /// Games played at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// A start that one side wins by more than this is thrown away.
const MAX_START: i32 = 500;
/// A score that ends the game after [`WIN_PLIES`] in a row.
const WIN_SCORE: i32 = 1500;
const WIN_PLIES: u32 = 4;
/// A score so near to 0 that the game is drawn after [`DRAW_PLIES`] in a row.
const DRAW_SCORE: i32 = 6;
const DRAW_PLIES: u32 = 14;
/// No game is drawn by its scores before this ply.
const DRAW_FROM: usize = 70;
/// Longer games are drawn.
const MAX_PLIES: usize = 350;
/// Scores beyond this say little about evaluation.
const MAX_SAMPLE: i32 = 2000;

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.nodes == 0 || arguments.threads == 0 {
        return Err(Failure::bad_input("nodes and threads must be at least 1"));
    }
    let file = File::options()
        .create(true)
        .append(true)
        .open(&arguments.out)?;
    let out = Mutex::new(BufWriter::new(file));
    let next = AtomicU64::new(arguments.first);
    let end = arguments.first.saturating_add(arguments.games);
    let samples = AtomicU64::new(0);
    let bar = indicatif::ProgressBar::new(arguments.games);
    std::thread::scope(|scope| {
        let work = || -> std::io::Result<()> {
            let mut searcher = Searcher::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return Ok(());
                }
                let game = play(&mut searcher, number, arguments);
                samples.fetch_add(game.len() as u64, Ordering::Relaxed);
                let text: String = game.iter().map(|sample| format!("{sample}\n")).collect();
                let mut out = out
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                out.write_all(text.as_bytes())?;
                bar.inc(1);
            }
        };
        let workers: Vec<_> = (0..arguments.threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| match worker.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    })?;
    out.into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .flush()?;
    bar.finish();
    println!(
        "{} samples of {} games",
        samples.into_inner(),
        arguments.games
    );
    Ok(())
}

/// One game: its quiet positions.
fn play(searcher: &mut Searcher, number: u64, arguments: &Arguments) -> Vec<Sample> {
    let mut random = Random(number.wrapping_mul(0xD134_2543_DE82_EF95) ^ arguments.nodes);
    let limits = Limits::nodes(arguments.nodes);
    loop {
        let start = random_start(&mut random, arguments.random + number % 2);
        searcher.clear();
        let Some(start) = start else { continue };
        if let Some(samples) = play_from(searcher, start, &limits) {
            return samples;
        }
    }
}

/// Plays on to the end; `None` if the start is already decided.
fn play_from(searcher: &mut Searcher, start: Position, limits: &Limits) -> Option<Vec<Sample>> {
    let (options, control) = (SearchOptions::default(), Control::new());
    let mut game = Game::new(start);
    let mut samples = Vec::new();
    let mut judge = Judge::default();
    let result = loop {
        if let Some(outcome) = game.outcome() {
            break match outcome {
                Outcome::Win(Color::White) => 1.0,
                Outcome::Win(Color::Black) => 0.0,
                Outcome::Draw(_) => 0.5,
            };
        }
        let outcome = searcher.search(
            &game,
            limits,
            &options,
            &Knowledge::default(),
            &control,
            &mut |_| (),
        );
        let Some(best) = outcome.best else { break 0.5 };
        let position = *game.current();
        let ours = match outcome.score {
            Reported::Centipawns(score) => score,
            Reported::Mate(moves) => {
                if moves > 0 {
                    30_000
                } else {
                    -30_000
                }
            }
        };
        let score = if position.turn() == Color::White {
            ours
        } else {
            -ours
        };
        if game.moves().is_empty() && score.abs() > MAX_START {
            return None;
        }
        if !position.in_check() && !position.is_noisy(best) && score.abs() <= MAX_SAMPLE {
            samples.push(Sample {
                position,
                score,
                result: 0.5,
            });
        }
        if let Some(result) = judge.verdict(score, game.moves().len()) {
            break result;
        }
        game.push(best);
    };
    samples.iter_mut().for_each(|sample| sample.result = result);
    Some(samples)
}

/// Ends games that are decided.
#[derive(Default)]
struct Judge {
    won: u32,
    drawn: u32,
    sign: i32,
}

impl Judge {
    /// White's points, once they are clear.
    fn verdict(&mut self, score: i32, plies: usize) -> Option<f32> {
        let sign = score.signum();
        self.won = match score.abs() >= WIN_SCORE {
            true if sign == self.sign => self.won + 1,
            true => 1,
            false => 0,
        };
        self.sign = sign;
        self.drawn = if score.abs() <= DRAW_SCORE && plies >= DRAW_FROM {
            self.drawn + 1
        } else {
            0
        };
        if self.won >= WIN_PLIES {
            Some(if sign > 0 { 1.0 } else { 0.0 })
        } else if self.drawn >= DRAW_PLIES || plies >= MAX_PLIES {
            Some(0.5)
        } else {
            None
        }
    }
}

/// The start position after random moves; `None` if that ended the game.
fn random_start(random: &mut Random, plies: u64) -> Option<Position> {
    let mut position = Position::start();
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        position = position.play(moves[random.below(moves.len())]);
    }
    position.has_legal_move().then_some(position)
}

/// SplitMix64 (Steele, Lea & Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_repeatable() {
        let arguments = Arguments {
            out: PathBuf::new(),
            games: 1,
            first: 0,
            nodes: 50,
            random: 8,
            threads: 1,
        };
        let mut searcher = Searcher::new();
        let lines = |searcher: &mut Searcher| {
            play(searcher, 7, &arguments)
                .iter()
                .map(Sample::to_string)
                .collect::<Vec<_>>()
        };
        let first = lines(&mut searcher);
        assert!(!first.is_empty());
        assert_eq!(first, lines(&mut searcher));
    }
}
