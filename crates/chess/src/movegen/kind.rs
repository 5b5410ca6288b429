//! Which moves are generated, as a value and as constants that the generator is compiled for.

use super::super::Color;

/// Which moves to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// All legal moves.
    All,
    /// Captures and promotions.
    Noisy,
    /// All but captures and promotions.
    Quiet,
}

pub(super) const ALL: u8 = 0;
pub(super) const NOISY: u8 = 1;
pub(super) const QUIET: u8 = 2;

/// The side to move of a generator that is compiled for it.
#[inline]
pub(super) const fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}
