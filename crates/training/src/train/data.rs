//! Which positions of games are learnt from, and which games judge.
//!
//! Learnt from are positions in which search moved, that are not in check, whose move is neither capture nor
//! promotion and whose score is in bounds: those that evaluation, not search, has to judge. Of positions that are
//! alike to a network the first one is kept. One game in so many is kept apart, whole, so that what judges has no
//! neighbours among what is learnt.

use super::{Neighbours, Packed};
use crate::selfplay::{Fault, Filter, GameRecord, Ply};
use duchamp_base::{Random, human};
use duchamp_chess::{Color, Position};
use duchamp_eval::{Evaluator, MakeEvaluator};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

/// What became of the positions.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Positions in which search moved.
    pub positions: u64,
    /// Search said nothing.
    pub unknown: u64,
    /// Too early in the game.
    pub early: u64,
    /// In check.
    pub check: u64,
    /// A capture or promotion was played.
    pub noisy: u64,
    /// A score out of bounds.
    pub score: u64,
    /// Alike to another one.
    pub repeated: u64,
    /// Kept.
    pub kept: u64,
    /// Positions beside games, searched.
    pub asides: u64,
    /// Positions beside games, judged by another evaluation.
    pub neighbours: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = |number| human::grouped(number, ',');
        let share = 100.0 * self.kept as f64 / self.positions.max(1) as f64;
        write!(
            f,
            "{} games, {} positions, {} kept ({share:.1} %); left out: {} without a score, {} early, {} in check, \
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
        if self.asides > 0 {
            write!(f, "; {} searched beside games", n(self.asides))?;
        }
        if self.neighbours > 0 {
            write!(f, "; {} judged beside games", n(self.neighbours))?;
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

/// Positions that are not learnt from, to judge by: those of whole games.
#[derive(Default)]
pub struct Judges {
    /// Of games.
    pub games: Vec<Packed>,
    /// Searched beside them.
    pub beside: Vec<Packed>,
}

/// Mean losses of the judges; 0 where there are none.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Judged {
    /// Of the positions of games.
    pub games: f64,
    /// Of those beside games.
    pub beside: f64,
}

impl Judges {
    /// What `loss` says of either kind.
    pub(super) fn each(&self, loss: impl Fn(&[Packed]) -> f64) -> Judged {
        Judged {
            games: loss(&self.games),
            beside: loss(&self.beside),
        }
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.games)?;
        if self.beside > 0.0 {
            write!(f, " (beside {:.6})", self.beside)?;
        }
        Ok(())
    }
}

/// Where a position comes from.
#[derive(Clone, Copy)]
enum Source {
    Game,
    Aside,
    Neighbour,
}

/// Takes in games.
pub struct Loader {
    filter: Filter,
    /// One game in so many judges; 0: none.
    every: u64,
    keys: HashSet<u64, BuildHasherDefault<KeyHasher>>,
    data: Data,
    neighbours: Option<Neighbours>,
}

/// The positions to learn from and to judge by.
#[derive(Default)]
pub struct Data {
    /// To learn from.
    pub learnt: Vec<Packed>,
    /// To judge by.
    pub judges: Judges,
    /// What became of all positions.
    pub tally: Tally,
    /// A number that other data are not likely to have.
    pub mark: u64,
}

impl Data {
    /// Takes in a position, to judge by or to learn from.
    fn take(&mut self, packed: Packed, source: Source, judges: bool) {
        self.mark = Random::of(self.mark, packed.mark()).next_u64();
        let (count, judging) = match source {
            Source::Game => (&mut self.tally.kept, &mut self.judges.games),
            Source::Aside => (&mut self.tally.asides, &mut self.judges.beside),
            Source::Neighbour => (&mut self.tally.neighbours, &mut self.judges.beside),
        };
        *count += 1;
        let list = if judges { judging } else { &mut self.learnt };
        list.push(packed);
    }

    /// Has every position know what another evaluation says of it, for a network that adds to that.
    #[must_use]
    pub fn on_top_of(mut self, make: &MakeEvaluator) -> Data {
        let judges = &mut self.judges;
        for positions in [&mut self.learnt, &mut judges.games, &mut judges.beside] {
            let ask = |evaluator: &mut Box<dyn Evaluator>, packed: &mut Packed| {
                if let Some(position) = packed.position() {
                    evaluator.reset(&position);
                    *packed = packed.on_top_of(evaluator.evaluate(&position).0 as i16);
                }
            };
            positions.par_iter_mut().for_each_init(|| make(), ask);
        }
        self
    }
}

