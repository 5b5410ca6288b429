//! Tables of six men without pawns, one at a time: solved in little memory (`spilled.rs`), written as
//! they are read (`stream.rs`).
//!
//! The five-man tables that they need are made first like any others; while the large one is
//! solved they lie in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::budget::Needs;
use super::encode::EncodeError;
use super::format::{Container, FormatError, Metric};
use super::generate::{GenerateError, GenerateOptions, MEMORY, Made, Progress, Step, Summary};
use super::kernels::worth::{ToConversion, ToMateLong, Worth};
use super::layout::Layout;
use super::material::Material;
use super::solve::solve;
use super::solved::{SolveError, Solved, SubTables};
use super::spilled::{self, SpilledTable};
use super::stream;
use super::tables::Tables;
use super::values::Values;
use super::wdl_file::WdlFile;
use duchamp_base::{Control, LockFile, Mapped, files};

/// The files that large tables have.
const METRICS: [Metric; 3] = [Metric::Wdl, Metric::Dtm, Metric::Dtc];

/// How often a table that another process makes is looked at.
const POLL: Duration = Duration::from_millis(500);

/// Memory in MiB that solving a large table takes: bitmaps, buffers and sub-tables.
pub(super) fn needed(material: Material, threads: usize) -> u64 {
    let subs = material.children().into_iter();
    let subs: u64 = subs
        .map(|child| Needs::of(&Layout::new(child), &[]).values)
        .sum();
    let bytes = subs + spilled::workspace(&Layout::new(material), size_of::<u16>(), threads);
    bytes.div_ceil(1 << 20)
}

impl Tables {
    /// Makes the large ones of `targets`, after all other tables that are asked for or needed.
    pub(super) fn generate_large(
        &self,
        targets: &[Material],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Summary, GenerateError> {
        let allowed = options.memory.unwrap_or(MEMORY);
        let (large, mut small): (Vec<Material>, Vec<Material>) =
            targets.iter().partition(|material| material.is_large());
        for &material in &large {
            let needed = needed(material, control.threads());
            if needed > allowed {
                return Err(GenerateError::Memory {
                    material,
                    needed,
                    allowed,
                });
            }
        }
        let start = Instant::now();
        small.extend(large.iter().flat_map(Material::children));
        let mut summary = self.generate(&small, options, control, progress)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(control.threads())
            .thread_name(|n| format!("tables {n}"))
            .build()
            .map_err(|error| GenerateError::System(error.to_string()))?;
        for (done, &material) in large.iter().enumerate() {
            let mut tell = |step| {
                progress(&Progress {
                    material,
                    step,
                    done,
                    total: large.len(),
                    part: 0.0,
                    share: 0.0,
                    elapsed: start.elapsed(),
                    left: None,
                });
            };
            let works = Large {
                tables: self,
                options,
                control,
                pool: &pool,
            };
            let Some((lock, wanted)) = works.lock(material, &mut tell)? else {
                summary.found += 1;
                continue;
            };
            let made = works.make(material, &wanted, &mut tell)?;
            drop(lock);
            summary.made.push(made);
            tell(Step::Ready);
        }
        summary.elapsed = start.elapsed();
        Ok(summary)
    }
}

fn cannot_write(tables: &Tables, material: Material, source: std::io::Error) -> GenerateError {
    GenerateError::Write {
        material,
        path: tables.dir().to_owned(),
        source,
    }
}

struct Large<'a> {
    tables: &'a Tables,
    options: &'a GenerateOptions,
    control: &'a Control,
    pool: &'a rayon::ThreadPool,
}

