//! Static evaluation: how good a position looks without searching it.
//!
//! May import `base` and `chess` only; never sees `search`.

mod score;

pub use score::Score;
