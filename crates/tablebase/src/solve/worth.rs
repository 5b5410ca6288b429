//! The value of a move that leaves a slice, by metric.

use crate::format::DRAW_AFTER;
use duchamp_base::{Plain, Value};
use duchamp_retro::{Cell, Code, Wide};
use std::fmt::Debug;

/// A metric's rules for exits: the values of moves that leave a slice, as the mover sees them, counted from before the move.
/// [`Game::exits`](crate::Game::exits) calls them.
pub trait Worth: Copy + Debug + Send + Sync + 'static {
    /// How the metric's values are kept.
    type Cell: Cell + Plain;
    /// How the values of the table's own earlier slices are kept.
    type Own: Cell + Plain;

    /// The value of a capture or promotion into a position of a finished table whose distance to mate is `code`
    /// ([`Code`](duchamp_retro::Code)). `cursed`: its win is cursed, or its loss blessed.
    fn converting(code: u8, cursed: bool) -> Self::Cell;

    /// The value, in this metric, of a position of an earlier slice of the same table, as the side to move there sees it.
    fn stored(own: Self::Own, cursed: bool) -> Self::Cell;

    /// The value of a pawn's push into a position of this metric's value `after`.
    fn push(after: Self::Cell) -> Self::Cell;
}

/// Distance to mate: every move is one ply.
#[derive(Clone, Copy, Debug)]
pub struct ToMate;

impl Worth for ToMate {
    type Cell = u8;
    type Own = u8;

    #[inline(always)]
    fn converting(code: u8, _: bool) -> u8 {
        Code(code).before_move().0
    }

    #[inline(always)]
    fn stored(own: u8, _: bool) -> u8 {
        own
    }

    #[inline(always)]
    fn push(after: u8) -> u8 {
        Code(after).before_move().0
    }
}

/// A distance of `plies` with the result of `code`, or with the opposite one.
#[inline(always)]
fn ending(code: u8, swap: bool, plies: u16) -> u16 {
    if code == Code::DRAW.0 {
        Wide::DRAW.0
    } else if (code > Code::DRAW.0) == swap {
        Wide::loss(plies).0
    } else {
        Wide::win(plies).0
    }
}

/// Distance to conversion: captures and promotions end it.
#[derive(Clone, Copy, Debug)]
pub struct ToConversion;

impl Worth for ToConversion {
    type Cell = u16;
    type Own = u16;

    #[inline(always)]
    fn converting(code: u8, _: bool) -> u16 {
        ending(code, true, 1)
    }

    #[inline(always)]
    fn stored(own: u16, _: bool) -> u16 {
        own
    }

    #[inline(always)]
    fn push(after: u16) -> u16 {
        after.before_move()
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
    type Cell = u16;
    type Own = u8;

    #[inline(always)]
    fn converting(code: u8, cursed: bool) -> u16 {
        ending(code, true, zeroing(cursed))
    }

    #[inline(always)]
    fn stored(own: u8, cursed: bool) -> u16 {
        // Not the distance, but as long as it matters.
        ending(own, false, zeroing(cursed))
    }

    #[inline(always)]
    fn push(after: u16) -> u16 {
        match Wide(after).value() {
            Value::Win(plies) => Wide::loss(zeroing(plies.0 > DRAW_AFTER)).0,
            Value::Draw => after,
            Value::Loss(plies) => Wide::win(zeroing(plies.0 > DRAW_AFTER)).0,
        }
    }
}

/// The same where a byte cannot say how long a win takes: six men.
#[derive(Clone, Copy, Debug)]
pub struct ToMateLong;

impl Worth for ToMateLong {
    type Cell = u16;
    type Own = u16;

    #[inline(always)]
    fn converting(code: u8, _: bool) -> u16 {
        match code {
            128 => Wide::DRAW.0,
            k if k < 128 => Wide::win(2 * u16::from(k) + 1).0,
            k => Wide::loss(2 * u16::from(255 - k) + 2).0,
        }
    }

    #[inline(always)]
    fn stored(own: u16, _: bool) -> u16 {
        own
    }

    #[inline(always)]
    fn push(after: u16) -> u16 {
        Wide(after).before_move().0
    }
}

/// Distance to mate, capture or pawn move without the 50-move rule, as the early papers count.
#[derive(Clone, Copy, Debug)]
pub struct ToDecision;

impl Worth for ToDecision {
    type Cell = u16;
    type Own = u16;

    #[inline(always)]
    fn converting(code: u8, _: bool) -> u16 {
        ending(code, true, 1)
    }

    #[inline(always)]
    fn stored(own: u16, _: bool) -> u16 {
        own
    }

    #[inline(always)]
    fn push(after: u16) -> u16 {
        match Wide(after).value() {
            Value::Win(_) => Wide::loss(1).0,
            Value::Draw => after,
            Value::Loss(_) => Wide::win(1).0,
        }
    }
}
