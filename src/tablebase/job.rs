//! One table: solved, encoded, written.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::budget::Share;
use super::encode::{self, EncodeError, EncodedFile};
use super::format::{Metric, SideCounts};
use super::generate::{GenerateError, GenerateOptions, Made};
use super::material::Material;
use super::plan::Job;
use super::snapshot::{self, Snapshot, SnapshotError};
use super::solve::{Means, solve_with};
use super::solve_distance::{self, DistanceError};
use super::solved::{SolveError, Solved, SubTables};
use super::tables::Tables;
use super::wdl_file::{Form, WdlFile};
use crate::base::{Control, Gauge, LockFile, Room, Scratch};

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

    fn no_distances(&self, error: DistanceError) -> GenerateError {
        match error {
            DistanceError::Solve(error) => self.not_solved(error),
            DistanceError::Encode(error) => error.into(),
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

/// A table on its way to the disk.
pub(super) struct Parcel {
    made: Made,
    files: Vec<EncodedFile>,
    /// The memory that the files take.
    memory: Share,
    lock: LockFile,
}

/// The files of a solved table in the making.
struct Making<'a> {
    works: &'a Works<'a>,
    solved: &'a Solved,
    means: &'a Means<'a>,
    /// The files that the folder lacks.
    wanted: Vec<Metric>,
    /// The `.wdl` file, encoded now; else it is in the folder.
    wdl: Option<WdlFile>,
    files: Vec<EncodedFile>,
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
        let wanted: Vec<Metric> = works.options.files().filter(lacks).collect();
        let wdl = if wanted.contains(&Metric::Wdl) {
            let form = Form::of(solved.layout());
            Some(encode::encode_wdl(form, solved, works.control)?)
        } else {
            None
        };
        Ok(Making {
            works,
            solved,
            means,
            wanted,
            wdl,
            files: Vec::new(),
        })
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
        for metric in [Metric::Dtc, Metric::Dtz] {
            if self.wanted.contains(&metric) {
                let (works, wdl) = (self.works, self.wdl()?);
                let file =
                    solve_distance::make_distance(metric, self.solved, works, wdl, self.means);
                self.files
                    .push(file.map_err(|error| works.no_distances(error))?);
            }
        }
        if self.works.options.metrics.contains(&Metric::Dtz) {
            solve_distance::know_cursed(self.solved, self.works, self.means)
                .map_err(|error| self.works.no_distances(error))?;
        }
        Ok(())
    }

    /// Encodes the distances to mate; gives all files, `.wdl` first, and the counts.
    fn finish(mut self) -> Result<(Vec<EncodedFile>, [SideCounts; 2]), GenerateError> {
        let wdl = self.wdl()?;
        let counts = wdl.header().counts;
        if self.wanted.contains(&Metric::Dtm) {
            let file = encode::encode_dtm(self.solved, wdl, self.works.control)?;
            self.files.push(file);
        }
        self.files.extend(self.wdl.map(EncodedFile::of_wdl));
        self.files.sort_by_key(|file| file.metric);
        Ok((self.files, counts))
    }
}

impl From<EncodeError> for GenerateError {
    fn from(error: EncodeError) -> GenerateError {
        match error {
            EncodeError::Cancelled(cancelled) => GenerateError::Cancelled(cancelled),
            error => GenerateError::System(error.to_string()),
        }
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
    let (files, counts) = making.finish()?;
    let bytes = |metric| {
        let file = files.iter().find(|file| file.metric == metric);
        file.map_or(0, EncodedFile::len)
    };
    let made = Made {
        material,
        counts,
        wdl_bytes: bytes(Metric::Wdl),
        dtm_bytes: bytes(Metric::Dtm),
        dtc_bytes: bytes(Metric::Dtc),
        dtz_bytes: bytes(Metric::Dtz),
        solving,
        encoding: start.elapsed(),
    };
    let memory = workspace.also(files.iter().map(EncodedFile::len).sum());
    drop((solved, workspace));
    let _ = parcels.send(Parcel {
        made,
        files,
        memory,
        lock,
    });
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
    for Parcel {
        made,
        files,
        memory,
        lock,
    } in parcels
    {
        let material = made.material;
        let folder = works.tables.folder();
        let written = files
            .iter()
            .try_for_each(|file| folder.write(material, file.metric, &file.parts))
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
        drop((files, memory));
        drop(lock);
    }
}
