//! `duchamp tune`: fits the weights of the hand-crafted evaluation to samples of own games.
//!
//! Texel's method (P. Österlund, 2014): the logistic of the evaluation should foretell the result.
//! The trace of the evaluation says how often each term counts in a position, so the
//! error has an exact gradient, which Adam (Kingma & Ba 2015) follows. Weights that few positions
//! know are held near their old values. Sums are taken in a fixed order: the same samples give
//! the same weights, whatever the number of threads.

use super::Failure;
use super::datagen_files::check_no_input;
use super::progress::ProgressArguments;
use duchamp_base::{Random, files};
use duchamp_chess::{Color, Position};
use duchamp_eval::terms::{ENDGAME_ONLY, FIRST_DANGER, GROUPS, TERMS, Term};
use duchamp_eval::{Classical, DANGER_LINEAR, DANGER_SQUARE, FULL_PHASE, WEIGHTS};
use duchamp_training::adam::{Adam, Stride};
use duchamp_training::selfplay::{Filter, GameRecord, read_blocks};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// What `duchamp tune` takes.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Files of games from `duchamp datagen`
    #[arg(required = true, value_name = "FILE")]
    samples: Vec<PathBuf>,
    /// The file to write the weights to, as Rust source
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Passes through the samples
    #[arg(long, default_value_t = 60)]
    epochs: u32,
    /// WDL weight (lambda) of the target: 0 is the search score, 1 the result of the game
    #[arg(
        long = "wdl-weight",
        alias = "share",
        value_name = "WEIGHT",
        default_value_t = 0.6
    )]
    wdl_weight: f32,
    /// First learning rate, in centipawns a step; it falls to a hundredth of that
    #[arg(
        long = "lr",
        alias = "rate",
        value_name = "RATE",
        default_value_t = 1.0
    )]
    rate: f32,
    /// L2 regularization towards the old weights; 1 counts like one sample in ten thousand
    #[arg(
        long = "l2",
        alias = "hold",
        value_name = "STRENGTH",
        default_value_t = 1.0
    )]
    l2: f32,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// Samples whose gradient is taken before each step.
const BATCH: usize = 16_384;
/// Samples that one thread sums at a time.
const CHUNK: usize = 1024;
/// One sample in this many, a stretch of whole games at the end, is in the validation set.
const VALIDATION: usize = 10;
/// The greatest loss by danger in the middlegame, as in the evaluation.
const MAX_LOSS: f32 = 3000.0;

/// A pair of weights or gradients, middlegame and endgame.
type Both = [f32; 2];

/// How often a term counts.
type Count = (u16, i16);

/// A sample as the gradient needs it.
struct Entry {
    /// Counts of ordinary terms, White's minus Black's.
    terms: Box<[Count]>,
    /// Counts of what endangers each king.
    dangers: [Box<[Count]>; 2],
    /// The parts of middlegame and endgame in the value.
    parts: Both,
    extra: f32,
    score: f32,
    result: f32,
    target: f32,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !(0.0..=1.0).contains(&arguments.wdl_weight) {
        return Err(Failure::bad_input("the WDL weight must be from 0 to 1"));
    }
    check_no_input(&arguments.out, &arguments.samples)?;
    let mut entries = read(&arguments.samples)?;
    if entries.len() < VALIDATION * CHUNK {
        return Err(Failure::bad_input(format!(
            "{} samples are too few: {} are needed at least",
            entries.len(),
            VALIDATION * CHUNK
        )));
    }
    let mut validation = entries.split_off(entries.len() - entries.len() / VALIDATION);
    shuffle(&mut entries);
    let old: Vec<Both> = WEIGHTS
        .iter()
        .map(|w| [w.middlegame() as f32, w.endgame() as f32])
        .collect();
    let scaling = fit_scaling(&entries);
    writeln!(
        std::io::stdout(),
        "{} training samples, {} validation samples; scaling constant K = {scaling:.5}",
        entries.len(),
        validation.len()
    )?;
    for entry in entries.iter_mut().chain(&mut validation) {
        let expected = logistic(scaling * entry.score);
        entry.target =
            arguments.wdl_weight * entry.result + (1.0 - arguments.wdl_weight) * expected;
    }
    let report = |name: &str, weights: &[Both]| {
        let (training, validated) = (
            error(&entries, weights, scaling),
            error(&validation, weights, scaling),
        );
        writeln!(
            std::io::stdout(),
            "{name}: mean square error {training:.6} on the training samples, {validated:.6} on the validation samples"
        )
    };
    report("before", &old)?;
    let weights = fit(&entries, &old, scaling, arguments);
    report("after", &weights)?;
    let done = files::write_atomic(&arguments.out, source(&weights).as_bytes());
    done.map_err(|error| Failure::failed(format!("{}: {error}", arguments.out.display())))?;
    Ok(())
}

