//! Probing of chess tables: positions, moves, lines, and the oracle of a search.

use std::path::Path;
use std::sync::Arc;

use duchamp_base::{Plies, Value, Wdl};
use duchamp_chess::{Move, Oracle, Position};
use duchamp_tablebase::{Metric, graded};

use crate::aliases::{ProbeError, Store};
use crate::game::Chess;
use crate::rules::facts;

/// A legal move and its value as the side that plays it sees it, counted from before the move.
pub type MoveValue = duchamp_tablebase::MoveValue<Move>;

/// All that the tables of a folder hold of a position or a move, as its side to move sees it. Distances are in plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbedValues {
    /// The result, with the 50-move rule where a `.dtz` file is there.
    pub wdl: Wdl,
    /// Plies to mate; `None` for a draw and where there is no file.
    pub dtm: Option<Plies>,
    /// Plies to conversion; `None` as above.
    pub dtc: Option<Plies>,
    /// Plies to zeroing, above 100 for a cursed win or a blessed loss; `None` as above.
    pub dtz: Option<Plies>,
}

impl ProbedValues {
    /// The values of a result, distances by metric.
    fn new(
        wdl: Wdl,
        distance: impl Fn(Metric) -> Result<Value, ProbeError>,
    ) -> Result<ProbedValues, ProbeError> {
        let plies = |metric| {
            if wdl == Wdl::Draw {
                return Ok(None);
            }
            match distance(metric) {
                Ok(value) => Ok(value.plies()),
                Err(ProbeError::MissingMetric(..)) => Ok(None),
                Err(error) => Err(error),
            }
        };
        Ok(ProbedValues {
            wdl,
            dtm: plies(Metric::Dtm)?,
            dtc: plies(Metric::Dtc)?,
            dtz: plies(Metric::Dtz)?,
        })
    }

    /// A key that orders values from the worst to the best for the side to move: by result, then by
    /// the distance to mate, else to zeroing, else to conversion.
    #[must_use]
    pub fn rank(&self) -> i32 {
        let plies = [self.dtm, self.dtz, self.dtc].into_iter().flatten().next();
        let plies = i32::from(plies.unwrap_or_default().0);
        let grade = 100_000 * self.wdl as i32;
        grade + if self.wdl > Wdl::Draw { -plies } else { plies }
    }
}

/// A legal move and its values as the side that plays it sees them, counted from before the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValues {
    /// The move.
    pub mv: Move,
    /// Its values.
    pub values: ProbedValues,
}

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
        let wdl = self.probe_wdl(position)?;
        ProbedValues::new(wdl, |metric| self.probe_metric(position, metric))
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
        let mut moves = Vec::new();
        for mv in position.legal_moves() {
            let after = self.probe_wdl(&position.play(mv))?;
            let facts = facts(position, mv);
            let mut values = ProbedValues::new(-after, |metric| {
                self.tables().move_value(position, &facts, metric)
            })?;
            // The move counts for the 50-move rule, or resets its clock.
            if let Some(plies) = values.dtz {
                let value = match values.wdl {
                    Wdl::Win | Wdl::CursedWin => Value::Win(plies),
                    _ => Value::Loss(plies),
                };
                values.wdl = graded(Metric::Dtz, value);
            }
            moves.push(MoveValues { mv, values });
        }
        moves.sort_by_key(|entry| std::cmp::Reverse(entry.values.rank()));
        Ok(moves)
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
