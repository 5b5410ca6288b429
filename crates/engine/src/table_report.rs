//! The events of one generation of tables: what begins, how far it is, what was generated.

use super::event::{Event, Sink, TableNews, Trouble};
use super::table_format::SyzygyTarget;
use super::table_job::TableJob;
use duchamp_base::{cores, files};
use duchamp_chess_tables::{
    Estimate, GenerateError, MAX_MEN, Material, Metric, Progress, Step, Store, Summary, closure,
    estimate, scratch_bytes,
};
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
    /// The MiB that the option allows.
    memory: u64,
    folder: PathBuf,
    /// The folder of Syzygy files, if such are written, and whether the engine reads it.
    syzygy: Option<(PathBuf, bool)>,
    /// Processor time and bytes of the missing tables, estimated; 0 bytes with Syzygy files, of which nobody knows.
    time: Duration,
    bytes: u64,
    /// The missing tables, and bytes of memory and scratch files if there are large ones among them.
    missing: usize,
    large: Option<(u64, u64)>,
    /// When something was reported last; `None` before the first report.
    last: Option<Instant>,
}

impl TableReport {
    /// Before a job generates what is missing of `materials`, with so many MiB.
    pub(super) fn new(
        tables: &Store,
        materials: &[Material],
        (job, memory): (TableJob, u64),
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
        // Of these tables, and of those that they need, those that lack files.
        let wanted = materials.iter().copied().filter(|table| lacks(*table));
        let missing: Vec<Material> = closure(wanted, lacks).into_iter().collect();
        let costs = missing
            .iter()
            .map(|table| estimate(*table, metrics, cores()));
        let costs: Vec<Estimate> = costs.collect();
        let time = costs.iter().map(|cost| cost.time).sum();
        let bytes = costs.iter().map(|cost| cost.disk).sum();
        let large = missing.iter().any(|table| table.men() > MAX_MEN);
        let least_memory = costs.iter().map(|cost| cost.least_memory).max();
        let large = large.then(|| (least_memory.unwrap_or(0), scratch_bytes(&missing)));
        let bytes = if target.is_some() { 0 } else { bytes };
        TableReport {
            sink,
            job,
            memory,
            folder: tables.dir().to_owned(),
            syzygy: target.map(|target| (target.folder.clone(), target.is_read)),
            time,
            bytes,
            missing: missing.len(),
            large,
            last: None,
        }
    }

    /// Where tables of six men are asked for: reports what they take before anything else, and returns an error if the disk
    /// does not have it.
    pub(super) fn announce(&mut self) -> Result<(), GenerateError> {
        let Some((_, scratch)) = self.large else {
            return Ok(());
        };
        (self.sink)(Event::Tables(self.started(self.missing)));
        self.last = Some(Instant::now());
        let needed = self.bytes + scratch;
        match files::free_space(&self.folder) {
            Some(free) if free < needed => Err(GenerateError::Disk {
                path: self.folder.clone(),
                needed,
                free,
            }),
            _ => Ok(()),
        }
    }

    /// The news that the generation of so many tables begins.
    fn started(&self, tables: usize) -> TableNews {
        TableNews::Started {
            tables,
            folder: self.folder.clone(),
            time: self.time / cores() as u32,
            bytes: self.bytes,
            large: self.large,
            syzygy: self.syzygy.as_ref().map(|(folder, _)| folder.clone()),
            startup: self.job == TableJob::Startup,
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
            (_, None) => self.started(progress.total),
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
                reason: match error {
                    GenerateError::Memory { needed, .. } if needed > self.memory => {
                        format!("{error}; set TBMemory to {needed}")
                    }
                    GenerateError::Memory { .. } => {
                        format!("{error} by the system (see `ulimit -v`)")
                    }
                    error => error.to_string(),
                },
            }),
        };
        (self.sink)(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table_format::TableFormat;
    use std::sync::{Arc, Mutex};

    /// A greater number helps only where the number was too small.
    #[test]
    fn the_advice_about_memory_fits_what_is_missing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let tables = Store::open(folder.path());
        let key: Material = "KQvK".parse().expect("a material");
        for (memory, advice) in [
            (100, "; set TBMemory to 300"),
            (300, " allowed by the system (see `ulimit -v`)"),
        ] {
            let heard = Arc::new(Mutex::new(Vec::new()));
            let sink: Sink = Arc::new({
                let heard = Arc::clone(&heard);
                move |event| heard.lock().expect("no panic while held").push(event)
            });
            let job = (TableJob::Request(vec![key], TableFormat::Own), memory);
            let report = TableReport::new(&tables, &[key], job, None, sink);
            report.result(Err(GenerateError::Memory {
                key,
                needed: 300,
                allowed: 100,
            }));
            let heard = heard.lock().expect("no panic while held");
            let [Event::Trouble(trouble)] = &heard[..] else {
                panic!("{heard:?}");
            };
            assert!(trouble.to_string().ends_with(advice), "{trouble}");
        }
    }
}
