//! Probing: the value of a position and of its moves, in every metric.
//!
//! A probe is exact for the position as given: moves that no table stores (en passant) are searched one ply ahead, and
//! the sides are exchanged as the table needs. The halfmove clock is ignored: values are those of a fresh clock.
//!
//! Files store for each winner the lengths of his wins, or of the losses against him; files of distances to zeroing omit
//! wins in one ply, which the moves show ([`has_immediate_win`]). What is not stored is what the best move gives: probing
//! plays every move to find it.

use std::ops::ControlFlow;

use crate::format::{Class, FormatError, Metric, Outcome};
use crate::index::CellId;
use crate::rules::{MoveFacts, Rules, better, has_immediate_win};
use crate::store::{Store, Table};
use duchamp_base::{Plies, Value, Wdl};

/// Why a position has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProbeError<K> {
    /// No table stores such positions, for the reason given.
    #[error("no table has positions with {0}")]
    Refused(&'static str),
    /// No table has these pieces; the number is that of the pieces, kings included.
    #[error("no table has these {0} pieces")]
    TooManyMen(u32),
    /// The table is not in the folder (yet).
    #[error("table {0} is missing")]
    Missing(K),
    /// The table has no file of this metric (yet).
    #[error("table {0} has no distances of this kind: the file {0}.{name} is missing", name = .1.name())]
    MissingMetric(K, Metric),
    /// The table is damaged. The store has retired it: it is not used any more.
    #[error("table {key}: {source}")]
    Damaged {
        /// The table.
        key: K,
        /// What was found.
        source: FormatError,
    },
}

/// A legal move and its value as the side that plays it sees it, counted from before the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValue<M> {
    /// The move.
    pub mv: M,
    /// Its value.
    pub value: Value,
}

type Result<T, G> = std::result::Result<T, ProbeError<<G as crate::Game>::Key>>;

/// A value by moves needs another one of the same table at most once, and then those of captures and promotions: only files
/// that contradict each other lead deeper.
const DEEPEST: u8 = 40;

/// No line is longer: every step of one brings an end nearer, unless files are wrong.
const LONGEST_LINE: usize = 10_000;

/// The result that a table stores, without the 50-move rule.
const fn plain(outcome: Outcome) -> Wdl {
    match outcome {
        Outcome::Win => Wdl::Win,
        Outcome::Draw => Wdl::Draw,
        Outcome::Loss => Wdl::Loss,
    }
}

/// The five-grade result of a value: a win longer than [`MetricSpec::draw_after`](crate::MetricSpec::draw_after) plies
/// of the metric is cursed, such a loss blessed. Metrics without a 50-move rule give three grades.
#[must_use]
pub fn graded(metric: Metric, value: Value) -> Wdl {
    let late = |plies: Plies| {
        metric
            .spec()
            .draw_after
            .is_some_and(|limit| plies.0 > limit)
    };
    match value {
        Value::Win(plies) if late(plies) => Wdl::CursedWin,
        Value::Loss(plies) if late(plies) => Wdl::BlessedLoss,
        value => value.wdl(),
    }
}

/// Looks positions up in the tables of a store. It is a reference: copying is free.
///
/// All values are as the side to move sees them, distances in plies. Probing takes no lock and may run on any number of
/// threads; each thread caches decoded blocks.
#[derive(Debug)]
pub struct Prober<'s, G: Rules> {
    store: &'s Store<G>,
    /// How many values are being found by moves, one for another.
    depth: u8,
}

impl<G: Rules> Clone for Prober<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Rules> Copy for Prober<'_, G> {}

