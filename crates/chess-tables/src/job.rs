//! One table: solved, encoded, written.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::budget::Share;
use super::encode::EncodeError;
use super::encode_stream::DistanceWriter;
use super::format::Metric;
use super::generate::{GenerateError, GenerateOptions, Made};
use super::material::Material;
use super::plan::Job;
use super::snapshot::{self, Snapshot, SnapshotError};
use super::solve::{Means, solve_with};
use super::solve_distance::{self, DistanceError};
use super::solved::{SolveError, Solved, SubTables};
use super::stream;
use super::tables::Tables;
use super::wdl_file::WdlFile;
use duchamp_base::files::WholeFile;
use duchamp_base::{Control, Gauge, LockFile, Room, Scratch};

/// What all threads of a generation share.
pub(super) struct Works<'a> {
    tables: &'a Tables,
    pub(super) control: &'a Control,
    options: &'a GenerateOptions,
    scratch: &'a Scratch,
    solved: Mutex<BTreeMap<Material, Held>>,
}

/// A solved table that others need, and the memory that its values take.
struct Held {
    table: Arc<Solved>,
    _memory: Share,
}

impl<'a> Works<'a> {
    pub(super) fn new(
        tables: &'a Tables,
        control: &'a Control,
        options: &'a GenerateOptions,
        scratch: &'a Scratch,
    ) -> Works<'a> {
        Works {
            tables,
            control,
            options,
            scratch,
            solved: Mutex::default(),
        }
    }

    fn solved(&self) -> MutexGuard<'_, BTreeMap<Material, Held>> {
        self.solved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of tables that no other needs any more.
    pub(super) fn forget(&self, materials: &[Material]) {
        for material in materials {
            let held = self.solved().remove(material);
            // Unmapping gigabytes takes time: not under the lock.
            drop(held);
        }
    }

    fn snapshot_failed(&self, material: Material, error: SnapshotError) -> GenerateError {
        match error {
            SnapshotError::Cancelled(cancelled) => cancelled.into(),
            SnapshotError::Io(source) => self.cannot_write(material, source),
            SnapshotError::Damaged => GenerateError::System(format!(
                "{} is damaged: remove it",
                self.tables.snapshot(material).display()
            )),
        }
    }

    fn not_solved(&self, error: SolveError) -> GenerateError {
        match error {
            SolveError::Cancelled(cancelled) => cancelled.into(),
            SolveError::Scratch { material, source } => GenerateError::Scratch {
                material,
                path: self.scratch.folder().to_owned(),
                source,
            },
            error => GenerateError::Solve(error),
        }
    }

    fn no_distances(&self, material: Material, error: DistanceError) -> GenerateError {
        match error {
            DistanceError::Solve(error) => self.not_solved(error),
            DistanceError::Encode(error) => self.not_encoded(material, error),
        }
    }

    fn not_encoded(&self, material: Material, error: EncodeError) -> GenerateError {
        match error {
            EncodeError::Cancelled(cancelled) => cancelled.into(),
            EncodeError::System(source) => self.cannot_write(material, source),
            error => GenerateError::System(error.to_string()),
        }
    }

    fn cannot_write(&self, material: Material, source: std::io::Error) -> GenerateError {
        GenerateError::Write {
            material,
            path: self.tables.dir().to_owned(),
            source,
        }
    }
}

impl SubTables for Works<'_> {
    fn get(&self, material: Material) -> Result<Arc<Solved>, String> {
        self.solved()
            .get(&material)
            .map(|held| Arc::clone(&held.table))
            .ok_or_else(|| "not solved yet".to_owned())
    }
}

/// What the threads tell the driver.
pub(super) enum News {
    /// Another process makes the table; the text says which.
    Elsewhere(Material, String),
    /// The files are there, made by another process meanwhile.
    Appeared(Material),
    /// The table is solved; it goes on to the disk if it is to be written.
    Solved(Material),
    /// A job has ended.
    JobDone,
    /// A table has got its files.
    Written(Made),
    Failed(GenerateError),
}

