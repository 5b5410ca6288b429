//! Limited strength (`UCI_LimitStrength`, `UCI_Elo`).
//!
//! The rating sets a node limit and the noise that is added to the evaluation. The noise of a position is a fixed
//! function of its key, so that a game at a given rating is reproducible. The scale was fitted to
//! Stockfish's `UCI_Elo` from 1400 to 2600, and is extended from there (docs/lab/strength.md).

use duchamp_chess::Position;
use duchamp_eval::Score;

/// The lowest `UCI_Elo`.
pub const MIN_ELO: u16 = 800;
/// The highest `UCI_Elo`.
pub const MAX_ELO: u16 = 3000;

/// Rating, logarithm (base 2) of the nodes, noise in centipawns; linearly interpolated.
const LEVELS: [[f64; 3]; 11] = [
    [800.0, 2.75, 340.0],
    [1000.0, 3.45, 195.0],
    [1200.0, 4.2, 112.0],
    [1400.0, 4.83, 52.0],
    [1600.0, 6.25, 21.0],
    [1800.0, 8.85, 6.0],
    [2000.0, 11.15, 0.0],
    [2300.0, 13.95, 0.0],
    [2600.0, 15.75, 0.0],
    [2850.0, 17.3, 0.0],
    [3000.0, 18.4, 0.0],
];

/// The handicap of a rating.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Handicap {
    /// The node limit of a search.
    pub(super) nodes: u64,
    /// Standard deviation of the evaluation noise, in centipawns.
    noise: i32,
}

impl Handicap {
    pub(super) fn of(elo: u16) -> Handicap {
        let elo = f64::from(elo.clamp(MIN_ELO, MAX_ELO));
        let above = LEVELS.iter().position(|level| elo <= level[0]);
        let above = above.unwrap_or(LEVELS.len() - 1).max(1);
        let [low, high] = [LEVELS[above - 1], LEVELS[above]];
        let fraction = (elo - low[0]) / (high[0] - low[0]);
        let between = |field: usize| low[field] + (high[field] - low[field]) * fraction;
        Handicap {
            nodes: between(1).exp2() as u64,
            noise: between(2) as i32,
        }
    }

    /// The evaluation with noise.
    pub(super) fn add_noise(&self, position: &Position, score: Score) -> Score {
        if self.noise == 0 {
            return score;
        }
        // The sum of four uniform numbers is near enough to a normal one; their deviation is 148.
        let mixed = position.key().wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let sum: i32 = mixed.to_le_bytes()[4..].iter().map(|&b| i32::from(b)).sum();
        Score::eval(score.0 + (sum - 510) * self.noise / 148)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_ratings_search_more_with_less_noise() {
        let levels: Vec<_> = (MIN_ELO..=MAX_ELO).step_by(100).map(Handicap::of).collect();
        assert!(
            levels
                .windows(2)
                .all(|w| w[0].nodes < w[1].nodes && w[0].noise >= w[1].noise)
        );
        assert_eq!(levels.last().unwrap().noise, 0);
        let position = Position::start();
        assert_eq!(
            levels[0].add_noise(&position, Score(0)),
            levels[0].add_noise(&position, Score(0))
        );
    }
}
