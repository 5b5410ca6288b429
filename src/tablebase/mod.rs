//! Endgame tables: materials, index, kernels for the solver, files, generation, probing.
//!
//! May import `base`, `chess` and `retro`.

mod budget;
mod census;
mod dense;
mod domain;
mod driver;
mod encode;
mod encode_stream;
mod format;
mod format_coded;
mod format_distance;
mod format_wdl;
mod generate;
mod job;
mod kernels;
mod layout;
mod legality;
mod line;
mod material;
mod pairs;
mod paths;
mod pawns;
mod plan;
mod probe;
mod snapshot;
mod solve;
mod solve_distance;
mod solved;
mod specs;
mod stats;
mod store;
mod survey;
mod symmetry;
mod tables;
mod twins;
mod values;
mod verify;
mod wdl_file;

pub use census::{Census, Regard};
pub use format::{FormatError, Metric, SideCounts, seal};
pub use generate::{GenerateError, GenerateOptions, Made, Progress, Step, Summary};
pub use layout::{Index, Layout};
pub use material::{Material, ParseMaterialError};
pub use paths::{DIR_VARIABLE, default_dir};
pub use probe::{MoveValue, MoveValues, ProbeError, ProbedValues};
pub use solve::solve;
pub use solved::{SolveError, Solved, SolvedSide, SubTables};
pub use specs::{SpecError, parse_specs};
pub use stats::{SideStats, Stats};
pub use store::read_through;
pub use survey::{Promotions, Survey, SurveyError, SurveyedMove};
pub use tables::{FileEvent, FileInfo, MAX_MEN, TableInfo, Tables};
pub use values::{Part, PartRoom, Values};
pub use verify::{Verified, VerifyError, VerifyOptions};