/// Sends its news when a thread leaves its work, by a panic too: then the driver learns of a failure
/// instead of waiting for ever, and the panic goes on when all threads are joined.
pub(super) struct Farewell<'a>(pub(super) &'a Sender<News>, pub(super) Option<News>);

impl Drop for Farewell<'_> {
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

/// A table whose files lack their names only.
pub(super) struct Parcel {
    made: Made,
    files: Vec<WholeFile>,
    lock: LockFile,
}

/// The files of a solved table in the making.
struct Making<'a> {
    works: &'a Works<'a>,
    solved: &'a Solved,
    means: &'a Means<'a>,
    /// The files that the folder lacks.
    wanted: Vec<Metric>,
    /// The new `.wdl` file; else it is in the folder.
    wdl: Option<WdlFile>,
    files: Vec<(Metric, WholeFile)>,
}

impl<'a> Making<'a> {
    fn new(
        works: &'a Works<'a>,
        solved: &'a Solved,
        means: &'a Means<'a>,
        write: bool,
    ) -> Result<Making<'a>, GenerateError> {
        let material = solved.material();
        let lacks = |metric: &Metric| {
            write && (works.options.force || !works.tables.has_metric(material, *metric))
        };
        let mut making = Making {
            works,
            solved,
            means,
            wanted: works.options.files().filter(lacks).collect(),
            wdl: None,
            files: Vec::new(),
        };
        if making.wanted.contains(&Metric::Wdl) {
            let failed = |error| works.not_encoded(material, error);
            let path = making.path(Metric::Wdl);
            let file = stream::write_wdl(solved, &path, works.control).map_err(failed)?;
            making.wdl = Some(stream::open_wdl(&file, solved.layout()).map_err(failed)?);
            making.files.push((Metric::Wdl, file));
        }
        Ok(making)
    }

    /// The name that a file will have.
    fn path(&self, metric: Metric) -> PathBuf {
        let folder = self.works.tables.folder();
        folder.file(self.solved.material(), metric)
    }

    /// The `.wdl` file.
    fn wdl(&self) -> Result<&WdlFile, GenerateError> {
        let material = self.solved.material();
        let there = || self.works.tables.table(material).map(|table| &table.wdl);
        let lost = || GenerateError::System(format!("the file {material}.wdl is gone"));
        self.wdl.as_ref().or_else(there).ok_or_else(lost)
    }

    /// Solves for conversion and zeroing, which takes the sub-tables; makes known what tables above
    /// must know for theirs.
    fn distances(&mut self) -> Result<(), GenerateError> {
        let (works, solved) = (self.works, self.solved);
        let failed = |error| works.no_distances(solved.material(), error);
        for metric in [Metric::Dtc, Metric::Dtz] {
            if self.wanted.contains(&metric) {
                let path = self.path(metric);
                let writer = DistanceWriter::new(
                    metric,
                    solved.layout(),
                    self.wdl()?,
                    &path,
                    works.scratch.folder(),
                    works.control,
                );
                let writer = writer.map_err(|error| failed(EncodeError::from(error).into()))?;
                let file = solve_distance::make_distance(writer, solved, works, self.means);
                self.files.push((metric, file.map_err(failed)?));
            }
        }
        if works.options.metrics.contains(&Metric::Dtz) {
            solve_distance::know_cursed(solved, works, self.means).map_err(failed)?;
        }
        Ok(())
    }

    /// Encodes the distances to mate; gives all files, `.wdl` first, and what they say of the table.
    fn finish(mut self, mut made: Made) -> Result<(Vec<WholeFile>, Made), GenerateError> {
        let material = self.solved.material();
        let wdl = self.wdl()?;
        made.counts = wdl.header().counts;
        if self.wanted.contains(&Metric::Dtm) {
            let (path, control) = (self.path(Metric::Dtm), self.works.control);
            let file = stream::write_distances(Metric::Dtm, self.solved, wdl, &path, control);
            let file = file.map_err(|error| self.works.not_encoded(material, error))?;
            self.files.push((Metric::Dtm, file));
        }
        self.files.sort_by_key(|file| file.0);
        for (metric, file) in &self.files {
            let size = file.size();
            *made.bytes(*metric) =
                size.map_err(|error| self.works.cannot_write(material, error))?;
        }
        Ok((self.files.into_iter().map(|file| file.1).collect(), made))
    }
}

