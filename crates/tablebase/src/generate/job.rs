//! One table: solved, encoded, written.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::time::Instant;

use super::budget::Share;
use super::long::LongMaking;
use super::plan::{Source, TableJob};
use super::reading::{self, ReadError};
use super::report::{GenerateError, Made};
use super::snapshot::{self, Snapshot};
use super::works::{Exporting, Parcel, Works};
use crate::format::{Metric, SideCounts, WdlFile};
use crate::game::Game;
use crate::solve::{
    Listener, Means, SolveError, Solved, find_cursed, solve_with, tell_zeroing, write_distance_file,
};
use crate::values::Part;
use crate::write::{
    DistanceTarget, DistanceWriter, EncodeError, open_wdl, write_distances, write_wdl,
};
use duchamp_base::files::WholeFile;
use duchamp_base::{Gauge, LockFile};
use duchamp_retro::Wide;

/// What the threads report to the driver.
pub(crate) enum News<K> {
    /// Another process generates the table; the text says which.
    Elsewhere(K, String),
    /// The files are present: another process generated them meanwhile.
    Appeared(K),
    /// The table is solved; it goes on to the disk if it is to be written.
    Solved(K),
    /// The same, but its values are too long for larger tables, if there are any.
    TooLong(K),
    /// A job has ended.
    JobDone,
    /// A table has got its files.
    Written(Made<K>),
    Failed(GenerateError<K>),
}

/// Sends its news when a thread leaves its work, by a panic too: then the driver learns of a failure
/// instead of waiting for ever, and the panic goes on when all threads are joined.
pub(crate) struct Farewell<'a, K>(pub(crate) &'a Sender<News<K>>, pub(crate) Option<News<K>>);

impl<K> Drop for Farewell<'_, K> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let error = GenerateError::System("a thread failed".to_owned());
            let _ = self.0.send(News::Failed(error));
        }
        if let Some(news) = self.1.take() {
            let _ = self.0.send(news);
        }
    }
}

/// The files of a table, and what they say of it.
type Finished<K> = (Vec<WholeFile>, Made<K>);

/// The files of a solved table, being written.
struct Making<'a, G: Game> {
    works: &'a Works<'a, G>,
    solved: &'a Solved<G::Index>,
    means: &'a Means<'a>,
    /// The files that the folder lacks.
    wanted: Vec<Metric>,
    /// The new `.wdl` file; else it is in the folder.
    wdl: Option<WdlFile<G::Index>>,
    files: Vec<(Metric, WholeFile)>,
    export: Option<Exporting<'a, G>>,
}

