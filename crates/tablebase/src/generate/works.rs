//! What the jobs of a generation share: tables in memory, and what becomes of errors.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::budget::Share;
use super::export::{Export, ExportError};
use super::report::{GenerateError, GenerateOptions, Made};
use super::site::Site;
use super::snapshot::SnapshotError;
use crate::format::Metric;
use crate::game::Game;
use crate::index::Index;
use crate::solve::{
    DistanceError, Means, SolveError, Solved, SubTables, solve_results, sub_tables,
};
use crate::values::Part;
use crate::write::EncodeError;
use duchamp_base::files::WholeFile;
use duchamp_base::{Control, LockFile, Room, Scratch};
use duchamp_retro::{Side, Wide};

/// What all threads of a generation share.
pub(crate) struct Works<'a, G: Game> {
    pub(super) site: Site<'a, G>,
    pub(crate) control: &'a Control,
    pub(super) options: &'a GenerateOptions,
    /// The metric that tables are solved in first.
    pub(super) primary: Metric,
    pub(super) scratch: &'a Scratch,
    solved: Mutex<BTreeMap<G::Key, Held<G>>>,
}

/// A solved table that others need, and the memory that its values take.
struct Held<G: Game> {
    table: Arc<Solved<G::Index>>,
    _memory: Share,
}

impl<'a, G: Game> Works<'a, G> {
    pub(crate) fn new(
        site: Site<'a, G>,
        control: &'a Control,
        options: &'a GenerateOptions,
        scratch: &'a Scratch,
    ) -> Works<'a, G> {
        Works {
            site,
            control,
            options,
            primary: options.primary::<G>(),
            scratch,
            solved: Mutex::default(),
        }
    }

    fn solved(&self) -> MutexGuard<'_, BTreeMap<G::Key, Held<G>>> {
        self.solved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a solved table for others, with the share of memory that it takes.
    pub(super) fn hold(&self, table: &Arc<Solved<G::Index>>, memory: Share) {
        let held = Held {
            table: Arc::clone(table),
            _memory: memory,
        };
        self.solved().insert(table.key(), held);
    }

    /// Lets go of tables that no other needs any more.
    pub(crate) fn forget(&self, keys: &[G::Key]) {
        for key in keys {
            let held = self.solved().remove(key);
            // Unmapping gigabytes takes time: not under the lock.
            drop(held);
        }
    }

    /// Scratch files, or the heap.
    pub(super) fn room(&self, scratch: bool) -> Room<'a> {
        if scratch {
            Room::Scratch(self.scratch)
        } else {
            Room::Heap
        }
    }

    pub(super) fn snapshot_failed(
        &self,
        key: G::Key,
        error: SnapshotError,
    ) -> GenerateError<G::Key> {
        match error {
            SnapshotError::Cancelled(cancelled) => cancelled.into(),
            SnapshotError::Io(source) => self.cannot_write(key, source),
            SnapshotError::Damaged => GenerateError::System(format!(
                "{} is damaged: remove it",
                self.site.sub(key, self.primary).display()
            )),
        }
    }

    pub(super) fn not_solved(&self, error: SolveError<G::Key>) -> GenerateError<G::Key> {
        match error {
            SolveError::Cancelled(cancelled) => cancelled.into(),
            SolveError::Scratch { key, source } => {
                GenerateError::no_room(key, self.scratch.folder(), source)
            }
            error => GenerateError::Solve(error),
        }
    }

    pub(super) fn no_distances(
        &self,
        key: G::Key,
        error: DistanceError<G::Key>,
    ) -> GenerateError<G::Key> {
        match error {
            DistanceError::Solve(error) => self.not_solved(error),
            DistanceError::Encode(error) => self.not_encoded(key, error),
        }
    }

    /// Whether a table may have distances that are longer than a byte can say: those to mate, if nothing else is to be
    /// generated that reads them.
    pub(super) fn can_be_long(&self) -> bool {
        let only_files = self.options.later::<G>().is_empty() && !self.options.keep_subs;
        self.primary == Metric::Dtm && self.options.metrics.contains(&Metric::Dtm) && only_files
    }

    pub(super) fn not_encoded(&self, key: G::Key, error: EncodeError) -> GenerateError<G::Key> {
        match error {
            EncodeError::Cancelled(cancelled) => cancelled.into(),
            EncodeError::System(source) => self.cannot_write(key, source),
            error => GenerateError::System(error.to_string()),
        }
    }

    /// Begins the export of a table, if it is to be exported and written.
    pub(super) fn export(
        &self,
        index: &G::Index,
        write: bool,
    ) -> Result<Option<Exporting<'a, G>>, GenerateError<G::Key>> {
        let key = index.key();
        let exporter = self.site.exporter();
        let exporter =
            exporter.filter(|exporter| write && (self.options.force || exporter.lacks(key)));
        let export = exporter.map(|exporter| exporter.begin(index, Room::Heap));
        let export = export.transpose();
        export.map_err(|source| self.cannot_write(key, source))
    }

    /// Solves a table to zeroing alone, telling its export, if it is to be written.
    pub(super) fn solve_for_export(
        &self,
        key: G::Key,
        write: bool,
        means: &Means<'_>,
    ) -> Result<Told<'a, G>, GenerateError<G::Key>> {
        let mut export = self.export(&G::Index::new(key), write)?;
        let solved = match &mut export {
            Some(export) => {
                let listener = &mut |side: Side, part: Part<'_, Wide>| export.zeroing(side, part);
                solve_results::<G>(key, self, means, Some(listener))
            }
            None => solve_results::<G>(key, self, means, None),
        };
        let solved = solved.map_err(|error| self.not_solved(error))?;
        if let Some(export) = &mut export {
            self.tell_solved(&mut **export, &solved)?;
        }
        Ok((solved, export))
    }

    /// Tells an export what it needs to know besides distances.
    pub(super) fn tell_solved(
        &self,
        export: &mut (dyn Export<G> + 'a),
        solved: &Solved<G::Index>,
    ) -> Result<(), GenerateError<G::Key>> {
        let key = solved.key();
        let subs = sub_tables::<G>(key, self).map_err(|error| self.not_solved(error))?;
        let told = export.solved(Some(solved), &subs, self.control);
        told.map_err(|error| self.not_exported(key, error))
    }

    pub(super) fn not_exported(&self, key: G::Key, error: ExportError) -> GenerateError<G::Key> {
        match error {
            ExportError::Cancelled(cancelled) => cancelled.into(),
            ExportError::System(source) => self.cannot_write(key, source),
            ExportError::Format(why) => {
                GenerateError::System(format!("{key} cannot be exported: {why}"))
            }
        }
    }

    pub(super) fn cannot_write(
        &self,
        key: G::Key,
        source: std::io::Error,
    ) -> GenerateError<G::Key> {
        GenerateError::Write {
            key,
            path: self.site.store().dir().to_owned(),
            source,
        }
    }
}

impl<G: Game> SubTables<G::Index> for Works<'_, G> {
    fn get(&self, key: G::Key) -> Option<Arc<Solved<G::Index>>> {
        self.solved().get(&key).map(|held| Arc::clone(&held.table))
    }
}

/// A table whose files lack their names only.
pub(crate) struct Parcel<K> {
    pub(super) made: Made<K>,
    pub(super) files: Vec<WholeFile>,
    pub(super) lock: LockFile,
}

/// Files of another format, being written.
pub(super) type Exporting<'a, G> = Box<dyn Export<G> + 'a>;

/// A table that was solved for its export alone, and the export, if there is one.
pub(super) type Told<'a, G> = (Solved<<G as Game>::Index>, Option<Exporting<'a, G>>);
