//! `duchamp tb verify [MATERIAL...] --syzygy PATH`

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use duchamp_base::Control;
use duchamp_chess_tables::{
    Chess, Layout, Material, Prober, Store, SyzygyCompareError, SyzygyComparison, SyzygyError,
    SyzygyKind, SyzygyTables, compare_syzygy, knows_zeroing, syzygy_checksums,
};

use super::Failure;
use super::crew::{self, Watch};
use super::progress::{Display, ProgressArguments};
use super::tb_input;
use super::tb_missing;
use super::tb_syzygy;

pub(super) struct Arguments<'a> {
    /// The folders of the files.
    pub(super) path: &'a str,
    pub(super) materials: &'a [String],
    pub(super) store: Arc<Store>,
    pub(super) threads: Option<usize>,
    pub(super) progress: &'a ProgressArguments,
}

/// A material that is compared.
struct Task {
    material: Material,
    /// Why distances are not, if so.
    without_distances: Option<&'static str>,
    /// Cells of both sides.
    cells: u64,
}

pub(super) fn run(arguments: &Arguments<'_>) -> Result<(), Failure> {
    let syzygy = tb_syzygy::open(arguments.path)?;
    let own = Prober::new(Arc::clone(&arguments.store));
    let materials = materials(arguments, &syzygy)?;
    let tasks: Vec<Task> = materials
        .into_iter()
        .map(|material| Task::new(&own, &syzygy, material))
        .collect();
    let watch = Watch::new(arguments.threads)?;
    let mut course = Course::new(arguments.progress, &tasks);
    writeln!(
        std::io::stdout(),
        "table      positions  en passant  differences  checksums  seconds"
    )?;
    for (done, task) in tasks.iter().enumerate() {
        let start = Instant::now();
        course.begin(done, task);
        let compared = crew::on_threads(&watch.control, || {
            compare(&own, &syzygy, task, &watch.control, &course)
        })?;
        match compared {
            Ok((compared, checksums)) => course.note(task, &compared, checksums, start),
            Err(SyzygyCompareError::Syzygy(error)) => {
                course.note_unread(task, &error, &syzygy.take_faults(), start);
            }
            Err(SyzygyCompareError::Cancelled(_)) => {
                return Err(Failure::Failed(format!(
                    "verification stopped after {done} of {} tables, with {} differences; the same command starts from \
                     the beginning: {}",
                    tasks.len(),
                    course.differences,
                    crew::this_command()
                )));
            }
            Err(SyzygyCompareError::Own(error)) => {
                let store = &arguments.store;
                return Err(Failure::Failed(tb_missing::probe_error(
                    store,
                    task.material,
                    &error,
                )));
            }
        }
    }
    course.finish()
}

/// Compares a material, and computes the checksums of its files.
fn compare(
    own: &Prober,
    syzygy: &SyzygyTables,
    task: &Task,
    control: &Control,
    course: &Course,
) -> Result<(SyzygyComparison, [Option<bool>; 2]), SyzygyCompareError> {
    let checksums = syzygy_checksums(syzygy, task.material)?;
    let distances = task.without_distances.is_none();
    let advance = |cells| course.advance(cells);
    let compared = compare_syzygy(own, syzygy, task.material, distances, control, &advance)?;
    Ok((compared, checksums))
}

/// The materials to compare: those named, all of which must be there, or all that both have.
fn materials(arguments: &Arguments<'_>, syzygy: &SyzygyTables) -> Result<Vec<Material>, Failure> {
    let store = &arguments.store;
    let present = |material: &Material| {
        let mut all = syzygy.materials();
        all.any(|(other, [wdl, _])| wdl && other == *material)
    };
    let mut materials = tb_input::materials::<Chess>(arguments.materials, store)?;
    if arguments.materials.is_empty() {
        materials.retain(present);
        if materials.is_empty() {
            return Err(Failure::Failed(format!(
                "{} and {} have no table in common; to generate one of the Syzygy files' materials: {}",
                store.dir().display(),
                arguments.path,
                tb_missing::command(
                    store,
                    &syzygy
                        .materials()
                        .map(|(one, _)| one)
                        .take(1)
                        .collect::<Vec<_>>(),
                    None
                )
            )));
        }
    } else if let Some(missing) = materials.iter().find(|material| !present(material)) {
        return Err(Failure::Failed(format!(
            "no file {missing}.{} in {}",
            SyzygyKind::Wdl.extension(),
            arguments.path
        )));
    }
    tb_missing::check(store, &materials)?;
    materials.sort_by_key(|material| (material.men(), material.pawns(), *material));
    Ok(materials)
}