impl Large<'_> {
    /// The lock on a table and the files that are missing; `None` if all are there.
    fn lock(
        &self,
        material: Material,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Option<(LockFile, Vec<Metric>)>, GenerateError> {
        let folder = self.tables.folder();
        loop {
            self.control.check()?;
            let lock = folder
                .lock(material)
                .map_err(|source| cannot_write(self.tables, material, source))?;
            let Some(lock) = lock else {
                let holder = folder.lock_holder(material).unwrap_or_default();
                tell(Step::Waiting(holder));
                std::thread::sleep(POLL);
                continue;
            };
            self.tables.load(material, Some(&lock));
            let missing: Vec<Metric> = self
                .options
                .files()
                .filter(|metric| METRICS.contains(metric))
                .filter(|&metric| self.options.force || !self.tables.has_metric(material, metric))
                .collect();
            if missing.is_empty() {
                return Ok(None);
            }
            folder.sweep(material);
            return Ok(Some((lock, missing)));
        }
    }

    /// Solves a table and gives it its files.
    fn make(
        &self,
        material: Material,
        wanted: &[Metric],
        tell: &mut dyn FnMut(Step),
    ) -> Result<Made, GenerateError> {
        let mut spent = [Duration::ZERO; 2];
        let to_mate = wanted.contains(&Metric::Wdl) || wanted.contains(&Metric::Dtm);
        if to_mate {
            self.make_one::<ToMateLong>(material, &mut spent, tell, |table| {
                let wdl = self.wdl(material, wanted, table)?;
                if wanted.contains(&Metric::Dtm) {
                    self.distances(material, Metric::Dtm, &wdl, table)?;
                }
                Ok(())
            })?;
        }
        if wanted.contains(&Metric::Dtc) {
            self.make_one::<ToConversion>(material, &mut spent, tell, |table| {
                let wdl = self.read_wdl(table.layout())?;
                self.distances(material, Metric::Dtc, &wdl, table)
            })?;
        }
        let (opened, errors) = self.tables.folder().open(material);
        if let Some(error) = errors.into_iter().next() {
            return Err(GenerateError::System(error.to_string()));
        }
        let missing = || cannot_write(self.tables, material, std::io::ErrorKind::NotFound.into());
        let opened = opened.ok_or_else(missing)?;
        let mut made = Made::new(material, spent[0]);
        made.encoding = spent[1];
        made.counts = opened.wdl.header().counts;
        for &metric in wanted {
            *made.bytes(metric) = opened.file(metric).map_or(0, Container::file_len);
        }
        self.tables.replace(opened);
        Ok(made)
    }

    /// Solves a table in one metric and writes its files; adds the times of both.
    fn make_one<W: Worth>(
        &self,
        material: Material,
        spent: &mut [Duration; 2],
        tell: &mut dyn FnMut(Step),
        write: impl FnOnce(&SpilledTable<W::Cell>) -> Result<(), EncodeError> + Send,
    ) -> Result<(), GenerateError> {
        tell(Step::Solving);
        let start = Instant::now();
        let scratch = self.options.scratch.as_deref();
        let scratch = scratch.unwrap_or(self.tables.dir());
        let table = self.pool.install(|| {
            let subs = Subs::new(material, self.control)?;
            spilled::spill::<W>(material, &subs, scratch, self.control)
        });
        let table = table.map_err(|error| match error {
            SolveError::Cancelled(cancelled) => cancelled.into(),
            SolveError::Scratch { material, source } => GenerateError::Scratch {
                material,
                path: scratch.to_owned(),
                source,
            },
            error => GenerateError::Solve(error),
        })?;
        spent[0] += start.elapsed();
        tell(Step::Solved);
        log::debug!("{material}: {:?}", table.footprint());
        let start = Instant::now();
        let written = self.pool.install(|| write(&table));
        spent[1] += start.elapsed();
        written.map_err(|error| match error {
            EncodeError::Cancelled(cancelled) => cancelled.into(),
            EncodeError::System(source) => cannot_write(self.tables, material, source),
            error => GenerateError::System(error.to_string()),
        })
    }

    /// The `.wdl` file, written if it is wanted.
    fn wdl(
        &self,
        material: Material,
        wanted: &[Metric],
        table: &impl Values,
    ) -> Result<WdlFile, EncodeError> {
        if wanted.contains(&Metric::Wdl) {
            let path = self.tables.folder().file(material, Metric::Wdl);
            stream::write_wdl(table, &path, self.control)?.commit()?;
        }
        self.read_wdl(table.layout())
    }

    fn read_wdl(&self, layout: &Arc<Layout>) -> Result<WdlFile, EncodeError> {
        let path = self.tables.folder().file(layout.material(), Metric::Wdl);
        let container = Container::open(Mapped::open(&path)?)?;
        Ok(WdlFile::new(container, layout).ok_or(FormatError::Header("form"))?)
    }

    fn distances(
        &self,
        material: Material,
        metric: Metric,
        wdl: &WdlFile,
        table: &impl Values,
    ) -> Result<(), EncodeError> {
        let path = self.tables.folder().file(material, metric);
        stream::write_distances(metric, table, wdl, &path, self.control)?.commit()?;
        Ok(files::sync_folder(self.tables.dir())?)
    }
}

/// The tables that another one needs, in memory.
#[derive(Debug)]
pub struct Subs(HashMap<Material, Arc<Solved>>);

impl Subs {
    /// Solves all that a material depends on, on the heap, and keeps its [`Material::children`].
    ///
    /// # Errors
    /// As [`solve`](super::solve()).
    pub fn new(material: Material, control: &Control) -> Result<Subs, SolveError> {
        let all = Recursive {
            control,
            made: Mutex::default(),
        };
        let children = material.children();
        for &child in &children {
            all.make(child)?;
        }
        let mut made = all
            .made
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        made.retain(|material, _| children.contains(material));
        Ok(Subs(made))
    }
}

impl SubTables for Subs {
    fn get(&self, material: Material) -> Result<Arc<Solved>, String> {
        let table = self.0.get(&material).cloned();
        table.ok_or_else(|| "not among the sub-tables".to_owned())
    }
}

/// Makes tables with all that they need.
struct Recursive<'a> {
    control: &'a Control,
    made: Mutex<HashMap<Material, Arc<Solved>>>,
}

impl Recursive<'_> {
    fn make(&self, material: Material) -> Result<(), SolveError> {
        if self.get(material).is_ok() {
            return Ok(());
        }
        for child in material.children() {
            self.make(child)?;
        }
        let table = solve(material, self, self.control)?;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert(material, Arc::new(table));
        Ok(())
    }
}

impl SubTables for Recursive<'_> {
    fn get(&self, material: Material) -> Result<Arc<Solved>, String> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let table = made.get(&material).cloned();
        table.ok_or_else(|| "not made yet".to_owned())
    }
}
