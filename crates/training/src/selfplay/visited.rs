//! Some of the positions that a search evaluates, drawn at random. What a network must know is what search asks it; games hold
//! little of that, and positions some random moves beside them are other ones.

use duchamp_base::Random;
use duchamp_chess::{Move, Position};
use duchamp_eval::{Evaluator, EvaluatorFactory, Explanation, Score};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Lines that are drawn of each search, since the positions of most are not quiet.
const DRAWN: usize = 4;
/// The longest line that a game record takes.
const LONGEST: usize = 255;

/// Draws lines to positions that a search evaluates, each as likely as any other, and repeatably. Not those behind a null
/// move, which no game reaches.
#[derive(Clone, Default)]
pub(super) struct Visited(Arc<Mutex<Option<Draw>>>);

/// The draw of one search.
struct Draw {
    random: Random,
    /// Lines so far.
    seen: usize,
    lines: Vec<Vec<Move>>,
}

impl Draw {
    /// Another line; the moves of which `None` are null moves.
    fn offer(&mut self, path: &[Option<Move>]) {
        if path.is_empty() || path.len() > LONGEST || path.contains(&None) {
            return;
        }
        self.seen += 1;
        let line = || path.iter().copied().flatten().collect();
        if self.lines.len() < DRAWN {
            self.lines.push(line());
        } else if let Some(slot) = self.lines.get_mut(self.random.below(self.seen)) {
            *slot = line();
        }
    }
}

impl Visited {
    /// The same evaluation, watched.
    pub(super) fn watch(&self, make: &EvaluatorFactory) -> EvaluatorFactory {
        let (visited, make) = (self.clone(), Arc::clone(make));
        Arc::new(move || {
            Box::new(Watched {
                inner: make(),
                path: Vec::new(),
                visited: visited.clone(),
            })
        })
    }

    /// Draws from the evaluations that follow.
    pub(super) fn begin(&self, random: Random) {
        *self.locked() = Some(Draw {
            random,
            seen: 0,
            lines: Vec::with_capacity(DRAWN),
        });
    }

    /// Ends the draw: the moves from the root to some positions; none if there was no draw.
    pub(super) fn end(&self) -> Vec<Vec<Move>> {
        self.locked()
            .take()
            .map_or_else(Vec::new, |draw| draw.lines)
    }

    fn locked(&self) -> MutexGuard<'_, Option<Draw>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An evaluator that tells [`Visited`] what it is asked.
struct Watched {
    inner: Box<dyn Evaluator>,
    /// The moves since the root; `None` for a null move.
    path: Vec<Option<Move>>,
    visited: Visited,
}

impl Evaluator for Watched {
    fn reset(&mut self, position: &Position) {
        self.path.clear();
        self.inner.reset(position);
    }

    fn push(&mut self, before: &Position, mv: Option<Move>, after: &Position) {
        self.path.push(mv);
        self.inner.push(before, mv, after);
    }

    fn pop(&mut self) {
        self.path.pop();
        self.inner.pop();
    }

    fn evaluate(&mut self, position: &Position) -> Score {
        if let Some(draw) = &mut *self.visited.locked() {
            draw.offer(&self.path);
        }
        self.inner.evaluate(position)
    }

    fn explain(&mut self, position: &Position) -> Explanation {
        self.inner.explain(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::short_search::{search, searcher};
    use duchamp_chess::Game;
    use duchamp_eval::built_in;
    use duchamp_search::{Knowledge, SearchControl};

    fn after_e4() -> Position {
        let start = Position::start();
        start.play(start.parse_san("e4").expect("a legal move"))
    }

    /// Best move and score of a search.
    type Found = Option<(Option<Move>, i32)>;

    /// The lines drawn of a search of 1. e4, with what it found.
    fn drawn(seed: u64) -> (Vec<Vec<Move>>, Found) {
        let visited = Visited::default();
        let make = visited.watch(&built_in());
        visited.begin(Random::new(seed));
        let found = searched(&make);
        (visited.end(), found)
    }

    fn searched(make: &EvaluatorFactory) -> Found {
        let (knowledge, control) = (Knowledge::default(), SearchControl::new());
        let game = Game::new(after_e4());
        search(&mut searcher(make), &knowledge, &game, 200, &control)
    }

    #[test]
    fn lines_are_legal_repeatable_and_change_nothing() {
        let (lines, found) = drawn(1);
        assert_eq!(lines.len(), DRAWN);
        for line in &lines {
            let mut position = after_e4();
            for &mv in line {
                assert!(position.is_legal(mv));
                position.advance(mv);
            }
        }
        assert_eq!(drawn(1), (lines.clone(), found));
        let (others, the_same) = drawn(2);
        assert_ne!(others, lines);
        assert_eq!(the_same, found);
        assert_eq!(searched(&built_in()), found);
    }

    /// Of lines one as likely as any other; without a draw nothing is remembered, and nothing behind a null move ever.
    #[test]
    fn every_line_is_as_likely() {
        let position = Position::start();
        let moves = position.legal_moves();
        let mut counts = [0; 20];
        for seed in 0..1000 {
            let visited = Visited::default();
            let mut evaluator = visited.watch(&built_in())();
            evaluator.reset(&position);
            let ask = |evaluator: &mut Box<dyn Evaluator>, mv: Option<Move>| {
                let mut after = position;
                match mv {
                    Some(mv) => after.advance(mv),
                    None => after.advance_null(),
                }
                evaluator.push(&position, mv, &after);
                let score = evaluator.evaluate(&after);
                evaluator.pop();
                score
            };
            ask(&mut evaluator, Some(moves[0]));
            assert!(visited.end().is_empty());
            visited.begin(Random::new(seed));
            ask(&mut evaluator, None);
            for &mv in &moves {
                ask(&mut evaluator, Some(mv));
            }
            for line in visited.end() {
                let number = moves.iter().position(|&mv| [mv] == line[..]);
                counts[number.expect("a legal move, none a null move")] += 1;
            }
        }
        // 200 each on average, standard deviation 13.
        assert!(
            counts.iter().all(|count| (130..270).contains(count)),
            "{counts:?}"
        );
    }
}
