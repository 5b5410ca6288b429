//! Alpha-beta search: nodes, ordering, pruning, the hash table, time, threads.
//!
//! May import `base`, `chess` and `eval`. Endgame tables are seen only as
//! [`crate::chess::Oracle`]; nothing here prints or reads: what there is to tell goes to the
//! callback of `Searcher::search` as [`Info`].

mod control;
mod info;
mod limits;

pub use control::Control;
pub use info::{Bound, Info, Line, Outcome, Reported, WinDrawLoss};
pub use limits::{Limits, SearchOptions};
