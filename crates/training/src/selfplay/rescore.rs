//! Scores anew some positions of games that were played: by more nodes than a game can afford at each move, or by a better
//! network. Positions of one game are alike, so a few of each say nearly as much as all.

use super::filter::Filter;
use super::record::{GameRecord, NO_SCORE, ScoredMove};
use super::short_search::{search, searcher, written};
use duchamp_base::Random;
use duchamp_chess::{Game, Position};
use duchamp_eval::EvaluatorFactory;
use duchamp_search::{Knowledge, SearchControl, Searcher};

/// Searches positions of games again.
pub struct Rescorer {
    searcher: Searcher,
    knowledge: Knowledge,
    nodes: u64,
    /// One position in so many is drawn.
    one_in: u64,
}

impl Rescorer {
    /// A rescorer with an evaluation; no iteration of a search begins beyond `nodes`. Of the positions that the default
    /// [`Filter`] keeps one in `one_in` is drawn.
    #[must_use]
    pub fn new(make: &EvaluatorFactory, knowledge: Knowledge, nodes: u64, one_in: u64) -> Rescorer {
        Rescorer {
            searcher: searcher(make),
            knowledge,
            nodes,
            one_in: one_in.max(1),
        }
    }

    /// Clears the searcher: what comes next does not depend on earlier positions.
    pub fn clear(&mut self) {
        self.searcher.clear();
    }

    /// Gives the positions that are drawn a new score, and all others none; off-game positions that are not drawn go. A
    /// position whose best move is a capture or a promotion by the new search has no score either. How many have one.
    pub fn rescore(&mut self, game: &mut GameRecord, random: &mut Random) -> usize {
        let (mut scores, mut number) = (Vec::new(), game.random.len());
        game.for_each(|position, ply| {
            scores.push(self.score(position, number, ply, random));
            number += 1;
        });
        let mut scored = 0;
        for (ply, score) in game.plies.iter_mut().zip(scores) {
            scored += usize::from(score.is_some());
            ply.score = score.unwrap_or(NO_SCORE);
        }
        let mut scores = Vec::new();
        game.for_each_off_game(|position, found| {
            scores.push(self.score(position, usize::MAX, found, random));
        });
        let mut scores = scores.into_iter();
        game.off_game.retain_mut(|sample| {
            let score = scores.next().flatten();
            sample.found.score = score.unwrap_or(NO_SCORE);
            score.is_some()
        });
        scored + game.off_game.len()
    }

    /// The new score of a position, if it is drawn and quiet.
    fn score(
        &mut self,
        position: &Position,
        number: usize,
        ply: ScoredMove,
        random: &mut Random,
    ) -> Option<i16> {
        let kept = Filter::default().keeps(position, number, ply);
        if !kept || random.below(self.one_in as usize) != 0 {
            return None;
        }
        let game = Game::new(*position);
        let (searcher, control) = (&mut self.searcher, SearchControl::new());
        let (best, score) = search(searcher, &self.knowledge, &game, self.nodes, &control)?;
        best.filter(|&mv| !position.is_noisy(mv))
            .map(|_| written(score))
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::random_game;
    use super::*;
    use duchamp_eval::built_in;

    /// A game whose scores say nothing against any position.
    fn even_game() -> GameRecord {
        let mut game = random_game(5);
        game.plies.iter_mut().for_each(|ply| ply.score = 1);
        let off_game = game.off_game.iter_mut();
        off_game.for_each(|sample| sample.found.score = 1);
        game
    }

    fn rescored(one_in: u64, seed: u64) -> (GameRecord, usize) {
        let mut rescorer = Rescorer::new(&built_in(), Knowledge::default(), 30, one_in);
        let mut game = even_game();
        let scored = rescorer.rescore(&mut game, &mut Random::new(seed));
        (game, scored)
    }

    #[test]
    fn some_positions_get_scores_and_the_others_none() {
        let before = even_game();
        let (all, most) = rescored(1, 1);
        let (some, few) = rescored(4, 1);
        assert_eq!(rescored(4, 1).0, some);
        assert!(few > 0 && 2 * few < most, "{few} of {most}");
        for (game, scored) in [(&all, most), (&some, few)] {
            let plies = game.plies.iter().filter(|ply| ply.score != NO_SCORE);
            assert_eq!(plies.count() + game.off_game.len(), scored);
            let moves = |game: &GameRecord| game.plies.iter().map(|ply| ply.mv).collect::<Vec<_>>();
            assert_eq!(moves(game), moves(&before));
            let mut bytes = Vec::new();
            game.write(&mut bytes);
            assert_eq!(GameRecord::read(&mut &bytes[..]).as_ref(), Ok(game));
        }
        // Only quiet positions are scored.
        let mut number = before.random.len();
        let mut old = before.plies.iter();
        all.for_each(|position, ply| {
            let kept = Filter::default().keeps(position, number, *old.next().expect("as many"));
            assert!(kept || ply.score == NO_SCORE);
            number += 1;
        });
    }
}
