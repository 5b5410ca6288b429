//! λ-returns: a position learns from the scores of those after it, too.
//!
//! A search of a few hundred nodes says little of a position, but the searches of the next plies and the result of the game
//! say more. The λ-return (Sutton 1988, TD(λ)) takes in all of them: with the expected score `s` of a position by its own
//! search, and `g'` the λ-return of the position after it, `g = (1 - λ) s + λ g'`; after the last position `g'` is the
//! result of the game. Where the next score is only `n` plies later, as in games that were scored anew in part, λ to the
//! `n` stands for λ: what is as far away counts as much.

use super::shard::logistic;
use crate::selfplay::{GameRecord, NO_SCORE};
use duchamp_chess::Color;

/// Works out the λ-returns of games.
#[derive(Clone, Copy, Debug)]
pub struct LambdaReturn {
    lambda: f32,
    scale: f32,
    max_score: f32,
}

impl Default for LambdaReturn {
    /// Positions learn their own scores.
    fn default() -> LambdaReturn {
        LambdaReturn::new(0.0, 1, 0)
    }
}

impl LambdaReturn {
    /// With weight `lambda` (0 to 1) of the position after each one, and scores in units of which `scale` centipawns
    /// expect 73 % of the points. They stay within `max_score` centipawns, as all that is learnt does: an expected score of
    /// 0 or 1 is none in centipawns.
    #[must_use]
    pub fn new(lambda: f32, scale: i32, max_score: i16) -> LambdaReturn {
        LambdaReturn {
            lambda,
            scale: scale as f32,
            max_score: f32::from(max_score.saturating_abs()),
        }
    }

    /// The score that each searched position of a game learns, in centipawns as the side to move sees it; [`NO_SCORE`] where
    /// the position has none of its own.
    #[must_use]
    pub fn scores(self, game: &GameRecord) -> Vec<i16> {
        let mut scores: Vec<i16> = game.plies.iter().map(|ply| ply.score).collect();
        if self.lambda == 0.0 {
            return scores;
        }
        let first = game.random.len();
        // As White sees it.
        let mut after = f32::from(game.half_points) / 2.0;
        // The weight of what comes after.
        let mut keep = 1.0;
        for (number, score) in scores.iter_mut().enumerate().rev() {
            keep *= self.lambda;
            if *score == NO_SCORE {
                continue;
            }
            let turn = match (first + number) % 2 {
                0 => Color::White,
                _ => Color::Black,
            };
            let own = as_white(logistic(f32::from(*score) / self.scale), turn);
            after = (1.0 - keep) * own + keep * after;
            keep = 1.0;
            // Odds may be 0 or infinite, but are never negative.
            let expected = as_white(after, turn).clamp(0.0, 1.0);
            let odds = expected / (1.0 - expected);
            *score = (self.scale * libm::logf(odds))
                .round()
                .clamp(-self.max_score, self.max_score) as i16;
        }
        scores
    }
}

/// An expected score of `turn` as White sees it, and the other way round.
fn as_white(expected: f32, turn: Color) -> f32 {
    match turn {
        Color::White => expected,
        Color::Black => 1.0 - expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::{ScoredMove, Termination};
    use duchamp_chess::Position;

    fn game(scores: &[i16], half_points: u8) -> GameRecord {
        let position = Position::start();
        let random = position.parse_uci("e2e4").expect("a legal move");
        GameRecord {
            start: GameRecord::ORDINARY,
            random: vec![random],
            plies: scores
                .iter()
                .map(|&score| ScoredMove { mv: random, score })
                .collect(),
            off_game: Vec::new(),
            half_points,
            ending: Termination::Rules,
        }
    }

    #[test]
    fn without_lambda_scores_stay() {
        let scores = [30, -20_500, NO_SCORE];
        assert_eq!(
            LambdaReturn::new(0.0, 400, 2000).scores(&game(&scores, 2)),
            scores
        );
    }

    #[test]
    fn with_all_of_lambda_only_the_result_counts() {
        for most in [2000, i16::MAX] {
            let returns = LambdaReturn::new(1.0, 400, most);
            assert_eq!(returns.scores(&game(&[90, 90, 90], 1)), [0, 0, 0]);
            // White won; Black moves first after one random move. All learn the most that anything does.
            let won = returns.scores(&game(&[90, 90, 90], 2));
            assert_eq!(won, [-most, most, -most]);
        }
    }

    #[test]
    fn later_scores_count_as_the_side_to_move_sees_them() {
        let returns = LambdaReturn::new(0.5, 400, 2000);
        // Black to move, then White; drawn. White expects 0.73 at the second ply, so (0.73 + 0.5) / 2 of it, and half of
        // that and half of what a level score says is what Black gives away at the first.
        let [first, second] = returns.scores(&game(&[0, 400], 1))[..] else {
            panic!("two scores");
        };
        let expected = |score: i16| 1.0 / (1.0 + (-f64::from(score) / 400.0).exp());
        let white = (expected(400) + 0.5) / 2.0;
        assert!((expected(second) - white).abs() < 0.001);
        assert!((1.0 - expected(first) - (0.5 + white) / 2.0).abs() < 0.001);
    }

    #[test]
    fn positions_without_a_score_pass_on_what_comes_after() {
        let returns = LambdaReturn::new(0.5, 400, 2000);
        let [first, missing, ..] = returns.scores(&game(&[0, NO_SCORE, NO_SCORE], 2))[..] else {
            panic!("three scores");
        };
        // Black expects half a point by himself and none by the result, which is three plies away and has an eighth of the
        // weight: seven points of sixteen, 400 ln (7 / 9).
        assert_eq!((first, missing), (-101, NO_SCORE));
    }

    #[test]
    fn what_is_as_far_away_counts_as_much() {
        // The result of a game has the same weight at its first position, whether there are scores between or none.
        let returns = LambdaReturn::new(0.8, 400, 2000);
        let scores = [[0, 0, 0, 0], [0, NO_SCORE, NO_SCORE, 0]];
        let [all, some] = scores.map(|scores| returns.scores(&game(&scores, 2))[0]);
        assert_eq!((all, some), (-348, -348));
    }
}
