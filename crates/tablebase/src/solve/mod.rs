//! Solving tables: wave by wave, in memory or in little memory, to mate, to conversion and to zeroing.

mod distance;
mod extras;
mod kept;
mod large_sub;
mod packed;
mod primary;
mod results;
mod sliced;
mod sliced_zeroing;
mod solved;
mod spilled;
mod spilled_zeroing;
mod view;
mod waves;
mod worth;

pub use distance::solve_distances;
pub(crate) use distance::{
    DistanceError, Listener, find_cursed, tell_zeroing, write_distance_file,
};
pub(crate) use large_sub::{LargeSubs, SubError, ending as sub_ending, write as write_sub};
pub(crate) use packed::{PackRoom, look};
pub(crate) use primary::{LongTable, solve_long, solve_with};
pub use primary::{solve, solve_primary};
pub(crate) use results::solve_results;
pub(crate) use sliced::{SlicedMeans, SlicedTable, sliced_workspace, solve_sliced};
pub(crate) use sliced_zeroing::write_sliced;
pub use solved::{SolveError, Solved, SolvedSide, SubTables};
pub use spilled::{SpilledTable, solve_spilled, solve_spilled_long};
pub(crate) use spilled::{spill, workspace};
pub(crate) use spilled_zeroing::tell_spilled;
pub use view::View;
pub(crate) use waves::{Means, small_tables, sub_tables};
pub use waves::{Subs, Whole, solve_whole, trivial};
pub(crate) use worth::LongWorth;
pub use worth::{
    ToConversion, ToConversionMoves, ToDecision, ToMate, ToMateLong, ToZeroing, Worth,
};
