//! What `tb generate` would do and take: tables, time, memory, disk.
//!
//! Times and sizes are the averages over all five-man tables, per cell (`duchamp_chess_tables::estimate`); what must be held at
//! one time comes from the scheduler's own order.

use super::Failure;
use super::columns::{Columns, Side};
use super::tb_game::{TableGame, names};
use super::tb_words;
use duchamp_base::{files, human};
use duchamp_tablebase::{Estimate, GenerateOptions, Store, TableKey, most_at_once};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Files that are so many times larger than the free disk are not begun; estimates of single tables are less far off.
const HOPELESS: u64 = 3;
/// So many tables are named at most.
const NAMED: usize = 10;

/// What a run would do and take.
pub(super) struct Forecast<G: TableGame> {
    /// Whether tables get files; else they are only solved.
    files: bool,
    generate: Vec<G::Key>,
    present: Vec<G::Key>,
    again: Vec<G::Key>,
    costs: Vec<Estimate>,
    processor: Duration,
    threads: u32,
    memory: u64,
    least_memory: u64,
    allowed: u64,
    disk: u64,
    scratch: u64,
    folder: PathBuf,
    scratch_folder: PathBuf,
    free: Option<u64>,
    scratch_free: Option<u64>,
}

impl<G: TableGame> Forecast<G> {
    /// For tables generated on so many threads.
    pub(super) fn new(
        store: &Store<G>,
        materials: &[G::Key],
        options: &GenerateOptions,
        threads: usize,
    ) -> Forecast<G> {
        let mut plan = G::forecast(store, materials, options);
        let files = !options.count_only;
        if !files {
            // What others need comes first.
            plan.again.append(&mut plan.generate);
            std::mem::swap(&mut plan.generate, &mut plan.again);
        }
        let cost = |material: &G::Key| G::estimate(*material, &options.metrics, threads);
        let solving = |material: &G::Key| {
            let cost = cost(material);
            Estimate {
                disk: 0,
                time: cost.solving,
                ..cost
            }
        };
        let made = |material| match files {
            true => cost(material),
            false => solving(material),
        };
        let costs: Vec<Estimate> = plan.generate.iter().map(made).collect();
        let again: Vec<Estimate> = plan.again.iter().map(solving).collect();
        let allowed = options.memory;
        let allowed = allowed.unwrap_or(GenerateOptions::DEFAULT_MEMORY) << 20;
        let all = costs.iter().chain(&again);
        let own = all.clone().map(|cost| cost.memory).max().unwrap_or(0);
        let wanted = own.max(plan.held);
        let solved = plan.generate.iter().chain(&plan.again).copied();
        let large: Vec<G::Key> = solved.filter(|key| G::is_large(*key)).collect();
        let (scratch, left) = (|key| cost(&key).scratch, |key| cost(&key).left);
        let at_once = most_at_once(&large, scratch, left);
        let folder = store.dir().to_owned();
        let scratch_folder = options.scratch.clone().unwrap_or_else(|| folder.clone());
        Forecast {
            files,
            processor: all.clone().map(|cost| cost.time).sum(),
            threads: u32::try_from(threads).unwrap_or(1).max(1),
            memory: wanted.min(allowed),
            least_memory: all.map(|cost| cost.least_memory).max().unwrap_or(0),
            allowed,
            disk: costs.iter().map(|cost| cost.disk).sum(),
            scratch: if at_once > 0 {
                at_once
            } else {
                wanted.saturating_sub(allowed)
            },
            free: files::free_space(&folder),
            scratch_free: files::free_space(&scratch_folder),
            generate: plan.generate,
            present: plan.present,
            again: plan.again,
            costs,
            folder,
            scratch_folder,
        }
    }

    /// Whether nothing is to be generated.
    pub(super) fn is_empty(&self) -> bool {
        self.generate.is_empty()
    }

    /// Which tables are missing and what they take, as a sentence without a full stop.
    pub(super) fn missing(&self) -> String {
        let tables = tb_words::tables(self.generate.len());
        format!(
            "{tables} missing in {}: generating takes about {} on {} threads, {} of disk",
            self.folder.display(),
            human::span(self.time()),
            self.threads,
            human::size(self.disk)
        )
    }

