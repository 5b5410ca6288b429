//! Starts of games: a start position, some random moves, and whether the result is balanced.

use super::random_walk;
use super::record::GameRecord;
use super::short_search::{search, searcher};
use duchamp_base::Random;
use duchamp_chess::{Game, Move, Position};
use duchamp_eval::EvaluatorFactory;
use duchamp_search::{Knowledge, SearchControl, Searcher};

/// A start that can be played on from.
pub(super) struct Opening {
    /// Number of the Chess960 start position.
    pub(super) start: u16,
    pub(super) moves: Vec<Move>,
    pub(super) position: Position,
}

/// Why a game was not played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unplayed {
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// No opening was balanced.
    #[error(
        "of {TRIES} openings in a row none is balanced: more random plies, or a wider limit of their evaluation"
    )]
    NoOpening,
}

/// Openings that are thrown away in a row before a game is given up.
const TRIES: usize = 1000;

/// The first of some openings that is balanced; `attempt` gives one, unless it is not.
pub(super) fn balanced(
    mut attempt: impl FnMut() -> Result<Option<Opening>, Unplayed>,
) -> Result<Opening, Unplayed> {
    for _ in 0..TRIES {
        if let Some(opening) = attempt()? {
            return Ok(opening);
        }
    }
    Err(Unplayed::NoOpening)
}

/// A start position and so many random legal moves; `None` if that ended the game. `chess960`: from any of
/// the 960 start positions.
pub(super) fn random_opening(random: &mut Random, plies: usize, chess960: bool) -> Option<Opening> {
    let start = random_start(random, chess960);
    let (position, moves) = random_walk(random, &GameRecord::start_position(start)?, plies)?;
    Some(Opening {
        start,
        moves,
        position,
    })
}

/// The number of a start position.
fn random_start(random: &mut Random, chess960: bool) -> u16 {
    if chess960 {
        random.below(960) as u16
    } else {
        GameRecord::ORDINARY
    }
}

/// Which openings [`Openings`] generates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningSettings {
    /// The seed of the random numbers.
    pub seed: u64,
    /// Random plies, the least and the most.
    pub random: (usize, usize),
    /// Start from any of the 960 start positions where there is no book.
    pub chess960: bool,
    /// Nodes after which the search that scores an opening begins no new iteration.
    pub nodes: u64,
    /// Openings with a greater score for either side, in centipawns, are rejected.
    pub max_score: i32,
}

/// Generates balanced openings; each is a function of number, settings and book alone.
pub struct Openings {
    searcher: Searcher,
    knowledge: Knowledge,
    settings: OpeningSettings,
    book: Vec<Position>,
}

impl Openings {
    /// Starts that are rejected in a row before a number is given up.
    pub const TRIES: usize = 200;

    /// Openings by an evaluation, from the positions of a book; from the start position if it is empty.
    #[must_use]
    pub fn new(
        make: &EvaluatorFactory,
        settings: OpeningSettings,
        book: Vec<Position>,
    ) -> Openings {
        Openings {
            searcher: searcher(make),
            knowledge: Knowledge::default(),
            settings,
            book,
        }
    }

    /// The opening of a number; `None` if [`Openings::TRIES`] starts in a row ended the game or were not balanced.
    pub fn opening(&mut self, number: u64) -> Option<Position> {
        let mut random = Random::of(self.settings.seed, number);
        (0..Self::TRIES).find_map(|_| self.attempt(&mut random))
    }

    fn attempt(&mut self, random: &mut Random) -> Option<Position> {
        let (least, most) = self.settings.random;
        let plies = least + random.below(most.max(least) - least + 1);
        let start = if self.book.is_empty() {
            GameRecord::start_position(random_start(random, self.settings.chess960))?
        } else {
            *random.pick(&self.book)
        };
        let (position, _) = random_walk(random, &start, plies)?;
        self.searcher.clear();
        let (_, score) = search(
            &mut self.searcher,
            &self.knowledge,
            &Game::new(position),
            self.settings.nodes,
            &SearchControl::new(),
        )?;
        (score.abs() <= self.settings.max_score).then_some(position)
    }
}
