//! What the engine tells: typed, no text.

use duchamp_chess::{Color, Move};
use duchamp_chess_tables::Material;
use duchamp_search::{Line, Settled};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// News from the engine; comes from any of its threads.
#[derive(Clone, Debug)]
pub enum Event {
    /// A principal variation. One with an exact score always comes right before [`Event::Best`].
    Line(Line),
    /// The value of the position searched, or a bound on it, is proved.
    Settled(Settled),
    /// The root move now being searched.
    Current {
        /// The iteration, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its number, from 1.
        number: usize,
    },
    /// The answer to a `go`; exactly one for each.
    Best {
        /// The move to play; `None` if there is no legal move.
        best: Option<Move>,
        /// The answer expected, to ponder on.
        ponder: Option<Move>,
    },
    /// Endgame tables are being made.
    Tables(TableNews),
    /// A position is being frozen.
    Freezer(FreezerNews),
    /// Something went wrong; the engine plays on.
    Trouble(Trouble),
}

/// Where an [`Event`] goes.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// How the making of tables goes.
#[derive(Clone, PartialEq, Debug)]
pub enum TableNews {
    /// A table is made because the position on the board nears it.
    Demanded {
        /// The table; those that it needs are made before it.
        table: Material,
    },
    /// Part of a job is done.
    Progress {
        /// The table being made.
        table: Material,
        /// Whether another process makes that table.
        elsewhere: bool,
        /// Tables finished.
        done: usize,
        /// Tables of this job.
        total: usize,
        /// The finished share of the work, 0 to 1.
        share: f64,
        /// The time the rest will take, if that can be told.
        left: Option<Duration>,
    },
    /// A job is finished.
    Finished {
        /// Tables made.
        made: usize,
        /// Tables that were there already.
        present: usize,
        /// Time spent.
        time: Duration,
    },
    /// The job was stopped on request.
    Stopped,
}

/// How the freezing of a position goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FreezerNews {
    /// The tables that it asks are there; the boxes are being solved.
    Started {
        /// How many boxes.
        boxes: usize,
        /// Their entries.
        entries: u64,
    },
    /// It is solved, and search uses it from its next start on.
    Finished {
        /// For whom the rules prove something.
        bound: Color,
        /// For the start position: whether that side wins, `false` for at least a draw; `None`: nothing is proved.
        wins: Option<bool>,
        /// Rules that are not sound by themselves.
        assumptions: usize,
        /// Time spent.
        time: Duration,
    },
}

/// Something that went wrong outside of search; the engine plays on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Trouble {
    /// The table folder cannot be used.
    #[error("endgame tables in {}: {reason}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A table's file is damaged; it is not used any more.
    #[error("endgame tables: {text}")]
    Damaged {
        /// What was found, and where.
        text: String,
    },
    /// A table could not be made.
    #[error("making endgame tables: {reason}")]
    Generation {
        /// Why.
        reason: String,
    },
    /// A position could not be frozen.
    #[error("freezer: {reason}")]
    Freezer {
        /// Why.
        reason: String,
    },
    /// There is not enough memory for a hash table of this size; the old one stays.
    #[error("not enough memory for a hash table of {mib} MiB")]
    Hash {
        /// The size that was asked for.
        mib: usize,
    },
    /// The search broke down; some legal move was played instead.
    #[error("internal error in search: {reason}")]
    Search {
        /// What the panic said.
        reason: String,
    },
}
