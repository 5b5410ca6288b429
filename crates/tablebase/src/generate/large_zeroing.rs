//! What is made of a large table's distances to zeroing: its file, and files of other formats.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use super::export::{ExportError, Exporter};
use super::large_solution::Solution;
use super::report::GenerateError;
use super::stages::{Stage, Stages};
use super::subs::AllSubs;
use crate::format::{Metric, WdlFile};
use crate::game::Game;
use crate::index::Index;
use crate::solve::{
    DistanceError, SlicedTable, SolveError, SpilledTable, sub_tables, tell_spilled, write_sliced,
};
use crate::store::Store;
use crate::values::Values;
use crate::write::{DistanceTarget, DistanceWriter, EncodeError};
use duchamp_base::files::WholeFile;
use duchamp_base::{Control, Room, Scratch};
use duchamp_retro::Wide;

/// Writes the files of a table that is solved to zeroing.
pub(super) struct ZeroingFiles<'a, G: Game> {
    pub(super) store: &'a Store<G>,
    pub(super) control: &'a Control,
    /// The folder for scratch files.
    pub(super) scratch: &'a Path,
    /// Bytes of the export's scratch files that may be in memory.
    pub(super) window: i64,
    /// Bytes that the process may hold.
    pub(super) limit: u64,
    /// The `.wdl` file, if the file of distances is wanted.
    pub(super) wdl: Option<WdlFile<G::Index>>,
    /// Who exports the table, if it is to be exported.
    pub(super) exporter: Option<&'a dyn Exporter<G>>,
}

impl<G: Game> ZeroingFiles<'_, G> {
    /// Writes them; returns the sizes of what was exported.
    pub(super) fn write(
        &self,
        table: Solution<G::Index>,
        subs: &AllSubs<G>,
        stages: &Stages,
    ) -> Result<Vec<u64>, GenerateError<G::Key>> {
        match table {
            Solution::Spilled(table) => self.write_spilled(table, subs, stages),
            Solution::Sliced(table) => self.write_sliced(&table, stages),
        }
    }

    /// Writes the file of a table that was solved slice by slice.
    fn write_sliced(
        &self,
        table: &SlicedTable<G::Index>,
        stages: &Stages,
    ) -> Result<Vec<u64>, GenerateError<G::Key>> {
        let index = table.kept.index();
        let writer = self.writer(index)?;
        let steering = (stages.begin(Stage::File), self.control);
        let files = writer.map(|writer| write_sliced(table, writer, steering));
        let made = files
            .transpose()
            .map_err(|error| self.not_written(index.key(), error))?;
        made.into_iter()
            .try_for_each(WholeFile::commit)
            .map_err(|error| cannot_write(self.store, index.key(), error))?;
        Ok(Vec::new())
    }

    /// The writer of the file of distances, if it is wanted.
    fn writer<'i>(
        &'i self,
        index: &'i G::Index,
    ) -> Result<Option<DistanceWriter<'i, G::Index>>, GenerateError<G::Key>> {
        let key = index.key();
        let writer = self.wdl.as_ref().map(|wdl| {
            let target = DistanceTarget {
                game: G::ID,
                metric: Metric::Dtz,
                index,
                wdl,
            };
            let path = self.store.folder().file(key, Metric::Dtz);
            DistanceWriter::new(target, &path, self.scratch, self.control)
        });
        let no_room = |source| GenerateError::no_room(key, self.scratch, source);
        writer.transpose().map_err(no_room)
    }

    fn not_written(&self, key: G::Key, error: DistanceError<G::Key>) -> GenerateError<G::Key> {
        match error {
            DistanceError::Solve(error) => GenerateError::Solve(error),
            DistanceError::Encode(error) => not_encoded(self.store, key, error),
        }
    }

    fn write_spilled(
        &self,
        table: SpilledTable<G::Index, Wide>,
        subs: &AllSubs<G>,
        stages: &Stages,
    ) -> Result<Vec<u64>, GenerateError<G::Key>> {
        let index = Arc::clone(table.index());
        let key = index.key();
        let no_room = |source| GenerateError::no_room(key, self.scratch, source);
        let subs = sub_tables::<G>(key, subs).map_err(GenerateError::Solve)?;
        let window = Arc::new(AtomicI64::new(self.window));
        let scratch = Arc::new(Scratch::new(self.scratch, window, self.limit));
        let keeping = self.control.keep(&scratch);
        let room = Room::Scratch(&scratch);
        let export = self.exporter.map(|exporter| exporter.begin(&index, room));
        let mut export = export.transpose().map_err(no_room)?;
        let writer = self.writer(&index)?;
        let steering = (stages.begin(Stage::File), self.control);
        let file = tell_spilled::<G>(&table, writer, &subs, steering, &mut |side, part| {
            if let Some(export) = &mut export {
                export.zeroing(side, part);
            }
        });
        let file = file.map_err(|error| self.not_written(key, error))?;
        // Its scratch file is as large as the export's.
        drop(table);
        let mut made: Vec<WholeFile> = file.into_iter().collect();
        let own = made.len();
        if let Some(mut export) = export {
            let finish = || {
                export.solved(None, &subs, self.control)?;
                export.finish(self.control)
            };
            made.extend(finish().map_err(|error| self.not_exported(key, error))?);
        }
        drop(keeping);
        let commit = || {
            let sizes: Vec<u64> = made.iter().map(WholeFile::size).collect::<Result<_, _>>()?;
            made.into_iter().try_for_each(WholeFile::commit)?;
            Ok(sizes[own..].to_vec())
        };
        commit().map_err(|error| cannot_write(self.store, key, error))
    }

    fn not_exported(&self, key: G::Key, error: ExportError) -> GenerateError<G::Key> {
        match error {
            ExportError::Cancelled(cancelled) => cancelled.into(),
            ExportError::System(source) => cannot_write(self.store, key, source),
            ExportError::Format(why) => {
                GenerateError::System(format!("{key} cannot be exported: {why}"))
            }
        }
    }
}

/// A file cannot be written.
pub(super) fn cannot_write<G: Game>(
    store: &Store<G>,
    key: G::Key,
    source: std::io::Error,
) -> GenerateError<G::Key> {
    GenerateError::Write {
        key,
        path: store.dir().to_owned(),
        source,
    }
}

/// A file was not encoded.
pub(super) fn not_encoded<G: Game>(
    store: &Store<G>,
    key: G::Key,
    error: EncodeError,
) -> GenerateError<G::Key> {
    match error {
        EncodeError::Cancelled(cancelled) => cancelled.into(),
        EncodeError::System(source) => cannot_write(store, key, source),
        error => GenerateError::System(error.to_string()),
    }
}

/// A table was not solved; scratch files lie in the folder `scratch`.
pub(super) fn not_solved<K>(scratch: &Path, error: SolveError<K>) -> GenerateError<K> {
    match error {
        SolveError::Cancelled(cancelled) => cancelled.into(),
        SolveError::Scratch { source, .. } if source.kind() == std::io::ErrorKind::InvalidData => {
            GenerateError::System(source.to_string())
        }
        SolveError::Scratch { key, source } => GenerateError::no_room(key, scratch, source),
        error => GenerateError::Solve(error),
    }
}
