//! Generation of tables: which, in what order, on how many threads, and safely beside other processes.
//!
//! A table needs those that a capture or a promotion leads to, so the tables form a DAG (`plan`). Tables
//! whose sub-tables are there are solved side by side on one pool of threads, as far as memory allows
//! (`budget`); each solved table is encoded, handed to a writing thread (a sync to the disk holds
//! nobody up) and is ready for probing as soon as its files have their names. A solved table
//! stays at hand, on the heap or in scratch, until the last table that needs it is solved.
//!
//! `generator` decides what is to be done; for tables that fit into memory (`fitting`) `driver` hands out the jobs and
//! takes in their reports, and `job` does them; `large` generates the others
//! (`large_plan`: which; `large_check`: whether they fit; `large_zeroing`: their files of distances to zeroing; `at_hand`: a look
//! at single values of those that get no files).
//!
//! A table that is on the disk already and is needed as a sub-table is solved again, but not written: for up to four
//! men that takes some hundredths of a second, less than working out the losses that a file leaves out. Where results
//! are all that is needed of it, it is read from its `.wdl` file (`reading`, [`Game::SUBS_FROM_FILES`]).
//!
//! [`Game::SUBS_FROM_FILES`]: crate::Game::SUBS_FROM_FILES
//!
//! A lock for each table keeps other processes from generating it at the same time. A table that another process
//! generates is waited for, and generated here if that process dies.

mod at_hand;
mod budget;
mod driver;
mod estimate;
mod export;
mod fitting;
mod forecast;
mod generator;
mod job;
mod large;
mod large_check;
mod large_plan;
mod large_solution;
mod large_zeroing;
mod leftovers;
mod long;
mod plan;
mod reading;
mod report;
mod site;
mod snapshot;
mod specs;
mod stages;
mod subs;
mod works;

pub use at_hand::{AtHand, Inspected, Inspector, Look};
pub use budget::Needs;
pub use estimate::Estimate;
pub use export::{Export, ExportError, Exporter};
pub use forecast::{Forecast, most_at_once};
pub use generator::Generator;
pub use large_check::large_memory;
pub use plan::NANOSECONDS;
pub use report::{Counted, GenerateError, GenerateOptions, Made, Progress, Step, Summary};
pub use specs::{SpecError, parse_specs, parse_specs_within};
pub use subs::AllSubs;
