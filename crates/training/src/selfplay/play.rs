//! Plays one self-play game: a function of seed, number and settings alone.

use super::OffGameSampler;
use super::adjudication::{Adjudicator, game_end};
use super::openings::{Opening, Unplayed, balanced, random_opening};
use super::record::{GameRecord, ScoredMove, Termination};
use super::short_search::{search, searcher, written};
use super::visited::Visited;
use duchamp_base::Random;
use duchamp_chess::{Color, Game, Move};
use duchamp_eval::EvaluatorFactory;
use duchamp_search::{Knowledge, SearchControl, Searcher};

/// The opening is searched so many times longer than other positions.
pub(super) const OPENING_EFFORT: u64 = 8;
/// The settings of data generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatagenSettings {
    /// The seed of the games.
    pub seed: u64,
    /// Nodes after which no new iteration of a search begins; sixteen times as many end it.
    pub nodes: u64,
    /// Random plies at the start, the least and the most.
    pub random: (usize, usize),
    /// Percentage of games that start from one of the 960 start positions.
    pub chess960: u64,
    /// Percentage of positions at which an off-game position is sampled, if it is quiet.
    pub off_game: u64,
    /// Percentage of these that are drawn from the positions which the search of the game's position evaluated, instead of
    /// reached by random moves.
    pub from_search: u64,
    /// Openings with a greater score, in centipawns, are rejected.
    pub max_opening: i32,
}

impl Default for DatagenSettings {
    fn default() -> DatagenSettings {
        DatagenSettings {
            seed: 1,
            nodes: 5000,
            random: (8, 12),
            chess960: 10,
            off_game: 50,
            from_search: 0,
            max_opening: 400,
        }
    }
}

/// Plays games, one after the other.
pub struct Player {
    searcher: Searcher,
    sampler: OffGameSampler,
    knowledge: Knowledge,
    visited: Visited,
    settings: DatagenSettings,
}

/// Where an off-game position comes from.
enum Source {
    /// Random moves.
    Walk,
    /// The search of the game's position.
    Search,
}

impl Player {
    /// A player with an evaluation; the search uses the sources of `knowledge`, and its oracle ends games.
    #[must_use]
    pub fn new(make: &EvaluatorFactory, knowledge: Knowledge, settings: DatagenSettings) -> Player {
        let visited = Visited::default();
        let searcher = if settings.from_search > 0 {
            searcher(&visited.watch(make))
        } else {
            searcher(make)
        };
        Player {
            searcher,
            sampler: OffGameSampler::new(make, knowledge.clone(), settings.nodes),
            knowledge,
            visited,
            settings,
        }
    }

    /// The game of a number.
    ///
    /// # Errors
    /// If `control` is stopped before its end, or no opening is balanced.
    pub fn play(&mut self, number: u64, control: &SearchControl) -> Result<GameRecord, Unplayed> {
        let mut random = Random::of(self.settings.seed, number);
        let chess960 = (random.below(100) as u64) < self.settings.chess960;
        let (least, most) = self.settings.random;
        let opening = balanced(|| {
            let plies = least + random.below(most.max(least) - least + 1);
            let Some(opening) = random_opening(&mut random, plies, chess960) else {
                return Ok(None);
            };
            self.searcher.clear();
            self.sampler.clear();
            let even = self.is_even(&opening, control);
            Ok(even.ok_or(Unplayed::Stopped)?.then_some(opening))
        })?;
        let played = self.play_from(&opening, &mut random, control);
        played.ok_or(Unplayed::Stopped)
    }

    /// Whether the opening is balanced.
    fn is_even(&mut self, opening: &Opening, control: &SearchControl) -> Option<bool> {
        let game = Game::new(opening.position);
        let (_, score) = self.search(&game, OPENING_EFFORT, control)?;
        Some(score.abs() <= self.settings.max_opening)
    }

