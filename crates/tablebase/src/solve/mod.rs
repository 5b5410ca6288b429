//! Solving tables: wave by wave, in memory or in little memory, to mate, to conversion and to zeroing.

mod distance;
mod solved;
mod spilled;
mod to_mate;
mod view;
mod waves;
mod worth;

pub use distance::solve_distances;
pub(crate) use distance::{DistanceError, find_cursed, write_distance_file};
pub use solved::{SolveError, Solved, SolvedSide, SubTables};
pub use spilled::{SpilledTable, solve_spilled, solve_spilled_long};
pub(crate) use spilled::{spill, workspace};
pub use to_mate::solve;
pub(crate) use to_mate::solve_with;
pub use view::View;
pub(crate) use waves::Means;
pub use waves::{Subs, Whole, solve_whole, trivial};
pub use worth::{ToConversion, ToDecision, ToMate, ToMateLong, ToZeroing, Worth};
