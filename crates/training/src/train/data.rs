//! Training data and validation set.
//!
//! The filter keeps searched positions that are not in check, whose move is neither capture nor promotion and whose score
//! is in bounds. Of positions that are equal to a network the first one is kept. One whole game in so many goes to the
//! validation set, so that it holds no neighbours of training positions. Which ones is up to their moves alone: a later
//! training on the same games, in whatever files and order, must not validate on what an earlier one has learnt.

use super::{LambdaReturn, Neighbours, Packed};
use crate::selfplay::{Filter, GameRecord, Rejection, ScoredMove};
use duchamp_base::{Random, checksum, human, limits};
use duchamp_chess::{Color, Position};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

/// Counts of kept and rejected positions.
#[derive(Clone, Default, Debug)]
pub struct DataStats {
    /// Games.
    pub games: u64,
    /// Searched positions of games.
    pub positions: u64,
    /// No score is known.
    pub unknown: u64,
    /// Too early in the game.
    pub early: u64,
    /// In check.
    pub check: u64,
    /// A capture or promotion was played.
    pub noisy: u64,
    /// A score out of bounds.
    pub score: u64,
    /// Duplicates.
    pub repeated: u64,
    /// Kept.
    pub kept: u64,
    /// Off-game positions, searched.
    pub off_game: u64,
    /// Off-game positions, labelled by another evaluation.
    pub neighbours: u64,
}

impl fmt::Display for DataStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = |number| human::grouped(number, ',');
        let percent = 100.0 * self.kept as f64 / self.positions.max(1) as f64;
        write!(
            f,
            "{} games, {} positions, {} kept ({percent:.1} %); rejected: {} without a score, {} early, {} in check, \
             {} before captures and promotions, {} for their score, {} repeated",
            n(self.games),
            n(self.positions),
            n(self.kept),
            n(self.unknown),
            n(self.early),
            n(self.check),
            n(self.noisy),
            n(self.score),
            n(self.repeated)
        )?;
        if self.off_game > 0 {
            write!(f, "; {} off-game positions, searched", n(self.off_game))?;
        }
        if self.neighbours > 0 {
            write!(
                f,
                "; {} off-game positions, labelled by the evaluation",
                n(self.neighbours)
            )?;
        }
        Ok(())
    }
}

/// Keys are random already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes
            .iter()
            .fold(self.0, |sum, byte| sum << 8 | u64::from(*byte));
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// The validation set: positions of whole games that are not trained on.
#[derive(Default)]
pub struct ValidationSet {
    /// Positions of games.
    pub games: Vec<Packed>,
    /// Off-game positions.
    pub off_game: Vec<Packed>,
}

/// The validation loss: mean losses of the validation set; 0 where it has no positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ValidationLoss {
    /// Of the positions of games.
    pub games: f64,
    /// Of off-game positions.
    #[serde(alias = "beside")]
    pub off_game: f64,
}

impl ValidationSet {
    /// The loss of either kind.
    pub(super) fn each(&self, loss: impl Fn(&[Packed]) -> f64) -> ValidationLoss {
        ValidationLoss {
            games: loss(&self.games),
            off_game: loss(&self.off_game),
        }
    }
}

impl fmt::Display for ValidationLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.games)?;
        if self.off_game > 0.0 {
            write!(f, " (off-game {:.6})", self.off_game)?;
        }
        Ok(())
    }
}

/// Where a position comes from.
#[derive(Clone, Copy)]
enum Source {
    Game,
    OffGame,
    Neighbour,
}

/// Loads games.
pub struct Loader {
    filter: Filter,
    /// One game in so many goes to the validation set; 0: none.
    every: u64,
    keys: HashSet<u64, BuildHasherDefault<KeyHasher>>,
    data: Data,
    neighbours: Option<Neighbours>,
    returns: LambdaReturn,
}

/// Training data and validation set.
#[derive(Default)]
pub struct Data {
    /// The training positions.
    pub training: Vec<Packed>,
    /// The validation set.
    pub validation: ValidationSet,
    /// Counts of kept and rejected positions.
    pub stats: DataStats,
    /// A fingerprint of the positions, and of which set each went to.
    pub mark: u64,
}

impl Data {
    /// Adds a position to the training positions or the validation set.
    fn take(&mut self, packed: Packed, source: Source, validates: bool) {
        let set = u64::from(validates);
        self.mark = Random::of(self.mark, packed.mark().wrapping_add(set)).next_u64();
        let (count, validation) = match source {
            Source::Game => (&mut self.stats.kept, &mut self.validation.games),
            Source::OffGame => (&mut self.stats.off_game, &mut self.validation.off_game),
            Source::Neighbour => (&mut self.stats.neighbours, &mut self.validation.off_game),
        };
        *count += 1;
        let list = if validates {
            validation
        } else {
            &mut self.training
        };
        list.push(packed);
    }
}

