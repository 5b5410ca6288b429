//! The events of the engine: typed, no text.

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
    /// Endgame tables are being generated.
    Tables(TableNews),
    /// Syzygy files were looked for.
    Syzygy(SyzygyNews),
    /// A restricted position is being solved.
    Freezer(FreezerNews),
    /// Fewer threads search than the option `Threads` says.
    Fewer {
        /// What the option says.
        wanted: usize,
        /// The processors that there are: so many threads search.
        processors: usize,
    },
    /// Something went wrong; the engine plays on.
    Trouble(Trouble),
}

/// Where an [`Event`] goes.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// News of the generation of tables.
#[derive(Clone, PartialEq, Debug)]
pub enum TableNews {
    /// A generation of several tables begins.
    Started {
        /// Tables to generate, those that others need included.
        tables: usize,
        /// Where.
        folder: PathBuf,
        /// The estimated time, with all processors.
        time: Duration,
        /// The estimated size of their files in bytes; 0 if there is no estimate.
        bytes: u64,
        /// The bytes of memory and of scratch files that they take, if there are tables of six men among them.
        large: Option<(u64, u64)>,
        /// The folder of their Syzygy files, if such are written; it may be `folder`.
        syzygy: Option<PathBuf>,
        /// Whether it is the generation at the start, for which nobody asked.
        startup: bool,
    },
    /// A table is generated because it becomes reachable from the position on the board.
    Demanded {
        /// The table; those that it needs are generated before it.
        table: Material,
    },
    /// Part of a generation is done.
    Progress {
        /// The table being generated.
        table: Material,
        /// Whether another process generates that table.
        elsewhere: bool,
        /// Tables finished.
        done: usize,
        /// Tables of this generation.
        total: usize,
        /// The finished share of the work, 0 to 1.
        share: f64,
        /// The estimated time that the rest will take.
        left: Duration,
    },
    /// A generation is finished.
    Finished {
        /// Tables generated.
        generated: usize,
        /// Tables that were present already.
        present: usize,
        /// The size of the files generated, in bytes.
        bytes: u64,
        /// Where.
        folder: PathBuf,
        /// The folder of their Syzygy files, if such were written, and whether the engine reads it; it may be `folder`.
        syzygy: Option<(PathBuf, bool)>,
        /// Time spent.
        time: Duration,
    },
    /// Generation was stopped on request.
    Stopped,
    /// The engine ends before the tables that were asked for are there.
    Closed,
}

/// What was found in the folders of Syzygy tables.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SyzygyNews {
    /// Files of results (`.rtbw`).
    pub wdl: usize,
    /// Files of distances to zeroing (`.rtbz`).
    pub dtz: usize,
    /// The most men of a file of results, 0 if there is none.
    pub men: u32,
    /// All folders of the path.
    pub folders: Vec<PathBuf>,
    /// Those of them that cannot be read.
    pub unreadable: Vec<PathBuf>,
    /// Materials without a file of results, which a file that was found needs.
    pub missing: Vec<Material>,
}

/// News of a restricted position that is being solved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FreezerNews {
    /// The endgame tables that it needs are present; the restricted tables are being solved.
    Started {
        /// How many restricted tables.
        tables: usize,
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
    /// A Syzygy file is damaged; it is not used any more.
    #[error("Syzygy: {text}")]
    Syzygy {
        /// What was found, and where.
        text: String,
    },
    /// A table could not be generated.
    #[error("generating endgame tables: {reason}")]
    Generation {
        /// Why.
        reason: String,
    },
    /// A restricted position could not be solved.
    #[error("freezer: {reason}")]
    Freezer {
        /// Why.
        reason: String,
    },
    /// There is not enough memory for a hash table of this size; the old one stays, or a small one after the search broke down.
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
