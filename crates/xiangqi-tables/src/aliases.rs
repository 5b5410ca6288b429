//! The types of the table machinery for xiangqi.

use crate::game::Xiangqi;
use crate::layout::Layout;
use crate::material::Material;

/// All xiangqi tables of a folder, opened with [`Store::open`](duchamp_tablebase::Store::open).
pub type Store = duchamp_tablebase::Store<Xiangqi>;
/// A solved xiangqi table in memory.
pub type Solved = duchamp_tablebase::Solved<Layout>;
/// How far a generation is, in tables and as a share of all work.
pub type Progress = duchamp_tablebase::Progress<Material>;
/// A table that was generated: counts, bytes of its files, times.
pub type Made = duchamp_tablebase::Made<Material>;
/// The tables that were generated, and those that were already present.
pub type Summary = duchamp_tablebase::Summary<Material>;
/// A table of a folder: its files with their sizes and counts.
pub type TableInfo = duchamp_tablebase::TableInfo<Material>;
/// What a [`Store`] reports of its files on its own: damage.
pub type FileEvent = duchamp_tablebase::FileEvent<Material>;
/// What the verification of one table found.
pub type Verified = duchamp_tablebase::Verified<Material>;
/// What a generation would do: tables to generate, tables that are present.
pub type Forecast = duchamp_tablebase::Forecast<Material>;
/// Why a generation stopped early. Tables that were ready stay.
pub type GenerateError = duchamp_tablebase::GenerateError<Material>;
/// Why a table could not be solved.
pub type SolveError = duchamp_tablebase::SolveError<Material>;
/// Why a position has no value.
pub type ProbeError = duchamp_tablebase::ProbeError<Material>;
/// Why a verification stopped early.
pub type VerifyError = duchamp_tablebase::VerifyError<Material>;
/// What is wrong with a list of tables.
pub type SpecError = duchamp_tablebase::SpecError<Material>;

/// Reads a list of tables, separated by spaces or commas: materials such as `cp-aaee`, `4` for all tables of four men,
/// `all5` for all tables of three to five. Each table comes once, in the order named.
///
/// # Errors
/// When the list is empty, or when a word is no material or number of men that has tables.
///
/// ```
/// let tables = duchamp_xiangqi_tables::parse_specs("cp-aaee, KRPvKAABB, 3").expect("a good list");
/// assert_eq!(tables.len(), 5);
/// ```
pub fn parse_specs(text: &str) -> Result<Vec<Material>, SpecError> {
    duchamp_tablebase::parse_specs::<Xiangqi>(text)
}
