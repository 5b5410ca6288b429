//! Matches of two players: game pairs, both colours of one opening.

use super::adjudication::{Adjudicator, game_end};
use super::openings::{Opening, Unplayed, balanced, random_opening};
use super::play::OPENING_EFFORT;
use super::short_search::{HASH, search};
use duchamp_base::Random;
use duchamp_chess::{Color, Game};
use duchamp_search::{Knowledge, Params, SearchControl, Searcher};

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
    ///
    /// # Errors
    /// If `control` is stopped before its end, or no opening is balanced.
    pub fn pair(
        &mut self,
        seed: u64,
        number: u64,
        control: &SearchControl,
    ) -> Result<[u8; 2], Unplayed> {
        let mut random = Random::of(seed, number);
        let opening = balanced(|| {
            let plies = RANDOM + random.below(2);
            let Some(opening) = random_opening(&mut random, plies, false) else {
                return Ok(None);
            };
            let even = self.is_even(&opening, control);
            Ok(even.ok_or(Unplayed::Stopped)?.then_some(opening))
        })?;
        let mut game = |first| {
            let half_points = self.game(&opening, first, control);
            half_points.ok_or(Unplayed::Stopped)
        };
        let with_white = game(Color::White)?;
        let with_black = 2 - game(Color::Black)?;
        Ok([with_white, with_black])
    }

    fn is_even(&mut self, opening: &Opening, control: &SearchControl) -> Option<bool> {
        let player = &mut self.players[0];
        player.clear();
        let game = Game::new(opening.position);
        let nodes = self.nodes.saturating_mul(OPENING_EFFORT);
        let (_, score) = search(player, &self.knowledge, &game, nodes, control)?;
        Some(score.abs() <= MAX_OPENING)
    }

    /// White's half points; the first player has the colour `first`.
    fn game(&mut self, opening: &Opening, first: Color, control: &SearchControl) -> Option<u8> {
        self.players.iter_mut().for_each(Searcher::clear);
        let mut game = Game::new(opening.position);
        let mut adjudicator = Adjudicator::default();
        loop {
            if let Some((half_points, _)) = game_end(&game, self.knowledge.oracle.as_ref()) {
                return Some(half_points);
            }
            let turn = game.current().turn();
            let player = &mut self.players[usize::from(turn != first)];
            let (best, score) = search(player, &self.knowledge, &game, self.nodes, control)?;
            let Some(mv) = best else { return Some(1) };
            game.push(mv);
            let white = if turn == Color::White { score } else { -score };
            if let Some((half_points, _)) =
                adjudicator.adjudicate(white, RANDOM + game.moves().len())
            {
                return Some(half_points);
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
            let pair = duel.pair(5, number, &SearchControl::new());
            let [with_white, with_black] = pair.expect("both games end");
            assert_eq!(with_white + with_black, 2);
        }
        let stopped = SearchControl::new();
        stopped.stop();
        assert_eq!(duel.pair(5, 4, &stopped), Err(Unplayed::Stopped));
    }

    /// Evaluates every position alike, for the side to move.
    struct Constant(Score);

    impl Evaluator for Constant {
        fn reset(&mut self, _: &Position) {}
        fn push(&mut self, _: &Position, _: Option<Move>, _: &Position) {}
        fn pop(&mut self) {}
        fn evaluate(&mut self, _: &Position) -> Score {
            self.0
        }
    }

    #[test]
    fn where_no_opening_is_balanced_none_is_played() {
        let players = [(); 2]
            .map(|()| Searcher::with_evaluator(Arc::new(|| Box::new(Constant(Score(5000))))));
        let mut duel = GamePairs::new(players, Knowledge::default(), 1);
        let pair = duel.pair(5, 0, &SearchControl::new());
        assert_eq!(pair, Err(Unplayed::NoOpening));
    }

    #[test]
    fn a_player_who_sees_more_wins() {
        let blind = Searcher::with_evaluator(Arc::new(|| Box::new(Constant(Score::DRAW))));
        let mut duel = GamePairs::new([Searcher::new(), blind], Knowledge::default(), 100);
        let control = SearchControl::new();
        let pairs = (0..3).filter_map(|number| duel.pair(6, number, &control).ok());
        let points: u8 = pairs.flatten().sum();
        assert!(points > 9, "{points} of 12");
    }
}
