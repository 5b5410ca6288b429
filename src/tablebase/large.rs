//! Tables of six men without pawns, one at a time: solved in little memory (`spilled.rs`), written as
//! they are read (`stream.rs`).
//!
//! The five-man tables that they need are made first like any others; while the large one is
//! solved they lie in memory.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::budget::Needs;
use super::encode::EncodeError;
use super::format::Metric;
use super::generate::{GenerateError, GenerateOptions, MEMORY, Made, Progress, Step, Summary};
use super::kernels::worth::ToMateLong;
use super::layout::Layout;
use super::material::Material;
use super::solve::solve;
use super::solved::{SolveError, Solved, SubTables};
use super::spilled::{self, SpilledTable};
use super::stream;
use super::tables::Tables;
use crate::base::{Control, LockFile, files};

/// How often a table that another process makes is looked at.
const POLL: Duration = Duration::from_millis(500);

/// Memory in MiB that solving a large table takes: bitmaps, buffers and sub-tables.
pub(super) fn needed(material: Material, threads: usize) -> u64 {
    let subs = material.children().into_iter();
    let subs: u64 = subs
        .map(|child| Needs::of(&Layout::new(child)).values)
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
            let Some(lock) = self.large_lock(material, options, control, &mut tell)? else {
                summary.found += 1;
                continue;
            };
            let works = Large {
                tables: self,
                options,
                control,
                pool: &pool,
            };
            let made = works.make(material, &mut tell)?;
            drop(lock);
            summary.made.push(made);
            tell(Step::Ready);
        }
        summary.elapsed = start.elapsed();
        Ok(summary)
    }

    /// The lock on a table that is to be made; `None` if it is there.
    fn large_lock(
        &self,
        material: Material,
        options: &GenerateOptions,
        control: &Control,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Option<LockFile>, GenerateError> {
        let folder = self.folder();
        loop {
            control.check()?;
            let lock = folder
                .lock(material)
                .map_err(|source| cannot_write(self, material, source))?;
            let Some(lock) = lock else {
                tell(Step::Waiting(
                    folder.lock_holder(material).unwrap_or_default(),
                ));
                std::thread::sleep(POLL);
                continue;
            };
            self.load(material, Some(&lock));
            if !options.force && self.has_metric(material, Metric::Dtm) {
                return Ok(None);
            }
            folder.sweep(material);
            return Ok(Some(lock));
        }
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
    /// Solves a table and gives it its files.
    fn make(&self, material: Material, tell: &mut dyn FnMut(Step)) -> Result<Made, GenerateError> {
        tell(Step::Solving);
        let start = Instant::now();
        let scratch = self.options.scratch.as_deref();
        let scratch = scratch.unwrap_or(self.tables.dir());
        let table = self.pool.install(|| {
            let subs = Subs::new(material, self.control)?;
            spilled::spill::<ToMateLong>(material, &subs, scratch, self.control)
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
        let solving = start.elapsed();
        tell(Step::Solved);
        let start = Instant::now();
        self.pool
            .install(|| self.write(material, &table))
            .map_err(|error| match error {
                EncodeError::Cancelled(cancelled) => cancelled.into(),
                EncodeError::System(source) => cannot_write(self.tables, material, source),
                error => GenerateError::System(error.to_string()),
            })?;
        let (opened, errors) = self.tables.folder().open(material);
        if let Some(error) = errors.into_iter().next() {
            return Err(GenerateError::System(error.to_string()));
        }
        let missing = || cannot_write(self.tables, material, std::io::ErrorKind::NotFound.into());
        let opened = opened.ok_or_else(missing)?;
        let bytes = |metric| opened.file(metric).map_or(0, |file| file.file_len());
        let made = Made {
            material,
            counts: opened.wdl.header().counts,
            wdl_bytes: bytes(Metric::Wdl),
            dtm_bytes: bytes(Metric::Dtm),
            solving,
            encoding: start.elapsed(),
        };
        self.tables.replace(opened);
        Ok(made)
    }

    fn write(&self, material: Material, table: &SpilledTable<u16>) -> Result<(), EncodeError> {
        let file = |metric| self.tables.folder().file(material, metric);
        log::debug!("{material}: {:?}", table.footprint());
        let wdl = stream::write_wdl(table, &file(Metric::Wdl), self.control)?;
        let path = file(Metric::Dtm);
        stream::write_distances(Metric::Dtm, table, &wdl, &path, self.control)?;
        Ok(files::sync_folder(path.parent().unwrap_or(Path::new(".")))?)
    }
}

/// The tables that a large one needs, in memory.
struct Subs(HashMap<Material, Arc<Solved>>);

impl Subs {
    fn new(material: Material, control: &Control) -> Result<Subs, SolveError> {
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