impl Task {
    fn new(own: &Prober, syzygy: &SyzygyTables, material: Material) -> Task {
        let layout = Layout::new(material);
        let has_dtz = syzygy
            .materials()
            .any(|(other, [_, dtz])| dtz && other == material);
        let without_distances = if !has_dtz {
            Some("no .rtbz file")
        } else if !knows_zeroing(own, material) {
            Some("no .dtz files of ours")
        } else {
            None
        };
        Task {
            material,
            without_distances,
            cells: layout.cells() * layout.sides().len() as u64,
        }
    }
}

/// What is compared so far, and how that is shown.
struct Course {
    display: Display,
    tables: usize,
    /// Cells of all tables, and those that are done: of the tables before, and of this one, too.
    total: u64,
    before: u64,
    cells: AtomicU64,
    positions: u64,
    differences: u64,
    wrong_checksums: u64,
    /// Tables that could not be compared, as a file is damaged or missing.
    unread: Vec<Material>,
}

impl Course {
    fn new(progress: &ProgressArguments, tasks: &[Task]) -> Course {
        Course {
            display: progress.start("tb verify", "tables"),
            tables: tasks.len(),
            total: tasks.iter().map(|task| task.cells).sum(),
            before: 0,
            cells: AtomicU64::new(0),
            positions: 0,
            differences: 0,
            wrong_checksums: 0,
            unread: Vec::new(),
        }
    }

    fn begin(&self, done: usize, task: &Task) {
        self.display.update(|report| {
            report.done = done as u64;
            report.total = Some(self.tables as u64);
            report.text = format!("comparing {}", task.material);
        });
        self.advance(0);
    }

    fn advance(&self, cells: u64) {
        let done = self.cells.fetch_add(cells, Ordering::Relaxed) + cells;
        self.display.update(|report| {
            report.share = Some(done as f64 / self.total.max(1) as f64);
        });
    }

    /// The table is done, though perhaps not all of its cells were compared.
    fn end(&mut self, task: &Task) {
        self.before += task.cells;
        self.cells.store(self.before, Ordering::Relaxed);
    }

    fn note(
        &mut self,
        task: &Task,
        compared: &SyzygyComparison,
        checksums: [Option<bool>; 2],
        start: Instant,
    ) {
        self.end(task);
        let wrong = checksums.contains(&Some(false));
        self.positions += compared.positions;
        self.differences += compared.differences;
        self.wrong_checksums += u64::from(wrong);
        self.display.suspend(|| {
            let mut out = std::io::stdout().lock();
            // A closed pipe shows in the exit code only: the check goes on.
            let _ = writeln!(
                out,
                "{:10} {:9} {:11} {:12} {:>10} {:8.2}{}",
                task.material.to_string(),
                compared.positions,
                compared.en_passant,
                compared.differences,
                if wrong { "wrong" } else { "right" },
                start.elapsed().as_secs_f64(),
                match task.without_distances {
                    Some(why) => format!("  (results only: {why})"),
                    None => String::new(),
                }
            );
            for line in &compared.first {
                let _ = writeln!(out, "  {line}");
            }
        });
    }

    /// Prints a table that could not be compared: why, and what is wrong with files, as far as it was not printed before.
    fn note_unread(&mut self, task: &Task, error: &SyzygyError, faults: &[String], start: Instant) {
        self.end(task);
        self.unread.push(task.material);
        self.display.suspend(|| {
            let mut out = std::io::stdout().lock();
            let _ = writeln!(
                out,
                "{:10} {:>9} {:>11} {:>12} {:>10} {:8.2}  (not compared: {error})",
                task.material.to_string(),
                "-",
                "-",
                "-",
                "-",
                start.elapsed().as_secs_f64(),
            );
            for fault in faults {
                let _ = writeln!(out, "  {fault}");
            }
        });
    }

    fn finish(self) -> Result<(), Failure> {
        self.display.finish();
        let unread = self.unread.len();
        let mut out = std::io::stdout().lock();
        write!(
            out,
            "{} tables, {} positions, {} differences, {} tables with a wrong checksum",
            self.tables - unread,
            self.positions,
            self.differences,
            self.wrong_checksums
        )?;
        match unread {
            0 => writeln!(out)?,
            _ => writeln!(out, ", {unread} not compared")?,
        }
        drop(out);
        let mut wrong = Vec::new();
        if self.differences + self.wrong_checksums > 0 {
            wrong.push(format!(
                "the Syzygy files differ in {} positions; tables with a wrong checksum: {}",
                self.differences, self.wrong_checksums
            ));
        }
        if unread > 0 {
            let names: Vec<String> = self.unread.iter().map(Material::to_string).collect();
            wrong.push(format!(
                "not compared, since Syzygy files are damaged or missing: {}; replace these files",
                names.join(" ")
            ));
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(Failure::Failed(wrong.join("; "))),
        }
    }
}
