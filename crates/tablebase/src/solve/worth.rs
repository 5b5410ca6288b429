//! The value of a move that leaves a slice, by metric.

use crate::format::{DRAW_AFTER, Metric};
use duchamp_base::{Plain, Value};
use duchamp_retro::{Cell, Code, Wide};
use std::fmt::Debug;

/// A metric's rules for exits: the values of moves that leave a slice, as the mover sees them, counted from before the
/// move. [`Game::exits`](crate::Game::exits) calls them.
pub trait Worth: Copy + Debug + Send + Sync + 'static {
    /// How the metric's values are kept.
    type Cell: Cell + Plain;
    /// How the values of the table's own earlier slices are kept.
    type Own: Cell + Plain;

    /// The value of a capture or promotion into a position of a finished table whose value in the primary metric
    /// ([`Game::PRIMARY`](crate::Game::PRIMARY)) is `code`: distance to mate unless the metric says otherwise.
    /// `cursed`: its win is cursed, or its loss blessed.
    fn converting(code: Code, cursed: bool) -> Self::Cell;

    /// The value, in this metric, of a position of an earlier slice of the same table, as the side to move there sees
    /// it.
    fn stored(own: Self::Own, cursed: bool) -> Self::Cell;

    /// The value of a pawn's push into a position of this metric's value `after`: one ply more, unless pushes end it.
    #[inline(always)]
    fn push(after: Self::Cell) -> Self::Cell {
        after.before_move()
    }
}

/// Distance to mate: every move is one ply.
#[derive(Clone, Copy, Debug)]
pub struct ToMate;

impl Worth for ToMate {
    type Cell = Code;
    type Own = Code;

    #[inline(always)]
    fn converting(code: Code, _: bool) -> Code {
        code.before_move()
    }

    #[inline(always)]
    fn stored(own: Code, _: bool) -> Code {
        own
    }
}

/// Distance to conversion that counts the winner's moves, as Wu and Beal count it, in bytes: it ends with mate or with
/// the winner's capture or promotion into a won position. Such moves of the loser do not count: the position before is
/// worth what its other moves give, and is lost in 0 plies if there are none. So wins take an odd number of plies and
/// losses an even one.
///
/// Of the positions after a capture or promotion only the results are read.
#[derive(Clone, Copy, Debug)]
pub struct ToConversionMoves;

impl Worth for ToConversionMoves {
    type Cell = Code;
    type Own = Code;

    #[inline(always)]
    fn converting(code: Code, _: bool) -> Code {
        if code.is_loss() {
            Code::win(0)
        } else if code.is_win() {
            // No way out: the move is as if it were not there.
            Cell::NONE
        } else {
            Code::DRAW
        }
    }

    #[inline(always)]
    fn stored(own: Code, _: bool) -> Code {
        own
    }
}

/// A distance of `plies` with the result of `code`, or with the opposite one.
#[inline(always)]
fn ending(code: Code, swap: bool, plies: u16) -> Wide {
    if code == Code::DRAW {
        Wide::DRAW
    } else if (code > Code::DRAW) == swap {
        Wide::loss(plies)
    } else {
        Wide::win(plies)
    }
}

/// Distance to conversion: captures and promotions end it.
#[derive(Clone, Copy, Debug)]
pub struct ToConversion;

impl Worth for ToConversion {
    type Cell = Wide;
    type Own = Wide;

    #[inline(always)]
    fn converting(code: Code, _: bool) -> Wide {
        ending(code, true, 1)
    }

    #[inline(always)]
    fn stored(own: Wide, _: bool) -> Wide {
        own
    }
}

/// Distance to zeroing: captures and pawn moves end it, and count 101 plies into a win that the 50-move
/// rule draws. Earlier slices need their results only: bytes of distances to mate.
#[derive(Clone, Copy, Debug)]
pub struct ToZeroing;

/// Plies of a move that zeroes the counter.
#[inline(always)]
const fn zeroing(cursed: bool) -> u16 {
    if cursed { DRAW_AFTER + 1 } else { 1 }
}

