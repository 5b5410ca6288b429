//! The Syzygy tables of the engine: opened when their path is set, checked for files that are missing, probed by search.

use super::event::{Event, Sink, SyzygyNews, Trouble};
use super::options::Options;
use duchamp_base::Wdl;
use duchamp_chess::Position;
use duchamp_chess_tables::{Material, SyzygyKind, SyzygyTables};
use duchamp_search::ResultTables;
use std::sync::Arc;

/// See the module heading.
pub(super) struct Syzygy {
    sink: Sink,
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
    pub(super) fn new(sink: Sink) -> Syzygy {
        Syzygy {
            sink,
            tables: Arc::new(SyzygyTables::default()),
        }
    }

    /// Opens the tables of a path and says what was found; none, and nothing to say, if it is empty.
    pub(super) fn open(&mut self, path: &str) {
        let folders = SyzygyTables::folders(path);
        let tables = SyzygyTables::open(&folders);
        if !path.is_empty() {
            let unreadable = folders
                .iter()
                .filter(|folder| std::fs::read_dir(folder).is_err());
            (self.sink)(Event::Syzygy(SyzygyNews {
                wdl: tables.count(SyzygyKind::Wdl),
                dtz: tables.count(SyzygyKind::Dtz),
                men: tables.largest(),
                unreadable: unreadable.cloned().collect(),
                missing: missing(&tables),
                folders,
            }));
        }
        self.tables = Arc::new(tables);
    }

    /// The tables for the next search.
    pub(super) fn results(&self, options: &Options) -> ResultTables {
        ResultTables {
            oracle: Arc::clone(&self.tables) as _,
            max_men: self.tables.largest().min(options.syzygy_probe_limit),
            min_depth: options.syzygy_probe_depth as i32,
        }
    }

    /// What the tables say of a position.
    pub(super) fn value(&self, position: &Position) -> Option<SyzygyValue> {
        let wdl = self.tables.wdl(position).ok()?;
        let dtz = self.tables.dtz(position).ok();
        let dtz = dtz.map(|dtz| dtz.0);
        Some(SyzygyValue { wdl, dtz })
    }

    /// What sends a line for every fault that was found in files since it was last called.
    pub(super) fn fault_reporter(&self) -> impl Fn() + Send + 'static {
        let (sink, tables) = (Arc::clone(&self.sink), Arc::clone(&self.tables));
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
