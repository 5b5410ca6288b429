//! All tables that one depends on, solved in memory one after another.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::closure::closure;
use crate::format::Metric;
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::solve::{
    DistanceError, Means, SolveError, Solved, SubTables, Subs, find_cursed, solve_primary,
};
use duchamp_base::{Control, Gauge, Room};

/// The tables that another one needs, in memory.
#[derive(Debug)]
pub struct AllSubs<G: Game>(Subs<G>);

impl<G: Game> AllSubs<G> {
    /// Solves all that a key depends on to mate, on the heap, and keeps its [`TableKey::children`].
    ///
    /// # Errors
    /// As [`solve`](crate::solve()).
    pub fn new(key: G::Key, control: &Control) -> Result<AllSubs<G>, SolveError<G::Key>> {
        AllSubs::in_metric(key, Metric::Dtm, control)
    }

    /// The same in one of [`Game::PRIMARY`].
    ///
    /// # Errors
    /// As [`solve_primary`].
    ///
    /// # Panics
    /// As [`solve_primary`].
    pub fn in_metric(
        key: G::Key,
        metric: Metric,
        control: &Control,
    ) -> Result<AllSubs<G>, SolveError<G::Key>> {
        AllSubs::counted(key, (metric, false), &Gauge::default(), control)
    }

    /// The same; if `zeroing`, cursed wins and blessed losses are found, too. `gauge` counts the cells of a side.
    pub(crate) fn counted(
        key: G::Key,
        (metric, zeroing): (Metric, bool),
        gauge: &Gauge,
        control: &Control,
    ) -> Result<AllSubs<G>, SolveError<G::Key>> {
        AllSubs::loaded(key, (metric, zeroing), &|_| Ok(None), gauge, control)
    }

    /// The same without large tables, which are never in memory; what `load` returns need not be solved.
    pub(crate) fn loaded(
        key: G::Key,
        (metric, zeroing): (Metric, bool),
        load: &Load<'_, G>,
        gauge: &Gauge,
        control: &Control,
    ) -> Result<AllSubs<G>, SolveError<G::Key>> {
        let below = all_below(key).into_iter();
        let below = below.filter(|&key| !G::is_large(key));
        gauge.start(below.map(cells::<G>).sum());
        let all = Recursive::<G> {
            metric,
            zeroing,
            load,
            control,
            gauge,
            made: Mutex::default(),
        };
        let mut children = key.children();
        children.retain(|&child| !G::is_large(child));
        for &child in &children {
            all.make(child)?;
        }
        let mut made = all
            .made
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        made.retain(|key, _| children.contains(key));
        Ok(AllSubs(made))
    }
}

impl<G: Game> SubTables<G::Index> for AllSubs<G> {
    fn get(&self, key: G::Key) -> Option<Arc<Solved<G::Index>>> {
        self.0.get(&key).cloned()
    }
}

/// All tables that a key depends on.
pub(super) fn all_below<K: TableKey>(key: K) -> BTreeSet<K> {
    closure(key.children(), |_| true)
}

/// The cells of a table, for one side to move.
pub(super) fn cells<G: Game>(key: G::Key) -> u64 {
    G::Index::new(key).cells()
}

/// Gives a table that need not be solved.
pub(crate) type Load<'a, G> =
    dyn Fn(<G as Game>::Key) -> Result<Option<Loaded<G>>, SolveError<<G as Game>::Key>> + Sync + 'a;

/// A table that was read.
pub(crate) type Loaded<G> = Solved<<G as Game>::Index>;

/// Makes tables with all that they need.
struct Recursive<'a, G: Game> {
    metric: Metric,
    zeroing: bool,
    load: &'a Load<'a, G>,
    control: &'a Control,
    gauge: &'a Gauge,
    made: Mutex<Subs<G>>,
}

impl<G: Game> Recursive<'_, G> {
    fn make(&self, key: G::Key) -> Result<(), SolveError<G::Key>> {
        if self.get(key).is_some() {
            return Ok(());
        }
        if let Some(table) = (self.load)(key)? {
            self.keep(key, table);
            return Ok(());
        }
        for child in key.children() {
            self.make(child)?;
        }
        let table = solve_primary::<G>(key, self, self.metric, self.control)?;
        if self.zeroing {
            let means = Means {
                room: Room::Heap,
                wave: Room::Heap,
                abreast: rayon::current_num_threads(),
                gauge: &Gauge::default(),
                control: self.control,
            };
            find_cursed::<G>(&table, self, &means).map_err(|error| match error {
                DistanceError::Solve(error) => error,
                DistanceError::Encode(_) => unreachable!("nothing is encoded"),
            })?;
        }
        self.keep(key, table);
        Ok(())
    }

    fn keep(&self, key: G::Key, table: Solved<G::Index>) {
        self.gauge.add(table.index().cells());
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert(key, Arc::new(table));
    }
}

impl<G: Game> SubTables<G::Index> for Recursive<'_, G> {
    fn get(&self, key: G::Key) -> Option<Arc<Solved<G::Index>>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.get(&key).cloned()
    }
}
