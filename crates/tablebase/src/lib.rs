//! Endgame tables of any two-player game: solving, files, generation.

mod format;
mod game;
mod generate;
mod index;
mod probe;
mod rules;
mod solve;
mod stats;
mod store;
mod values;
mod verify;
mod write;

pub use format::{
    CODED_BLOCK, Form, FormatError, Metric, MetricSpec, Outcome, PLACES, Planes, SideCounts,
    Visitor, Word, seal,
};
pub use game::Game;
pub use generate::{
    AllSubs, GenerateError, GenerateOptions, Generator, Made, NANOSECONDS, Needs, Progress,
    SpecError, Step, Summary, parse_specs, parse_specs_within,
};
pub use index::{CellId, Index, Settings, TableKey};
pub use probe::{MoveValue, ProbeError, Prober, graded};
pub use rules::{MoveFacts, Rules, before_move};
pub use solve::{
    SolveError, Solved, SolvedSide, SpilledTable, SubTables, Subs, ToConversion, ToDecision,
    ToMate, ToMateLong, ToZeroing, View, Whole, Worth, solve, solve_spilled, solve_spilled_long,
    solve_whole, trivial,
};
pub use stats::{SideStats, side_stats};
pub use store::{FileEvent, FileInfo, Store, Table, TableInfo, read_through};
pub use values::{Part, PartRoom, Values};
pub use verify::{
    Audit, Verified, Verifier, VerifyError, VerifyOptions, Wrong, found_damaged, verifiable,
};
