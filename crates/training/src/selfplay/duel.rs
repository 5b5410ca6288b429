//! Matches of two players: game pairs, both colours of one opening.

use super::adjudication::{Adjudicator, game_end};
use super::openings::{Opening, random_opening};
use super::play::OPENING_EFFORT;
use super::short_search::{HASH, search};
use duchamp_base::Random;
use duchamp_chess::{Color, Game};
use duchamp_search::{Knowledge, Params, Searcher};

/// Random plies of an opening.
const RANDOM: usize = 8;
/// Openings with a greater score, in centipawns, are thrown away.
const MAX_OPENING: i32 = 150;

/// Plays game pairs of two players.
pub struct GamePairs {
    players: [Searcher; 2],
    knowledge: Knowledge,
    nodes: u64,
}

impl GamePairs {
    /// Two players who search until an iteration ends beyond so many nodes.
    #[must_use]
    pub fn new(mut players: [Searcher; 2], knowledge: Knowledge, nodes: u64) -> GamePairs {
        for player in &mut players {
            player.set_hash(HASH);
        }
        GamePairs {
            players,
            knowledge,
            nodes,
        }
    }

    /// Sets the search parameters of each player.
    pub fn set_params(&mut self, params: [Params; 2]) {
        for (player, params) in self.players.iter_mut().zip(params) {
            player.set_params(params);
        }
    }

    /// Plays the game pair of a number: the half points of the first player in both, 0 to 2 each.
    pub fn pair(&mut self, seed: u64, number: u64) -> [u8; 2] {
        let mut random = Random::of(seed, number);
        let opening = loop {
            let plies = RANDOM + random.below(2);
            if let Some(opening) = random_opening(&mut random, plies, false)
                && self.is_even(&opening)
            {
                break opening;
            }
        };
        Color::ALL.map(|first| {
            let white = self.game(&opening, first);
            if first == Color::White {
                white
            } else {
                2 - white
            }
        })
    }

    fn is_even(&mut self, opening: &Opening) -> bool {
        let player = &mut self.players[0];
        player.clear();
        let game = Game::new(opening.position);
        let nodes = self.nodes * OPENING_EFFORT;
        let (_, score) = search(player, &self.knowledge, &game, nodes);
        score.abs() <= MAX_OPENING
    }

    /// White's half points; the first player has the colour `first`.
    fn game(&mut self, opening: &Opening, first: Color) -> u8 {
        self.players.iter_mut().for_each(Searcher::clear);
        let mut game = Game::new(opening.position);
        let mut adjudicator = Adjudicator::default();
        loop {
            if let Some((half_points, _)) = game_end(&game, self.knowledge.oracle.as_ref()) {
                return half_points;
            }
            let turn = game.current().turn();
            let player = &mut self.players[usize::from(turn != first)];
            let (best, score) = search(player, &self.knowledge, &game, self.nodes);
            let Some(mv) = best else { return 1 };
            game.push(mv);
            let white = if turn == Color::White { score } else { -score };
            if let Some((half_points, _)) =
                adjudicator.adjudicate(white, RANDOM + game.moves().len())
            {
                return half_points;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::{Move, Position};
    use duchamp_eval::{Evaluator, Score};
    use std::sync::Arc;

    #[test]
    fn equal_players_share_the_points_of_a_pair() {
        let players = [Searcher::new(), Searcher::new()];
        let mut duel = GamePairs::new(players, Knowledge::default(), 80);
        for number in 0..4 {
            let [with_white, with_black] = duel.pair(5, number);
            assert_eq!(with_white + with_black, 2);
        }
    }

    /// Evaluates every position as equal.
    struct Indifferent;

    impl Evaluator for Indifferent {
        fn reset(&mut self, _: &Position) {}
        fn push(&mut self, _: &Position, _: Option<Move>, _: &Position) {}
        fn pop(&mut self) {}
        fn evaluate(&mut self, _: &Position) -> Score {
            Score::DRAW
        }
    }

    #[test]
    fn a_player_who_sees_more_wins() {
        let blind = Searcher::with_evaluator(Arc::new(|| Box::new(Indifferent)));
        let mut duel = GamePairs::new([Searcher::new(), blind], Knowledge::default(), 100);
        let points: u8 = (0..3).flat_map(|number| duel.pair(6, number)).sum();
        assert!(points > 9, "{points} of 12");
    }
}
