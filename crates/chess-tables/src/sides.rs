//! Colours as the two sides of the solver.

use duchamp_chess::Color;
use duchamp_retro::Side;

/// The side of a colour: White is the first.
pub(crate) const fn side(color: Color) -> Side {
    match color {
        Color::White => Side::First,
        Color::Black => Side::Second,
    }
}

/// The colour of a side.
pub(crate) const fn color(side: Side) -> Color {
    match side {
        Side::First => Color::White,
        Side::Second => Color::Black,
    }
}
