//! Files of other formats, written as tables are solved.

use std::fmt::Debug;
use std::io;

use crate::game::Game;
use crate::solve::{Solved, Subs};
use crate::values::Part;
use duchamp_base::files::WholeFile;
use duchamp_base::{Cancelled, Control, Room};
use duchamp_retro::{Side, Wide};

/// Writes files of another format of the tables of a run: what [`Generator::exporting`](crate::Generator::exporting)
/// takes.
pub trait Exporter<G: Game>: Debug + Sync {
    /// Whether a table lacks files, or is to get them anew.
    fn lacks(&self, key: G::Key) -> bool;

    /// Bytes of memory that the export of a table takes beside its values.
    fn memory(&self, index: &G::Index) -> u64;

    /// The same when its values lie in scratch files.
    fn least_memory(&self, index: &G::Index) -> u64;

    /// Nanoseconds of one thread that it takes for a cell of either side, about.
    fn nanoseconds(&self) -> u64;

    /// Begins the export of a table that is solved; its values will lie in `room`.
    ///
    /// # Errors
    /// When the scratch folder has no room.
    fn begin(&self, index: &G::Index, room: Room<'_>) -> io::Result<Box<dyn Export<G> + '_>>;
}

/// The export of one table. Its methods are called in their order, on a thread of the run's pool.
pub trait Export<G: Game>: Send {
    /// Takes the distances to zeroing of consecutive words of a stored side; those of either side come in their order.
    /// What the format cannot hold it keeps in mind for [`Export::solved`].
    fn zeroing(&mut self, side: Side, part: Part<'_, Wide>);

    /// Takes what the values of other tables say: those that it leads to, and the table itself; that is not at hand where
    /// it was solved in little memory, but such a table has no pawns. Of `own` results count, and of a table with pawns which
    /// wins may be a mate in one ply.
    ///
    /// # Errors
    /// When cancelled, or when the format cannot hold a value that has come.
    fn solved(
        &mut self,
        own: Option<&Solved<G::Index>>,
        subs: &Subs<G>,
        control: &Control,
    ) -> Result<(), ExportError>;

    /// The files, which lack their names only.
    ///
    /// # Errors
    /// When cancelled, or when a file cannot be written.
    fn finish(self: Box<Self>, control: &Control) -> Result<Vec<WholeFile>, ExportError>;
}

/// Why a table was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A file cannot be written.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// The format has no room for a value.
    #[error("{0}")]
    Format(String),
}
