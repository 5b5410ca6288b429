//! Probing of chess tables: positions, moves, lines, and the oracle of a search.

use std::path::Path;
use std::sync::Arc;

use duchamp_base::{Value, Wdl};
use duchamp_chess::{Move, Oracle, Position};
use duchamp_tablebase::{Metric, ProbedValues};

use crate::aliases::{ProbeError, Store};
use crate::game::Chess;

/// A legal move and its value as the side that plays it sees it, counted from before the move.
pub type MoveValue = duchamp_tablebase::MoveValue<Move>;

/// A legal move and its values as the side that plays it sees them, counted from before the move.
pub type MoveValues = duchamp_tablebase::MoveValues<Move>;

/// Looks chess positions up in the tables of a store.
///
/// A probe is exact for the position as given, en passant included; positions with castling rights have no value. The
/// halfmove clock is ignored: values are those of a fresh clock. Probing takes no lock, and tables are used from the
/// moment they are ready.
#[derive(Clone, Debug)]
pub struct Prober {
    store: Arc<Store>,
}

impl Prober {
    /// A prober of the tables of a store.
    #[must_use]
    pub fn new(store: Arc<Store>) -> Prober {
        Prober { store }
    }

    /// A prober of the tables of a folder, which may be missing or empty: it never fails, but probes of missing tables
    /// do.
    #[must_use]
    pub fn open(dir: &Path) -> Prober {
        Prober::new(Store::open(dir))
    }

    /// The store, to generate or verify its tables.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The prober as a search takes it.
    #[must_use]
    pub fn oracle(&self) -> Arc<dyn Oracle> {
        Arc::new(self.clone())
    }

    #[inline]
    fn tables(&self) -> duchamp_tablebase::Prober<'_, Chess> {
        duchamp_tablebase::Prober::new(&self.store)
    }

    /// The value of a position with its distance to mate in plies.
    ///
    /// # Errors
    /// When the position has castling rights or too many pieces, or when its table, one that its moves lead to, or the
    /// `.dtm` file of one of these is missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Value, ProbeError> {
        self.probe_metric(position, Metric::Dtm)
    }

    /// The value of a position with its distance in a metric.
    ///
    /// # Errors
    /// As [`Prober::probe`], and when the table has no file of the metric.
    pub fn probe_metric(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        self.tables().value(position, metric)
    }

    /// The result of a position: with the 50-move rule where a `.dtz` file is there, else without.
    ///
    /// # Errors
    /// As [`Prober::probe`].
    #[inline]
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.tables().wdl(position)
    }

    /// The result of a position and its distances; metrics without a file are omitted.
    ///
    /// # Errors
    /// As [`Prober::probe`], but for missing files of distances.
    pub fn probe_all(&self, position: &Position) -> Result<ProbedValues, ProbeError> {
        self.tables().all_values(position)
    }

    /// All legal moves with their values in a metric, the best first; none if the game is over.
    ///
    /// # Errors
    /// As [`Prober::probe_metric`].
    pub fn probe_moves(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Vec<MoveValue>, ProbeError> {
        self.tables().moves(position, metric)
    }

    /// All legal moves with their results and distances, the best first; none if the game is over.
    ///
    /// # Errors
    /// As [`Prober::probe_all`].
    pub fn probe_moves_all(&self, position: &Position) -> Result<Vec<MoveValues>, ProbeError> {
        self.tables().moves_with_all_values(position)
    }

    /// The best line from a position to its mate by a metric: the winner takes the shortest way, the loser the longest;
    /// among equals the first in order of generation. After a conversion, or a capture or pawn move,
    /// the line goes on with the next distance. Empty if the position is drawn.
    ///
    /// # Errors
    /// When a position of the line cannot be probed.
    pub fn best_line(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Vec<MoveValue>, ProbeError> {
        self.tables().line(position, metric)
    }
}

impl Oracle for Prober {
    fn max_men(&self) -> u32 {
        self.store.largest()
    }

    #[inline]
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.probe_wdl(position).ok()
    }

    fn dtm(&self, position: &Position) -> Option<Value> {
        self.probe(position).ok()
    }
}
