//! The Syzygy tables of the engine: opened when their path is set, checked for files that are missing, probed by search.

use super::event::{Event, Sink, SyzygyNews, Trouble};
use super::options::Options;
use duchamp_base::Wdl;
use duchamp_chess::Position;
use duchamp_chess_tables::{Material, SyzygyKind, SyzygyTables};
use duchamp_search::ResultTables;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// See the module heading. The thread that generates tables has it, too: it opens new files.
pub(super) struct Syzygy {
    sink: Sink,
    opened: Mutex<Opened>,
}

/// A path, and the tables that were found there.
#[derive(Clone, Default)]
struct Opened {
    path: String,
    tables: Arc<SyzygyTables>,
}

/// What Syzygy tables say of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyzygyValue {
    /// The result under the 50-move rule, from a fresh clock.
    pub wdl: Wdl,
    /// The distance to zeroing in plies, as [`duchamp_chess_tables::SyzygyDtz`]; `None` without a file.
    pub dtz: Option<i32>,
}

impl Syzygy {
    /// No tables yet.
    pub(super) fn new(sink: Sink) -> Arc<Syzygy> {
        Arc::new(Syzygy {
            sink,
            opened: Mutex::default(),
        })
    }

    /// Every change is complete when the lock is let go.
    fn lock(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tables(&self) -> Arc<SyzygyTables> {
        Arc::clone(&self.lock().tables)
    }

    /// The path that was opened last.
    pub(super) fn path(&self) -> String {
        self.lock().path.clone()
    }

    /// Opens the tables of a path and says what was found; none, and nothing to say, if it is empty.
    pub(super) fn open(&self, path: &str) {
        self.lock().path = path.to_owned();
        self.reopen();
    }

    /// Opens the tables of the path anew, since files came, and says what was found. A running search keeps those that it
    /// has.
    pub(super) fn reopen(&self) {
        let mut opened = self.lock();
        let folders = SyzygyTables::folders(&opened.path);
        let tables = SyzygyTables::open(&folders);
        let news = (!opened.path.is_empty()).then(|| {
            let unreadable = folders
                .iter()
                .filter(|folder| std::fs::read_dir(folder).is_err());
            SyzygyNews {
                wdl: tables.count(SyzygyKind::Wdl),
                dtz: tables.count(SyzygyKind::Dtz),
                men: tables.largest(),
                unreadable: unreadable.cloned().collect(),
                missing: missing(&tables),
                folders,
            }
        });
        opened.tables = Arc::new(tables);
        drop(opened);
        if let Some(news) = news {
            (self.sink)(Event::Syzygy(news));
        }
    }

    /// The tables for the next search.
    pub(super) fn results(&self, options: &Options) -> ResultTables {
        let tables = self.tables();
        ResultTables {
            max_men: tables.largest().min(options.syzygy_probe_limit),
            min_depth: options.syzygy_probe_depth as i32,
            oracle: tables,
        }
    }

    /// What the tables say of a position.
    pub(super) fn value(&self, position: &Position) -> Option<SyzygyValue> {
        let tables = self.tables();
        let wdl = tables.wdl(position).ok()?;
        let dtz = tables.dtz(position).ok();
        let dtz = dtz.map(|dtz| dtz.0);
        Some(SyzygyValue { wdl, dtz })
    }

    /// What sends a line for every fault that was found in files since it was last called.
    pub(super) fn fault_reporter(&self) -> impl Fn() + Send + 'static {
        let (sink, tables) = (Arc::clone(&self.sink), self.tables());
        move || {
            for text in tables.take_faults() {
                sink(Event::Trouble(Trouble::Syzygy { text }));
            }
        }
    }
}

/// The materials without results that results of others rest on: those one capture away, and where distances are there
/// those one promotion away.
fn missing(tables: &SyzygyTables) -> Vec<Material> {
    let mut present: Vec<(Material, [bool; 2])> = tables.materials().collect();
    present.retain(|(_, has)| has[SyzygyKind::Wdl as usize]);
    let mut missing = Vec::new();
    for &(material, has) in &present {
        for child in material.children() {
            let needed = child.men() < material.men() || has[SyzygyKind::Dtz as usize];
            let there = present.iter().any(|&(other, _)| other == child);
            if needed && !there && !missing.contains(&child) {
                missing.push(child);
            }
        }
    }
    missing.sort_by_key(|material| (material.men(), material.name()));
    missing
}
