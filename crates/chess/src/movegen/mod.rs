//! Legal move generation, set-wise: whole target sets go to a [`Sink`], which counts them, lists
//! them or stops at the first.
//!
//! Pawns move all at once by shifts. A pinned pawn may still push on its king's file and capture
//! on its king's diagonals, so masks by square of the king keep pins legal without a loop. Pinned
//! pieces move on the line through king and pinner; in check all but the king are limited to the
//! squares that end the check.

mod generate;
mod kind;
mod legal_moves;
mod pawns;
mod sink;

pub use generate::generate;
pub use kind::Which;
pub(super) use sink::Counter;
pub use sink::{MoveList, Sink};