impl<'a, G: Game> Making<'a, G> {
    fn new(
        works: &'a Works<'a, G>,
        solved: &'a Solved<G::Index>,
        means: &'a Means<'a>,
        write: bool,
        export: Option<Exporting<'a, G>>,
    ) -> Result<Making<'a, G>, GenerateError<G::Key>> {
        let key = solved.key();
        let wanted = match write {
            true => works.site.lacking(key, works.options),
            false => Vec::new(),
        };
        let mut making = Making {
            works,
            solved,
            means,
            wanted,
            wdl: None,
            files: Vec::new(),
            export,
        };
        if making.wanted.contains(&Metric::Wdl) {
            let failed = |error| works.not_encoded(key, error);
            let path = making.path(Metric::Wdl);
            let steering = (&Gauge::default(), works.control);
            let file = write_wdl::<G>(solved, &path, steering).map_err(failed)?;
            making.wdl = Some(open_wdl(&file, solved.index()).map_err(failed)?);
            making.files.push((Metric::Wdl, file));
        }
        Ok(making)
    }

    /// The name that a file will have.
    fn path(&self, metric: Metric) -> PathBuf {
        let folder = self.works.site.store().folder();
        folder.file(self.solved.key(), metric)
    }

    /// The `.wdl` file.
    fn wdl(&self) -> Result<&WdlFile<G::Index>, GenerateError<G::Key>> {
        let key = self.solved.key();
        let there = || self.works.site.store().table(key).map(|table| &table.wdl);
        let lost = || GenerateError::System(format!("the file {key}.wdl is gone"));
        self.wdl.as_ref().or_else(there).ok_or_else(lost)
    }

    /// Solves for conversion and zeroing, which takes the sub-tables; publishes what tables above
    /// need for theirs.
    fn distances(&mut self) -> Result<(), GenerateError<G::Key>> {
        let (works, solved) = (self.works, self.solved);
        let key = solved.key();
        let failed = |error| works.no_distances(key, error);
        let mut export = self.export.take();
        let exports = export.is_some();
        let mut told = false;
        let mut listener = |side, part: Part<'_, Wide>| {
            if let Some(export) = &mut export {
                export.zeroing(side, part);
            }
        };
        for metric in works.options.later::<G>() {
            if self.wanted.contains(&metric) {
                let path = self.path(metric);
                let target = DistanceTarget {
                    game: G::ID,
                    metric,
                    index: &**solved.index(),
                    wdl: self.wdl()?,
                };
                let writer =
                    DistanceWriter::new(target, &path, works.scratch.folder(), works.control);
                let writer = writer.map_err(|error| failed(EncodeError::from(error).into()))?;
                let also: Option<&mut Listener<'_>> =
                    (metric == Metric::Dtz).then_some(&mut listener);
                told |= metric == Metric::Dtz;
                let file = write_distance_file::<G>(writer, solved, works, self.means, also);
                self.files.push((metric, file.map_err(failed)?));
            }
        }
        if exports && !told {
            tell_zeroing::<G>(solved, works, self.means, &mut listener).map_err(failed)?;
        } else if works.options.metrics.contains(&Metric::Dtz) {
            find_cursed::<G>(solved, works, self.means).map_err(failed)?;
        }
        if let Some(export) = &mut export {
            works.tell_solved(&mut **export, solved)?;
        }
        self.export = export;
        Ok(())
    }

    /// Encodes the primary distances; gives all files, `.wdl` first, and what they say of the table.
    fn finish(mut self, mut made: Made<G::Key>) -> Result<Finished<G::Key>, GenerateError<G::Key>> {
        let key = self.solved.key();
        let mut exported = Vec::new();
        if let Some(export) = self.export.take() {
            let files = export.finish(self.works.control);
            exported = files.map_err(|error| self.works.not_exported(key, error))?;
            for file in &exported {
                let size = file.size();
                let size = size.map_err(|error| self.works.cannot_write(key, error))?;
                made.exported.push(size);
            }
        }
        if self.works.options.writes_none() {
            return Ok((exported, made));
        }
        let wdl = self.wdl()?;
        made.counts = wdl.header().counts;
        let primary = self.works.primary;
        if self.wanted.contains(&primary) {
            let (path, steering) = (self.path(primary), (&Gauge::default(), self.works.control));
            let file = write_distances::<G>(primary, self.solved, wdl, &path, steering);
            let (file, counts) = file.map_err(|error| self.works.not_encoded(key, error))?;
            let results = |side: &SideCounts| (side.won, side.drawn, side.lost);
            if made.counts.each_ref().map(results) != counts.each_ref().map(results) {
                // The `.wdl` file is that of an earlier run in another metric.
                return Err(GenerateError::Solve(SolveError::Contradiction(key)));
            }
            made.counts = counts;
            self.files.push((primary, file));
        }
        self.files.sort_by_key(|file| file.0);
        for (metric, file) in &self.files {
            let size = file.size();
            *made.bytes(*metric) = size.map_err(|error| self.works.cannot_write(key, error))?;
        }
        let own = self.files.into_iter().map(|file| file.1);
        Ok((own.chain(exported).collect(), made))
    }
}

/// The lock on a table that is to be written; `None` if that is not to be done here, which `news` then say.
fn take_lock<G: Game>(
    works: &Works<'_, G>,
    key: G::Key,
    news: &Sender<News<G::Key>>,
) -> Result<Option<LockFile>, GenerateError<G::Key>> {
    let folder = works.site.store().folder();
    let lock = folder.lock(key);
    let Some(lock) = lock.map_err(|error| works.cannot_write(key, error))? else {
        let holder = folder.lock_holder(key).unwrap_or_default();
        let _ = news.send(News::Elsewhere(key, holder));
        return Ok(None);
    };
    works.site.store().load(key, Some(&lock));
    if !works.options.force && works.site.is_there(key, works.options) {
        let _ = news.send(News::Appeared(key));
        return Ok(None);
    }
    works.site.sweep(key);
    Ok(Some(lock))
}

