//! The events of one generation of tables: what begins, how far it is, what was generated.

use super::event::{Event, Sink, TableNews, Trouble};
use super::table_format::SyzygyTarget;
use super::table_job::TableJob;
use duchamp_chess_tables::{
    GenerateError, Material, Metric, Progress, Step, Store, Summary, estimate,
};
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The least time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The same for the tables of the start, for which nobody asked.
const STARTUP_INTERVAL: Duration = Duration::from_secs(3);

/// Reports on one job.
pub(super) struct TableReport {
    sink: Sink,
    job: TableJob,
    folder: PathBuf,
    /// The folder of Syzygy files, if such are written, and whether the engine reads it.
    syzygy: Option<(PathBuf, bool)>,
    /// Processor time and bytes of the missing tables, estimated; 0 bytes with Syzygy files, of which nobody knows.
    time: Duration,
    bytes: u64,
    /// When something was reported last; `None` before the first report.
    last: Option<Instant>,
}

impl TableReport {
    /// Before a job generates what is missing of `materials`.
    pub(super) fn new(
        tables: &Store,
        materials: &[Material],
        job: TableJob,
        target: Option<&SyzygyTarget>,
        sink: Sink,
    ) -> TableReport {
        let lacks = |table| match target {
            Some(target) => job.format().writes_own() && !tables.has(table) || target.lacks(table),
            None => !tables.has(table),
        };
        // Syzygy files need distances to zeroing, too.
        let metrics: &[Metric] = match target {
            Some(_) => &[Metric::Dtm, Metric::Dtz],
            None => &[Metric::Dtm],
        };
        let missing = missing(materials, &lacks);
        let costs = missing.iter().map(|table| estimate(*table, metrics));
        let (time, bytes) = costs.fold((Duration::ZERO, 0), |(time, bytes), cost| {
            (time + cost.time, bytes + cost.disk)
        });
        let bytes = if target.is_some() { 0 } else { bytes };
        TableReport {
            sink,
            job,
            folder: tables.dir().to_owned(),
            syzygy: target.map(|target| (target.folder.clone(), target.is_read)),
            time,
            bytes,
            last: None,
        }
    }

    /// Reports that the job begins, and later how far it is, once in a while.
    pub(super) fn progress(&mut self, progress: &Progress) {
        let interval = match self.job {
            TableJob::Startup => STARTUP_INTERVAL,
            TableJob::Demand(_) | TableJob::Request(..) => PROGRESS_INTERVAL,
        };
        let news = match (&self.job, self.last) {
            (TableJob::Demand(table), None) => TableNews::Demanded { table: *table },
            (job, None) => TableNews::Started {
                tables: progress.total,
                folder: self.folder.clone(),
                time: self.time / cores() as u32,
                bytes: self.bytes,
                syzygy: self.syzygy.as_ref().map(|(folder, _)| folder.clone()),
                startup: *job == TableJob::Startup,
            },
            (_, Some(last)) if last.elapsed() < interval => return,
            _ => TableNews::Progress {
                table: progress.key,
                elsewhere: matches!(progress.step, Step::Waiting(_)),
                done: progress.done,
                total: progress.total,
                share: progress.share,
                left: progress.left,
            },
        };
        self.last = Some(Instant::now());
        (self.sink)(Event::Tables(news));
    }

    /// Reports how the job ended.
    pub(super) fn result(&self, result: Result<Summary, GenerateError>) {
        let event = match result {
            // Nobody asked, and nothing was done.
            Ok(summary) if self.job == TableJob::Startup && summary.made.is_empty() => return,
            Ok(summary) => {
                let bytes = summary.made.iter().map(|it| {
                    let exported: u64 = it.exported.iter().sum();
                    it.wdl_bytes + it.dtm_bytes + exported
                });
                Event::Tables(TableNews::Finished {
                    generated: summary.made.len(),
                    present: summary.found + summary.shared,
                    bytes: bytes.sum(),
                    folder: self.folder.clone(),
                    syzygy: self.syzygy.clone(),
                    time: summary.elapsed,
                })
            }
            Err(error) => Event::Trouble(Trouble::Generation {
                reason: error.to_string(),
            }),
        };
        (self.sink)(event);
    }
}

/// Those of these tables, and of the tables that they need, that lack files.
fn missing(materials: &[Material], lacks: &dyn Fn(Material) -> bool) -> Vec<Material> {
    let mut open = materials.to_vec();
    let mut seen: HashSet<Material> = open.iter().copied().collect();
    let mut missing = Vec::new();
    while let Some(table) = open.pop() {
        if lacks(table) {
            missing.push(table);
            open.extend(table.children().into_iter().filter(|it| seen.insert(*it)));
        }
    }
    missing
}

/// Processors that may be used.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
