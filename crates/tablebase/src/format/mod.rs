//! Table files: the container, the two forms of results, distances.

mod coded;
mod container;
mod direct;
mod distance;
mod metric;
mod wdl_file;

pub(crate) use coded::walk_plainly;
pub use coded::{BLOCK as CODED_BLOCK, PLACES, Planes, Visitor};
pub(crate) use container::{BlockWriter, Container, Header};
pub use container::{FormatError, seal};
pub use direct::{Outcome, Word};
pub(crate) use distance::{DistanceFile, Encoder};
pub use metric::{Metric, MetricSpec, SideCounts};
pub use wdl_file::Form;
pub(crate) use wdl_file::{SideEncoder, WdlFile};
