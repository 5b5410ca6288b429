//! Chess endgame tables: numbering, kernels for the solver, probing, statistics.

mod audit;
mod census;
mod contexts;
#[cfg(feature = "default-dir")]
mod default_dir;
mod domain;
mod duplicates;
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
mod probe;
mod rules;
mod stats;
mod survey;
mod symmetry;
mod zugzwangs;

pub use census::{Census, Regard, census};
#[cfg(feature = "default-dir")]
pub use default_dir::{DIR_VARIABLE, default_dir};
pub use duchamp_tablebase::{
    CellId, FileInfo, FormatError, GenerateOptions, Metric, SideCounts, Step, VerifyOptions, seal,
};
pub use estimate::{Estimate, estimate};
pub use game::{Chess, MAX_MEN};
pub use layout::Layout;
pub use material::{Material, ParseMaterialError};
pub use probe::{MoveValue, MoveValues, ProbedValues, Prober};
pub use stats::{SideStats, Stats, stats};
pub use survey::{Promotions, Survey, SurveyError, SurveyedMove};
pub use zugzwangs::mutual_zugzwangs;

/// All chess tables of a folder.
pub type Store = duchamp_tablebase::Store<Chess>;
/// Generates chess tables.
pub type Generator<'s> = duchamp_tablebase::Generator<'s, Chess>;
/// Holds chess tables against the rules of chess.
pub type Verifier<'s> = duchamp_tablebase::Verifier<'s, Chess>;
/// A finished chess table in memory.
pub type Solved = duchamp_tablebase::Solved<Layout>;
/// How far a generation is.
pub type Progress = duchamp_tablebase::Progress<Material>;
/// A table that a generation made.
pub type Made = duchamp_tablebase::Made<Material>;
/// What a generation did.
pub type Summary = duchamp_tablebase::Summary<Material>;
/// A table of a folder.
pub type TableInfo = duchamp_tablebase::TableInfo<Material>;
/// What a [`Store`] tells about its files unasked.
pub type FileEvent = duchamp_tablebase::FileEvent<Material>;
/// What the verification of one table found.
pub type Verified = duchamp_tablebase::Verified<Material>;
/// Why a generation ended early.
pub type GenerateError = duchamp_tablebase::GenerateError<Material>;
/// Why a table could not be solved.
pub type SolveError = duchamp_tablebase::SolveError<Material>;
/// Why a position has no value.
pub type ProbeError = duchamp_tablebase::ProbeError<Material>;
/// Why a verification ended early.
pub type VerifyError = duchamp_tablebase::VerifyError<Material>;
/// What a list of tables says wrong.
pub type SpecError = duchamp_tablebase::SpecError<Material>;

/// Reads a list of tables, parted by blanks or commas: materials such as `KRPvKR`, `4` for all of four men, `all5` for all
/// of up to five.
///
/// # Errors
/// When a word is none of these.
///
/// ```
/// let tables = duchamp_chess_tables::parse_specs("KQvKR, 3").expect("a good list");
/// assert_eq!(tables.len(), 6);
/// ```
pub fn parse_specs(text: &str) -> Result<Vec<Material>, SpecError> {
    duchamp_tablebase::parse_specs::<Chess>(text)
}

/// As [`parse_specs`], for plans that may go beyond the tables of this program: up to `largest` men.
///
/// # Errors
/// As [`parse_specs`].
pub fn parse_specs_within(text: &str, largest: u32) -> Result<Vec<Material>, SpecError> {
    duchamp_tablebase::parse_specs_within::<Chess>(text, largest)
}
