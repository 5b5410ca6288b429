//! The rules of a game, position by position: what probing, verification and statistics stand on.
//!
//! The solver works on sets of positions and uses no move generator. These rules share nothing with it but the
//! numbering of cells, so each can be checked against the other.

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::format::Metric;
use crate::game::Game;
use crate::index::CellId;
use duchamp_base::{Plies, Value};

/// A move, and which distances it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveFacts<M> {
    /// The move.
    pub mv: M,
    /// Whether it is a capture or a promotion, which ends the distance to conversion.
    pub converts: bool,
    /// Whether it is a capture or a pawn move, which ends the distance to zeroing.
    pub zeroes: bool,
    /// Whether the stored value of the position before it omits the move, as with en passant.
    pub unstored: bool,
}

impl<M> MoveFacts<M> {
    /// Whether the move ends the distance of a metric.
    #[must_use]
    #[inline]
    pub fn ends(&self, metric: Metric) -> bool {
        match metric {
            Metric::Wdl | Metric::Dtm => false,
            Metric::Dtc => self.converts,
            Metric::Dtz => self.zeroes,
        }
    }
}

/// The rules of a game, with ordinary moves: what a [`Prober`](crate::Prober), a [`Verifier`](crate::Verifier) and
/// [`side_stats`](crate::side_stats) need.
pub trait Rules: Game {
    /// A position.
    type Position: Clone + Debug + Send + Sync;
    /// A move.
    type Move: Copy + Debug + Send + Sync;

    /// The position of a cell, its sides as in the key; `None` if the cell is no legal position, or not the canonical
    /// one of its duplicates. [`Rules::cell`] leads back.
    fn position(index: &Self::Index, at: CellId) -> Option<Self::Position>;

    /// The number under which [`Store::by_code`](crate::Store::by_code) finds the table of a position: one of
    /// [`Game::codes`], or any other number if no table has its pieces.
    fn code(position: &Self::Position) -> u64;

    /// The cell of a position in the index of its table. `exchanged`: the position's first side has the pieces of the
    /// key's second side. `None` if the position is not one of this table.
    fn cell(index: &Self::Index, position: &Self::Position, exchanged: bool) -> Option<CellId>;

    /// The number of pieces on the board, kings included.
    fn men(position: &Self::Position) -> u32;

    /// Why no table can have a position, in words for the user, such as `castling rights`; `None` if one may.
    fn refusal(_position: &Self::Position) -> Option<&'static str> {
        None
    }

    /// Whether neither side can win by any play: such a position is a draw without a look at tables.
    fn is_dead_draw(position: &Self::Position) -> bool;

    /// Whether the position's stored value omits some of its moves ([`MoveFacts::unstored`]). Probing then adds them.
    fn has_unstored_moves(_position: &Self::Position) -> bool {
        false
    }

    /// Calls `each` with every legal move until it breaks.
    fn moves(position: &Self::Position, each: impl FnMut(MoveFacts<Self::Move>) -> ControlFlow<()>);

    /// The position after a legal move.
    fn play(position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// The value of a position whose side to move has no legal move: a loss in 0 plies or a draw.
    fn stuck(position: &Self::Position) -> Value;

    /// Whether a legal move ends the game at once in favour of its mover.
    fn mates(position: &Self::Position, mv: Self::Move) -> bool {
        let after = Self::play(position, mv);
        let mut any = false;
        Self::moves(&after, |_| {
            any = true;
            ControlFlow::Break(())
        });
        !any && matches!(Self::stuck(&after), Value::Loss(_))
    }

    /// The value of a move, as its mover sees it, from the value of the position after it ([`before_move`]); `None` if
    /// the metric disregards the move, so that the position is worth what its other moves give, or what
    /// [`Rules::stuck`] says if there are none. Where the move [ends](MoveFacts::ends) the distance, `after` has the
    /// right result and any distance (to zeroing: above the limit exactly if the result is cursed or blessed).
    ///
    /// A game whose distance to conversion counts as [`ToConversionMoves`](crate::ToConversionMoves) returns `None` for
    /// a capture or promotion into a position that the opponent wins.
    fn before(metric: Metric, facts: &MoveFacts<Self::Move>, after: Value) -> Option<Value> {
        Some(before_move(metric, facts.ends(metric), after))
    }

    /// The position as users write it, such as a FEN.
    fn notation(position: &Self::Position) -> String;

    /// The position with the sides exchanged, worth the same to the side to move, in a symmetric table.
    fn exchanged(_position: &Self::Position) -> Option<Self::Position> {
        None
    }
}

/// The better of two values for the side to move.
#[must_use]
pub(crate) fn better(best: Option<Value>, value: Value) -> Option<Value> {
    Some(match best {
        Some(best) if best.rank() >= value.rank() => best,
        _ => value,
    })
}

/// The value of a move, as its mover sees it, from the value of the position after it. The distance is one ply longer;
/// where the move `ends` the distance it is 1, or one ply more than
/// [`MetricSpec::draw_after`](crate::MetricSpec::draw_after) if the result after the move is cursed or blessed.
#[must_use]
pub fn before_move(metric: Metric, ends: bool, after: Value) -> Value {
    if !ends {
        return after.before_move();
    }
    let plies = |after: Plies| match metric.spec().draw_after {
        Some(limit) if after.0 > limit => Plies(limit + 1),
        _ => Plies(1),
    };
    match after {
        Value::Win(after) => Value::Loss(plies(after)),
        Value::Draw => Value::Draw,
        Value::Loss(after) => Value::Win(plies(after)),
    }
}

/// Whether a won position has an immediate win, a move that wins in one ply: it mates, or it ends the distance of the
/// metric, and the position after it `loses` (the 50-move rule aside).
///
/// # Errors
/// Those of `loses`.
pub(crate) fn has_immediate_win<G: Rules, E>(
    metric: Metric,
    position: &G::Position,
    loses: impl Fn(&G::Position) -> Result<bool, E>,
) -> Result<bool, E> {
    let mut found = Ok(false);
    G::moves(position, |facts| {
        let wins = if facts.ends(metric) {
            let counts = G::before(metric, &facts, Value::Loss(Plies(0))).is_some();
            loses(&G::play(position, facts.mv)).map(|loses| loses && counts)
        } else {
            Ok(G::mates(position, facts.mv))
        };
        if matches!(wins, Ok(false)) {
            return ControlFlow::Continue(());
        }
        found = wins;
        ControlFlow::Break(())
    });
    found
}
