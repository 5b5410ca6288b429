//! The freezer: rules cut a position with many men down to a box of placements, which the retrograde solver proves.
//!
//! After E. Bleicher, "Building chess endgame databases for positions with many pieces using a-priori information"
//! (2004). One side is *bound*: what its men may do is cut down, and where a rule has to guess it guesses against that
//! side. So each value is a lower bound for the bound side, and a win or a hold found for it is a proof. Rules that could
//! favour the bound side are assumptions: they have to be owned up to in the file, are checked by tables where that is
//! possible, and are told with every answer.
//!
//! May import `base`, `retro` and `chess`; tables are seen as [`Oracle`](duchamp_chess::Oracle) only.

mod auto;
mod board;
mod chain;
mod exits;
mod file;
mod frozen;
mod judge;
mod key;
mod layout;
mod parse;
mod pgn;
mod plan;
mod print;
mod proofs;
mod rules;
mod seeds;
mod shelf;
mod slice;
mod solve;
mod solved;
mod squares;
mod strategy;
mod structures;
mod tally;
#[cfg(test)]
mod tests;
mod words;

pub use auto::{Try, Wish, likely_side, propose};
pub use frozen::{Frozen, Known, Proof};
pub use judge::Origin;
pub use layout::{LayoutError, MOST_MEN};
pub use parse::RuleError;
pub use plan::{Limits, Plan};
pub use rules::{
    CaptureRule, Goal, ManRule, Outside, PromotionRule, RuleId, RuleSource, Rules, Ruling, Tables,
    Taken, Verdict,
};
pub use shelf::FOLDER;
pub use solve::{FreezeError, Job, plan, solve, tables_wanted};
pub use solved::{BoxReport, Counts};
pub use squares::{SquaresError, name_squares, read_squares};
pub use strategy::{Choice, End, Node, Strategy};
pub use tally::Usage;
