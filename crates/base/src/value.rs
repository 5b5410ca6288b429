//! Game-theoretic values and their units.

use std::fmt;

/// A distance or depth in plies (half-moves).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Plies(pub u16);

impl Plies {
    /// The same distance in moves of the winner, `(plies + 1) / 2`: the unit of printed chess books.
    #[must_use]
    #[inline]
    pub const fn moves(self) -> u16 {
        self.0.div_ceil(2)
    }
}

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Win, draw or loss for the side to move, with the two grades that the 50-move rule puts between. The order is from
/// the worst to the best; `-wdl` is the opponent's view.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(i8)]
pub enum Wdl {
    /// Lost.
    Loss = -2,
    /// A loss that the 50-move rule turns into a draw.
    BlessedLoss = -1,
    /// Drawn.
    Draw = 0,
    /// A win that the 50-move rule turns into a draw.
    CursedWin = 1,
    /// Won.
    Win = 2,
}

impl Wdl {
    /// The name used in JSON output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Wdl::Loss => "loss",
            Wdl::BlessedLoss => "blessed-loss",
            Wdl::Draw => "draw",
            Wdl::CursedWin => "cursed-win",
            Wdl::Win => "win",
        }
    }
}

impl std::ops::Neg for Wdl {
    type Output = Wdl;
    #[inline]
    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::BlessedLoss => Wdl::CursedWin,
            Wdl::Draw => Wdl::Draw,
            Wdl::CursedWin => Wdl::BlessedLoss,
            Wdl::Win => Wdl::Loss,
        }
    }
}

/// A value with its distance in plies, for the side to move.
///
/// What the distance leads to (mate, conversion, zeroing move) depends on the metric of the table.
///
/// ```
/// use duchamp_base::{Plies, Value, Wdl};
///
/// let value = Value::Loss(Plies(8)).before_move();
/// assert_eq!(value, Value::Win(Plies(9)));
/// assert_eq!(value.wdl(), Wdl::Win);
/// assert_eq!(Plies(9).moves(), 5);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins in so many plies (mate in one: 1).
    Win(Plies),
    /// Drawn.
    Draw,
    /// The side to move loses in so many plies (already mated: 0).
    Loss(Plies),
}

impl Value {
    /// The value without its distance.
    #[must_use]
    #[inline]
    pub const fn wdl(self) -> Wdl {
        match self {
            Value::Win(_) => Wdl::Win,
            Value::Draw => Wdl::Draw,
            Value::Loss(_) => Wdl::Loss,
        }
    }

    /// The distance, `None` for a draw.
    #[must_use]
    #[inline]
    pub const fn plies(self) -> Option<Plies> {
        match self {
            Value::Win(p) | Value::Loss(p) => Some(p),
            Value::Draw => None,
        }
    }

    /// The value one ply earlier for the side that moves into this position: win and loss swap, one ply is added.
    #[must_use]
    #[inline]
    pub const fn before_move(self) -> Value {
        match self {
            Value::Win(p) => Value::Loss(Plies(p.0.saturating_add(1))),
            Value::Draw => Value::Draw,
            Value::Loss(p) => Value::Win(Plies(p.0.saturating_add(1))),
        }
    }

    /// A key that orders values from the worst to the best for the side to move: losses (longer is
    /// better), draw, wins (shorter is better).
    #[must_use]
    #[inline]
    pub const fn rank(self) -> i32 {
        match self {
            Value::Loss(p) => -100_000 + p.0 as i32,
            Value::Draw => 0,
            Value::Win(p) => 100_000 - p.0 as i32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_order_and_step_back() {
        let order = [
            Value::Loss(Plies(0)),
            Value::Loss(Plies(8)),
            Value::Draw,
            Value::Win(Plies(9)),
            Value::Win(Plies(1)),
        ];
        assert!(order.windows(2).all(|w| w[0].rank() < w[1].rank()));
        assert_eq!(Value::Loss(Plies(0)).before_move(), Value::Win(Plies(1)));
        assert_eq!(Plies(65).moves(), 33);
        assert_eq!(-Wdl::CursedWin, Wdl::BlessedLoss);
    }
}