impl Loader {
    /// Nothing is taken in yet; one game in `every` goes to the validation set, none if it is 0; about `positions` will be kept.
    #[must_use]
    pub fn new(filter: Filter, every: u64, positions: usize) -> Loader {
        let mut data = Data::default();
        let mut keys = HashSet::with_hasher(BuildHasherDefault::default());
        // Pages that stay unused cost nothing, while growing would need all positions twice for a moment. What cannot be had is
        // perhaps not needed: a file may be longer than what it holds.
        let bytes = positions as u64 * size_of::<Packed>() as u64;
        if limits::has_room(2 * bytes) {
            let _ = data.training.try_reserve(positions);
            let _ = keys.try_reserve(positions / 2);
        }
        Loader {
            filter,
            every,
            keys,
            data,
            neighbours: None,
            returns: LambdaReturn::default(),
        }
    }

    /// Adds neighbours of the games' positions to the training data.
    #[must_use]
    pub fn with_neighbours(mut self, neighbours: Neighbours) -> Loader {
        self.neighbours = Some(neighbours);
        self
    }

    /// Lets positions of games learn λ-returns instead of their own scores.
    #[must_use]
    pub fn with_lambda_return(mut self, returns: LambdaReturn) -> Loader {
        self.returns = returns;
        self
    }

    /// Adds a game.
    pub fn add(&mut self, game: &GameRecord) {
        let validates = self.validates(game);
        self.data.stats.games += 1;
        let mut number = game.random.len();
        let mut learnt = self.returns.scores(game).into_iter();
        game.for_each(|position, ply| {
            self.data.stats.positions += 1;
            let score = learnt.next().unwrap_or(ply.score);
            if let Some(packed) = self.pack(position, number, ply, score, game) {
                self.data.take(packed, Source::Game, validates);
            }
            if !validates {
                self.look_around(position);
            }
            number += 1;
        });
        self.add_off_game(game, validates);
    }

    /// Whether a game goes to the validation set: by a threshold, so that the set of fewer games is part of that of more.
    fn validates(&self, game: &GameRecord) -> bool {
        self.every > 0 && hash_of_moves(game) < u64::MAX / self.every
    }

    /// Adds the off-game positions of a game.
    fn add_off_game(&mut self, game: &GameRecord, validates: bool) {
        game.for_each_off_game(|position, found| {
            if !self.filter.keeps(position, usize::MAX, found) {
                return;
            }
            let turn = position.turn();
            let packed = Packed::without_result(position.board(), turn, found.score);
            if self.keys.insert(packed.key()) {
                self.data.take(packed, Source::OffGame, validates);
            }
        });
    }

    /// Adds the neighbours of a position that were in no game so far. One of several positions comes as often: keys of all
    /// neighbours would take too much memory.
    fn look_around(&mut self, position: &Position) {
        let Some(neighbours) = &mut self.neighbours else {
            return;
        };
        let (keys, data) = (&self.keys, &mut self.data);
        neighbours.of(position, self.filter.max_score, |packed| {
            if !keys.contains(&packed.key()) {
                data.take(packed, Source::Neighbour, false);
            }
        });
    }

    /// The position after `number` plies, from which `ply` was played, with the score that it learns, if it is kept.
    fn pack(
        &mut self,
        position: &Position,
        number: usize,
        ply: ScoredMove,
        score: i16,
        game: &GameRecord,
    ) -> Option<Packed> {
        let stats = &mut self.data.stats;
        let count = match self.filter.rejection(position, number, ply) {
            Some(Rejection::Unknown) => &mut stats.unknown,
            Some(Rejection::Early) => &mut stats.early,
            Some(Rejection::Check) => &mut stats.check,
            Some(Rejection::Noisy) => &mut stats.noisy,
            Some(Rejection::Score) => &mut stats.score,
            None => {
                let points = match position.turn() {
                    Color::White => game.half_points,
                    Color::Black => 2 - game.half_points.min(2),
                };
                let packed = Packed::new(position.board(), position.turn(), score, points);
                if self.keys.insert(packed.key()) {
                    return Some(packed);
                }
                &mut stats.repeated
            }
        };
        *count += 1;
        None
    }

    /// The loaded data.
    #[must_use]
    pub fn finish(mut self) -> Data {
        self.data.training.shrink_to_fit();
        self.data
    }
}