    /// Plays on to the end.
    fn play_from(
        &mut self,
        opening: &Opening,
        random: &mut Random,
        control: &SearchControl,
    ) -> Option<GameRecord> {
        let mut game = Game::new(opening.position);
        let mut adjudicator = Adjudicator::default();
        let (mut plies, mut off_game) = (Vec::new(), Vec::new());
        let (half_points, ending) = loop {
            if let Some(end) = game_end(&game, self.knowledge.oracle.as_ref()) {
                break end;
            }
            let (position, after) = (game.current(), plies.len());
            match self.source(random) {
                Some(Source::Walk) => {
                    let found = self.sampler.sample(position, after, random, control);
                    off_game.extend(found);
                }
                Some(Source::Search) => self.visited.begin(Random::new(random.next_u64())),
                None => {}
            }
            let found = self.search(&game, 1, control);
            // A search that was stopped leaves no draw to the next game.
            let lines = self.visited.end();
            let (best, score) = found?;
            off_game.extend(self.sampler.first_quiet(position, after, lines, control));
            if control.is_stopped() {
                return None;
            }
            let Some(mv) = best else {
                break (1, Termination::Rules);
            };
            plies.push(ScoredMove {
                mv,
                score: written(score),
            });
            let white = match game.current().turn() {
                Color::White => score,
                Color::Black => -score,
            };
            game.push(mv);
            if let Some(end) = adjudicator.adjudicate(white, opening.moves.len() + plies.len()) {
                break end;
            }
        };
        Some(GameRecord {
            start: opening.start,
            random: opening.moves.clone(),
            plies,
            off_game,
            half_points,
            ending,
        })
    }

    /// Where an off-game position comes from, at the chosen percentage of positions.
    fn source(&self, random: &mut Random) -> Option<Source> {
        let mut in_hundred = |percent| (random.below(100) as u64) < percent;
        if !in_hundred(self.settings.off_game) {
            None
        } else if self.settings.from_search > 0 && in_hundred(self.settings.from_search) {
            Some(Source::Search)
        } else {
            Some(Source::Walk)
        }
    }

    /// Best move and score of the side to move.
    fn search(
        &mut self,
        game: &Game,
        effort: u64,
        control: &SearchControl,
    ) -> Option<(Option<Move>, i32)> {
        let nodes = self.settings.nodes.saturating_mul(effort);
        search(&mut self.searcher, &self.knowledge, game, nodes, control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::is_quiet;
    use duchamp_chess::Outcome;
    use duchamp_eval::built_in;

    fn player(seed: u64) -> Player {
        let settings = DatagenSettings {
            seed,
            nodes: 60,
            chess960: 50,
            ..DatagenSettings::default()
        };
        Player::new(&built_in(), Knowledge::default(), settings)
    }

    fn played(player: &mut Player, number: u64) -> GameRecord {
        let game = player.play(number, &SearchControl::new());
        game.expect("nobody stops it")
    }

    #[test]
    fn games_are_a_function_of_seed_and_number() {
        let mut one = player(1);
        let first = played(&mut one, 7);
        // What is dropped leaves no trace in the games that follow.
        let stopped = SearchControl::new();
        stopped.stop();
        assert_eq!(one.play(8, &stopped), Err(Unplayed::Stopped));
        let other = played(&mut one, 8);
        assert_eq!(played(&mut player(1), 8), other);
        assert!(!first.plies.is_empty() && first != other);
        assert_eq!(played(&mut player(1), 7), first);
        assert_ne!(played(&mut player(2), 7), first);
        assert!((8..=12).contains(&first.random.len()) && !first.off_game.is_empty());
        let mut beside = 0;
        first.for_each_off_game(|position, _| beside += usize::from(is_quiet(position)));
        assert_eq!(beside, first.off_game.len());
    }

    #[test]
    fn results_are_those_of_the_last_positions() {
        let mut player = player(3);
        for number in 0..6 {
            let record = played(&mut player, number);
            let game = record.game().expect("a start position");
            match (game.outcome(), record.ending) {
                (Some(Outcome::Win(side)), Termination::Mate) => {
                    assert_eq!(record.points(side), 1.0);
                }
                (Some(Outcome::Draw(_)), Termination::Rules) => assert_eq!(record.half_points, 1),
                (_, Termination::Won) => {
                    let last = record.plies.last().expect("won by scores").score;
                    let mover = !game.current().turn();
                    assert_eq!(record.points(mover), if last > 0 { 1.0 } else { 0.0 });
                }
                (_, ending) => {
                    assert!(
                        matches!(ending, Termination::Drawn | Termination::Length),
                        "{ending:?}"
                    );
                    assert_eq!(record.half_points, 1);
                }
            }
        }
    }
}
