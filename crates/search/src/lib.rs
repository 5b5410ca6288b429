//! Alpha-beta search: nodes, ordering, pruning, the hash table, time, threads.
//!
//! May import `base`, `chess` and `eval`. Endgame tables and pawn proofs are seen only as
//! [`duchamp_chess::Oracle`] and [`duchamp_chess::Proofs`]; nothing here prints or reads: results
//! go to the callback of `Searcher::search` as [`Info`].

mod continuation;
mod control;
mod correction;
mod exact;
mod history;
mod info;
mod limits;
mod move_loop;
mod move_picker;
mod node;
mod params;
mod proof_bounds;
mod prune;
mod quiesce;
mod report;
mod root;
mod root_move;
mod root_proofs;
mod root_results;
mod root_settle;
mod root_tables;
mod searcher;
mod shared;
mod skill;
mod tb_probe;
mod threats;
mod time;
mod tt;
mod tt_memory;
mod worker;

pub use control::SearchControl;
pub use info::{Bound, Info, Line, ReportedScore, SearchResult, Settled, WinDrawLoss};
pub use limits::{Limits, SearchOptions};
pub use params::Params;
pub use searcher::{Knowledge, ResultTables, Searcher};
pub use skill::{MAX_ELO, MIN_ELO};

#[cfg(test)]
mod proof_tests;
#[cfg(test)]
mod tests;
