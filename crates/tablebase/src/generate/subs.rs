//! All tables that one depends on, solved in memory one after another.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::format::Metric;
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::solve::{SolveError, Solved, SubTables, Subs, solve_primary};
use duchamp_base::{Control, Gauge};

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
        AllSubs::counted(key, metric, &Gauge::default(), control)
    }

    /// The same; `gauge` counts the cells of a side.
    pub(crate) fn counted(
        key: G::Key,
        metric: Metric,
        gauge: &Gauge,
        control: &Control,
    ) -> Result<AllSubs<G>, SolveError<G::Key>> {
        gauge.start(all_below(key).into_iter().map(cells::<G>).sum());
        let all = Recursive::<G> {
            metric,
            control,
            gauge,
            made: Mutex::default(),
        };
        let children = key.children();
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
    let mut below = BTreeSet::new();
    let mut open = vec![key];
    while let Some(key) = open.pop() {
        open.extend(
            key.children()
                .into_iter()
                .filter(|&child| below.insert(child)),
        );
    }
    below
}

/// The cells of a table, for one side to move.
pub(super) fn cells<G: Game>(key: G::Key) -> u64 {
    G::Index::new(key).cells()
}

/// Makes tables with all that they need.
struct Recursive<'a, G: Game> {
    metric: Metric,
    control: &'a Control,
    gauge: &'a Gauge,
    made: Mutex<Subs<G>>,
}

impl<G: Game> Recursive<'_, G> {
    fn make(&self, key: G::Key) -> Result<(), SolveError<G::Key>> {
        if self.get(key).is_some() {
            return Ok(());
        }
        for child in key.children() {
            self.make(child)?;
        }
        let table = solve_primary::<G>(key, self, self.metric, self.control)?;
        self.gauge.add(table.index().cells());
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert(key, Arc::new(table));
        Ok(())
    }
}

impl<G: Game> SubTables<G::Index> for Recursive<'_, G> {
    fn get(&self, key: G::Key) -> Option<Arc<Solved<G::Index>>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.get(&key).cloned()
    }
}
