//! The freezer: rules cut a position with many pieces down to a restricted table of placements, which the retrograde solver proves.
//!
//! After E. Bleicher, "Building chess endgame databases for positions with many pieces using a-priori information"
//! (2004). One side is *bound*: what its pieces may do is cut down, and where a rule has to guess it guesses against that
//! side. So each value is a lower bound for the bound side, and a win or a hold found for it is a proof. Rules that could
//! favour the bound side are assumptions: they have to be owned up to in the file, are checked by tables where that is
//! possible, and are told with every answer.
//!
//! May import `base`, `retro` and `chess`; tables are seen as [`Oracle`](duchamp_chess::Oracle) only.

mod auto;
mod board;
mod chain;
mod exit_value;
mod exits;
mod file;
mod key;
mod layout;
mod parse;
mod pgn;
mod plan;
mod print;
mod proofs;
mod restricted;
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

/// The bytes that a file of rules may have at most.
pub const LONGEST_RULES: u64 = 1 << 20;

pub use auto::{Try, Wish, likely_side, propose};
pub use exit_value::Origin;
pub use layout::{LayoutError, MOST_MEN};
pub use parse::RuleError;
pub use plan::{FreezeLimits, TablePlan};
pub use restricted::{KnownValue, Proof, Restricted};
pub use rules::{
    CaptureRule, Goal, ManRule, Outside, PromotionRule, RuleId, RuleSource, Rules, Ruling, Tables,
    Taken, Verdict,
};
pub use shelf::FOLDER;
pub use solve::{FreezeError, FreezeJob, plan, solve, tables_wanted};
pub use solved::{Counts, TableReport};
pub use squares::{SquaresError, name_squares, read_squares};
pub use strategy::{Choice, End, Strategy, StrategyNode};
pub use tally::Usage;
