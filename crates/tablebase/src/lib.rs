//! Endgame tables of any two-player game: solving, files, generation.

mod format;
mod game;
mod generate;
mod index;
pub mod laws;
#[cfg(test)]
mod mock;
mod probe;
mod rules;
mod solve;
mod stats;
mod store;
mod values;
mod verify;
mod write;

pub use format::{
    CODED_BLOCK, Container, DistanceFile, Form, FormatError, Header, Metric, MetricSpec, Outcome,
    PLACES, Planes, SideCounts, Visitor, WdlFile, Word, seal,
};
pub use game::Game;
pub use generate::{
    AllSubs, GenerateError, GenerateOptions, Generator, Made, NANOSECONDS, Needs, Progress,
    SpecError, Step, Summary, parse_specs, parse_specs_within,
};
pub use index::{CellId, Index, Settings, TableKey};
pub use probe::{MoveValue, ProbeError, Prober, graded};
pub use rules::{MoveFacts, Rules, before_move, better, wins_at_once};
pub use solve::{
    SolveError, Solved, SolvedSide, SpilledTable, SubTables, Subs, ToConversion, ToDecision,
    ToMate, ToMateLong, ToZeroing, View, Whole, Worth, solve, solve_distances, solve_spilled,
    solve_spilled_long, solve_whole, trivial,
};
pub use stats::{SideStats, side_stats};
pub use store::{
    DIR_VARIABLE, FileEvent, FileInfo, Store, Table, TableInfo, default_dir, read_through,
};
pub use values::{Part, PartRoom, Values};
pub use verify::{
    Audit, Verifiable, Verified, Verifier, VerifyError, VerifyOptions, Wrong, found_damaged,
    verifiable,
};
pub use write::{EncodeError, write_table};
