//! Off-game positions: some random moves off a game, searched. Well-played games hold few unbalanced positions; these add
//! them to the training data.

use super::adjudication::game_end;
use super::record::{GameRecord, OffGamePosition, ScoredMove};
use super::short_search::{search, searcher, written};
use super::{is_quiet, quiet_walk};
use duchamp_base::Random;
use duchamp_chess::{Game, Move, Position};
use duchamp_eval::EvaluatorFactory;
use duchamp_search::{Knowledge, SearchControl, Searcher};

/// Random walks that are tried to find a quiet position.
const WALKS: usize = 4;

/// Samples quiet off-game positions and searches them with a searcher of its own, so that games stay reproducible.
pub struct OffGameSampler {
    searcher: Searcher,
    knowledge: Knowledge,
    nodes: u64,
}

impl OffGameSampler {
    /// A sampler with an evaluation; no iteration of a search begins beyond `nodes`.
    #[must_use]
    pub fn new(make: &EvaluatorFactory, knowledge: Knowledge, nodes: u64) -> OffGameSampler {
        OffGameSampler {
            searcher: searcher(make),
            knowledge,
            nodes,
        }
    }

    /// Clears the searcher: what comes next does not depend on earlier positions.
    pub fn clear(&mut self) {
        self.searcher.clear();
    }

    /// Adds up to `each` off-game positions for every position of a game.
    pub fn add(&mut self, game: &mut GameRecord, each: usize, random: &mut Random) {
        let (mut found, mut after) = (Vec::new(), 0);
        let control = SearchControl::new();
        game.for_each(|position, _| {
            found.extend((0..each).filter_map(|_| self.sample(position, after, random, &control)));
            after += 1;
        });
        game.off_game.append(&mut found);
        game.off_game.sort_by_key(|sample| sample.after);
    }

    /// A quiet position some random moves off the game, which reached `position` after so many plies; none once `control`
    /// is stopped.
    pub(super) fn sample(
        &mut self,
        position: &Position,
        after: usize,
        random: &mut Random,
        control: &SearchControl,
    ) -> Option<OffGamePosition> {
        let (position, walk) = (0..WALKS).find_map(|_| quiet_walk(random, position))?;
        self.label(position, after, walk, control)
    }

    /// The first quiet position of some lines, likewise.
    pub(super) fn first_quiet(
        &mut self,
        position: &Position,
        after: usize,
        lines: Vec<Vec<Move>>,
        control: &SearchControl,
    ) -> Option<OffGamePosition> {
        let (position, line) = lines.into_iter().find_map(|line| {
            let mut position = *position;
            line.iter().for_each(|&mv| position.advance(mv));
            is_quiet(&position).then_some((position, line))
        })?;
        self.label(position, after, line, control)
    }

    /// Searches a position that `walk` reached off the game; none if its value is known.
    fn label(
        &mut self,
        position: Position,
        after: usize,
        walk: Vec<Move>,
        control: &SearchControl,
    ) -> Option<OffGamePosition> {
        let game = Game::new(position);
        if game_end(&game, self.knowledge.oracle.as_ref()).is_some() {
            return None;
        }
        let searcher = &mut self.searcher;
        let (best, score) = search(searcher, &self.knowledge, &game, self.nodes, control)?;
        Some(OffGamePosition {
            after: after as u16,
            walk,
            found: ScoredMove {
                mv: best?,
                score: written(score),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::random_game;
    use super::*;
    use duchamp_eval::built_in;

    #[test]
    fn asides_are_quiet_repeatable_and_in_order() {
        let mut sampler = OffGameSampler::new(&built_in(), Knowledge::default(), 30);
        let mut added = |seed| {
            let mut game = random_game(3);
            sampler.clear();
            sampler.add(&mut game, 2, &mut Random::new(seed));
            game
        };
        let (game, before) = (added(1), random_game(3));
        assert_eq!(game, added(1));
        assert_ne!(game, added(2));
        assert_eq!(game.plies, before.plies);
        assert!(game.off_game.len() > before.off_game.len() + game.plies.len() / 2);
        assert!(game.off_game.is_sorted_by_key(|sample| sample.after));
        let mut bytes = Vec::new();
        game.write(&mut bytes);
        assert_eq!(GameRecord::read(&mut &bytes[..]), Ok(game));
    }
}
