//! The folder where tables are generated: what is there, what killed processes have left, snapshots.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::at_hand::Inspector;
use super::export::Exporter;
use super::plan::Source;
use super::report::{GenerateError, GenerateOptions};
use super::snapshot::Snapshot;
use crate::format::Metric;
use crate::game::Game;
use crate::index::TableKey;
use crate::solve::sub_ending;
use crate::store::{Store, Table};
use duchamp_base::files;

/// The folder of a store, as those see it who put tables there.
#[derive(Debug)]
pub(super) struct Site<'s, G: Game> {
    store: &'s Store<G>,
    exporter: Option<&'s dyn Exporter<G>>,
    inspector: Option<&'s dyn Inspector<G>>,
}

impl<G: Game> Clone for Site<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Site<'_, G> {}

impl<'s, G: Game> Site<'s, G> {
    pub(super) fn new(store: &'s Store<G>) -> Site<'s, G> {
        Site {
            store,
            exporter: None,
            inspector: None,
        }
    }

    pub(super) fn exporting(self, exporter: Option<&'s dyn Exporter<G>>) -> Site<'s, G> {
        Site { exporter, ..self }
    }

    pub(super) fn inspecting(self, inspector: Option<&'s dyn Inspector<G>>) -> Site<'s, G> {
        Site { inspector, ..self }
    }

    /// Who looks at tables that get no files.
    pub(super) fn inspector(self) -> Option<&'s dyn Inspector<G>> {
        self.inspector
    }

    /// Who writes files of another format.
    pub(super) fn exporter(self) -> Option<&'s dyn Exporter<G>> {
        self.exporter
    }

    pub(super) fn store(self) -> &'s Store<G> {
        self.store
    }

    /// Whether all requested files of a table are there.
    pub(super) fn is_there(&self, key: G::Key, options: &GenerateOptions) -> bool {
        options
            .files()
            .all(|metric| self.store.has_metric(key, metric))
            && self.exporter.is_none_or(|exporter| !exporter.lacks(key))
            && (!options.keep_subs || self.has_snapshot(key, options))
    }

    /// The files of a table that are to be written: those that are missing. To a table of another folder none can be
    /// added, so if any is missing there the whole table is written.
    pub(super) fn lacking(&self, key: G::Key, options: &GenerateOptions) -> Vec<Metric> {
        let lacks = |metric: &Metric| !self.store.has_metric(key, *metric);
        let all =
            options.force || self.store.is_elsewhere(key) && options.files().any(|m| lacks(&m));
        options
            .files()
            .filter(|metric| all || lacks(metric))
            .collect()
    }

    /// Removes what processes have left that were killed: locks that nobody holds, and unfinished files
    /// beside them.
    pub(super) fn tidy(&self) {
        for entry in std::fs::read_dir(self.store.dir())
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name();
            let key = name.to_str().and_then(|name| name.strip_suffix(".lock"));
            let Some(Ok(key)) = key.map(str::parse::<G::Key>) else {
                continue;
            };
            if let Ok(Some(lock)) = self.store.folder().lock(key) {
                self.sweep(key);
                drop(lock);
            }
        }
    }

    /// Removes the unfinished files of a table, whose lock the caller holds.
    pub(super) fn sweep(&self, key: G::Key) {
        self.store.folder().sweep(key);
        for &metric in G::PRIMARY {
            files::sweep_parts(&self.sub(key, metric));
        }
        files::sweep_parts(&self.sub(key, Metric::Dtz));
    }

    /// A table's snapshot in a metric, if it is present and good; for distances to zeroing it must hold the cursed wins and
    /// blessed losses.
    pub(super) fn snapshot(
        &self,
        key: G::Key,
        metric: Metric,
        options: &GenerateOptions,
    ) -> Option<Snapshot<G>> {
        let path = self.sub(key, metric);
        let snapshot = Snapshot::<G>::open(&path, key, metric).unwrap_or_else(|error| {
            log::warn!("{}: {error}; solving again", path.display());
            None
        });
        let zeroing = options.metrics.contains(&Metric::Dtz);
        snapshot.filter(|snapshot| !zeroing || snapshot.knows_cursed())
    }

    /// Whether there is one in the metric that is solved first.
    pub(super) fn has_snapshot(&self, key: G::Key, options: &GenerateOptions) -> bool {
        let primary = options.primary::<G>();
        self.snapshot(key, primary, options).is_some()
    }

    /// The folder for scratch files.
    pub(super) fn scratch_dir<'a>(self, options: &'a GenerateOptions) -> &'a Path
    where
        's: 'a,
    {
        options.scratch.as_deref().unwrap_or(self.store.dir())
    }

    /// Opens a table that has got these files. Others beside them may be of another version or go with an earlier `.wdl`
    /// file: they stay, and count as missing.
    pub(super) fn open_made(
        self,
        key: G::Key,
        mut made: impl Iterator<Item = Metric>,
    ) -> Result<Table<G>, GenerateError<G::Key>> {
        let (table, errors) = self.store.folder().open(key);
        let is_open = |metric| table.as_ref().is_some_and(|it| it.file(metric).is_some());
        let lost = made.find(|&metric| !is_open(metric));
        match (table, lost) {
            (Some(table), None) => Ok(table),
            (_, lost) => {
                let of_lost = errors.iter().find(|error| lost == error.metric());
                Err(match of_lost.or(errors.first()) {
                    Some(error) => GenerateError::System(error.to_string()),
                    None => GenerateError::Write {
                        key,
                        path: self.store.dir().to_owned(),
                        source: ErrorKind::NotFound.into(),
                    },
                })
            }
        }
    }

    /// Where the values come from of a table that has its files, or need not have any.
    pub(super) fn source(&self, key: G::Key, options: &GenerateOptions) -> Source {
        let results = options.primary::<G>() == Metric::Dtc && options.later::<G>().is_empty();
        if self.has_snapshot(key, options) {
            Source::Snapshot
        } else if G::SUBS_FROM_FILES && results && self.store.has(key) {
            Source::Files
        } else {
            Source::Solving
        }
    }

    /// Whether all that the targets need is there to be read, unless it is a target itself.
    pub(super) fn check_alone(
        &self,
        targets: &[G::Key],
        options: &GenerateOptions,
    ) -> Result<(), GenerateError<G::Key>> {
        for &key in targets {
            let mut needed = key.children();
            let at_hand = |child| self.source(child, options) != Source::Solving;
            needed.retain(|&child| !targets.contains(&child) && !at_hand(child));
            if !needed.is_empty() {
                let ending = sub_ending(options.primary::<G>());
                return Err(GenerateError::Alone {
                    key,
                    missing: needed
                        .iter()
                        .map(|child| format!("{child}.{ending}"))
                        .collect(),
                    path: self.store.dir().to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The name of the file with what larger tables need of a table in a metric: of a small one its snapshot.
    pub(super) fn sub(&self, key: G::Key, metric: Metric) -> PathBuf {
        self.store
            .dir()
            .join(format!("{key}.{}", sub_ending(metric)))
    }
}
