//! The engine: owns the game, the options, the search and the tables. It takes typed commands and
//! sends typed [`Event`]s; it has no text protocol.
//!
//! [`Engine`] is the whole; inside, `search_thread` runs searches, `table_manager` opens and generates endgame tables
//! (`table_job`, `table_report`), `demand` lists those that become reachable, `restricted` solves files of rules, `options` lists what can
//! be set, `pace` says how fast work beside a search may go, `syzygy` opens Syzygy tables, `table_format` chooses the folder of new ones, `table_request` reads what an option asks of the table manager. [`bench()`] is apart: it needs none of them.
//!
//! Depends on `base`, `chess`, `chess-tables`, `proofs`, `eval` and `search` (docs/ARCHITECTURE.md). What of
//! `search` belongs to this crate's own commands and events is passed on, so that `uci` needs no other crate.

mod bench;
mod capped;
mod core;
mod demand;
mod event;
mod options;
mod pace;
mod panics;
mod restricted;
mod rules_error;
mod search_thread;
mod syzygy;
mod table_format;
mod table_job;
mod table_manager;
mod table_report;
mod table_request;

pub use self::core::Engine;
pub use bench::{BENCH_DEPTH, BenchResult, BenchStep, bench};
pub use demand::race_table;
pub use duchamp_chess_tables::Material;
pub use duchamp_eval::network::vectors;
pub use duchamp_eval::{Explanation, Score};
pub use duchamp_search::{Bound, Limits, Line, ReportedScore, SearchControl, Settled, WinDrawLoss};
pub use event::{Event, FreezerNews, Sink, SyzygyNews, TableNews, Trouble};
pub use options::{Kind, OptionError, OptionId, Options, Setting};
pub use rules_error::{FreezerError, RulesFileError};
pub use syzygy::SyzygyValue;
pub use table_format::TableFormat;
pub use table_manager::TableState;
pub use table_request::RequestError;
