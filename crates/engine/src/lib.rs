//! The engine: owns the game, the options, the search and the tables. It takes typed commands and
//! tells typed [`Event`]s; it knows no text protocol.
//!
//! [`Engine`] is the whole; inside, `worker` is the search thread, `keeper` opens and makes endgame
//! tables (`job`), `demand` says which ones a position nears, `freezing` solves files of rules, `options` says what can be set,
//! `request` what a text asks of the keeper. [`bench()`] is apart: it needs none of them.
//!
//! May import all rooms below: `base`, `chess`, `eval`, `search`, `tablebase`. What of `search` belongs
//! to this room's own commands and events is passed on, so that `uci` needs no other room.

mod bench;
mod core;
mod demand;
mod event;
mod freezing;
mod job;
mod keeper;
mod options;
mod request;
mod rules_error;
mod worker;

pub use self::core::Engine;
pub use bench::{BENCH_DEPTH, BenchResult, BenchStep, bench};
pub use duchamp_chess_tables::Material;
pub use duchamp_search::{Bound, Limits, Line, ReportedScore, Settled, WinDrawLoss};
pub use event::{Event, FreezerNews, Sink, TableNews, Trouble};
pub use keeper::TableState;
pub use options::{Kind, OptionError, OptionId, Options, Setting};
pub use request::RequestError;
pub use rules_error::{FreezingError, RulesFileError};
