//! Labels on the scale of an evaluation, kind by kind.
//!
//! Scores of searches are not on the scale of the network that searched: search damps evaluations as men go and as the
//! halfmove clock grows, and λ-returns take in results, which are more decided than scores. A network that learns them as
//! they are learns first to be damped, and its search damps it once more; and where one kind of label is larger than another, it
//! learns neither. Search's margins are fitted to the scale of the network that it has.

use super::shard::logistic;
use super::{Data, Packed};
use duchamp_base::Random;
use duchamp_eval::{Evaluator, EvaluatorFactory};
use rayon::prelude::*;

/// A band has so many numbers of men.
const MEN: usize = 4;
/// The bands: 1 to 4 men, 5 to 8, and so on up to 32.
const BANDS: usize = 32 / MEN;
/// At most about so many positions say what the ratios are.
const SAMPLE: usize = 2_000_000;
/// Kinds, a band of games or of off-game positions, with fewer of them keep their scale.
const FEWEST: usize = 1000;
/// Positions with a greater evaluation, in multiples of the scaling constant, say little of the scale.
const REACH: f32 = 1.5;
/// No ratio is beyond this.
const MOST: f32 = 4.0;

/// How many times as large as an evaluation labels are: of games, and of off-game positions; each with 1 to 4 men, 5 to 8,
/// and so on up to 32. 1 where there are too few positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LabelRatios([[f32; BANDS]; 2]);

impl std::fmt::Display for LabelRatios {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let row = |row: &[f32]| {
            let texts: Vec<String> = row.iter().map(|ratio| format!("{ratio:.2}")).collect();
            texts.join(" ")
        };
        let [games, off_game] = &self.0;
        write!(f, "{} (off-game {})", row(games), row(off_game))
    }
}

impl Data {
    /// Divides the labels of each kind of positions, those of games or off-game ones with so many men, by one number, so that a
    /// network which begins with this evaluation has no reason to be larger or smaller on the whole there: the loss
    /// (squared, with this scaling constant) does not change, to first order, when the evaluation is stretched a little.
    /// Labels stay within `max_score`.
    pub fn keep_scale(
        &mut self,
        make: &EvaluatorFactory,
        scale: i32,
        max_score: i16,
    ) -> LabelRatios {
        let step = self.training.len().div_ceil(SAMPLE).max(1);
        let scale = scale as f32;
        let look = |evaluator: &mut Box<dyn Evaluator>, packed: &Packed| {
            let out = packed.evaluated_by(evaluator.as_mut())? as f32 / scale;
            let label = f32::from(packed.score()) / scale;
            (out.abs() <= REACH).then_some((kind(packed), [out, label]))
        };
        // In the order of the positions, so that the sums are the same everywhere.
        let sample: Vec<Option<([usize; 2], [f32; 2])>> = self
            .training
            .par_iter()
            .step_by(step)
            .map_init(|| make(), look)
            .collect();
        let mut kinds = [const { [const { Vec::new() }; BANDS] }; 2];
        for ([source, band], pair) in sample.into_iter().flatten() {
            kinds[source][band].push(pair);
        }
        let ratios = kinds.map(|bands| bands.map(|pairs| ratio(&pairs)));
        let most = f32::from(max_score.saturating_abs());
        let validation = &mut self.validation;
        for list in [
            &mut self.training,
            &mut validation.games,
            &mut validation.off_game,
        ] {
            list.par_iter_mut().for_each(|packed| {
                let [source, band] = kind(packed);
                let score = f32::from(packed.score()) / ratios[source][band];
                packed.set_score(score.round().clamp(-most, most) as i16);
            });
        }
        for ratio in ratios.as_flattened() {
            self.mark = Random::of(self.mark, u64::from(ratio.to_bits())).next_u64();
        }
        LabelRatios(ratios)
    }
}

/// A position's kind: 0 for one of a game and 1 for an off-game one, and its band.
fn kind(packed: &Packed) -> [usize; 2] {
    let men = packed.men().clamp(1, 32);
    [usize::from(packed.result().is_none()), (men - 1) / MEN]
}

/// By what labels have to be divided, from pairs of evaluation and label.
fn ratio(pairs: &[[f32; 2]]) -> f32 {
    if pairs.len() < FEWEST {
        return 1.0;
    }
    let steps: Vec<[f32; 3]> = pairs
        .iter()
        .map(|&[out, label]| {
            let expected = logistic(out);
            [expected, out * expected * (1.0 - expected), label]
        })
        .collect();
    // How the loss changes as the evaluation is stretched: the more, the smaller the labels are.
    let slope = |ratio: f32| -> f64 {
        let of = |&[expected, change, label]: &[f32; 3]| {
            f64::from((expected - logistic(label / ratio)) * change)
        };
        steps.iter().map(of).sum()
    };
    let (mut low, mut high) = (1.0 / MOST, MOST);
    for _ in 0..20 {
        let middle = f32::midpoint(low, high);
        if slope(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f32::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::{Board, Color, Piece, Role, Square};
    use duchamp_eval::material;

    /// Labels that are so many times the evaluation, but for noise, are divided by as much: those of games by one number,
    /// those off the game by another one.
    #[test]
    fn labels_come_to_the_scale_of_the_evaluation() {
        let mut data = Data::default();
        let mut random = Random::new(5);
        for number in 0..6000 {
            let packed = ending(&mut random);
            let out = packed.evaluated_by(material()().as_mut());
            let out = out.expect("two kings apart") as f32;
            let noise = random.below(201) as f32 - 100.0;
            let (factor, result) = if number % 2 == 0 {
                (0.5, 1)
            } else {
                (1.3, 255)
            };
            let score = (out * factor + noise) as i16;
            data.training.push(packed.relabelled(score, result));
        }
        data.validation.games.push(data.training[0]);
        let (before, mark) = (data.training[0].score(), data.mark);
        let LabelRatios([games, off_game]) = data.keep_scale(&material(), 400, 2000);
        assert!((games[1] - 0.5).abs() < 0.03, "{games:?}");
        assert!((off_game[1] - 1.3).abs() < 0.06, "{off_game:?}");
        assert_eq!(games[7], 1.0);
        let now = (f32::from(before) / games[1]).round() as i16;
        assert_eq!(data.training[0].score(), now);
        assert_eq!(data.validation.games[0].score(), now);
        assert_ne!(data.mark, mark);
        let again = data.keep_scale(&material(), 400, 2000);
        assert!((again.0[0][1] - 1.0).abs() < 0.01, "{again}");
    }

    /// Kings and four pieces.
    fn ending(random: &mut Random) -> Packed {
        let mut board = Board::EMPTY;
        for (square, color) in [(0, Color::White), (7, Color::Black)] {
            let king = Piece {
                color,
                role: Role::King,
            };
            board.put(king, Square::wrapping(square));
        }
        for square in [20, 29, 38, 47] {
            let piece = Piece {
                color: *random.pick(&Color::ALL),
                role: *random.pick(&[Role::Pawn, Role::Knight]),
            };
            board.put(piece, Square::wrapping(square));
        }
        Packed::new(&board, Color::White, 0, 1)
    }
}