    /// Time on the clock.
    fn time(&self) -> Duration {
        self.processor / self.threads
    }

    /// What is wrong with the disk or memory, if something is.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let on = |need: u64, free: Option<u64>, what: &str, folder: &PathBuf, option: &str| {
            // A folder that cannot be there has a message of its own.
            free.filter(|free| need > *free && *free > 0).map(|free| {
                format!(
                    "{what} need about {}, but {} has {} free; {option} names another folder",
                    human::size(need),
                    folder.display(),
                    human::size(free)
                )
            })
        };
        if self.folder == self.scratch_folder {
            let both = self.disk + self.scratch;
            let what = match self.files {
                true => "the tables and scratch files",
                false => "scratch files",
            };
            warnings.extend(on(both, self.free, what, &self.folder, "--dir"));
        } else {
            let (folder, scratch) = (&self.folder, &self.scratch_folder);
            warnings.extend(on(self.disk, self.free, "the tables", folder, "--dir"));
            let free = self.scratch_free;
            warnings.extend(on(
                self.scratch,
                free,
                "scratch files",
                scratch,
                "--scratch",
            ));
        }
        if self.least_memory > self.allowed {
            warnings.push(format!(
                "at least {} MiB of memory are needed, more than --memory {}",
                self.least_memory.div_ceil(1 << 20),
                self.allowed >> 20
            ));
        }
        warnings
    }

    /// Refuses what the disk cannot hold by far; warns on stderr where it may not.
    ///
    /// # Errors
    /// When the files need several times the free disk.
    pub(super) fn check_disk(&self) -> Result<(), Failure> {
        if self.free.is_some_and(|free| hopeless(self.disk, free)) {
            return Err(Failure::Failed(format!(
                "the tables need about {} of disk, but {} has {} free: name another folder with --dir",
                human::size(self.disk),
                self.folder.display(),
                human::size(self.free.unwrap_or(0))
            )));
        }
        for warning in self.warnings() {
            let _ = writeln!(std::io::stderr(), "warning: {warning}");
        }
        Ok(())
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "folder": self.folder,
            "generate": names(&self.generate),
            "present": names(&self.present),
            "solve_again": names(&self.again),
            "threads": self.threads,
            "seconds": self.time().as_secs_f64(),
            "processor_seconds": self.processor.as_secs_f64(),
            "memory_bytes": self.memory,
            "least_memory_bytes": self.least_memory,
            "disk_bytes": self.disk,
            "scratch_bytes": self.scratch,
            "free_bytes": self.free,
            "warnings": self.warnings(),
        })
    }

    pub(super) fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        if !self.generate.is_empty() {
            self.write_groups(out)?;
            writeln!(out)?;
        }
        let list = |tables: &[G::Key]| {
            let names = names(&tables[..tables.len().min(NAMED)]);
            let more = match tables.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            match names.is_empty() {
                true => "none".to_owned(),
                false => format!("{} ({}{more})", tables.len(), names.join(" ")),
            }
        };
        let to_do = match self.files {
            true => "To generate",
            false => "To solve",
        };
        writeln!(out, "{to_do}: {}", list(&self.generate))?;
        writeln!(out, "Present: {}", list(&self.present))?;
        if self.generate.is_empty() {
            return Ok(());
        }
        if !self.again.is_empty() {
            let why = "present, but needed in memory";
            writeln!(out, "To solve again, {why}: {}", list(&self.again))?;
        }
        let threads = match self.threads {
            1 => "1 thread".to_owned(),
            threads => format!("{threads} threads"),
        };
        writeln!(
            out,
            "Time: about {} on {threads} ({} of processor time)",
            human::span(self.time()),
            human::span(self.processor)
        )?;
        writeln!(
            out,
            "Memory: about {} of the {} allowed; --memory {} is the least",
            human::size(self.memory),
            human::size(self.allowed),
            self.least_memory.div_ceil(1 << 20)
        )?;
        if self.files {
            let free = self.free.map_or("unknown".to_owned(), human::size);
            writeln!(
                out,
                "Disk: about {} in {} (free: {free})",
                human::size(self.disk),
                self.folder.display()
            )?;
        }
        if self.scratch > 0 {
            writeln!(
                out,
                "Scratch files: about {} at a time in {}, gone at the end",
                human::size(self.scratch),
                self.scratch_folder.display()
            )?;
        }
        writeln!(out, "{}", G::BASIS)?;
        for warning in self.warnings() {
            writeln!(out, "Warning: {warning}")?;
        }
        Ok(())
    }

    /// The tables to generate, summed by men and pawns.
    fn write_groups(&self, out: &mut impl Write) -> std::io::Result<()> {
        let heads = ["men", "pawns", "tables", "processor time", "largest memory"];
        let disk = self.files.then_some("disk");
        let heads = heads.into_iter().chain(disk);
        let mut columns = Columns::new(heads.map(|head| (head, Side::Right)));
        let row = |head: [String; 2], costs: &[&Estimate]| {
            let [men, pawns] = head;
            let mut row = vec![
                men,
                pawns,
                costs.len().to_string(),
                human::span(costs.iter().map(|cost| cost.time).sum()),
                human::size(costs.iter().map(|cost| cost.memory).max().unwrap_or(0)),
            ];
            if self.files {
                row.push(human::size(costs.iter().map(|cost| cost.disk).sum()));
            }
            row
        };
        let group = |material: &G::Key| (material.men(), material.pawns());
        let mut groups: Vec<(u32, u32)> = self.generate.iter().map(group).collect();
        groups.sort_unstable();
        groups.dedup();
        for (men, pawns) in groups {
            let both = self.generate.iter().zip(&self.costs);
            let of_group: Vec<&Estimate> = both
                .filter(|(material, _)| group(material) == (men, pawns))
                .map(|(_, cost)| cost)
                .collect();
            columns.row(row([men, pawns].map(|n| n.to_string()), &of_group));
        }
        columns.rule();
        let all: Vec<&Estimate> = self.costs.iter().collect();
        columns.row(row(["all".to_owned(), String::new()], &all));
        columns.write(out)
    }
}