impl Loader {
    /// Nothing is taken in yet; one game in `every` will judge, none if it is 0; about `positions` will be kept.
    #[must_use]
    pub fn new(filter: Filter, every: u64, positions: usize) -> Loader {
        let mut data = Data::default();
        // Pages that stay unused cost nothing, while growing would need all positions twice for a moment.
        data.learnt.reserve(positions);
        Loader {
            filter,
            every,
            keys: HashSet::with_capacity_and_hasher(positions / 2, BuildHasherDefault::default()),
            data,
            neighbours: None,
        }
    }

    /// Has positions beside the games learnt from as well.
    #[must_use]
    pub fn with_neighbours(mut self, neighbours: Neighbours) -> Loader {
        self.neighbours = Some(neighbours);
        self
    }

    /// Takes in a game.
    pub fn add(&mut self, game: &GameRecord) {
        let every = self.every;
        let judges = every > 0 && self.data.tally.games % every == every - 1;
        self.data.tally.games += 1;
        let mut number = game.random.len();
        game.for_each(|position, ply| {
            self.data.tally.positions += 1;
            if let Some(packed) = self.pack(position, number, ply, game) {
                self.data.take(packed, Source::Game, judges);
            }
            if !judges {
                self.look_around(position);
            }
            number += 1;
        });
        self.add_asides(game, judges);
    }

    /// Takes in the positions beside a game.
    fn add_asides(&mut self, game: &GameRecord, judges: bool) {
        game.for_each_aside(|position, found| {
            if !self.filter.keeps(position, usize::MAX, found) {
                return;
            }
            let turn = position.turn();
            let packed = Packed::without_result(position.board(), turn, found.score);
            if self.keys.insert(packed.key()) {
                self.data.take(packed, Source::Aside, judges);
            }
        });
    }

    /// Learns from the neighbours of a position that are new.
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

    /// The position after `number` plies, from which `ply` was played, if it is kept.
    fn pack(
        &mut self,
        position: &Position,
        number: usize,
        ply: Ply,
        game: &GameRecord,
    ) -> Option<Packed> {
        let tally = &mut self.data.tally;
        let count = match self.filter.fault(position, number, ply) {
            Some(Fault::Unknown) => &mut tally.unknown,
            Some(Fault::Early) => &mut tally.early,
            Some(Fault::Check) => &mut tally.check,
            Some(Fault::Noisy) => &mut tally.noisy,
            Some(Fault::Score) => &mut tally.score,
            None => {
                let points = match position.turn() {
                    Color::White => game.half_points,
                    Color::Black => 2 - game.half_points.min(2),
                };
                let packed = Packed::new(position.board(), position.turn(), ply.score, points);
                if self.keys.insert(packed.key()) {
                    return Some(packed);
                }
                &mut tally.repeated
            }
        };
        *count += 1;
        None
    }

    /// What was taken in.
    #[must_use]
    pub fn finish(mut self) -> Data {
        self.data.learnt.shrink_to_fit();
        self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::{Ending, NO_SCORE};
    use duchamp_chess::Move;

    #[test]
    fn keeps_what_evaluation_must_judge() {
        let filter = Filter {
            max_score: 300,
            min_ply: 2,
        };
        let mut loader = Loader::new(filter, 2, 100);
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
                .map(|(text, score)| Ply {
                    mv: play(text),
                    score,
                })
                .to_vec(),
            asides: Vec::new(),
            half_points: 2,
            ending: Ending::Mate,
        };
        (0..3).for_each(|_| loader.add(&game));
        let data = loader.finish();
        let tally = &data.tally;
        assert_eq!((tally.games, tally.positions, tally.kept), (3, 21, 2));
        assert_eq!((tally.unknown, tally.early, tally.check), (3, 3, 3));
        assert_eq!((tally.noisy, tally.score, tally.repeated), (3, 3, 4));
        assert_eq!((data.learnt.len(), data.judges.games.len()), (2, 0));
        let learnt = data
            .learnt
            .iter()
            .map(|packed| (packed.score(), packed.result()));
        assert_eq!(
            learnt.collect::<Vec<_>>(),
            [(20, Some(1.0)), (-40, Some(1.0))]
        );
        assert!(
            tally
                .to_string()
                .starts_with("3 games, 21 positions, 2 kept (9.5 %)")
        );
    }

    #[test]
    fn whole_games_judge() {
        let filter = Filter {
            max_score: 300,
            min_ply: 0,
        };
        let mut loader = Loader::new(filter, 3, 0);
        let start = Position::start();
        for mv in start.legal_moves().into_iter().take(7) {
            let after = start.play(mv);
            let answer = after.parse_uci("g8f6").expect("legal");
            loader.add(&GameRecord {
                start: GameRecord::ORDINARY,
                random: vec![mv],
                plies: vec![Ply {
                    mv: answer,
                    score: 5,
                }],
                asides: Vec::new(),
                half_points: 1,
                ending: Ending::Drawn,
            });
        }
        let data = loader.finish();
        assert_eq!((data.learnt.len(), data.judges.games.len()), (5, 2));
    }
}