/// A hash of the start and the moves of a game, whatever its scores and off-game positions are.
fn hash_of_moves(game: &GameRecord) -> u64 {
    let played = game.plies.iter().map(|ply| ply.mv);
    let moves = game.random.iter().copied().chain(played);
    let mut bytes = game.start.to_le_bytes().to_vec();
    bytes.extend(moves.flat_map(|mv| mv.bits().to_le_bytes()));
    checksum(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::{NO_SCORE, Termination};
    use duchamp_chess::Move;
    use std::collections::BTreeSet;

    #[test]
    fn keeps_quiet_positions_within_bounds() {
        let filter = Filter {
            max_score: 300,
            min_ply: 2,
        };
        let mut loader = Loader::new(filter, 0, 100);
        // A random move; then an early one, a quiet one, a capture, a quiet one, an answer to check, too high a score.
        let played = [
            ("d7d5", 10),
            ("b1c3", 20),
            ("d5e4", 30),
            ("f1b5", -40),
            ("c7c6", 50),
            ("b5a4", 301),
            ("d8d4", NO_SCORE),
        ];
        let mut position = Position::start();
        let mut play = |text: &str| -> Move {
            let mv = position.parse_uci(text).expect("a legal move");
            position.advance(mv);
            mv
        };
        let game = GameRecord {
            start: GameRecord::ORDINARY,
            random: vec![play("e2e4")],
            plies: played
                .map(|(text, score)| ScoredMove {
                    mv: play(text),
                    score,
                })
                .to_vec(),
            off_game: Vec::new(),
            half_points: 2,
            ending: Termination::Mate,
        };
        (0..3).for_each(|_| loader.add(&game));
        let data = loader.finish();
        // The same positions for validation are other data: who has trained on them must not go on.
        let mut other = Loader::new(filter, 1, 100);
        (0..3).for_each(|_| other.add(&game));
        let other = other.finish();
        assert_eq!((other.training.len(), other.validation.games.len()), (0, 2));
        assert_ne!(other.mark, data.mark);
        let stats = &data.stats;
        assert_eq!((stats.games, stats.positions, stats.kept), (3, 21, 2));
        assert_eq!((stats.unknown, stats.early, stats.check), (3, 3, 3));
        assert_eq!((stats.noisy, stats.score, stats.repeated), (3, 3, 4));
        assert_eq!((data.training.len(), data.validation.games.len()), (2, 0));
        let learnt = data
            .training
            .iter()
            .map(|packed| (packed.score(), packed.result()));
        assert_eq!(
            learnt.collect::<Vec<_>>(),
            [(20, Some(1.0)), (-40, Some(1.0))]
        );
        assert!(
            stats
                .to_string()
                .starts_with("3 games, 21 positions, 2 kept (9.5 %)")
        );
    }

    /// 400 games that differ in their first two moves, with a position each.
    fn short_games(score: i16) -> Vec<GameRecord> {
        let start = Position::start();
        let lines = start.legal_moves().into_iter().flat_map(|first| {
            let answers = start.play(first).legal_moves();
            answers.into_iter().map(move |answer| [first, answer])
        });
        let game = |line: [Move; 2]| {
            let position = start.play(line[0]).play(line[1]);
            let moves = position.legal_moves();
            let quiet = moves.into_iter().find(|&mv| !position.is_noisy(mv));
            let mv = quiet.expect("there is a quiet move");
            GameRecord {
                start: GameRecord::ORDINARY,
                random: line.to_vec(),
                plies: vec![ScoredMove { mv, score }],
                off_game: Vec::new(),
                half_points: 1,
                ending: Termination::Drawn,
            }
        };
        lines.map(game).collect()
    }

    /// The positions of the validation set.
    fn validation<'a>(every: u64, games: impl Iterator<Item = &'a GameRecord>) -> BTreeSet<u64> {
        let mut loader = Loader::new(Filter::default(), every, 0);
        games.for_each(|game| loader.add(game));
        let data = loader.finish();
        let validation = &data.validation.games;
        assert_eq!(data.training.len() + validation.len(), 400);
        validation.iter().map(Packed::key).collect()
    }

    #[test]
    fn whole_games_validate_in_any_order_and_with_any_scores() {
        let (games, rescored) = (short_games(5), short_games(-70));
        let set = validation(4, games.iter());
        assert!((60..140).contains(&set.len()), "{} of 400", set.len());
        assert_eq!(validation(4, rescored.iter().rev()), set);
        // Fewer games are some of these.
        let fewer = validation(8, games.iter());
        assert!(fewer.len() < set.len() && !fewer.is_empty());
        assert!(fewer.is_subset(&set));
        assert!(validation(0, games.iter()).is_empty());
    }
}
