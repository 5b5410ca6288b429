//! Chess endgame tables: numbering, kernels for the solver, probing, statistics.

mod aliases;
mod audit;
mod census;
mod contexts;
mod domain;
mod estimate;
mod game;
mod kernels;
mod layout;
mod legality;
mod material;
mod namings;
mod numbering;
mod pairs;
mod pawns;
mod positions;
mod probe;
mod rules;
mod sides;
mod stats;
mod survey;
mod symmetry;
mod twins;
mod zugzwangs;

pub use aliases::{
    FileEvent, GenerateError, Generator, Made, ProbeError, Progress, SolveError, Solved, SpecError,
    Store, Summary, TableInfo, Verified, Verifier, VerifyError, parse_specs, parse_specs_within,
};
pub use census::{Census, Regard, census};
pub use duchamp_tablebase::{
    CellId, DIR_VARIABLE, FileInfo, FormatError, GenerateOptions, Metric, SideCounts, Step,
    VerifyOptions, default_dir, seal,
};
pub use estimate::{Estimate, estimate};
pub use game::{Chess, MAX_MEN};
pub use layout::Layout;
pub use material::{Material, ParseMaterialError};
pub use probe::{MoveValue, MoveValues, ProbedValues, Prober};
pub use stats::{SideStats, Stats, stats};
pub use survey::{Promotions, Survey, SurveyError, SurveyedMove};
pub use zugzwangs::mutual_zugzwangs;
