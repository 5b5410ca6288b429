//! Positions beside games, searched: what games, being played well, do not show.

use super::adjudication::over;
use super::quiet_walk;
use super::record::{Aside, GameRecord, Ply};
use super::short_search::{search, searcher, written};
use duchamp_base::Random;
use duchamp_chess::{Game, Position};
use duchamp_eval::MakeEvaluator;
use duchamp_search::{Knowledge, Searcher};

/// Walks that are tried to find a quiet one.
const WALKS: usize = 4;

/// Finds quiet positions beside games and searches them, so that it leaves no trace in a game.
pub struct Strayer {
    searcher: Searcher,
    knowledge: Knowledge,
    nodes: u64,
}

impl Strayer {
    /// One with an evaluation of its own; no iteration of a search begins beyond `nodes`.
    #[must_use]
    pub fn new(make: &MakeEvaluator, knowledge: Knowledge, nodes: u64) -> Strayer {
        Strayer {
            searcher: searcher(make),
            knowledge,
            nodes,
        }
    }

    /// Forgets all positions: what comes next does not depend on what went before.
    pub fn clear(&mut self) {
        self.searcher.clear();
    }

    /// Adds `each` positions, or fewer where walks end in noise, beside every position of a game.
    pub fn add(&mut self, game: &mut GameRecord, each: usize, random: &mut Random) {
        let (mut found, mut after) = (Vec::new(), 0);
        game.for_each(|position, _| {
            found.extend((0..each).filter_map(|_| self.stray(position, after, random)));
            after += 1;
        });
        game.asides.append(&mut found);
        game.asides.sort_by_key(|aside| aside.after);
    }

    /// A quiet position some random moves beside the game that has come to `position` after so many plies.
    pub(super) fn stray(
        &mut self,
        position: &Position,
        after: usize,
        random: &mut Random,
    ) -> Option<Aside> {
        let (position, walk) = (0..WALKS).find_map(|_| quiet_walk(random, position))?;
        let game = Game::new(position);
        if over(&game, self.knowledge.oracle.as_ref()).is_some() {
            return None;
        }
        let (best, score) = search(&mut self.searcher, &self.knowledge, &game, self.nodes);
        Some(Aside {
            after: after as u16,
            walk,
            found: Ply {
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
        let mut strayer = Strayer::new(&built_in(), Knowledge::default(), 30);
        let mut added = |seed| {
            let mut game = random_game(3);
            strayer.clear();
            strayer.add(&mut game, 2, &mut Random::new(seed));
            game
        };
        let (game, before) = (added(1), random_game(3));
        assert_eq!(game, added(1));
        assert_ne!(game, added(2));
        assert_eq!(game.plies, before.plies);
        assert!(game.asides.len() > before.asides.len() + game.plies.len() / 2);
        assert!(game.asides.is_sorted_by_key(|aside| aside.after));
        let mut bytes = Vec::new();
        game.write(&mut bytes);
        assert_eq!(GameRecord::read(&mut &bytes[..]), Ok(game));
    }
}
