//! Probing: the value of a position and of its moves, in every metric.
//!
//! A probe is exact for the position as given: en-passant captures, which no table knows, are looked
//! at one ply ahead; positions with castling rights have no value; Black and White change places as the
//! table needs. The 50-move counter is not regarded: values are those of a fresh counter.
//!
//! The length of a win is stored, but to zeroing not that of a win at once, which its moves show
//! ([`ends_at_once`]). The length of a loss is the longest that its moves give, found by playing every move.

use super::dense::better;
use super::format::{FormatError, Metric};
use super::format_wdl::Outcome;
use super::layout::Index;
use super::material::Material;
use super::store::Table;
use super::tables::Tables;
use duchamp_base::{Plies, Value, Wdl};
use duchamp_chess::{Move, MoveKind, Oracle, Position, Role};

/// Plies without capture or pawn move after which the game is drawn: a longer distance to zeroing is cursed
/// or blessed.
const FIFTY_MOVES: u16 = 100;

/// Why a position has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProbeError {
    /// Tables know no castling.
    #[error("castling rights: no table knows such positions")]
    Castling,
    /// No table has so many men.
    #[error("{0} men are more than any table has")]
    TooManyMen(u32),
    /// The table is not there (yet).
    #[error("table {0} is missing")]
    Missing(Material),
    /// The table has no file of this metric (yet).
    #[error("table {0} has no distances of this kind: the file {0}.{name} is missing", name = .1.name())]
    MissingMetric(Material, Metric),
    /// The table is damaged; it is not used any more.
    #[error("table {material}: {source}")]
    Damaged {
        /// The table.
        material: Material,
        /// What was found.
        source: FormatError,
    },
}

/// A legal move and its value as the side that plays it sees it, counted from before the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The move.
    pub mv: Move,
    /// Its value.
    pub value: Value,
}

/// All that the tables of a folder tell of a position or a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbedValues {
    /// The result, with the 50-move rule where a `.dtz` file is there.
    pub wdl: Wdl,
    /// Plies to mate; `None` for a draw and where there is no file.
    pub dtm: Option<Plies>,
    /// Plies to conversion.
    pub dtc: Option<Plies>,
    /// Plies to zeroing.
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

/// Whether a move converts, or zeroes the counter: it ends the distance of its metric.
pub(super) fn ends(metric: Metric, position: &Position, mv: Move) -> bool {
    let pawn = position
        .at(mv.from())
        .is_some_and(|piece| piece.role == Role::Pawn);
    match metric {
        Metric::Wdl | Metric::Dtm => false,
        Metric::Dtc => position.is_capture(mv) || mv.promotion().is_some(),
        Metric::Dtz => position.is_capture(mv) || pawn,
    }
}

/// The value of a move from the value of the position after it: one ply more, or, where the move ends the
/// distance, 1 (and 101 to zeroing if the 50-move rule spoils what comes then).
pub(super) fn before_move(metric: Metric, position: &Position, mv: Move, after: Value) -> Value {
    if !ends(metric, position, mv) {
        return after.before_move();
    }
    let plies = |after: Plies| match metric {
        Metric::Dtz if after.0 > FIFTY_MOVES => Plies(FIFTY_MOVES + 1),
        _ => Plies(1),
    };
    match after {
        Value::Win(after) => Value::Loss(plies(after)),
        Value::Draw => Value::Draw,
        Value::Loss(after) => Value::Win(plies(after)),
    }
}

