//! The set-wise retrograde solver. Knows no game.
//!
//! May import `base` only (and rayon).

mod code;

pub use code::Code;