impl Worth for ToZeroing {
    type Cell = Wide;
    type Own = Code;

    #[inline(always)]
    fn converting(code: Code, cursed: bool) -> Wide {
        ending(code, true, zeroing(cursed))
    }

    #[inline(always)]
    fn stored(own: Code, cursed: bool) -> Wide {
        // Not the distance, but as long as it matters.
        ending(own, false, zeroing(cursed))
    }

    #[inline(always)]
    fn push(after: Wide) -> Wide {
        match after.value() {
            Value::Win(plies) => Wide::loss(zeroing(plies.0 > DRAW_AFTER)),
            Value::Draw => after,
            Value::Loss(plies) => Wide::win(zeroing(plies.0 > DRAW_AFTER)),
        }
    }
}

/// The same where a byte cannot say how long a win takes: six men.
#[derive(Clone, Copy, Debug)]
pub struct ToMateLong;

impl Worth for ToMateLong {
    type Cell = Wide;
    type Own = Wide;

    #[inline(always)]
    fn converting(code: Code, _: bool) -> Wide {
        match code.0 {
            128 => Wide::DRAW,
            k if k < 128 => Wide::win(2 * u16::from(k) + 1),
            k => Wide::loss(2 * u16::from(255 - k) + 2),
        }
    }

    #[inline(always)]
    fn stored(own: Wide, _: bool) -> Wide {
        own
    }
}

/// Distance to mate, capture or pawn move without the 50-move rule, as the early papers count.
#[derive(Clone, Copy, Debug)]
pub struct ToDecision;

impl Worth for ToDecision {
    type Cell = Wide;
    type Own = Wide;

    #[inline(always)]
    fn converting(code: Code, _: bool) -> Wide {
        ending(code, true, 1)
    }

    #[inline(always)]
    fn stored(own: Wide, _: bool) -> Wide {
        own
    }

    #[inline(always)]
    fn push(after: Wide) -> Wide {
        match after.value() {
            Value::Win(_) => Wide::loss(1),
            Value::Draw => after,
            Value::Loss(_) => Wide::win(1),
        }
    }
}

/// A metric in which large tables are solved: two bytes a value, and sub-tables of as many pieces among those that exits
/// lead to.
pub(crate) trait LongWorth: Worth<Cell = Wide> {
    /// The metric in which the values of sub-tables of as many pieces are read.
    const SUBS: Metric;

    /// The value of a move into such a table, whose value is `after`, counted from before the move.
    fn entering(after: Wide) -> Wide;

    /// How the value of a solved slice is kept for later ones, and whether it is a cursed win or a blessed loss.
    fn own(value: Wide) -> (Self::Own, bool);
}

/// The result of a distance, as a byte.
#[inline(always)]
fn result(value: Wide) -> Code {
    match value.value() {
        Value::Win(_) => Code::win(0),
        Value::Draw => Code::DRAW,
        Value::Loss(_) => Code::loss(0),
    }
}

impl LongWorth for ToMateLong {
    const SUBS: Metric = Metric::Dtm;

    #[inline(always)]
    fn entering(after: Wide) -> Wide {
        after.before_move()
    }

    #[inline(always)]
    fn own(value: Wide) -> (Wide, bool) {
        (value, false)
    }
}

impl LongWorth for ToConversion {
    const SUBS: Metric = Metric::Dtm;

    #[inline(always)]
    fn entering(after: Wide) -> Wide {
        ending(result(after), true, 1)
    }

    #[inline(always)]
    fn own(value: Wide) -> (Wide, bool) {
        (value, false)
    }
}

impl LongWorth for ToZeroing {
    const SUBS: Metric = Metric::Dtz;

    #[inline(always)]
    fn entering(after: Wide) -> Wide {
        <ToZeroing as Worth>::push(after)
    }

    #[inline(always)]
    fn own(value: Wide) -> (Code, bool) {
        let cursed = match value.value() {
            Value::Win(plies) | Value::Loss(plies) => plies.0 > DRAW_AFTER,
            Value::Draw => false,
        };
        (result(value), cursed)
    }
}