impl<'s, G: Rules> Prober<'s, G> {
    /// A prober of a store.
    #[must_use]
    #[inline]
    pub fn new(store: &'s Store<G>) -> Prober<'s, G> {
        Prober { store, depth: 0 }
    }

    /// The value of a position with its distance in a metric, one with distances. The distance is that of best play:
    /// the shortest win, the longest loss.
    ///
    /// # Errors
    /// When no table stores such positions, or when its table (or one that its moves lead to) or the table's file of
    /// the metric is missing or damaged. A draw needs no file of distances.
    pub fn value(self, position: &G::Position, metric: Metric) -> Result<Value, G> {
        check::<G>(position)?;
        if G::has_unstored_moves(position) {
            return self.by_moves(position, metric);
        }
        // Of a draw nothing more need be there.
        let class = match self.outcome(position)? {
            Outcome::Win => Class::Wins,
            Outcome::Loss => Class::Losses,
            Outcome::Draw => return Ok(Value::Draw),
        };
        match self.stored_length(position, class, metric)? {
            Some(value) => Ok(value),
            None if class == Class::Wins => self.deeper(position)?.win_by_moves(position, metric),
            None => self.deeper(position)?.loss_by_moves(position, metric),
        }
    }

    /// The prober of a value that another one needs.
    fn deeper(self, position: &G::Position) -> Result<Self, G> {
        if self.depth >= DEEPEST {
            return Err(self.contradiction(position));
        }
        let depth = self.depth + 1;
        Ok(Prober { depth, ..self })
    }

    #[cold]
    fn contradiction(self, position: &G::Position) -> ProbeError<G::Key> {
        match self.find(position) {
            Ok((key, ..)) => self.damaged(key, FormatError::Contradiction),
            Err(error) => error,
        }
    }

    /// The result of a position: with the 50-move rule where a `.dtz` file is there, else without.
    ///
    /// # Errors
    /// As [`Prober::value`].
    #[inline]
    pub fn wdl(self, position: &G::Position) -> Result<Wdl, G> {
        check::<G>(position)?;
        if G::has_unstored_moves(position) {
            return self.with_unstored(position, |position| self.stored_wdl(position));
        }
        self.stored_wdl(position)
    }

    /// All legal moves with their values in a metric, the best first; none if the game is over. Moves that the metric
    /// disregards ([`Rules::before`]) come last, lost in 0 plies.
    ///
    /// # Errors
    /// As [`Prober::value`].
    pub fn moves(
        self,
        position: &G::Position,
        metric: Metric,
    ) -> Result<Vec<MoveValue<G::Move>>, G> {
        check::<G>(position)?;
        let mut moves = Vec::new();
        self.each_move(position, |facts| {
            let value = self.move_value(position, &facts, metric)?;
            moves.push(MoveValue {
                mv: facts.mv,
                value,
            });
            Ok(())
        })?;
        moves.sort_by_key(|entry| std::cmp::Reverse(entry.value.rank()));
        Ok(moves)
    }

    /// The best line from a position to its mate by a metric: the winner takes the shortest way, the loser the longest;
    /// among equals the first in order of generation. After a move that ends the distance the line goes on with the
    /// next one. Empty if the position is drawn.
    ///
    /// # Errors
    /// When a position of the line cannot be probed.
    pub fn line(
        self,
        position: &G::Position,
        metric: Metric,
    ) -> Result<Vec<MoveValue<G::Move>>, G> {
        let mut line = Vec::new();
        let mut position = position.clone();
        let start = self.value(&position, metric)?;
        if start == Value::Draw {
            return Ok(line);
        }
        while line.len() < LONGEST_LINE {
            let Some(&best) = self.moves(&position, metric)?.first() else {
                break;
            };
            line.push(best);
            position = G::play(&position, best.mv);
        }
        Ok(line)
    }

    /// Calls `each` with every legal move until it fails.
    pub(crate) fn each_move(
        self,
        position: &G::Position,
        mut each: impl FnMut(MoveFacts<G::Move>) -> Result<(), G>,
    ) -> Result<(), G> {
        let mut result = Ok(());
        G::moves(position, |facts| {
            result = each(facts);
            match result {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        result
    }

    /// The value of a legal move as its mover sees it, counted from before the move. A move that the metric disregards
    /// ([`Rules::before`]) is lost in 0 plies.
    ///
    /// # Errors
    /// As [`Prober::value`].
    pub fn move_value(
        self,
        position: &G::Position,
        facts: &MoveFacts<G::Move>,
        metric: Metric,
    ) -> Result<Value, G> {
        let value = self.counted_value(position, facts, metric)?;
        Ok(value.unwrap_or(Value::Loss(Plies(0))))
    }

    /// The value of a legal move; `None` if the metric disregards it.
    pub(crate) fn counted_value(
        self,
        position: &G::Position,
        facts: &MoveFacts<G::Move>,
        metric: Metric,
    ) -> Result<Option<Value>, G> {
        let after = self.after(&G::play(position, facts.mv), facts, metric)?;
        Ok(G::before(metric, facts, after))
    }

    /// The value of the position after a move, as [`Rules::before`] takes it.
    pub(crate) fn after(
        self,
        after: &G::Position,
        facts: &MoveFacts<G::Move>,
        metric: Metric,
    ) -> Result<Value, G> {
        if !facts.ends(metric) {
            return self.value(after, metric);
        }
        // Only the result after the move matters.
        let late = Plies(metric.spec().draw_after.map_or(1, |limit| limit + 1));
        Ok(match self.wdl(after)? {
            Wdl::Win => Value::Win(Plies(1)),
            Wdl::CursedWin => Value::Win(late),
            Wdl::Draw => Value::Draw,
            Wdl::BlessedLoss => Value::Loss(late),
            Wdl::Loss => Value::Loss(Plies(0)),
        })
    }

    /// The best value that a move gives; the game may be over.
    pub(crate) fn by_moves(self, position: &G::Position, metric: Metric) -> Result<Value, G> {
        let best = self.best_move(position, metric, |_, _| Ok(true))?;
        Ok(best.unwrap_or_else(|| G::stuck(position)))
    }

    /// The value of a won or lost position if the file holds it.
    pub(crate) fn stored_length(
        self,
        position: &G::Position,
        class: Class,
        metric: Metric,
    ) -> Result<Option<Value>, G> {
        let (key, table, at) = self.find(position)?;
        let file = table
            .distances(metric)
            .ok_or(ProbeError::MissingMetric(key, metric))?;
        if !table.has_lengths(file, class, at) {
            return Ok(None);
        }
        let damaged = |error| self.damaged(key, error);
        if class == Class::Wins && table.omits(file, at).map_err(damaged)? {
            let immediate =
                has_immediate_win::<G, _>(metric, position, |after| self.is_lost(after))?;
            if immediate {
                return Ok(Some(Value::Win(Plies(1))));
            }
        }
        let length = table.length(file, class, at).map_err(damaged)?;
        let length = length.ok_or_else(|| damaged(FormatError::Header("no length")))?;
        Ok(Some(match class {
            Class::Wins => Value::Win(length),
            Class::Losses => Value::Loss(length),
        }))
    }

    /// Whether a position that is won is won in so many plies, found without the lengths of all its moves.
    pub(crate) fn wins_in(
        self,
        position: &G::Position,
        metric: Metric,
        plies: Plies,
    ) -> Result<bool, G> {
        let (mut result, mut found) = (Ok(()), false);
        G::moves(position, |facts| {
            match self.counted_value(position, &facts, metric) {
                Ok(Some(Value::Win(length))) if length < plies => {
                    found = false;
                    return ControlFlow::Break(());
                }
                Ok(value) => found |= value == Some(Value::Win(plies)),
                Err(error) => {
                    result = Err(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        result.map(|()| found)
    }

    /// The value of a lost position by its moves, none of which may win.
    fn loss_by_moves(self, position: &G::Position, metric: Metric) -> Result<Value, G> {
        let best = self.best_move(position, metric, |facts, after| {
            let counts = G::before(metric, facts, Value::Loss(Plies(0))).is_some();
            if counts && self.is_lost(after)? {
                return Err(self.contradiction(position));
            }
            Ok(true)
        })?;
        Ok(best.unwrap_or_else(|| G::stuck(position)))
    }

    /// The value of a won position by the moves that win; of the others the length is not looked at.
    fn win_by_moves(self, position: &G::Position, metric: Metric) -> Result<Value, G> {
        match self.best_move(position, metric, |_, after| self.is_lost(after))? {
            Some(value @ Value::Win(_)) => Ok(value),
            // The files contradict each other, or what wins is not among the moves.
            _ => self.by_moves(position, metric),
        }
    }

    /// The best value of the moves that `counts` lets through, by what they are and the position after them; `None` if the
    /// metric disregards them all.
    fn best_move(
        self,
        position: &G::Position,
        metric: Metric,
        counts: impl Fn(&MoveFacts<G::Move>, &G::Position) -> Result<bool, G>,
    ) -> Result<Option<Value>, G> {
        let mut best = None;
        self.each_move(position, |facts| {
            let after = G::play(position, facts.mv);
            if counts(&facts, &after)? {
                let after = self.after(&after, &facts, metric)?;
                if let Some(value) = G::before(metric, &facts, after) {
                    best = better(best, value);
                }
            }
            Ok(())
        })?;
        Ok(best)
    }

    /// Whether a position is lost, the 50-move rule aside.
    pub(crate) fn is_lost(self, position: &G::Position) -> Result<bool, G> {
        let wdl = if G::has_unstored_moves(position) {
            self.with_unstored(position, |position| self.outcome(position).map(plain))?
        } else {
            plain(self.outcome(position)?)
        };
        Ok(wdl == Wdl::Loss)
    }

    /// The stored result: it disregards unstored moves and the 50-move rule.
    ///
    /// # Errors
    /// As [`Prober::value`].
    #[inline]
    pub fn outcome(self, position: &G::Position) -> Result<Outcome, G> {
        if G::is_dead_draw(position) {
            return Ok(Outcome::Draw);
        }
        let (key, table, at) = self.find(position)?;
        table.outcome(at).map_err(|error| self.damaged(key, error))
    }

    /// The result without unstored moves.
    #[inline]
    fn stored_wdl(self, position: &G::Position) -> Result<Wdl, G> {
        if G::is_dead_draw(position) {
            return Ok(Wdl::Draw);
        }
        let (key, table, at) = self.find(position)?;
        let outcome = table
            .outcome(at)
            .map_err(|error| self.damaged(key, error))?;
        if table.may_be_cursed(at, outcome) {
            return self
                .value(position, Metric::Dtz)
                .map(|value| graded(Metric::Dtz, value));
        }
        Ok(plain(outcome))
    }

    /// The table of a position and its cell.
    ///
    /// # Errors
    /// As [`Prober::value`].
    #[inline]
    pub(crate) fn find(self, position: &G::Position) -> Result<(G::Key, &'s Table<G>, CellId), G> {
        let (key, table, exchanged) = self
            .store
            .by_code(G::code(position))
            .ok_or_else(|| ProbeError::TooManyMen(G::men(position)))?;
        let table = table.ok_or(ProbeError::Missing(key))?;
        match G::cell(&table.index, position, exchanged) {
            Some(at) => Ok((key, table, at)),
            None => Err(self.damaged(key, FormatError::Header("index"))),
        }
    }

    /// The table's value (`stored`) holds for every move but the unstored ones; where these are the only moves it
    /// counts for nothing, as the table takes the position for mate or stalemate.
    #[cold]
    fn with_unstored(
        self,
        position: &G::Position,
        stored: impl Fn(&G::Position) -> Result<Wdl, G>,
    ) -> Result<Wdl, G> {
        let mut best: Option<Wdl> = None;
        let mut others = false;
        self.each_move(position, |facts| {
            if facts.unstored {
                best = best.max(Some(-stored(&G::play(position, facts.mv))?));
            } else {
                others = true;
            }
            Ok(())
        })?;
        if others {
            best = best.max(Some(stored(position)?));
        }
        Ok(best.unwrap_or(Wdl::Draw))
    }

    #[cold]
    fn damaged(self, key: G::Key, source: FormatError) -> ProbeError<G::Key> {
        self.store.retire(key, &source);
        ProbeError::Damaged { key, source }
    }
}

#[inline]
fn check<G: Rules>(position: &G::Position) -> Result<(), G> {
    match G::refusal(position) {
        Some(reason) => Err(ProbeError::Refused(reason)),
        None => Ok(()),
    }
}
