//! Endgame tables: materials, index, kernels for the solver, files, generation, probing.
//!
//! May import `base`, `chess` and `retro`.

mod format;
mod format_dtm;
mod format_wdl;
mod layout;
mod legality;
mod material;
mod pairs;
mod pawns;
mod solved;
mod symmetry;

pub use format::{FormatError, Metric, SideCounts};
pub use layout::{Index, Layout};
pub use material::{Material, ParseMaterialError};
pub use solved::{SolveError, Solved, SolvedSide, SubTables};