fn read(files: &[PathBuf]) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    for file in files {
        for block in read_blocks(file).map_err(Failure::bad_input)? {
            let games = block.map_err(Failure::bad_input)?.games;
            let new: Vec<Vec<Entry>> = games.par_iter().map_init(Classical::new, of_game).collect();
            entries.extend(new.into_iter().flatten());
        }
    }
    Ok(entries)
}

/// The positions of a game that the filter keeps.
fn of_game(eval: &mut Classical, game: &GameRecord) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut number = game.random.len();
    game.for_each(|position, ply| {
        if Filter::default().keeps(position, number, ply) {
            entries.push(entry(eval, position, ply.score, game.points(Color::White)));
        }
        number += 1;
    });
    entries
}

/// `score` is that of the side to move, `result` White's points.
fn entry(eval: &mut Classical, position: &Position, score: i16, result: f32) -> Entry {
    let (trace, mix) = eval.trace(position);
    let counts = |counts: &[i16], first: u16| {
        let all = counts.iter().enumerate().filter(|&(_, &count)| count != 0);
        all.map(|(i, &count)| (first + i as u16, count)).collect()
    };
    let phase = mix.phase as f32 / FULL_PHASE as f32;
    let white = position.turn() == Color::White;
    Entry {
        terms: counts(&trace.counts, 0),
        dangers: Color::ALL.map(|us| counts(&trace.dangers[us], FIRST_DANGER.0)),
        parts: [phase, (1.0 - phase) * mix.scale as f32 / 64.0],
        extra: mix.extra as f32,
        score: f32::from(if white { score } else { -score }),
        result,
        target: result,
    }
}

