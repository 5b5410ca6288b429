//! A game: positions in a row, for repetition and the 50-move rule.

use super::{Color, FIFTY_MOVES, Move, Piece, Position};
use std::fmt;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A side has mated.
    Win(Color),
    /// Drawn.
    Draw(DrawReason),
}

/// Why a game is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawReason {
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side can mate.
    InsufficientMaterial,
    /// [`FIFTY_MOVES`] plies without capture or pawn move.
    FiftyMoves,
    /// The same position for the third time.
    Repetition,
}

impl fmt::Display for Outcome {
    /// `1-0`, `0-1` or `1/2-1/2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Win(Color::White) => "1-0",
            Outcome::Win(Color::Black) => "0-1",
            Outcome::Draw(_) => "1/2-1/2",
        })
    }
}

/// A start position and the moves played from it.
///
/// # Examples
/// ```
/// use duchamp_chess::{DrawReason, Game, Outcome, Position};
///
/// let mut game = Game::new(Position::start());
/// for san in ["Nf3", "Nf6", "Ng1", "Ng8"].into_iter().cycle().take(8) {
///     assert_eq!(game.outcome(), None);
///     game.push(game.current().parse_san(san)?);
/// }
/// assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::Repetition)));
/// # Ok::<(), duchamp_chess::SanError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    current: Position,
    moves: Vec<Move>,
    /// The man that each of them moved.
    moved: Vec<Piece>,
    /// The key of every position, the start first, the current one last.
    keys: Vec<u64>,
}

impl Game {
    /// A game that starts here.
    #[must_use]
    pub fn new(start: Position) -> Game {
        Game {
            start,
            current: start,
            moves: Vec::new(),
            moved: Vec::new(),
            keys: vec![start.key()],
        }
    }

    /// The position the game started from.
    #[must_use]
    #[inline]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The position on the board.
    #[must_use]
    #[inline]
    pub fn current(&self) -> &Position {
        &self.current
    }

    /// The moves so far.
    #[must_use]
    #[inline]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The keys of all positions, the start first, the current one last.
    #[must_use]
    #[inline]
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Plays a legal move.
    pub fn push(&mut self, mv: Move) {
        let (color, role) = (self.current.turn(), self.current.moved_role(mv));
        self.moved.push(Piece { color, role });
        self.current = self.current.play(mv);
        self.moves.push(mv);
        self.keys.push(self.current.key());
    }

    /// The man that each of the moves moved, before it promoted.
    #[must_use]
    pub fn moved(&self) -> &[Piece] {
        &self.moved
    }

    /// How often the current position was on the board before, counted since the last capture or pawn move.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        let last = self.keys.len() - 1;
        let back = usize::from(self.current.halfmove_clock()).min(last);
        // Only every other position has the same side to move, and four plies are the least.
        (4..=back)
            .step_by(2)
            .filter(|plies| self.keys[last - plies] == self.current.key())
            .count()
    }

    /// Whether the current position was on the board at least `n` times before; 2 is a draw.
    #[must_use]
    pub fn is_repetition(&self, n: usize) -> bool {
        self.repetitions() >= n
    }

    /// Whether a reply to a legal move can repeat a position for the third time.
    #[must_use]
    pub fn lets_repeat(&self, mv: Move) -> bool {
        let mut after = self.clone();
        after.push(mv);
        let replies = after.current.legal_moves();
        after.current.halfmove_clock() > 0
            && replies.into_iter().any(|reply| {
                let mut answered = after.clone();
                answered.push(reply);
                answered.is_repetition(2)
            })
    }

    /// How the game has ended, if it has. Mate comes before the 50-move rule.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let position = &self.current;
        if !position.has_legal_move() {
            return Some(if position.in_check() {
                Outcome::Win(!position.turn())
            } else {
                Outcome::Draw(DrawReason::Stalemate)
            });
        }
        let reason = if position.is_insufficient_material() {
            DrawReason::InsufficientMaterial
        } else if position.halfmove_clock() >= FIFTY_MOVES {
            DrawReason::FiftyMoves
        } else if self.is_repetition(2) {
            DrawReason::Repetition
        } else {
            return None;
        };
        Some(Outcome::Draw(reason))
    }
}