/// Solves one table, encodes it and sends it to the writer.
pub(super) fn run_job(
    works: &Works<'_>,
    job: Job,
    [values, workspace]: [Share; 2],
    gauge: &Gauge,
    news: &Sender<News>,
    parcels: &SyncSender<Parcel>,
) -> Result<(), GenerateError> {
    let material = job.material;
    let tell = |what| {
        let _ = news.send(what);
    };
    works.control.check()?;
    let mut lock = None;
    if job.write {
        let folder = works.tables.folder();
        let Some(mine) = folder
            .lock(material)
            .map_err(|error| works.cannot_write(material, error))?
        else {
            tell(News::Elsewhere(
                material,
                folder.lock_holder(material).unwrap_or_default(),
            ));
            return Ok(());
        };
        works.tables.load(material, Some(&mine));
        if !works.options.force && works.tables.is_there(material, works.options) {
            tell(News::Appeared(material));
            return Ok(());
        }
        works.tables.sweep(material);
        lock = Some(mine);
    }
    let start = Instant::now();
    let means = Means {
        room: if job.terms.scratch {
            Room::Scratch(works.scratch)
        } else {
            Room::Heap
        },
        abreast: job.terms.abreast,
        gauge,
        control: works.control,
    };
    let solved = Arc::new(if job.load {
        load(works, material, &means)?
    } else {
        solve_with(material, works, &means).map_err(|error| works.not_solved(error))?
    });
    let solving = start.elapsed();
    let start = Instant::now();
    let mut making = Making::new(works, &solved, &means, lock.is_some())?;
    // As long as the sub-tables are sure to be there.
    making.distances()?;
    let held = Held {
        table: Arc::clone(&solved),
        _memory: values,
    };
    works.solved().insert(material, held);
    tell(News::Solved(material));
    let Some(lock) = lock else { return Ok(()) };
    if works.options.keep_subs {
        let path = works.tables.snapshot(material);
        snapshot::write(&path, &solved, works.control)
            .map_err(|error| works.snapshot_failed(material, error))?;
    }
    let made = Made::new(material, solving);
    let (files, mut made) = making.finish(made)?;
    made.encoding = start.elapsed();
    drop((solved, workspace));
    let _ = parcels.send(Parcel { made, files, lock });
    Ok(())
}

/// Reads a table from its snapshot.
fn load(works: &Works<'_>, material: Material, means: &Means<'_>) -> Result<Solved, GenerateError> {
    Snapshot::open(&works.tables.snapshot(material), material)
        .and_then(|snapshot| {
            // It was there when the plan was made.
            let gone = io::Error::from(io::ErrorKind::NotFound);
            snapshot.ok_or(gone)?.read(means.room, means.control)
        })
        .map_err(|error| works.snapshot_failed(material, error))
}

/// The writing thread: gives each table its files, makes it ready and lets go of its lock.
pub(super) fn write_all(works: &Works<'_>, parcels: &Receiver<Parcel>, news: &Sender<News>) {
    let _farewell = Farewell(news, None);
    for Parcel { made, files, lock } in parcels {
        let material = made.material;
        let folder = works.tables.folder();
        let written = files
            .into_iter()
            .try_for_each(WholeFile::commit)
            .map_err(|error| works.cannot_write(material, error))
            .and_then(|()| {
                let (table, errors) = folder.open(material);
                match errors.into_iter().next() {
                    Some(error) => Err(GenerateError::System(error.to_string())),
                    None => table.ok_or_else(|| {
                        works.cannot_write(material, std::io::ErrorKind::NotFound.into())
                    }),
                }
            });
        let _ = news.send(match written {
            Ok(table) => {
                works.tables.replace(table);
                News::Written(made)
            }
            Err(error) => News::Failed(error),
        });
        drop(lock);
    }
}
