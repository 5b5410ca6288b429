//! Table files: the container, the two forms of results, distances.

mod block_file;
mod coded;
mod container;
mod direct;
mod distance;
mod form;
mod metric;
mod odds;
mod rans;
mod sizes;
mod wdl_file;

pub(crate) use block_file::{BlockFile, BlockFileError, BlockFileWriter};
pub use coded::{BLOCK as CODED_BLOCK, PLACES, Planes, Visitor};
pub(crate) use container::{BlockWriter, Container, Header};
pub use container::{FormatError, seal};
pub use direct::{Outcome, Word};
pub(crate) use distance::{
    Class, ClassEncoder, ClassPart, DistanceFile, Encoder, Holdings, Learner, OMITS,
};
pub(crate) use form::CODED_WORDS;
pub use form::Form;
pub(crate) use metric::DRAW_AFTER;
pub use metric::{Metric, MetricSpec, SideCounts};
pub use wdl_file::Results;
pub(crate) use wdl_file::{SideEncoder, WdlFile};