/// Whether files are too large for the free disk whatever the error of the estimate.
fn hopeless(need: u64, free: u64) -> bool {
    need / HOPELESS > free
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess_tables::{Chess, Metric};

    fn forecast(free: u64) -> Forecast<Chess> {
        let tables = Store::open(&std::env::temp_dir().join("no such folder"));
        let materials = duchamp_chess_tables::parse_specs("5").expect("tables");
        let options = GenerateOptions {
            metrics: vec![Metric::Dtm],
            ..GenerateOptions::default()
        };
        Forecast {
            free: Some(free),
            ..Forecast::new(&tables, &materials, &options, 2)
        }
    }

    #[test]
    fn all_tables_of_five_men_take_what_they_took() {
        let forecast = forecast(1 << 40);
        assert_eq!(forecast.generate.len(), 145);
        assert!(forecast.present.is_empty() && forecast.again.is_empty());
        // Measured: 2.0 GB, 8 minutes on two cores, about 17 GB of scratch in 3 GiB.
        assert!((1_700_000_000..2_500_000_000).contains(&forecast.disk));
        assert!((300..1200).contains(&forecast.time().as_secs()));
        assert!(
            (4_000_000_000..30_000_000_000).contains(&forecast.scratch),
            "{}",
            forecast.scratch
        );
        assert_eq!(forecast.memory, 3 << 30);
        assert!(forecast.warnings().is_empty() && forecast.check_disk().is_ok());
    }

    #[test]
    fn a_small_disk_is_warned_of_and_a_hopeless_one_refused() {
        let small = forecast(3_000_000_000);
        assert!(
            small.warnings()[0].contains("3.00 GB free; --dir"),
            "{:?}",
            small.warnings()
        );
        assert!(small.check_disk().is_ok());
        let error = forecast(100_000_000).check_disk().expect_err("no room");
        let error = error.to_string();
        assert!(
            error.contains("100 MB free") && error.contains("--dir"),
            "{error}"
        );
    }
}