/// Whether a move of a won position wins at once: it mates, or it ends the distance of the metric, and
/// the position after it `loses` (without regard to the 50-move rule).
///
/// # Errors
/// Those of `loses`.
pub(super) fn ends_at_once<E>(
    metric: Metric,
    position: &Position,
    loses: impl Fn(&Position) -> Result<bool, E>,
) -> Result<bool, E> {
    for mv in position.legal_moves() {
        let wins = if ends(metric, position, mv) {
            loses(&position.play(mv))?
        } else {
            position.gives_check(mv) && position.play(mv).is_checkmate()
        };
        if wins {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The result that a table tells, without the 50-move rule.
const fn plain(outcome: Outcome) -> Wdl {
    match outcome {
        Outcome::Win => Wdl::Win,
        Outcome::Draw => Wdl::Draw,
        Outcome::Loss => Wdl::Loss,
    }
}

/// The grade of a result by its distance to zeroing.
const fn graded(value: Value) -> Wdl {
    match value {
        Value::Win(Plies(plies)) if plies > FIFTY_MOVES => Wdl::CursedWin,
        Value::Loss(Plies(plies)) if plies > FIFTY_MOVES => Wdl::BlessedLoss,
        value => value.wdl(),
    }
}

impl Tables {
    /// The value of a position with its distance to mate.
    ///
    /// # Errors
    /// When it has castling rights, too many men, or its table (or one that its moves lead to) is
    /// missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Value, ProbeError> {
        self.probe_metric(position, Metric::Dtm)
    }

    /// The value of a position with its distance in a metric.
    ///
    /// # Errors
    /// As [`Tables::probe`], and when the table has no file of the metric.
    pub fn probe_metric(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        check(position)?;
        if position.ep_square().is_some() {
            return self.by_moves(position, metric);
        }
        // Of a draw nothing more need be there.
        match self.outcome(position)? {
            Outcome::Win => self.win(position, metric),
            Outcome::Loss => self.by_moves(position, metric),
            Outcome::Draw => Ok(Value::Draw),
        }
    }

    /// The result of a position: with the 50-move rule where a `.dtz` file is there, else without.
    ///
    /// # Errors
    /// As [`Tables::probe`].
    #[inline]
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        check(position)?;
        if position.ep_square().is_some() {
            return self.with_ep(position, |position| self.wdl_without_ep(position));
        }
        self.wdl_without_ep(position)
    }

    /// All that is known of a position; metrics without a file are left out.
    ///
    /// # Errors
    /// As [`Tables::probe`].
    pub fn probe_all(&self, position: &Position) -> Result<ProbedValues, ProbeError> {
        let wdl = self.probe_wdl(position)?;
        ProbedValues::new(wdl, |metric| self.probe_metric(position, metric))
    }

    /// All legal moves with their values in a metric, the best first; none if the game is over.
    ///
    /// # Errors
    /// As [`Tables::probe_metric`].
    pub fn probe_moves(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Vec<MoveValue>, ProbeError> {
        check(position)?;
        let mut moves = Vec::new();
        for mv in position.legal_moves() {
            let value = self.move_value(position, mv, metric)?;
            moves.push(MoveValue { mv, value });
        }
        moves.sort_by_key(|entry| std::cmp::Reverse(entry.value.rank()));
        Ok(moves)
    }

    /// All legal moves with all that is known of them, the best first.
    ///
    /// # Errors
    /// As [`Tables::probe`].
    pub fn probe_moves_all(&self, position: &Position) -> Result<Vec<MoveValues>, ProbeError> {
        check(position)?;
        let mut moves = Vec::new();
        for mv in position.legal_moves() {
            let after = self.probe_wdl(&position.play(mv))?;
            let mut values =
                ProbedValues::new(-after, |metric| self.move_value(position, mv, metric))?;
            // The move takes a ply of the fifty moves, or gives them anew.
            if let Some(plies) = values.dtz {
                values.wdl = graded(match values.wdl {
                    Wdl::Win | Wdl::CursedWin => Value::Win(plies),
                    _ => Value::Loss(plies),
                });
            }
            moves.push(MoveValues { mv, values });
        }
        moves.sort_by_key(|entry| std::cmp::Reverse(entry.values.rank()));
        Ok(moves)
    }

    /// The value of a legal move as its mover sees it.
    fn move_value(
        &self,
        position: &Position,
        mv: Move,
        metric: Metric,
    ) -> Result<Value, ProbeError> {
        let child = position.play(mv);
        if !ends(metric, position, mv) {
            return Ok(self.probe_metric(&child, metric)?.before_move());
        }
        // Only the result after the move matters.
        let plies = |cursed: bool| Plies(if cursed { FIFTY_MOVES + 1 } else { 1 });
        let rule = metric == Metric::Dtz;
        Ok(match self.probe_wdl(&child)? {
            Wdl::Draw => Value::Draw,
            wdl @ (Wdl::Win | Wdl::CursedWin) => Value::Loss(plies(rule && wdl == Wdl::CursedWin)),
            wdl => Value::Win(plies(rule && wdl == Wdl::BlessedLoss)),
        })
    }

    /// The best value that a move gives; the game may be over.
    pub(super) fn by_moves(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Value, ProbeError> {
        let mut best = None;
        for mv in position.legal_moves() {
            best = better(best, self.move_value(position, mv, metric)?);
        }
        Ok(match best {
            Some(value) => value,
            None if position.in_check() => Value::Loss(Plies(0)),
            None => Value::Draw,
        })
    }

    fn win(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        let (material, table, index) = self.find(position)?;
        let file = table
            .distances(metric)
            .ok_or(ProbeError::MissingMetric(material, metric))?;
        let leaves_out = table
            .leaves_out(file, index)
            .map_err(|error| self.damaged(material, error))?;
        if leaves_out && ends_at_once(metric, position, |after| self.is_lost(after))? {
            return Ok(Value::Win(Plies(1)));
        }
        match table.win(file, index) {
            Ok(Some(plies)) => Ok(Value::Win(plies)),
            Ok(None) => Err(self.damaged(material, FormatError::Header("no win"))),
            Err(error) => Err(self.damaged(material, error)),
        }
    }

    /// Whether a position is lost without regard to the 50-move rule.
    fn is_lost(&self, position: &Position) -> Result<bool, ProbeError> {
        let wdl = if position.ep_square().is_some() {
            self.with_ep(position, |position| self.outcome(position).map(plain))?
        } else {
            plain(self.outcome(position)?)
        };
        Ok(wdl == Wdl::Loss)
    }

    /// The result without regard to en passant and the 50-move rule.
    #[inline]
    pub(super) fn outcome(&self, position: &Position) -> Result<Outcome, ProbeError> {
        if position.is_insufficient_material() {
            return Ok(Outcome::Draw);
        }
        let (material, table, index) = self.find(position)?;
        table
            .outcome(index)
            .map_err(|error| self.damaged(material, error))
    }

    /// The result without regard to en passant.
    #[inline]
    fn wdl_without_ep(&self, position: &Position) -> Result<Wdl, ProbeError> {
        if position.is_insufficient_material() {
            return Ok(Wdl::Draw);
        }
        let (material, table, index) = self.find(position)?;
        let outcome = table
            .outcome(index)
            .map_err(|error| self.damaged(material, error))?;
        if table.is_spoilt(index, outcome) {
            return self.probe_metric(position, Metric::Dtz).map(graded);
        }
        Ok(plain(outcome))
    }

    /// The table of a position and its cell.
    #[inline]
    fn find(&self, position: &Position) -> Result<(Material, &Table, Index), ProbeError> {
        let (material, table, swapped) = self
            .by_counts(position.material_counts())
            .ok_or_else(|| ProbeError::TooManyMen(position.occupied().count()))?;
        let table = table.ok_or(ProbeError::Missing(material))?;
        let index = table
            .layout
            .locate_as(position.board(), position.turn(), swapped);
        match index {
            Some(index) => Ok((material, table, index)),
            None => Err(self.damaged(material, FormatError::Header("index"))),
        }
    }

    /// The table's value (`stored`) holds for every move but the en-passant captures; where these are
    /// the only moves it counts for nothing, as it takes the position for mate or stalemate.
    #[cold]
    fn with_ep(
        &self,
        position: &Position,
        stored: impl Fn(&Position) -> Result<Wdl, ProbeError>,
    ) -> Result<Wdl, ProbeError> {
        let mut best: Option<Wdl> = None;
        let mut others = false;
        for mv in position.legal_moves() {
            if mv.kind() == MoveKind::EnPassant {
                best = best.max(Some(-stored(&position.play(mv))?));
            } else {
                others = true;
            }
        }
        if others {
            best = best.max(Some(stored(position)?));
        }
        Ok(best.unwrap_or(Wdl::Draw))
    }

    #[cold]
    fn damaged(&self, material: Material, source: FormatError) -> ProbeError {
        self.retire(material, &source);
        ProbeError::Damaged { material, source }
    }
}

#[inline]
fn check(position: &Position) -> Result<(), ProbeError> {
    if position.has_castling_rights() {
        Err(ProbeError::Castling)
    } else {
        Ok(())
    }
}

impl Oracle for Tables {
    fn max_men(&self) -> u32 {
        self.largest()
    }

    #[inline]
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.probe_wdl(position).ok()
    }

    fn dtm(&self, position: &Position) -> Option<Value> {
        self.probe(position).ok()
    }
}