/// Solves one table, encodes it and sends it to the writer.
pub(crate) fn run_job<G: Game>(
    works: &Works<'_, G>,
    job: TableJob<G::Key>,
    [values, workspace]: [Share; 2],
    gauge: &Gauge,
    news: &Sender<News<G::Key>>,
    parcels: &SyncSender<Parcel<G::Key>>,
) -> Result<(), GenerateError<G::Key>> {
    let key = job.key;
    let tell = |what| {
        let _ = news.send(what);
    };
    works.control.check()?;
    let mut lock = None;
    if job.write {
        lock = take_lock(works, key, news)?;
        if lock.is_none() {
            return Ok(());
        }
    }
    let start = Instant::now();
    let means = Means {
        room: works.room(job.terms.scratch),
        wave: works.room(job.terms.scratch_wave),
        abreast: job.terms.abreast,
        gauge,
        control: works.control,
    };
    // The export of a table that was solved for it alone.
    let mut told = None;
    let solved = match job.source {
        Source::Snapshot => load(works, key, &means)?,
        Source::Files => read(works, key, &means)?,
        Source::Solving if works.options.only_zeroing() => {
            let (solved, export) = works.solve_for_export(key, lock.is_some(), &means)?;
            told = Some(export);
            solved
        }
        Source::Solving => match solve_with::<G>(key, works, works.primary, &means) {
            Ok(solved) => solved,
            Err(SolveError::TooLong(_)) if works.can_be_long() => {
                let making = LongMaking {
                    works,
                    means: &means,
                    start,
                };
                let parcel = lock.map(|lock| making.parcel(key, lock)).transpose()?;
                tell(News::TooLong(key));
                if let Some(parcel) = parcel {
                    drop((values, workspace));
                    let _ = parcels.send(parcel);
                }
                return Ok(());
            }
            Err(error) => return Err(works.not_solved(error)),
        },
    };
    let solved = Arc::new(solved);
    let solving = start.elapsed();
    let start = Instant::now();
    let write = lock.is_some();
    let is_told = told.is_some();
    let export = match told {
        Some(export) => export,
        None => works.export(solved.index(), write)?,
    };
    let mut making = Making::new(works, &solved, &means, write, export)?;
    // As long as the sub-tables are sure to be there.
    if !is_told {
        making.distances()?;
    }
    works.hold(&solved, values);
    let is_full = job.wanted && works.primary == Metric::Dtm && solved.is_full(works.control)?;
    tell(if is_full {
        News::TooLong(key)
    } else {
        News::Solved(key)
    });
    let Some(lock) = lock else { return Ok(()) };
    if works.options.keep_subs {
        let path = works.site.sub(key, works.primary);
        snapshot::write(&path, &solved, works.primary, works.control)
            .map_err(|error| works.snapshot_failed(key, error))?;
    }
    let made = Made::new(key, solving);
    let (files, mut made) = making.finish(made)?;
    made.encoding = start.elapsed();
    drop((solved, workspace));
    let _ = parcels.send(Parcel { made, files, lock });
    Ok(())
}

/// Reads a table from its snapshot.
fn load<G: Game>(
    works: &Works<'_, G>,
    key: G::Key,
    means: &Means<'_>,
) -> Result<Solved<G::Index>, GenerateError<G::Key>> {
    let path = works.site.sub(key, works.primary);
    let failed = |error| works.snapshot_failed(key, error);
    let snapshot = Snapshot::<G>::open(&path, key, works.primary).map_err(failed)?;
    // It was there when the plan was built.
    let gone = || GenerateError::System(format!("{} is gone: start again", path.display()));
    let snapshot = snapshot.ok_or_else(gone)?;
    snapshot.read(means.room, means.control).map_err(failed)
}

/// Reads the results of a table from its `.wdl` file.
fn read<G: Game>(
    works: &Works<'_, G>,
    key: G::Key,
    means: &Means<'_>,
) -> Result<Solved<G::Index>, GenerateError<G::Key>> {
    let store = works.site.store();
    // It was there when the plan was built.
    let gone = || GenerateError::System(format!("the files of {key} are gone: start again"));
    let table = store.table(key).ok_or_else(gone)?;
    reading::read_results(table, means.room, means.gauge, means.control).map_err(
        |error| match error {
            ReadError::Cancelled(cancelled) => cancelled.into(),
            ReadError::Scratch(source) => works.not_solved(SolveError::Scratch { key, source }),
            ReadError::Damaged(source) => {
                store.retire(key, &source);
                GenerateError::System(format!(
                    "{key}.wdl is damaged and set aside: start again to generate it again"
                ))
            }
        },
    )
}

/// The writing thread: gives each table its files, makes it ready and lets go of its lock.
pub(crate) fn write_all<G: Game>(
    works: &Works<'_, G>,
    parcels: &Receiver<Parcel<G::Key>>,
    news: &Sender<News<G::Key>>,
) {
    let _farewell = Farewell(news, None);
    for Parcel { made, files, lock } in parcels {
        let key = made.key;
        let written = files
            .into_iter()
            .try_for_each(WholeFile::commit)
            .map_err(|error| works.cannot_write(key, error))
            .and_then(|()| {
                if works.options.writes_none() {
                    return Ok(None);
                }
                works.site.open_made(key, works.options.files()).map(Some)
            });
        let _ = news.send(match written {
            Ok(table) => {
                if let Some(table) = table {
                    works.site.store().replace(table);
                }
                News::Written(made)
            }
            Err(error) => News::Failed(error),
        });
        drop(lock);
    }
}