/// Mixes the samples by a fixed shuffle.
fn shuffle(entries: &mut [Entry]) {
    let mut random = Random::new(1);
    for i in (1..entries.len()).rev() {
        entries.swap(i, random.below(i + 1));
    }
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The scaling constant K: the factor with which the sigmoid of the search score best predicts results.
fn fit_scaling(entries: &[Entry]) -> f32 {
    let error = |scaling: f32| -> f64 {
        let square = |e: &Entry| f64::from(e.result - logistic(scaling * e.score)).powi(2);
        entries.iter().step_by(4).map(square).sum()
    };
    let (mut low, mut high) = (0.0005f32, 0.02f32);
    for _ in 0..40 {
        let (a, b) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
        if error(a) < error(b) {
            high = b
        } else {
            low = a
        }
    }
    (low + high) / 2.0
}

/// The danger of a king, and what it costs.
fn danger(counts: &[Count], weights: &[Both]) -> (Both, Both) {
    let mut sum = [0.0; 2];
    for &(term, count) in counts {
        let weight = weights[term as usize];
        sum = [
            sum[0] + weight[0] * f32::from(count),
            sum[1] + weight[1] * f32::from(count),
        ];
    }
    sum = sum.map(|s| s.max(0.0));
    let square = (sum[0] * sum[0] / DANGER_SQUARE as f32).min(MAX_LOSS);
    (sum, [square, sum[1] / DANGER_LINEAR as f32])
}

/// The value as White sees it, and the dangers of both kings.
fn value(entry: &Entry, weights: &[Both]) -> (f32, [Both; 2]) {
    let mut sum = [0.0; 2];
    for &(term, count) in &entry.terms {
        let weight = weights[term as usize];
        sum = [
            sum[0] + weight[0] * f32::from(count),
            sum[1] + weight[1] * f32::from(count),
        ];
    }
    let [(white, white_loss), (black, black_loss)] =
        [0, 1].map(|us| danger(&entry.dangers[us], weights));
    let total = [0, 1].map(|i| (sum[i] - white_loss[i] + black_loss[i]) * entry.parts[i]);
    (total[0] + total[1] + entry.extra, [white, black])
}

/// The mean square error.
fn error(entries: &[Entry], weights: &[Both], scaling: f32) -> f64 {
    let square = |e: &Entry| f64::from(e.target - logistic(scaling * value(e, weights).0)).powi(2);
    let sums: Vec<f64> = entries
        .par_chunks(CHUNK)
        .map(|chunk| chunk.iter().map(square).sum())
        .collect();
    sums.iter().sum::<f64>() / entries.len() as f64
}

/// The gradient of the mean square error of a batch.
fn gradient(batch: &[Entry], weights: &[Both], scaling: f32) -> Vec<Both> {
    let sums: Vec<Vec<Both>> = batch
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut sum = vec![[0.0; 2]; TERMS];
            chunk
                .iter()
                .for_each(|entry| descend(entry, weights, scaling, &mut sum));
            sum
        })
        .collect();
    let mut total = vec![[0.0; 2]; TERMS];
    for sum in sums {
        for (t, s) in total.iter_mut().zip(sum) {
            *t = [
                t[0] + s[0] / batch.len() as f32,
                t[1] + s[1] / batch.len() as f32,
            ];
        }
    }
    total
}

/// Adds one sample's gradient.
fn descend(entry: &Entry, weights: &[Both], scaling: f32, sum: &mut [Both]) {
    let (value, dangers) = value(entry, weights);
    let p = logistic(scaling * value);
    let slope = 2.0 * (p - entry.target) * p * (1.0 - p) * scaling;
    let parts = entry.parts.map(|part| part * slope);
    for &(term, count) in &entry.terms {
        let s = &mut sum[term as usize];
        *s = [
            s[0] + parts[0] * f32::from(count),
            s[1] + parts[1] * f32::from(count),
        ];
    }
    for (us, danger) in dangers.into_iter().enumerate() {
        let sign = if us == 0 { -1.0 } else { 1.0 };
        let capped = danger[0] * danger[0] / DANGER_SQUARE as f32 >= MAX_LOSS;
        let square = if capped {
            0.0
        } else {
            sign * parts[0] * 2.0 * danger[0] / DANGER_SQUARE as f32
        };
        let linear = if danger[1] > 0.0 {
            sign * parts[1] / DANGER_LINEAR as f32
        } else {
            0.0
        };
        for &(term, count) in &entry.dangers[us] {
            let s = &mut sum[term as usize];
            *s = [
                s[0] + square * f32::from(count),
                s[1] + linear * f32::from(count),
            ];
        }
    }
}

/// Follows the gradient by Adam.
fn fit(entries: &[Entry], old: &[Both], scaling: f32, arguments: &Arguments) -> Vec<Both> {
    // What one sample in ten thousand weighs in the error's second derivative, about.
    let hold = arguments.l2 * 1e-4 * 2.0 * (0.2 * scaling).powi(2);
    let mut weights = old.to_vec();
    let mut adam = Adam::new(2 * weights.len());
    let display = arguments.progress.start("tune", "epochs");
    display.update(|report| report.total = Some(arguments.epochs.into()));
    let steps = arguments.epochs as usize * entries.chunks(BATCH).len();
    let mut step = 0;
    for _ in 0..arguments.epochs {
        for batch in entries.chunks(BATCH) {
            step += 1;
            let rate = arguments.rate * 0.01f32.powf(step as f32 / steps as f32);
            let stride = Stride::new(step, rate, 1e-10);
            let slopes = gradient(batch, &weights, scaling);
            for (term, slope) in slopes.iter().enumerate() {
                for half in usize::from(ENDGAME_ONLY.holds(Term(term as u16)))..2 {
                    let weight = &mut weights[term][half];
                    let slope = slope[half] + hold * (*weight - old[term][half]);
                    *weight -= adam.step(stride, 2 * term + half, slope);
                }
            }
        }
        display.update(|report| report.done += 1);
    }
    display.finish();
    weights
}

/// The table as the source of `eval::weights`.
fn source(weights: &[Both]) -> String {
    let mut text = String::from(HEAD);
    for group in GROUPS {
        let _ = writeln!(text, "    // {}", group.name);
        let per_line = if group.len == 192 { 4 } else { 8 };
        let start = usize::from(group.start);
        for line in weights[start..start + usize::from(group.len)].chunks(per_line) {
            let pairs: Vec<String> = line
                .iter()
                .map(|w| format!("w({}, {}),", w[0].round() as i16, w[1].round() as i16))
                .collect();
            let _ = writeln!(text, "    {}", pairs.join(" "));
        }
    }
    text + "];\n"
}

const HEAD: &str = "\
//! The weights of all terms, in the order of [`super::terms`].
//!
//! Written by `duchamp tune`; `docs/lab/evaluation.md` says from which games.

use super::tapered::TaperedScore;
use super::terms::TERMS;

const fn w(middlegame: i16, endgame: i16) -> TaperedScore {
    TaperedScore::new(middlegame, endgame)
}

/// The table.
#[rustfmt::skip]
pub static WEIGHTS: [TaperedScore; TERMS] = [
";

#[cfg(test)]
mod tests {
    use super::*;

    /// White attacks the king.
    const ATTACKED: &str = "r4rk1/ppp2p1p/3p2p1/4n2Q/3N4/8/PPP2PPP/3R1RK1 w - - 0 20";

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect("a position")
    }

    fn entries() -> Vec<Entry> {
        let mut eval = Classical::new();
        [
            (
                "r1bq1rk1/ppp2ppp/2n2n2/3pp3/1bPP4/2N1PN2/PPQ2PPP/R1B1KB1R w KQ - 0 8",
                20,
                0.5,
            ),
            ("6k1/5p2/8/3Q4/8/5r2/6PP/7K b - - 0 40", -10, 1.0),
            (ATTACKED, 300, 1.0),
        ]
        .map(|(fen, score, result)| entry(&mut eval, &position(fen), score, result))
        .into()
    }

    /// The gradient is that of the error.
    #[test]
    fn gradient_is_the_slope_of_the_error() {
        let entries = entries();
        let weights: Vec<Both> = WEIGHTS
            .iter()
            .map(|w| [w.middlegame() as f32, w.endgame() as f32])
            .collect();
        let slopes = gradient(&entries, &weights, 0.004);
        for term in (0..TERMS).filter(|&t| slopes[t] != [0.0; 2]) {
            for half in 0..2 {
                let moved = |by: f32| {
                    let mut weights = weights.clone();
                    weights[term][half] += by;
                    error(&entries, &weights, 0.004)
                };
                // A king that is just not in danger bends the error: the slope lies between both sides'.
                let sides = [moved(1.0) - moved(0.0), moved(0.0) - moved(-1.0)];
                let (low, high) = (sides[0].min(sides[1]), sides[0].max(sides[1]));
                let (given, close) = (f64::from(slopes[term][half]), 2e-6);
                assert!(
                    low - close <= given && given <= high + close,
                    "term {term}: {sides:?} {given}"
                );
            }
        }
    }

    /// The tuner's value is that of the evaluation.
    #[test]
    fn value_is_the_evaluation() {
        use duchamp_eval::Evaluator;
        let position = position(ATTACKED);
        let weights: Vec<Both> = WEIGHTS
            .iter()
            .map(|w| [w.middlegame() as f32, w.endgame() as f32])
            .collect();
        let mut eval = Classical::new();
        let value = value(&entry(&mut eval, &position, 300, 1.0), &weights).0;
        assert!((value - eval.evaluate(&position).0 as f32).abs() < 3.0);
    }
}
